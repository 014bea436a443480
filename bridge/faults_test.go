package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const oneTool = "  - {name: x, description: X, method: GET, path: /x, arguments: []}\n"

// An answer that comes byte by byte is not waited for longer than one that does not come.
func TestDrip(t *testing.T) {
	for name, first := range map[string]string{"head": "HTTP/1.1 200 OK\r\nX-Drip: ", "body": "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := make(chan int, 1)
			host := listen(t, func(c net.Conn) {
				head(bufio.NewReader(c))
				n := 0
				for _, err := io.WriteString(c, first); err == nil && n < 1000; n++ { // until the connection is closed
					time.Sleep(20 * time.Millisecond)
					_, err = io.WriteString(c, "x")
				}
				sent <- n
			})
			b := served(t, "http://"+host, "", strings.Replace(oneTool, "[]}", "[], timeout: 500ms}", 1), nil)
			began := time.Now()
			r, _ := b.Call(t.Context(), "x", nil)
			if took := time.Since(began); r.Kind != kindTimeout || took < 500*time.Millisecond {
				t.Errorf("%s after %v", r.Text(), took)
			}
			if n := await(t, sent); n == 0 || n == 1000 {
				t.Errorf("the connection was open for %d bytes", n)
			}
		})
	}
}

// allocated says how many bytes are allocated by what f does, here and in the server it asks.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// However much an API sends, little more than limits.response is ever held.
func TestAnswersWithoutEndTakeLittleMemory(t *testing.T) {
	const most = 32 << 20 // bytes, with a limit of 16 MiB
	piece := bytes.Repeat([]byte("0123456789abcdef"), 2<<10)
	zeros := strings.Repeat("\x00", 16<<20)
	zipped, beyond := gzipped(zeros), deflated(zeros+"\x00", true)
	for _, tc := range []struct {
		name, head string
		body       func(w io.Writer) error
	}{
		{"without end", "", func(w io.Writer) (err error) {
			for err == nil {
				_, err = w.Write(piece)
			}
			return err
		}},
		{"one byte too long", "Content-Length: 16777217", func(w io.Writer) (err error) {
			for i := 0; i < 512 && err == nil; i++ {
				_, err = w.Write(piece)
			}
			io.WriteString(w, "x")
			return io.EOF
		}},
		{"as long as it says", "Content-Length: 1000000000000", func(w io.Writer) (err error) {
			for err == nil {
				_, err = w.Write(piece)
			}
			return err
		}},
		{"1 GiB in 1 MB of gzip", "Content-Encoding: gzip", func(w io.Writer) (err error) {
			for i := 0; i < 64 && err == nil; i++ {
				_, err = io.WriteString(w, zipped)
			}
			return io.EOF
		}},
		{"packed twice", "Content-Encoding: gzip, gzip", func(w io.Writer) error { io.WriteString(w, gzipped(strings.Repeat(zipped, 64))); return io.EOF }},
		{"deflate", "Content-Encoding: deflate", func(w io.Writer) error { io.WriteString(w, beyond); return io.EOF }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ended := make(chan error, 1)
			s := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				if name, value, found := strings.Cut(tc.head, ": "); found {
					w.Header().Set(name, value)
				}
				ended <- tc.body(w)
			})
			b := served(t, s.URL, "", oneTool, nil)
			var r *Result
			used := allocated(func() {
				r, _ = b.Call(t.Context(), "x", nil)
				if err := await(t, ended); err == nil {
					t.Error("the connection is still open")
				}
			})
			if r.Kind != kindResponseTooLarge {
				t.Errorf("got %.200s", r.Text())
			}
			t.Logf("%d bytes were allocated", used)
			if used > most {
				t.Errorf("%d bytes were allocated, want at most %d", used, most)
			}
		})
	}
}

// Of all calls that wait for an API to come back one is sent, and another API knows nothing of it.
func TestOneProbeIsSent(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	release := make(chan struct{})
	rec := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
			return
		}
		<-release
		io.WriteString(w, "{}")
	})
	x := reloadedOf(t, "a: {base_url: "+rec.URL+", breaker: {failures: 5, open: 1h}}\nb: {base_url: "+record(t, nil).URL+", breaker: {failures: 1}}",
		"- {name: x, description: X, method: GET, path: /x, arguments: []}\n- {name: y, description: Y, api: b, method: GET, path: /y, arguments: []}")
	sent := func(want int) {
		t.Helper()
		if n := len(rec.seen()); n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
	for range 10 {
		if got := x.call("x"); got != kindUnreachable {
			t.Errorf("got %s", got)
		}
	}
	sent(5)
	if got := x.call("y"); got != "ok" {
		t.Errorf("the other API: %s", got)
	}
	down.Store(false)
	b := x.current.Load().apis["a"].breaker
	b.mu.Lock()
	b.until = time.Now() // an hour later
	b.mu.Unlock()
	results := make(chan string, 50)
	for range 50 {
		go func() { results <- x.call("x") }()
	}
	for range 49 {
		if got := await(t, results); got != kindUnreachable {
			t.Errorf("got %s", got)
		}
	}
	for len(rec.seen()) < 6 {
		time.Sleep(time.Millisecond)
	}
	sent(6)
	close(release)
	if got := await(t, results); got != "ok" {
		t.Errorf("the probe: %s", got)
	}
	if got := x.call("x"); got != "ok" {
		t.Errorf("after the probe: %s", got)
	}
	sent(7)
}

// An API that hangs holds no more calls than it may, and those of another are not held at all.
func TestAnAPIThatHangsHoldsItsOwnCalls(t *testing.T) {
	release := make(chan struct{})
	slow := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { <-release; io.WriteString(w, "{}") })
	x := reloadedOf(t, "a: {base_url: "+slow.URL+", timeout: 5m}\nb: {base_url: "+record(t, nil).URL+"}",
		"- {name: x, description: X, method: GET, path: /x, arguments: []}\n- {name: y, description: Y, api: b, method: GET, path: /y, arguments: []}")
	const calls = 2 * defaultConcurrency
	results := make(chan string, calls)
	for range calls {
		go func() { results <- x.call("x") }()
	}
	for len(slow.seen()) < defaultConcurrency {
		time.Sleep(time.Millisecond)
	}
	for range 20 {
		if got := x.call("y"); got != "ok" {
			t.Errorf("the other API: %s", got)
		}
	}
	if n := len(slow.seen()); n != defaultConcurrency {
		t.Errorf("%d calls are in hand, want %d", n, defaultConcurrency)
	}
	close(release)
	for range calls {
		if got := await(t, results); got != "ok" {
			t.Errorf("got %s", got)
		}
	}
}

// Bad framing ends a connection: what came after it is nobody's answer.
func TestNothingIsReadAfterBadFraming(t *testing.T) {
	var connections atomic.Int32
	host := listen(t, func(c net.Conn) {
		connections.Add(1)
		r := bufio.NewReader(c)
		for len(head(r)) > 0 {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}"+okAnswer)
		}
	})
	x := rigOf(t, nil, "base_url: http://"+host, "")
	x.fails(t, kindBadResponse, codeFraming)
	x.fails(t, kindBadResponse, codeFraming)
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// A message names the API as tbridge.yaml does, not the address that its name stands for.
func TestAddressesAreNotTold(t *testing.T) {
	_, port, err := net.SplitHostPort(closedPort(t))
	if err != nil {
		t.Fatal(err)
	}
	b := served(t, "http://localhost:"+port, "", oneTool, nil)
	r, _ := b.Call(t.Context(), "x", nil)
	if text := r.Text(); r.Kind != kindUnreachable || !strings.Contains(text, "localhost:"+port) || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "::1") {
		t.Errorf("got %s", text)
	}
}

// Whatever becomes of calls, nothing of them stays: no goroutine, no connection, no file.
func TestTenThousandCallsLeaveNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/close":
			w.Header().Set("Connection", "close")
		case "/cut":
			w.Header().Set("Content-Length", "100")
		case "/none":
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
			return
		case "/hang":
			<-r.Context().Done()
			return
		case "/long":
			w.Write(bytes.Repeat([]byte(" "), 10<<10))
		}
		io.WriteString(w, "{}")
	}))
	defer s.Close()
	outcomes := map[string]string{"ok": "", "close": "", "missing": kindNotFound, "cut": kindBadResponse, "none": kindUnreachable,
		"long": kindResponseTooLarge, "refused": kindInvalidArguments, "hang": kindCancelled}
	var tools strings.Builder
	for name := range outcomes {
		fmt.Fprintf(&tools, "  - {name: %s, description: T, method: GET, path: /%s, arguments: [], limits: {response: 4KiB}}\n", name, name)
	}
	b := served(t, s.URL, "", tools.String(), nil)
	defer b.Close()
	call := func(name string) {
		ctx, args := t.Context(), "{}"
		switch name {
		case "hang":
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, 5*time.Millisecond)
			defer cancel()
		case "refused":
			args = `{"n":1}`
		}
		if r, _ := b.Call(ctx, name, json.RawMessage(args)); r.Kind != outcomes[name] {
			t.Errorf("%s: %s", name, r.Text())
		}
	}
	const workers = 8
	round := func(calls int) {
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range calls / workers / len(outcomes) {
					for name := range outcomes {
						call(name)
					}
				}
			})
		}
		wg.Wait()
	}
	round(1000) // all that is made once is made
	goroutines, files := runtime.NumGoroutine(), len(openFiles(t))
	round(10_000)
	for began := time.Now(); runtime.NumGoroutine() > goroutines+2*workers || len(openFiles(t)) > files+2*workers; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("%d goroutines and %d files, %d and %d before", runtime.NumGoroutine(), len(openFiles(t)), goroutines, files)
		}
	}
}

// Patterns in a path are followed in bearable time, whatever the answer is made of.
func TestProjectionsThatWouldTakeForever(t *testing.T) {
	long := strings.Repeat("a", 2<<20)
	bodies := []string{`{"` + long + `":1,"` + long[1:] + `":2}`, wideObject(100_000, `"z":1`),
		`{"list":[` + strings.Repeat(`{"k":"`+long[:1000]+`"},`, 4000) + `1]}`}
	for _, path := range []string{"*a*a*a*a*a*a*a*a*b", "#.*.#.*", "@this.*.*.*.*", `list.#(k%"*a*a*a*a*a*a*a*a*b")#.k`, `list.#(k!%"*a*a*a*a*a*a*a*a*b")#|#`} {
		g := readingOf(t, "timeout: 5s", anyTool+"response: {projection: '"+path+"'}", nil)
		for i, body := range bodies {
			if r := g.read(t.Context(), callOf(t, "{}"), canned(reply{0, asJSON, body})); r.IsError {
				t.Errorf("%s in answer %d: %s", path, i, r.Text())
			}
		}
	}
}
