package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tbridge/config"
	"tbridge/validate"
)

// patience bounds the wait for what must come, also on a machine that has much else to do.
const patience = time.Minute

// loadTools makes a catalogue of one API at url and one tools file.
func loadTools(t *testing.T, url, tools string) *config.Catalog {
	t.Helper()
	dir := t.TempDir()
	main := fmt.Sprintf("version: 1\nserver: {name: probe, version: \"7\", instructions: Read first.}\napis: {up: {base_url: %q, timeout: 5m}}\n", url)
	for name, text := range map[string]string{"tbridge.yaml": main, "tools.d/tools.yaml": "api: up\n" + tools} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, ds, err := validate.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil || ds.Count(config.Error) > 0 {
		t.Fatalf("load: %v %v", err, ds)
	}
	return c
}

// probeAPI is the API of these tests: /slow hangs until its client goes, /soon waits, /echo says what was asked for.
func probeAPI(wait func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/slow":
			<-r.Context().Done()
		case r.URL.Path == "/soon":
			wait()
			fmt.Fprint(w, `{"done":true}`)
		case r.URL.Path == "/missing":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"n":%q,"tag":"<b>"}`, r.URL.Query().Get("n"))
		}
	})
}

// shortly is how long /soon takes.
func shortly() { time.Sleep(50 * time.Millisecond) }

func upstream(t *testing.T) *httptest.Server { return system.serve(t, probeAPI(shortly)) }

const probeTools = `
tools:
  - {name: echo, description: Echo., method: GET, path: /echo, arguments: [{name: n, type: integer, description: A number}]}
  - {name: slow, description: Slow., method: GET, path: /slow, arguments: []}
  - {name: soon, description: Soon., method: GET, path: /soon, arguments: []}
  - {name: missing, description: Missing., method: GET, path: /missing, arguments: []}
`

// A wire is a client at the other ends of the pipes.
type wire struct {
	t       *testing.T
	in      io.WriteCloser // what we write
	out     io.Closer      // what we read
	lines   chan string
	done    chan error
	cancel  context.CancelFunc
	serving sync.WaitGroup
}

// dial serves a bridge over pipes.
func dial(t *testing.T, b *Bridge) *wire { return dialVia(t, b, newShortcut(b)) }

// A dialer is dial, or dial past the shortcut.
type dialer func(*testing.T, *Bridge) *wire

// everyWay runs a test over all transports and ways to answer tools/call.
func everyWay(t *testing.T, test func(*testing.T, dialer)) {
	eachWay(t, test)
	t.Run("http", func(t *testing.T) { test(t, dialHTTP) })
	t.Run("http by sdk", func(t *testing.T) {
		test(t, func(t *testing.T, b *Bridge) *wire { return dialHTTPVia(t, b, false) })
	})
}

// eachWay runs a test over both ways to answer tools/call.
func eachWay(t *testing.T, test func(*testing.T, dialer)) {
	t.Run("shortcut", func(t *testing.T) { test(t, dial) })
	t.Run("sdk", func(t *testing.T) {
		test(t, func(t *testing.T, b *Bridge) *wire { return dialVia(t, b, nil) })
	})
}

// dialVia serves a bridge over pipes, by the shortcut or, with nil, by the SDK alone.
func dialVia(t *testing.T, b *Bridge, c *shortcut) *wire {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	return dialOver(t, b, c, stdin, in, out, stdout)
}

// dialOver serves a bridge over the ends of two pipes.
func dialOver(t *testing.T, b *Bridge, c *shortcut, stdin io.ReadCloser, in io.WriteCloser, out io.ReadCloser, stdout io.WriteCloser) *wire {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &wire{t: t, in: in, out: out, lines: make(chan string, 4096), done: make(chan error, 1), cancel: cancel}
	w.serving.Go(func() {
		err := b.serveStdio(ctx, stdin, stdout, c)
		stdout.Close()
		w.done <- err
	})
	w.serving.Go(func() {
		defer close(w.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				w.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		in.Close()
		stdin.Close()
		out.Close()
	})
	return w
}

func newProbe(t *testing.T) *Bridge { return system.probe(t, shortly) }

// newHeldProbe makes a probe whose tool soon ends after release, which is called once.
func newHeldProbe(t *testing.T) (b *Bridge, release func()) {
	held := make(chan struct{})
	return system.probe(t, func() { <-held }), func() { close(held) }
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(w.in, line+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// receive gives the next line; "" when there will be none.
func (w *wire) receive() string {
	w.t.Helper()
	select {
	case line := <-w.lines:
		return line
	case <-time.After(patience):
		w.t.Fatal("nothing was received")
		return ""
	}
}

// ask sends a line and gives the one that comes next.
func (w *wire) ask(line string) string {
	w.t.Helper()
	w.send(line)
	return w.receive()
}

// end waits for the end of the session.
func (w *wire) end() error {
	w.t.Helper()
	select {
	case err := <-w.done:
		return err
	case <-time.After(drainTime + hangupTime + patience):
		w.t.Fatal("the session did not end")
		return nil
	}
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initialize(revision string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, revision)
}

// greet opens a session of a revision, unless it is one that has none.
func (w *wire) greet(revision string) {
	w.t.Helper()
	if revision == stateless {
		return
	}
	if got := w.ask(initialize(revision)); !strings.Contains(got, `"protocolVersion":"`+revision+`"`) {
		w.t.Fatalf("initialize: %s", got)
	}
	w.send(initialized)
}

// rpc writes a request of a revision. params is the inside of an object.
func rpc(revision string, id int, method, params string) string {
	if revision == stateless {
		meta := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
		if rest, ok := strings.CutPrefix(params, `"_meta":{`); ok {
			params = `"_meta":{` + meta + `,` + rest
		} else {
			params = strings.TrimSuffix(`"_meta":{`+meta+`},`+params, ",")
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
}

func callTool(revision string, id int, name, arguments string) string {
	return rpc(revision, id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
}

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", stateless}

// decodeLine reads a message into plain values.
func decodeLine(t *testing.T, line string) (m struct {
	ID     any
	Result map[string]any
	Error  struct {
		Code    int
		Message string
	}
}) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return m
}

func TestEveryRevisionListsAndCalls(t *testing.T) { everyWay(t, testEveryRevisionListsAndCalls) }

func testEveryRevisionListsAndCalls(t *testing.T, dial dialer) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			w := dial(t, newProbe(t))
			w.greet(revision)
			list := decodeLine(t, w.ask(rpc(revision, 1, "tools/list", ""))).Result
			var names []string
			for _, tool := range list["tools"].([]any) {
				names = append(names, tool.(map[string]any)["name"].(string))
			}
			if got := strings.Join(names, " "); got != "echo slow soon missing" {
				t.Errorf("listed %s", got)
			}
			got := w.ask(callTool(revision, 2, "echo", `{"n":7}`))
			want := `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"n\":\"7\",\"tag\":\"<b>\"}"}],"structuredContent":{"n":"7","tag":"<b>"}}}`
			if revision == stateless {
				want = strings.TrimSuffix(want, "}}") + `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"7"}}}}`
				if list["resultType"] != "complete" || list["cacheScope"] != "private" || list["ttlMs"] != 0.0 {
					t.Errorf("list: %v", list)
				}
			}
			if got != want {
				t.Errorf("called:\n got %s\nwant %s", got, want)
			}
			w.in.Close()
			if err := w.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAnswers holds for every revision, whichever part of the program answers.
func TestAnswers(t *testing.T) { everyWay(t, testAnswers) }

func testAnswers(t *testing.T, dial dialer) {
	tests := []struct {
		name, method, params string
		code                 int    // of an error
		kind                 string // of a failed call
	}{
		{"good", "tools/call", `"name":"echo","arguments":{"n":1}`, 0, ""},
		{"no arguments", "tools/call", `"name":"echo"`, 0, ""},
		{"null for arguments", "tools/call", `"name":"echo","arguments":null`, 0, ""},
		{"progress asked for", "tools/call", `"_meta":{"progressToken":"p"},"name":"echo","arguments":{}`, 0, ""},
		{"numbers as progress tokens", "tools/call", `"_meta":{"progressToken":3},"name":"echo","arguments":{}`, 0, ""},
		{"wrong type", "tools/call", `"name":"echo","arguments":{"n":"x"}`, 0, kindInvalidArguments},
		{"a list for arguments", "tools/call", `"name":"echo","arguments":[1]`, 0, kindInvalidArguments},
		{"a repeated argument", "tools/call", `"name":"echo","arguments":{"n":1,"n":2}`, 0, kindInvalidArguments},
		{"failed upstream", "tools/call", `"name":"missing","arguments":{}`, 0, kindNotFound},
		{"unknown tool", "tools/call", `"name":"ecco","arguments":{}`, -32602, ""},
		{"case of a tool's name", "tools/call", `"name":"ECHO","arguments":{}`, -32602, ""},
		{"case of a key", "tools/call", `"NAME":"echo","arguments":{}`, -32602, ""},
		{"no name", "tools/call", `"arguments":{}`, -32602, ""},
		{"a number for a name", "tools/call", `"name":1,"arguments":{}`, -32602, ""},
		{"unknown method", "tools/pull", ``, -32601, ""},
		{"unknown cursor", "tools/list", `"cursor":"!"`, -32602, ""},
		{"cursor of a tool that is gone", "tools/list", `"cursor":"Z29uZQ"`, -32602, ""},
	}
	for _, revision := range revisions {
		w := dial(t, newProbe(t))
		w.greet(revision)
		for i, tt := range tests {
			t.Run(revision+"/"+tt.name, func(t *testing.T) {
				line := w.ask(rpc(revision, i+1, tt.method, tt.params))
				for strings.Contains(line, `"method":"notifications/progress"`) { // the machine is slow
					line = w.receive()
				}
				m := decodeLine(t, line)
				structured, _ := m.Result["structuredContent"].(map[string]any)
				failure, _ := structured["error"].(map[string]any)
				kind, _ := failure["kind"].(string)
				if m.ID != float64(i+1) || m.Error.Code != tt.code || kind != tt.kind {
					t.Errorf("got %s", line)
				}
				if isError, _ := m.Result["isError"].(bool); isError != (tt.kind != "") {
					t.Errorf("isError: %s", line)
				}
			})
		}
	}
}

func TestBeforeInitialize(t *testing.T) { eachWay(t, testBeforeInitialize) }

func testBeforeInitialize(t *testing.T, dial dialer) {
	w := dial(t, newProbe(t))
	for _, line := range []string{callTool("", 1, "echo", "{}"), rpc("", 2, "tools/list", "")} {
		if m := decodeLine(t, w.ask(line)); m.Error.Code != -32600 {
			t.Errorf("got %+v", m)
		}
	}
	w.greet("2025-06-18")
	if m := decodeLine(t, w.ask(strings.Replace(initialize("2025-06-18"), `"id":0`, `"id":9`, 1))); m.ID != 9.0 || m.Error.Code != -32600 || m.Error.Message != `duplicate "initialize" received` {
		t.Errorf("second initialize: %+v", m)
	}
}

func TestInitializeAndDiscover(t *testing.T) {
	w := dial(t, newProbe(t))
	got := w.ask(initialize("2025-06-18"))
	want := `{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true}},"instructions":"Read first.","protocolVersion":"2025-06-18","serverInfo":{"name":"probe","version":"7"}}}`
	if got != want {
		t.Errorf("initialize:\n got %s\nwant %s", got, want)
	}
	found := decodeLine(t, dial(t, newProbe(t)).ask(rpc(stateless, 1, "server/discover", ""))).Result
	if found["instructions"] != "Read first." || found["resultType"] != "complete" {
		t.Errorf("discover: %v", found)
	}
	if m := decodeLine(t, w.ask(strings.Replace(callTool(stateless, 3, "echo", "{}"), stateless, "2999-01-01", 1))); m.Error.Code != -32022 {
		t.Errorf("a revision of the future: %+v", m)
	}
}

func TestLinesThatAreNoMessages(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"no JSON", `{"jsonrpc":"2.0",`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"text after it", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"brackets without end", strings.Repeat("[", 1_000_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"arguments without end", callTool("", 6, "echo", `{"n":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`), ""},
		{"NUL", "\x00", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is one JSON object; only sessions of 2024-11-05 and 2025-03-26 have batches"}}`},
		{"a number", `7`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is one JSON object"}}`},
		{"no version", `{"id":4,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"jsonrpc must be \"2.0\""}}`},
		{"no method", `{"jsonrpc":"2.0","id":"a"}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"method must be a string"}}`},
		{"method is a number", `{"jsonrpc":"2.0","id":5,"method":1}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"method must be a string"}}`},
		{"id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a string or a number"}}`},
		{"id is a boolean", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id must be a string or a number"}}`},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"\"id\" stands twice in the message"}}`},
	}
	w := dial(t, newProbe(t))
	w.greet("2025-11-25")
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := w.ask(tt.line); tt.want == "" && !strings.Contains(got, `"kind":"invalid_arguments"`) || tt.want != "" && got != tt.want {
				t.Errorf("\n got %.300s\nwant %s", got, tt.want)
			}
			w.send("", " \r", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{}}`) // nothing to answer in these
			if got, want := w.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"after-%d","method":"ping"}`, i)), fmt.Sprintf(`{"jsonrpc":"2.0","id":"after-%d","result":{}}`, i); got != want {
				t.Errorf("the session does not go on:\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestALineTooLong(t *testing.T) { eachWay(t, testALineTooLong) }

func testALineTooLong(t *testing.T, dial dialer) {
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	w.send(callTool("", 1, "soon", "{}"))
	go io.WriteString(w.in, `{"jsonrpc":"2.0","id":2,"method":"`+strings.Repeat("x", maxLine)+`"}`+"\n")
	got := []string{w.receive(), w.receive()}
	all := strings.Join(got, "\n")
	if !strings.Contains(all, `"id":null,"error":{"code":-32600,"message":"a line of more than 4 MiB"}`) || !strings.Contains(all, `"id":1,"result"`) {
		t.Errorf("got %s", all)
	}
	if err := w.end(); err == nil || err.Error() != "read from the client: a line of more than 4 MiB" {
		t.Errorf("ended with %v", err)
	}
}

func TestALineAsLongAsCanBe(t *testing.T) {
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	head, tail := `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"x":"`, `"}}}`
	go io.WriteString(w.in, head+strings.Repeat("x", maxLine-len(head)-len(tail))+tail+"\n")
	if got := w.receive(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("got %.200s", got)
	}
}

// An answer quotes little of what it refuses.
func TestLongMethods(t *testing.T) {
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	for _, letter := range []string{"x", "é", "界"} {
		m := decodeLine(t, w.ask(rpc("", 2, strings.Repeat(letter, 5000), "")))
		if end := letter + "…"; m.Error.Code != -32601 || len(m.Error.Message) > 310 || !strings.HasSuffix(m.Error.Message, end) {
			t.Errorf("got %+v", m)
		}
	}
}

func TestTheEndOfTheInput(t *testing.T) { eachWayInTime(t, testTheEndOfTheInput) }

func testTheEndOfTheInput(t *testing.T, n *lan, dial dialer) {
	w := dial(t, n.probe(t, shortly))
	for i := range 20 {
		if i == 0 {
			w.send(initialize("2025-06-18"), initialized)
		}
		w.send(callTool("", i+1, "soon", "{}"))
	}
	_, _ = io.WriteString(w.in, callTool("", 99, "echo", "{}")) // without a line's end
	w.in.Close()
	if err := w.end(); err != nil {
		t.Error(err)
	}
	answered := map[any]bool{}
	for line := w.receive(); line != ""; line = w.receive() {
		m := decodeLine(t, line)
		if m.Result == nil || answered[m.ID] {
			t.Errorf("got %s", line)
		}
		answered[m.ID] = true
	}
	if len(answered) != 22 {
		t.Errorf("%d answers", len(answered))
	}
}

func TestTheEndOfTheInputDoesNotWaitForever(t *testing.T) {
	eachWayInTime(t, testTheEndOfTheInputDoesNotWaitForever)
}

func testTheEndOfTheInputDoesNotWaitForever(t *testing.T, n *lan, dial dialer) {
	w := dial(t, n.probe(t, shortly))
	w.greet("2025-06-18")
	w.send(callTool("", 1, "slow", "{}"))
	begin := time.Now()
	w.in.Close()
	if got, want := w.receive(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"cancelled"}}`; got != want {
		t.Errorf("got %s", got)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
	if waited := time.Since(begin); waited != drainTime {
		t.Errorf("waited %v", waited)
	}
}

func TestASignalDrains(t *testing.T) { eachWayInTime(t, testASignalDrains) }

func testASignalDrains(t *testing.T, n *lan, dial dialer) {
	w := dial(t, n.probe(t, func() { time.Sleep(drainTime - 1) }))
	w.greet("2025-06-18")
	w.send(callTool("", 1, "soon", "{}"))
	if got := w.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Fatal(got)
	}
	w.cancel() // as a signal does, with the input still open
	if got := w.receive(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("got %s", got)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

func TestCancelledCallsAreNotAnswered(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			eachWayInTime(t, func(t *testing.T, n *lan, dial dialer) { testCancelledCallsAreNotAnswered(t, revision, n, dial) })
		})
	}
}

func testCancelledCallsAreNotAnswered(t *testing.T, revision string, n *lan, dial dialer) {
	w := dial(t, n.probe(t, shortly))
	w.greet(revision)
	w.send(callTool(revision, 5, "slow", "{}"))
	if m := decodeLine(t, w.ask(callTool(revision, 6, "echo", "{}"))); m.ID != 6.0 {
		t.Fatalf("got %+v", m)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1234}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	if m := decodeLine(t, w.ask(callTool(revision, 7, "echo", "{}"))); m.ID != 7.0 {
		t.Errorf("got %+v", m)
	}
	begin := time.Now()
	w.in.Close()
	if err := w.end(); err != nil {
		t.Error(err)
	}
	if line := w.receive(); line != "" {
		t.Errorf("answered: %s", line)
	}
	if waited := time.Since(begin); waited > 0 {
		t.Errorf("the cancelled call went on for %v", waited)
	}
}

func TestAnIDInUse(t *testing.T) { eachWay(t, testAnIDInUse) }

func testAnIDInUse(t *testing.T, dial dialer) {
	b, release := newHeldProbe(t)
	w := dial(t, b)
	w.greet("2025-06-18")
	w.send(callTool("", 1, "soon", "{}"))
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id 1 is in use by a request that is not answered yet"}}`
	if got := w.ask(callTool("", 1, "echo", "{}")); got != want {
		t.Errorf("got %s", got)
	}
	release()
	if got := w.receive(); !strings.Contains(got, `"id":1,"result"`) || !strings.Contains(got, "done") {
		t.Errorf("got %s", got)
	}
	if got := w.ask(callTool("", 1, "echo", `{"n":1}`)); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("used again: %s", got)
	}
}

func TestAThousandCallsAtOnce(t *testing.T) { eachWay(t, testAThousandCallsAtOnce) }

func testAThousandCallsAtOnce(t *testing.T, dial dialer) {
	w := dial(t, newProbe(t))
	w.greet("2025-11-25")
	const calls = 1000
	go func() {
		for i := range calls {
			_, _ = io.WriteString(w.in, callTool("", i+1, "echo", fmt.Sprintf(`{"n":%d}`, i+1))+"\n")
		}
	}()
	seen := map[any]bool{}
	for range calls {
		line := w.receive()
		m := decodeLine(t, line)
		value := m.Result["structuredContent"].(map[string]any)["n"]
		if seen[m.ID] || fmt.Sprint(m.ID) != value {
			t.Fatalf("got %s", line)
		}
		seen[m.ID] = true
	}
}

func TestAClientThatIsGone(t *testing.T) {
	t.Run("shortcut", func(t *testing.T) { testAClientThatIsGone(t, newShortcut) })
	t.Run("sdk", func(t *testing.T) { testAClientThatIsGone(t, func(*Bridge) *shortcut { return nil }) })
}

func testAClientThatIsGone(t *testing.T, way func(*Bridge) *shortcut) {
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b := newProbe(t)
	w := dialOver(t, b, way(b), stdin, in, out, stdout)
	w.greet("2025-06-18")
	w.send(callTool("", 1, "slow", "{}"))
	w.out.Close()
	w.send(callTool("", 2, "echo", "{}"))
	if err := w.end(); err == nil || !strings.Contains(err.Error(), syscall.EPIPE.Error()) {
		t.Errorf("ended with %v", err)
	}
}

func TestListenersEndWithTheInput(t *testing.T) {
	eachWayInTime(t, func(t *testing.T, n *lan, dial dialer) {
		w := dial(t, n.probe(t, shortly))
		ack := w.ask(rpc(stateless, 3, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
		if !strings.Contains(ack, "notifications/subscriptions/acknowledged") {
			t.Fatalf("got %s", ack)
		}
		begin := time.Now()
		w.in.Close()
		if m := decodeLine(t, w.receive()); m.ID != 3.0 || m.Result == nil {
			t.Errorf("got %+v", m)
		}
		if err := w.end(); err != nil || time.Since(begin) > 0 {
			t.Errorf("ended with %v after %v", err, time.Since(begin))
		}
	})
}

func TestNothingIsLeftBehind(t *testing.T) { eachWay(t, testNothingIsLeftBehind) }

func testNothingIsLeftBehind(t *testing.T, dial dialer) {
	ignore := goleak.IgnoreCurrent()
	t.Run("session", func(t *testing.T) {
		w := dial(t, newProbe(t))
		w.greet("2025-06-18")
		w.send(callTool("", 1, "slow", "{}"), callTool("", 2, "echo", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		w.receive()
		w.in.Close()
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	nothingLeft(t, ignore)
}

// nothingLeft waits until no goroutine is left but those that are ignored.
func nothingLeft(t *testing.T, ignore goleak.Option) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		err := goleak.Find(ignore)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// A client that asks and does not read cannot hold the program.
func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, stdin := io.Pipe()
		out, stdout := io.Pipe() // whose writer waits for a reader
		done := make(chan error, 1)
		b := newLAN().probe(t, shortly)
		go func() { done <- b.ServeStdio(ctx, in, stdout) }()
		if _, err := io.WriteString(stdin, initialize("2025-06-18")+"\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // of its answer
			t.Fatal(err)
		}
		begin := time.Now()
		cancel()
		if err := <-done; err == nil || err.Error() != "the client does not read its answers" {
			t.Errorf("ended with %v", err)
		}
		if waited := time.Since(begin); waited != drainTime+hangupTime {
			t.Errorf("waited %v", waited)
		}
		out.Close()
		stdin.Close()
	})
}
