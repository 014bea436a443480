package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
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
	"testing/synctest"
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
	bin := filepath.Join(asTbridge(t), "tbridge")
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
	case <-time.After(drainTime + patience):
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

// A teamAPI is a bridge directory and its API, which answers /later when it is told to, /hang never, and all else at once.
type teamAPI struct {
	dir   string
	asked atomic.Int64
	later chan struct{} // closed: /later is answered
}

func newTeamAPI(t *testing.T) *teamAPI {
	t.Helper()
	up := &teamAPI{dir: t.TempDir(), later: make(chan struct{})}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up.asked.Add(1)
		switch r.URL.Path {
		case "/later":
			select {
			case <-up.later:
			case <-r.Context().Done():
			}
		case "/hang":
			<-r.Context().Done()
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"n":%q}`, r.URL.Query().Get("n"))
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	write(t, up.dir, "tbridge.yaml", "version: 1\napis: {up: {timeout: 5m, base_url: \""+s.URL+"\"}}\n")
	write(t, up.dir, "tools.d/a.yaml", tools(get("later", "Later."), get("hang", "Hang."),
		"{name: echo, description: Echo., method: GET, path: /echo, arguments: [{name: n, type: integer, description: A number}]}"))
	return up
}

// await waits until the API was asked so often.
func (up *teamAPI) await(t *testing.T, calls int64) {
	t.Helper()
	for deadline := time.Now().Add(patience); up.asked.Load() < calls; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls instead of %d", up.asked.Load(), calls)
		}
	}
}

// After a signal streams end and nobody gets in, while the calls in hand are waited for and answered.
func TestSIGTERMDrains(t *testing.T) {
	up := newTeamAPI(t)
	r := startReplica(t, up.dir)
	stream := toolCall(t.Context(), r.url, "", "{}")
	stream.Header.Set("Mcp-Method", "subscriptions/listen")
	stream.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	stream.ContentLength = -1
	var streaming sync.WaitGroup
	streaming.Go(func() { send(stream) })
	silent, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://")) // and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	const calls = 50
	statuses := make(chan int, calls)
	for range calls {
		go func() {
			status, _ := send(toolCall(context.Background(), r.url, "later", "{}"))
			statuses <- status
		}()
	}
	up.await(t, calls)
	r.terminate(t)
	streaming.Wait()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			break
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("the listener stays")
		}
	}
	if n := len(statuses); n > 0 {
		t.Errorf("%d calls have ended before they were answered", n)
	}
	close(up.later)
	for range calls {
		if status := <-statuses; status != 200 {
			t.Errorf("status %d", status)
		}
	}
	if code := r.exit(t); code != 0 {
		t.Errorf("exit code %d: %s", code, r.stderr)
	}
}

func TestASecondSIGTERMDoesNotWait(t *testing.T) {
	up := newTeamAPI(t)
	r := startReplica(t, up.dir)
	go send(toolCall(t.Context(), r.url, "hang", "{}"))
	up.await(t, 1)
	r.terminate(t)
	r.said(t, `(going down)`)
	r.terminate(t)
	if code := r.exit(t); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

// A lan is a network in memory. In a bubble of synctest, time passes when all wait for one another over it, as it
// would not over the system's.
type lan struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newLAN() *lan {
	l := &lan{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Accept implements net.Listener.
func (l *lan) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *lan) Close() error {
	l.close()
	return nil
}

// Addr implements net.Listener.
func (l *lan) Addr() net.Addr { return &net.TCPAddr{} }

func (l *lan) dial(t *testing.T) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	select {
	case l.conns <- there:
	case <-l.closed:
		t.Fatal("the listener is closed")
	}
	t.Cleanup(func() { here.Close() })
	return here
}

// serveLAN serves a handler in memory, until the end of the test.
func serveLAN(t *testing.T, h http.HandlerFunc) (*teamServer, *lan) {
	s, l := newTeamServer(t.Context(), h, slog.New(slog.DiscardHandler)), newLAN()
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	t.Cleanup(func() {
		s.abort()
		_ = s.Close()
		serving.Wait()
	})
	return s, l
}

// Requests in hand have their time when a server goes down, and then they are cancelled; whoever does not heed that is
// left. A connection without a request has hardly any time.
func TestGoingDownTakesItsTime(t *testing.T) {
	sleep := func(ctx context.Context, d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	tests := []struct {
		name, sent string
		handle     http.HandlerFunc
		want       time.Duration
	}{
		{"a connection without a request", "", nil, silentTime},
		{"half a request", "GET / HT", nil, silentTime},
		{"a request that ends", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", func(_ http.ResponseWriter, r *http.Request) { sleep(r.Context(), drainTime/2) }, drainTime / 2},
		{"one that does not", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, drainTime},
		{"one that cannot be cancelled", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) }, drainTime + abortTime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, l := serveLAN(t, tt.handle)
				conn := l.dial(t)
				go func() { _, _ = io.Copy(io.Discard, conn) }()
				if _, err := io.WriteString(conn, tt.sent); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				began := time.Now()
				s.shutDown()
				// net/http looks twice a second whether its connections have ended.
				if took := time.Since(began); took < tt.want || took > tt.want+600*time.Millisecond {
					t.Errorf("took %v instead of %v", took, tt.want)
				}
				time.Sleep(time.Hour) // until whoever was left has ended
			})
		})
	}
}

func TestRefusesToServeTheNetworkWithoutAuth(t *testing.T) {
	config := filepath.Join(newTeamAPI(t).dir, "tbridge.yaml")
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
	dir := newTeamAPI(t).dir
	r := startReplica(t, dir, "--metrics", "127.0.0.1:0")
	metrics := r.said(t, `metrics=(http://\S+/metrics)`)
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
	if status, body := look(metrics); status != 200 || !strings.Contains(body, "tbridge_tools 3") {
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

// Connections that do not come to a request have a time, and nobody waits for them.
func TestSlowAndLargeHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := serveLAN(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") })
		large := l.dial(t)
		go fmt.Fprintf(large, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Large: %s", strings.Repeat("x", 70_000))
		if line, err := bufio.NewReader(large).ReadString('\n'); !strings.Contains(line, "431") {
			t.Errorf("a large header: %q %v", line, err)
		}
		began := time.Now()
		ended := make(chan time.Duration)
		for range 200 {
			conn := l.dial(t)
			fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: ")
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				ended <- time.Since(began)
			}()
		}
		good := l.dial(t)
		fmt.Fprint(good, "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
		if answer, err := io.ReadAll(good); err != nil || !strings.HasSuffix(string(answer), "yes") || time.Since(began) > 0 {
			t.Errorf("a request among them: %s %v after %v", answer, err, time.Since(began))
		}
		for range 200 {
			if after := <-ended; after != headerTime {
				t.Fatalf("a connection without a request ends after %v", after)
			}
		}
	})
}

// A backend is a replica behind a proxy.
type backend struct {
	*replica
	http.Handler
	calls sync.WaitGroup // that were sent to it
}

func startBackend(t *testing.T, dir string) *backend {
	t.Helper()
	r := startReplica(t, dir)
	to, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	return &backend{replica: r, Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}}
}

// Two replicas share nothing. Calls go to both in turn, and none is lost while one after the other is replaced.
func TestReplicasAndARollingRestart(t *testing.T) {
	dir := newTeamAPI(t).dir
	var mu sync.Mutex
	backends := []*backend{startBackend(t, dir), startBackend(t, dir)}
	var turn int
	pick := func() *backend {
		mu.Lock()
		defer mu.Unlock()
		turn++
		b := backends[turn%len(backends)]
		b.calls.Add(1)
		return b
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := pick()
		defer b.calls.Done()
		b.ServeHTTP(w, r)
	}))
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
		next := startBackend(t, dir)
		before := made.Load()
		mu.Lock()
		old := backends[i]
		backends[i] = next // as an endpoint that is not ready any more is taken out
		mu.Unlock()
		for made.Load() < before+100 && wrong.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		old.calls.Wait() // a proxy may have chosen it, and not have asked it yet
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
