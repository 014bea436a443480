package bridge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tbridge/config"
)

// A rig is one API and one tool of it, up to the wire: no schema, no reading of the answer.
type rig struct {
	api  *api
	tool *tool
	plan *plan
	logs *bytes.Buffer
}

// rigOf makes a rig of the keys of an API, which is called a, and of a tool. Without a method the tool is a GET.
func rigOf(t testing.TB, env map[string]string, apiKeys, toolKeys string) *rig {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis:\n  a:\n"+indent(apiKeys))
	if !strings.Contains(toolKeys, "method:") {
		toolKeys += "\nmethod: GET"
	}
	write(t, dir, "tools.d/t.yaml", "api: a\ntools:\n  - name: x\n    description: X\n"+indent(toolKeys))
	c, found, err := config.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil || found.Count(config.Error) > 0 {
		t.Fatal(err, found)
	}
	x := &rig{logs: &bytes.Buffer{}}
	o := Options{Version: "9.9", Log: slog.New(slog.NewTextHandler(x.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	def := c.Tools[0]
	if x.api, err = newAPI(c.APIs[0].Value, o, newMasks(), nil); err != nil {
		t.Fatal(err)
	}
	if x.plan, err = compilePlan(def, newVars(c, o.Env)); err != nil {
		t.Fatal(err)
	}
	x.tool = &tool{name: def.Name, api: x.api, timeout: cmp.Or(def.Timeout, c.APIs[0].Value.Timeout, patience),
		retry: compileRetry(def, c.APIs[0].Value), limit: newLimit(def.Limits, 0)}
	t.Cleanup(func() {
		if ep := x.api.ready.Load(); ep != nil {
			ep.transport.(*http.Transport).CloseIdleConnections()
		}
	})
	return x
}

// An outcome of a rig: an answer that was read to its end, or an error.
type got struct {
	status int
	header http.Header
	body   string
	err    *Error
}

func (x *rig) call(t testing.TB, arguments string) got {
	t.Helper()
	return x.callIn(t, t.Context(), arguments)
}

func (x *rig) callIn(t testing.TB, ctx context.Context, arguments string) got {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(ctx, x.tool.timeout, errTimeout)
	defer cancel()
	r, e := x.plan.render(callOf(t, arguments))
	if e != nil {
		t.Fatal(e)
	}
	defer r.close()
	resp, e := x.api.send(ctx, x.tool, r)
	if e != nil {
		return got{err: e}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return got{err: x.api.interrupted(ctx, err)}
	}
	return got{status: resp.StatusCode, header: resp.Header, body: string(body)}
}

// ok calls and wants an answer of 200.
func (x *rig) ok(t testing.TB, arguments string) got {
	t.Helper()
	g := x.call(t, arguments)
	if g.err != nil || g.status != 200 {
		t.Fatalf("want 200, got %d, %v", g.status, g.err)
	}
	return g
}

// fails calls and wants an error of that kind and code, whose message has all these words.
func (x *rig) fails(t testing.TB, kind, code string, words ...string) *Error {
	t.Helper()
	g := x.call(t, "{}")
	if g.err == nil {
		t.Fatalf("want %s, got %d %s", kind, g.status, g.body)
	}
	g.err.check(t, kind, code, words...)
	return g.err
}

func (e *Error) check(t testing.TB, kind, code string, words ...string) {
	t.Helper()
	if e.Kind != kind || e.Code != code {
		t.Errorf("want kind %q code %q, got kind %q code %q: %s", kind, code, e.Kind, e.Code, e.Message)
	}
	for _, w := range words {
		if !strings.Contains(e.Message, w) {
			t.Errorf("message %q lacks %q", e.Message, w)
		}
	}
}

// A recorder is an API that keeps what it was asked.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

// record starts an API. answer gets each request with its number, counted from 0; nil answers {}.
func record(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *recorder {
	return system.record(t, answer)
}

func (n *lan) record(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *recorder {
	rec := &recorder{}
	rec.Server = n.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rec.mu.Lock()
		n := len(rec.requests)
		rec.requests, rec.bodies = append(rec.requests, r), append(rec.bodies, string(body))
		rec.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if answer != nil {
			answer(n, w, r)
			return
		}
		io.WriteString(w, "{}")
	}))
	return rec
}

func (rec *recorder) seen() []*http.Request {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.requests
}

// listen starts a server that handles each connection by hand, and gives its host:port.
func listen(t testing.TB, handle func(c net.Conn)) string { return system.accept(t, handle) }

func (n *lan) accept(t testing.TB, handle func(c net.Conn)) string {
	l := n.listen(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return l.Addr().String()
}

// closedPort is a host:port where nobody listens: it is taken by a client, so that nobody is given it meanwhile.
func closedPort(t testing.TB) string {
	t.Helper()
	l := system.listen(t)
	defer l.Close()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	c, err := dialer.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// head reads the lines of a request up to the empty one.
func head(r *bufio.Reader) (lines []string) {
	for {
		line, err := r.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); err != nil || line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

// The bytes of the request line are those that were rendered, whatever stands in them.
func TestRequestLines(t *testing.T) {
	lines := make(chan string, 1)
	host := listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			h := head(r)
			if len(h) == 0 {
				return
			}
			lines <- h[0]
			io.WriteString(c, okAnswer)
		}
	})
	for _, tc := range []struct{ base, path, want string }{
		{"", "path: /tasks", "/tasks"},
		{"/", "path: /tasks", "/tasks"},
		{"/", "path: tasks", "/tasks"},
		{"/api/v1", "path: /tasks", "/api/v1/tasks"},
		{"/api/v1/", "path: /tasks/", "/api/v1/tasks/"},
		{"/api/v1//", "path: /tasks", "/api/v1/tasks"},
		{"/api", "path: /", "/api/"},
		{"", "", "/"},
		{"/rpc", "", "/rpc"},
		{"/rpc/", "", "/rpc/"},
		{"?v=2", "", "/?v=2"},
		{"?v=2", "path: 'find?lang=en'", "/find?v=2&lang=en"},
		{"//double", "path: /x", "//double/x"},
		{"//double//", "", "//double//"},
		{"/a%2Fb%7e", "path: /c%2fd", "/a%2Fb%7e/c%2fd"},
		{"/a|b[1]^", "path: /x", "/a%7Cb[1]%5E/x"},
		{"/a%20b?q=x%20y|z&[k]=1", "path: /x", "/a%20b/x?q=x%20y%7Cz&[k]=1"},
		{"/ä", "path: /ö", "/%C3%A4/%C3%B6"},
		{"/a;b,c:d@e!$&'()*+=~", "path: /x", "/a;b,c:d@e!$&'()*+=~/x"},
		{"/..", "path: /x", "/../x"},
	} {
		rigOf(t, nil, "base_url: \"http://"+host+tc.base+"\"", "arguments: []\n"+tc.path).ok(t, "{}")
		if got, want := <-lines, "GET "+tc.want+" HTTP/1.1"; got != want {
			t.Errorf("%s + %s: got %s, want %s", tc.base, tc.path, got, want)
		}
	}
}

var quiet = log.New(io.Discard, "", 0)

// pems gives a certificate and its key as the files of an operator.
func pems(t testing.TB, c tls.Certificate) (certificate, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return block("CERTIFICATE", c.Certificate[0]), block("PRIVATE KEY", der)
}
