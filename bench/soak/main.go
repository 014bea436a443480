// Command soak calls tbridge over HTTP for a time, in both eras of MCP, while its API makes mistakes and its tools
// change every second. It ends with 1 when an answer was wrong or missing, or something grew.
//
//	go run ./bench/soak -for 5m
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience bounds the wait for what must come, also on a machine that has much else to do.
const patience = time.Minute

func main() {
	duration := flag.Duration("for", 5*time.Minute, "how long calls are made")
	rate := flag.Int("rate", 200, "calls a second")
	sessions := flag.Int("sessions", 2000, "idle sessions to hold in the end")
	flag.Parse()
	if err := soak(*duration, *rate, *sessions); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func soak(duration time.Duration, rate, sessions int) error {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	api := httptest.NewServer(http.HandlerFunc(mistaken))
	defer api.Close()
	b, err := start(dir, api.URL)
	if err != nil {
		return err
	}
	defer b.cmd.Process.Kill()
	r := &runner{bridge: b, client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	if err := r.run(duration, rate); err != nil {
		return err
	}
	if err := r.crowd(sessions); err != nil {
		return err
	}
	if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return b.cmd.Wait()
}

// mistaken is an API that fails in a way of its own for each number.
func mistaken(w http.ResponseWriter, r *http.Request) {
	n := r.URL.Query().Get("n")
	w.Header().Set("Content-Type", "application/json")
	switch n[len(n)-1] {
	case '0':
		w.WriteHeader(http.StatusInternalServerError)
	case '1':
		panic(http.ErrAbortHandler)
	case '2':
		time.Sleep(300 * time.Millisecond)
	case '3':
		w.Header().Set("Content-Length", "1000")
	case '4':
		w.Header().Set("Content-Type", "text/html")
	}
	fmt.Fprintf(w, `{"n":%q}`, n)
}

// want is what the answer for a number must hold.
func want(n int) string {
	kinds := map[int]string{0: "upstream", 1: "unreachable", 3: "bad_response", 4: "bad_response"}
	if kind := kinds[n%10]; kind != "" {
		return `"kind":"` + kind + `"`
	}
	return fmt.Sprintf(`"structuredContent":{"n":"%d"}`, n)
}

// A bridge is the process that is tried.
type bridge struct {
	cmd *exec.Cmd
	dir string
	url string
}

func start(dir, api string) (*bridge, error) {
	bin := filepath.Join(dir, "tbridge")
	if out, err := exec.Command("go", "build", "-o", bin, "tbridge/cmd/tbridge").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	b := &bridge{dir: dir}
	main := fmt.Sprintf("version: 1\nserver: {http: {limits: {sessions: 3000}}}\napis: {up: {base_url: %q, envelope: {data: \"@this\"}}}\n", api)
	if err := os.WriteFile(filepath.Join(dir, "tbridge.yaml"), []byte(main), 0o600); err != nil {
		return nil, err
	}
	if err := b.change(0); err != nil {
		return nil, err
	}
	b.cmd = exec.Command(bin, "serve", "--config", filepath.Join(dir, "tbridge.yaml"), "--http", "127.0.0.1:0")
	log, err := b.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	serving := make(chan string, 1)
	go follow(log, serving)
	select {
	case b.url = <-serving:
		return b, nil
	case <-time.After(patience):
		return nil, errors.New("tbridge does not listen")
	}
}

// follow reads a log to its end, says where the server listens, and shows errors.
func follow(log io.Reader, serving chan<- string) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		line := lines.Text()
		if _, url, found := strings.Cut(line, "msg=serving mcp="); found {
			serving <- strings.TrimSuffix(url, "/mcp")
		} else if strings.Contains(line, "level=ERROR") {
			fmt.Fprintln(os.Stderr, line)
		}
	}
}

// change writes the tools, each time others.
func (b *bridge) change(version int) error {
	if err := os.MkdirAll(filepath.Join(b.dir, "tools.d"), 0o700); err != nil {
		return err
	}
	text := fmt.Sprintf(`api: up
tools:
  - {name: ask, description: Version %d., method: GET, path: /ask, arguments: [{name: n, type: integer, description: A number}]}
  - {name: other_%d, description: Other., method: GET, path: /other, arguments: []}
`, version, version%2)
	next := filepath.Join(b.dir, "tools.d", ".next")
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(b.dir, "tools.d", "tools.yaml"))
}

// A size is how much a process holds.
type size struct{ goroutines, files, memory, reloads float64 }

func (r *runner) size() (s size, err error) {
	resp, err := r.client.Get(r.bridge.url + "/metrics")
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	for line := range strings.Lines(string(text)) {
		for name, into := range map[string]*float64{"go_goroutines ": &s.goroutines, "process_open_fds ": &s.files,
			"process_resident_memory_bytes ": &s.memory, "tbridge_reload_generation ": &s.reloads} {
			if value, ok := strings.CutPrefix(line, name); ok {
				fmt.Sscan(value, into)
			}
		}
	}
	return s, err
}

func (s size) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f descriptors, %.1f MB, %.0f generations", s.goroutines, s.files, s.memory/1e6, s.reloads)
}

type runner struct {
	bridge *bridge
	client *http.Client
	made   atomic.Int64
	wrong  atomic.Int64
	unseen atomic.Int64 // changes
}

// run calls at a rate, while the tools change, and compares what the bridge holds after the warm-up and in the end.
func (r *runner) run(duration time.Duration, rate int) error {
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	session, err := r.greet()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { r.reload(ctx) })
	slots := make(chan struct{}, 100)
	warm := time.After(duration / 4)
	var before size
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; {
		select {
		case <-tick.C:
			select {
			case slots <- struct{}{}:
				n++
				running.Go(func() {
					r.call(n, session)
					<-slots
				})
			default: // a slow machine makes fewer calls
			}
		case <-warm:
			if before, err = r.size(); err != nil {
				return err
			}
			fmt.Println("after the warm-up:", before)
		case <-ctx.Done():
		}
	}
	running.Wait()
	after, err := r.size()
	for began := time.Now(); err == nil && after.grew(before) && time.Since(began) < patience; time.Sleep(time.Second) {
		after, err = r.size() // when what ends with the last call has ended
	}
	if err != nil {
		return err
	}
	fmt.Println("in the end:       ", after)
	fmt.Printf("%d calls, %d wrong or lost\n", r.made.Load(), r.wrong.Load())
	switch {
	case r.wrong.Load() > 0:
		return errors.New("wrong or lost answers")
	case r.unseen.Load() > 0:
		return errors.New("a change was not seen")
	case after.grew(before):
		return errors.New("something grew")
	}
	return nil
}

func (s size) grew(before size) bool {
	return s.goroutines > before.goroutines+50 || s.files > before.files+50 || s.memory > 1.5*before.memory+20e6
}

// reload changes the tools every second, each time when the change before was seen.
func (r *runner) reload(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for version := 1; ; version++ {
		select {
		case <-tick.C:
			if err := r.change(version); err != nil {
				r.unseen.Add(1)
				fmt.Fprintln(os.Stderr, err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// change changes the tools, and waits until they are served.
func (r *runner) change(version int) error {
	before, err := r.size()
	if err != nil {
		return err
	}
	if err := r.bridge.change(version); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if now, err := r.size(); err != nil || now.reloads > before.reloads {
			return err
		}
	}
	return fmt.Errorf("version %d is not served", version)
}

// call makes one call, of the era without sessions or of the other.
func (r *runner) call(n int, session string) {
	meta := ""
	if n/10%2 == 0 {
		session, meta = "", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	body, _, err := r.post(session, meta != "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask","arguments":{"n":%d}%s}}`, n, n, meta))
	r.made.Add(1)
	if err != nil || !strings.Contains(body, want(n)) || !strings.Contains(body, fmt.Sprintf(`"id":%d,`, n)) {
		r.wrong.Add(1)
		fmt.Fprintf(os.Stderr, "call %d: %v %.300s\n", n, err, body)
	}
}

func (r *runner) greet() (session string, err error) {
	_, header, err := r.post("", false, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`)
	if err != nil {
		return "", err
	}
	session = header.Get("Mcp-Session-Id")
	_, _, err = r.post(session, false, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return session, err
}

func (r *runner) post(session string, perRequest bool, message string) (body string, header http.Header, err error) {
	req, err := http.NewRequest(http.MethodPost, r.bridge.url+"/mcp", strings.NewReader(message))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if perRequest {
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "tools/call")
		req.Header.Set("Mcp-Name", "ask")
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = errors.New(resp.Status)
	}
	return string(text), resp.Header, err
}

// crowd holds idle sessions while 64 others call, and looks at the memory.
func (r *runner) crowd(idle int) error {
	if idle == 0 {
		return nil
	}
	for range idle {
		if _, err := r.greet(); err != nil {
			return err
		}
	}
	var active sync.WaitGroup
	for i := range 64 {
		session, err := r.greet()
		if err != nil {
			return err
		}
		active.Go(func() {
			for n := range 50 {
				r.call((i*50+n)*20+15, session)
			}
		})
	}
	active.Wait()
	s, err := r.size()
	fmt.Printf("%d idle sessions and 64 active ones: %v\n", idle, s)
	switch {
	case err != nil:
		return err
	case r.wrong.Load() > 0:
		return errors.New("wrong or lost answers")
	case s.memory > 100e6:
		return errors.New("more than 100 MB")
	}
	return nil
}
