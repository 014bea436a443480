package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A replica is tbridge serve --http as a process of its own.
type replica struct {
	cmd    *exec.Cmd
	url    string
	stderr *output
	done   chan error
}

// startReplica serves a directory on a free port. The test's binary is tbridge under another name, see TestMain.
func startReplica(t *testing.T, dir string, args ...string) *replica {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "tbridge")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	r := &replica{stderr: &output{}, done: make(chan error, 1)}
	r.cmd = exec.Command(bin, append([]string{"serve", "--config", filepath.Join(dir, "tbridge.yaml"), "--http", "127.0.0.1:0"}, args...)...)
	r.cmd.Stderr = r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.done <- r.cmd.Wait() }()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	r.url = strings.TrimSuffix(r.said(t, `mcp=(http://\S+)`), "/mcp")
	return r
}

// said waits until stderr matches, and gives the group of the pattern.
func (r *replica) said(t *testing.T, pattern string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(r.stderr.String()); m != nil {
			return m[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %q in %s", pattern, r.stderr)
		}
	}
}

// exit waits for the end, and gives the exit code.
func (r *replica) exit(t *testing.T) int {
	t.Helper()
	select {
	case err := <-r.done:
		r.done <- err
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(2 * patience):
		t.Fatalf("still running: %s", r.stderr)
		return -1
	}
}

func (r *replica) terminate(t *testing.T) {
	t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// toolCall is a call in the revision without sessions.
func toolCall(ctx context.Context, base, name, arguments string) *http.Request {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, name, arguments)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name} {
		req.Header.Set(key, value)
	}
	return req
}

// send sends a request and gives status and body; the status is 0 when there was no answer.
func send(req *http.Request) (int, string) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body)
}

// teamDirectory is a bridge directory whose API takes a second for /later, and says what it was asked.
func teamDirectory(t *testing.T) (dir string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/later":
			time.Sleep(time.Second)
		case "/hang":
			<-r.Context().Done()
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"n":%q}`, r.URL.Query().Get("n"))
	}))
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	dir = t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \""+up.URL+"\"}}\n")
	write(t, dir, "tools.d/a.yaml", tools(get("later", "Later."), get("hang", "Hang."),
		"{name: echo, description: Echo., method: GET, path: /echo, arguments: [{name: n, type: integer, description: A number}]}"))
	return dir, asked
}

func TestSIGTERMDrains(t *testing.T) {
	dir, asked := teamDirectory(t)
	r := startReplica(t, dir)
	stream := toolCall(t.Context(), r.url, "", "{}")
	stream.Header.Set("Mcp-Method", "subscriptions/listen")
	stream.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	stream.ContentLength = -1
	var waiting sync.WaitGroup
	waiting.Go(func() { send(stream) })
	silent, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://")) // and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	statuses := make(chan int, 50)
	for range 50 {
		waiting.Go(func() {
			status, _ := send(toolCall(context.Background(), r.url, "later", "{}"))
			statuses <- status
		})
	}
	for asked.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	r.terminate(t)
	for {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			break
		}
		conn.Close()
		if time.Since(began) > 900*time.Millisecond {
			t.Fatal("the listener stays")
		}
	}
	for range 50 {
		if status := <-statuses; status != 200 {
			t.Errorf("status %d", status)
		}
	}
	waiting.Wait()
	if code := r.exit(t); code != 0 || time.Since(began) > 2*time.Second {
		t.Errorf("exit code %d after %v: %s", code, time.Since(began), r.stderr)
	}
}

func TestASecondSIGTERMDoesNotWait(t *testing.T) {
	dir, asked := teamDirectory(t)
	r := startReplica(t, dir)
	go send(toolCall(t.Context(), r.url, "hang", "{}"))
	for asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	r.terminate(t)
	r.said(t, `(going down)`)
	r.terminate(t)
	if code := r.exit(t); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

// What nobody answers is cancelled at the end of the time, and the server ends.
func TestSIGTERMDoesNotWaitForever(t *testing.T) {
	t.Parallel() // it takes its fifteen seconds
	dir, asked := teamDirectory(t)
	r := startReplica(t, dir)
	go send(toolCall(t.Context(), r.url, "hang", "{}"))
	for asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	r.terminate(t)
	if code := r.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestRefusesToServeTheNetworkWithoutAuth(t *testing.T) {
	dir, _ := teamDirectory(t)
	config := filepath.Join(dir, "tbridge.yaml")
	tests := []struct {
		args []string
		word string
	}{
		{[]string{"--http", "0.0.0.0:0"}, "hint: list tokens under server: {http: {auth: {tokens: [..]}}} in tbridge.yaml"},
		{[]string{"--http", ":0"}, "hint: list tokens"},
		{[]string{"--http", "nowhere"}, `error: --http "nowhere": `},
		{[]string{"--http", "127.0.0.1:0", "--metrics", "nowhere"}, `error: --metrics "nowhere": `},
		{[]string{"--metrics", "127.0.0.1:0"}, "error: --metrics goes with --http"},
	}
	for _, tt := range tests {
		var stderr output
		code := run(t.Context(), append([]string{"serve", "--config", config}, tt.args...), strings.NewReader(""), io.Discard, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), tt.word) {
			t.Errorf("%q: exit code %d, %s", tt.args, code, &stderr)
		}
	}
}

func TestHealthAndMetricsOfAProcess(t *testing.T) {
	dir, _ := teamDirectory(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	metrics := free.Addr().String()
	free.Close()
	r := startReplica(t, dir, "--metrics", metrics)
	look := func(url string) (int, string) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return send(req)
	}
	if status, _ := look(r.url + "/metrics"); status != 404 {
		t.Errorf("metrics beside /mcp: %d", status)
	}
	if status, body := look("http://" + metrics + "/metrics"); status != 200 || !strings.Contains(body, "tbridge_tools 3") {
		t.Errorf("metrics: %d %s", status, body)
	}
	broken := filepath.Join(dir, "tools.d", "b.yaml")
	write(t, dir, "tools.d/b.yaml", "tools: [[[")
	until := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			if status, body := look(r.url + "/healthz"); status == 200 && body == want {
				return
			} else if time.Now().After(deadline) {
				t.Fatalf("healthz: %d %s", status, body)
			}
		}
	}
	until(fmt.Sprintf(`{"status":"degraded","files":[%q]}`, broken))
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	until(`{"status":"ok"}`)
}

func TestSlowAndLargeHeaders(t *testing.T) {
	t.Parallel() // it takes its five seconds
	dir, _ := teamDirectory(t)
	r := startReplica(t, dir)
	large, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	fmt.Fprintf(large, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Large: %s", strings.Repeat("x", 70_000))
	if line, err := bufio.NewReader(large).ReadString('\n'); !strings.Contains(line, "431") {
		t.Errorf("a large header: %q %v", line, err)
	}
	var conns []net.Conn
	for range 200 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: ")
		conns = append(conns, conn)
	}
	began := time.Now()
	if status, _ := send(toolCall(t.Context(), r.url, "echo", `{"n":1}`)); status != 200 || time.Since(began) > time.Second {
		t.Errorf("a call among them: %d after %v", status, time.Since(began))
	}
	for _, conn := range conns {
		_ = conn.SetReadDeadline(began.Add(patience))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a connection without a request stays")
		}
	}
}

// Two replicas share nothing. Calls go to both in turn, and none is lost while one after the other is replaced.
func TestReplicasAndARollingRestart(t *testing.T) {
	dir, _ := teamDirectory(t)
	var mu sync.Mutex
	backends := []*replica{startReplica(t, dir), startReplica(t, dir)}
	var turn int
	pick := func() string {
		mu.Lock()
		defer mu.Unlock()
		turn++
		return backends[turn%len(backends)].url
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, err := url.Parse(pick())
			if err != nil {
				panic(err)
			}
			r.SetURL(to)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	})
	defer proxy.Close()

	stop := make(chan struct{})
	var calling sync.WaitGroup
	var made, wrong atomic.Int64
	for worker := range 8 {
		calling.Go(func() {
			for i := worker * 1_000_000; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				status, body := send(toolCall(context.Background(), proxy.URL, "echo", fmt.Sprintf(`{"n":%d}`, i)))
				made.Add(1)
				if want := fmt.Sprintf(`"structuredContent":{"n":"%d"}`, i); status != 200 || !strings.Contains(body, want) {
					wrong.Add(1)
					t.Errorf("call %d: %d %s", i, status, body)
					return
				}
			}
		})
	}
	for i := range backends {
		next := startReplica(t, dir)
		before := made.Load()
		mu.Lock()
		old := backends[i]
		backends[i] = next // as an endpoint that is not ready any more is taken out
		mu.Unlock()
		for made.Load() < before+100 && wrong.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		old.terminate(t)
		if code := old.exit(t); code != 0 {
			t.Errorf("exit code %d: %s", code, old.stderr)
		}
	}
	close(stop)
	calling.Wait()
	if made.Load() < 200 {
		t.Errorf("only %d calls", made.Load())
	}
}
