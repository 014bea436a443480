package bridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tbridge/config"
	"tbridge/validate"
)

// A team is a bridge that is served to one: its upstream, its log, and how it is reached.
type team struct {
	lan     *lan
	bridge  *Bridge
	handler *Handler
	http    *http.Client
	url     string
	log     *logBuffer
	seen    chan *http.Request // by the upstream
	gone    chan struct{}      // for each request that the bridge gave up
}

const teamTools = `api: up
tools:
  - {name: echo, description: Echo., method: POST, path: /echo, arguments: [{name: n, type: integer, description: A number}]}
  - {name: slow, description: Slow., method: GET, path: /slow, arguments: []}
  - {name: soon, description: Soon., method: GET, path: /soon, arguments: []}
  - {name: write, description: Write., method: POST, path: /write, arguments: [], scopes: [write]}
`

// newTeam serves a bridge whose tbridge.yaml has these keys beside its one API, which has these keys beside its URL.
func newTeam(t *testing.T, env map[string]string, server, api string) *team {
	t.Helper()
	return system.team(t, env, server, api)
}

func (n *lan) team(t *testing.T, env map[string]string, server, api string) *team {
	t.Helper()
	x := &team{lan: n, http: n.client(t), log: &logBuffer{}, seen: make(chan *http.Request, 1000), gone: make(chan struct{}, 1000)}
	up := n.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		x.seen <- r
		switch r.URL.Path {
		case "/slow":
			<-r.Context().Done()
			x.gone <- struct{}{}
		case "/soon":
			time.Sleep(600 * time.Millisecond)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"got":%q}`, strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Team")}, " "))
	}))
	c := loadTeam(t, fmt.Sprintf("version: 1\nserver: {%s}\napis: {up: {base_url: %q, %s}}\n", server, up.URL, api))
	var err error
	x.bridge, err = New(c, Options{
		Log: slog.New(slog.NewJSONHandler(x.log, nil)), Version: "1.2.3",
		Env:  func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		HTTP: &HTTPOptions{Metrics: true, Loopback: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range x.bridge.current.Load().apis {
		n.carry(a)
	}
	t.Cleanup(x.bridge.Close)
	h, s := n.handle(t, x.bridge)
	x.handler, x.url = h, s.URL
	return x
}

func loadTeam(t *testing.T, main string) *config.Catalog {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"tbridge.yaml": main, "tools.d/tools.yaml": teamTools} {
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

// client makes a client with these headers, name and value in turn.
func (x *team) client(t testing.TB, header ...string) *web {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return &web{t: t, http: x.http, url: x.url, header: h}
}

const open = `http: {limits: {calls: 100}}`

func TestGuards(t *testing.T) {
	x := newTeam(t, nil, `http: {hosts: [bridge.example, "proxied.example:8443"], origins: ["https://app.example"]}`, "")
	message := callTool(stateless, 1, "echo", "{}")
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
		body   string
	}{
		{"as it should be", func(*http.Request) {}, 200, `"resultType":"complete"`},
		{"another host", func(r *http.Request) { r.Host = "evil.example" }, 403, `{"error":"forbidden"}`},
		{"another address", func(r *http.Request) { r.Host = "192.0.2.1:80" }, 403, `{"error":"forbidden"}`},
		{"a host of the list", func(r *http.Request) { r.Host = "Bridge.example:443" }, 200, ""},
		{"a host and its port", func(r *http.Request) { r.Host = "proxied.example:8443" }, 200, ""},
		{"a host and another port", func(r *http.Request) { r.Host = "proxied.example:80" }, 403, ""},
		{"localhost", func(r *http.Request) { r.Host = "localhost:1" }, 200, ""},
		{"loopback in IPv6", func(r *http.Request) { r.Host = "[::1]:8080" }, 200, ""},
		{"another origin", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403, `{"error":"forbidden"}`},
		{"the origin null", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, `{"error":"forbidden"}`},
		{"an origin of the list", func(r *http.Request) { r.Header.Set("Origin", "https://app.example") }, 200, ""},
		{"the own origin", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }, 200, ""},
		{"a form's content type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Content-Type must be application/json"}}`},
		{"no content type", func(r *http.Request) { r.Header.Del("Content-Type") }, 415, ""},
		{"a charset", func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") }, 200, ""},
		{"no accept", func(r *http.Request) { r.Header["Accept"] = nil }, 200, ""},
		{"another name in the header", func(r *http.Request) { r.Header.Set("Mcp-Name", "other") }, 400, `"code":-32020`},
		{"another method in the header", func(r *http.Request) { r.Header.Set("Mcp-Method", "tools/list") }, 400, `"code":-32020`},
		{"no version in the header", func(r *http.Request) { r.Header.Del(versionHeader) }, 400, `"code":-32020`},
		{"a revision of the future", func(r *http.Request) { r.Header.Set(versionHeader, "2999-01-01") }, 400, `"error"`},
		{"a method of HTTP that means nothing", func(r *http.Request) { r.Method = http.MethodPut }, 405, ""},
		{"a stream, without sessions", func(r *http.Request) { r.Method = http.MethodGet }, 405, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := x.client(t)
			req := c.request(message)
			tt.change(req)
			c.do(req).want(t, tt.status, tt.body)
		})
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	x := newTeam(t, nil, open, "")
	tests := []struct {
		name, message string
		status        int
		word          string
	}{
		{"not JSON", "{", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`},
		{"nothing", " ", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is empty"}}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "batches are not supported"},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, "stands twice"},
		{"a name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"soon"}}`, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"name\" stands twice in params"}}`},
		{"an id of many digits", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 400, `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,"message":"over HTTP, an id must be a string, or an integer between -2^53 and 2^53"}}`},
		{"an id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, `"id":1.5,"error":{"code":-32600`},
		{"no session yet", rpc("", 1, "tools/list", ""), 200, `"error"`},
		{"no method of the revision", rpc(stateless, 1, "ping", ""), 404, `"code":-32601`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { x.client(t).post(tt.message).want(t, tt.status, tt.word) })
		t.Run(tt.name+", in chunks", func(t *testing.T) {
			c := x.client(t)
			req := c.request(tt.message)
			req.ContentLength, req.Body = -1, io.NopCloser(strings.NewReader(tt.message))
			c.do(req).want(t, tt.status, tt.word)
		})
	}
	// What is too long is refused before it has come to its end, and the client need not have written it.
	long := strings.Repeat("x", maxRequestBody+1)
	for name, text := range map[string]string{
		"too long":            fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 2*len(long), long),
		"too long, in chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(long), long),
	} {
		t.Run(name, func(t *testing.T) {
			x.send(t, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+text).want(t, 413,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 4 MiB"}}`)
		})
	}
	if n := x.handler.sessions.count(); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

// send sends a text, and gives the answer.
func (x *team) send(t *testing.T, text string) page {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(x.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return page{status: resp.StatusCode, header: resp.Header, body: string(body)}
}

const twoTokens = `http: {auth: {tokens: [{name: ci, token: "${CI}", scopes: [write]}, {name: guest, token: "${GUEST}"}, {name: absent, token: "${ABSENT}"}]}}`

var tokenValues = map[string]string{"CI": "token-of-ci", "GUEST": "token-of-guest"}

func TestTokens(t *testing.T) {
	x := newTeam(t, tokenValues, twoTokens, "")
	message := callTool(stateless, 1, "echo", "{}")
	tests := []struct {
		name   string
		header []string
		query  string
		status int
	}{
		{"the first", []string{"Authorization", "Bearer token-of-ci"}, "", 200},
		{"the second, in lower case", []string{"Authorization", "bearer token-of-guest"}, "", 200},
		{"none", nil, "", 401},
		{"a wrong one", []string{"Authorization", "Bearer token-of-c"}, "", 401},
		{"an empty one", []string{"Authorization", "Bearer "}, "", 401},
		{"another scheme", []string{"Authorization", "Basic token-of-ci"}, "", 401},
		{"two", []string{"Authorization", "Bearer token-of-ci", "Authorization", "Bearer token-of-ci"}, "", 401},
		{"in the query", nil, "?access_token=token-of-ci", 401},
		{"in the query too", []string{"Authorization", "Bearer token-of-ci"}, "?access_token=token-of-ci", 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := x.client(t, tt.header...)
			req := c.request(message)
			req.URL.RawQuery = strings.TrimPrefix(tt.query, "?")
			p := c.do(req)
			p.want(t, tt.status)
			if tt.status == 401 && (p.body != `{"error":"unauthorized"}` || !strings.HasPrefix(p.header.Get("WWW-Authenticate"), `Bearer realm="tbridge"`)) {
				t.Errorf("%v %s", p.header, p.body)
			}
		})
	}
	log := x.log.String()
	if !strings.Contains(log, `"principal":"ci","tool":"echo","outcome":"ok","status":200`) || !strings.Contains(log, `"principal":"guest"`) {
		t.Errorf("log: %s", log)
	}
	if strings.Contains(log, "token-of") || !strings.Contains(log, `"msg":"this token of server.http admits nobody","name":"absent","reason":"no value: tried $ABSENT"`) {
		t.Errorf("log: %s", log)
	}
	x.client(t).do(must(http.NewRequest(http.MethodGet, x.url+metadataPath, nil))).want(t, 404)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestScopes(t *testing.T) {
	x := newTeam(t, tokenValues, twoTokens, "")
	for _, revision := range []string{"2025-06-18", stateless} {
		tests := []struct {
			token string
			tools int
			word  string
		}{
			{"token-of-ci", 4, `{"got":" "}`},
			{"token-of-guest", 3, `"code":-32602,"message":"unknown tool \"write\""`},
		}
		for _, tt := range tests {
			t.Run(revision+" "+tt.token, func(t *testing.T) {
				c := x.client(t, "Authorization", "Bearer "+tt.token)
				if revision != stateless {
					c.greet(revision)
				}
				list := c.post(rpc(revision, 1, "tools/list", ""))
				if n := strings.Count(list.body, `"inputSchema"`); n != tt.tools {
					t.Errorf("%d tools: %s", n, list.body)
				}
				if p := c.post(callTool(revision, 2, "write", "{}")); !strings.Contains(strings.ReplaceAll(p.body, `\"got\":\" \"`, `"got":" "`), tt.word) {
					t.Errorf("got %s", p.body)
				}
			})
		}
	}
	if log := x.log.String(); !strings.Contains(log, `"principal":"guest","tool":"write","outcome":"unknown_tool"`) {
		t.Errorf("log: %s", log)
	}
	// Over stdin and stdout nobody is asked.
	if _, found := x.bridge.Call(context.Background(), "write", nil); !found {
		t.Error("a local call finds nothing")
	}
}

// Whoever is not known has no scopes.
func TestScopesWithoutAuth(t *testing.T) {
	x := newTeam(t, nil, open, "")
	x.client(t).post(callTool(stateless, 1, "write", "{}")).want(t, 400, `unknown tool`)
}

func TestForward(t *testing.T) {
	x := newTeam(t, map[string]string{"KEY": "key-of-the-bridge"}, open,
		`auth: {bearer: "${KEY}"}, forward: {X-Tracker-Token: Authorization, X-Team: X-Team}`)
	c := x.client(t).greet("2025-06-18")
	tests := []struct {
		name   string
		header []string
		sent   string // Authorization and X-Team, at the upstream
		answer string
	}{
		{"none", nil, "Bearer key-of-the-bridge ", "***"},
		{"one of them", []string{"X-Team", "blue-team"}, "Bearer key-of-the-bridge blue-team", "Bearer *** ***"},
		{"another credential", []string{"X-Tracker-Token", "Bearer of-alice"}, "Bearer of-alice ", `*** `},
		{"a password", []string{"X-Tracker-Token", "Basic YWxpY2U6c2VjcmV0LTE="}, "Basic YWxpY2U6c2VjcmV0LTE= ", `*** `},
		{"not listed", []string{"Authorization", "Bearer of-bob", "Cookie", "a=1", "X-Other", "x"}, "Bearer key-of-the-bridge ", "***"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := c.request(callTool("", 1, "echo", "{}"))
			for i := 0; i < len(tt.header); i += 2 {
				req.Header.Set(tt.header[i], tt.header[i+1])
			}
			p := c.do(req)
			p.want(t, 200, tt.answer)
			r := <-x.seen
			if got := r.Header.Get("Authorization") + " " + r.Header.Get("X-Team"); got != tt.sent || r.Header.Get("Cookie")+r.Header.Get("X-Other")+r.Header.Get(sessionHeader) != "" {
				t.Errorf("sent %v", r.Header)
			}
			for i := 1; i < len(tt.header); i += 2 {
				if len(tt.header[i]) > 5 && strings.Contains(p.body, tt.header[i]) {
					t.Errorf("%s is shown: %s", tt.header[i], p.body)
				}
			}
		})
	}
	req := c.request(callTool("", 1, "echo", "{}"))
	req.Header["X-Team"] = []string{"a", "b"}
	c.do(req).want(t, 200, "invalid_header", "2 times", `\"kind\":\"token\"`)
	req = c.request(callTool("", 1, "echo", "{}"))
	req.Header["X-Team"] = []string{"a\tb"}
	c.do(req).want(t, 200, "invalid_header", "control character")
	if len(x.seen) != 0 {
		t.Error("a refused call was sent")
	}
	if log := x.log.String(); strings.Contains(log, "of-alice") || strings.Contains(log, "blue-team") {
		t.Errorf("log: %s", log)
	}
}

// A client that closes its request, or sends a cancellation, ends the request upstream, in every era.
func TestCancelledOverHTTP(t *testing.T) {
	x := newTeam(t, nil, open, "")
	for _, revision := range []string{"2025-03-26", "2025-11-25", stateless, stateless, "2025-11-25 by sdk"} {
		t.Run(revision, func(t *testing.T) {
			c := x.client(t)
			revision, _, bySDK := strings.Cut(revision, " ")
			x.handler.direct = !bySDK
			if revision != stateless {
				c.greet(revision)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var calling sync.WaitGroup
			calling.Go(func() { c.do(c.request(callTool(revision, 7, "slow", "{}")).WithContext(ctx)) })
			await(t, x.seen)
			cancel()
			await(t, x.gone)
			calling.Wait()
			if revision == stateless {
				return
			}
			calling.Go(func() { c.post(callTool(revision, 8, "slow", "{}")) })
			await(t, x.seen)
			c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`).want(t, 202)
			await(t, x.gone)
			calling.Wait()
			c.post(callTool(revision, 9, "echo", "{}")).want(t, 200, `"structuredContent"`)
			await(t, x.seen)
		})
	}
}

func await[T any](t testing.TB, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return v
}

func TestOverload(t *testing.T) {
	x := newTeam(t, nil, `http: {limits: {calls: 3, sessions: 2}}`, "")
	ctx, cancel := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	c := x.client(t)
	for i := range 3 {
		calling.Go(func() { c.do(c.request(callTool(stateless, i, "slow", "{}")).WithContext(ctx)) })
		await(t, x.seen)
	}
	p := c.post(callTool(stateless, 9, "echo", "{}")) // with the others in hand
	p.want(t, 503, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the server has all the calls in hand that it can take","data":{"kind":"rate_limited","retryable":true,"retry_after_s":1}}}`)
	if p.header.Get("Retry-After") != "1" {
		t.Errorf("%v", p.header)
	}
	cancel()
	calling.Wait()
	for range 3 {
		await(t, x.gone)
	}
	for range 2 {
		x.client(t).greet("2025-06-18")
	}
	x.client(t).post(initialize("2025-06-18")).want(t, 503, "all the sessions", "Retry-After")
	x.client(t).post(callTool(stateless, 1, "echo", "{}")).want(t, 200)
}

func TestSessionsBelongToTheirCaller(t *testing.T) {
	x := newTeam(t, tokenValues, twoTokens, "")
	ci := x.client(t, "Authorization", "Bearer token-of-ci").greet("2025-06-18")
	guest := x.client(t, "Authorization", "Bearer token-of-guest").greet("2025-06-18")
	guest.session = ci.session
	guest.post(callTool("", 1, "echo", "{}")).want(t, 404, "there is no session", `"id":null`)
	ci.post(callTool("", 1, "echo", "{}")).want(t, 200)
	req := ci.request("")
	req.Method = http.MethodDelete
	ci.do(req).want(t, 204)
	ci.post(callTool("", 1, "echo", "{}")).want(t, 404)
}

func TestIdleSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newLAN().team(t, nil, `http: {limits: {idle: 50ms}}`, "")
		idle, busy := x.client(t).greet("2025-06-18"), x.client(t).greet("2025-06-18")
		busy.post(callTool("", 1, "soon", "{}")).want(t, 200, "got") // longer than the time
		idle.post(callTool("", 1, "echo", "{}")).want(t, 404)
		time.Sleep(49 * time.Millisecond)
		if n := x.handler.sessions.count(); n != 1 {
			t.Errorf("%d sessions, want that which was busy", n)
		}
		time.Sleep(time.Millisecond + 1)
		if n := x.handler.sessions.count(); n != 0 {
			t.Errorf("%d sessions stay", n)
		}
	})
}

// A stream opens a GET, or a subscription, and gives its lines.
func (c *web) stream(req *http.Request) <-chan string {
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		resp, err := c.http.Do(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// Both eras are told of a change, and no stream outlives the server.
func TestStreams(t *testing.T) {
	defer nothingLeft(t, goleak.IgnoreCurrent())
	t.Run("streams", func(t *testing.T) {
		t.Cleanup(http.DefaultClient.CloseIdleConnections)
		x := newTeam(t, nil, open, "")
		c := x.client(t).greet("2025-06-18")
		get := c.request("")
		get.Method, get.Body, get.ContentLength = http.MethodGet, nil, 0
		bySession := c.stream(get)
		if line := await(t, bySession); line != ": ok" {
			t.Errorf("got %q", line)
		}
		perRequest := c.stream(x.client(t).request(rpc(stateless, 5, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)))
		for line := range perRequest {
			if strings.HasPrefix(line, "data: ") {
				break // the acknowledgement
			}
		}
		next := loadTeam(t, "version: 1\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n")
		next.Tools = next.Tools[:1]
		if _, err := x.bridge.Replace(next); err != nil {
			t.Fatal(err)
		}
		for _, lines := range []<-chan string{bySession, perRequest} {
			for line := ""; !strings.Contains(line, "notifications/tools/list_changed"); {
				line = await(t, lines)
			}
		}
		x.handler.Drain()
		for _, lines := range []<-chan string{bySession, perRequest} {
			for range lines {
				continue
			}
		}
		c.post(callTool("", 1, "echo", "{}")).want(t, 503, "going down")
		c.do(must(http.NewRequest(http.MethodGet, x.url+"/readyz", nil))).want(t, 503, `{"status":"draining"}`)
	})
}

// Who runs the bridge is told which host it is; a caller over HTTP learns no address behind the bridge.
func TestMessagesNameNoHostOverHTTP(t *testing.T) {
	x := newTeam(t, nil, open, "timeout: 50ms")
	c := x.client(t)
	c.greet("2025-06-18")
	if p := c.post(callTool("2025-06-18", 1, "slow", "{}")); !strings.Contains(p.body, "the API up did not answer within 50ms") || strings.Contains(p.body, "127.0.0.1") {
		t.Errorf("over HTTP: %s", p.body)
	}
	r, _ := x.bridge.Call(t.Context(), "slow", nil)
	if text := r.Text(); !strings.Contains(text, `"message":"127.0.0.1:`) {
		t.Errorf("for who runs it: %s", text)
	}
}

func TestHealth(t *testing.T) {
	x := newTeam(t, nil, open, "")
	get := func(path string) page {
		return x.client(t).do(must(http.NewRequest(http.MethodGet, x.url+path, nil)))
	}
	get("/healthz").want(t, 200, `{"status":"ok"}`)
	x.bridge.Degraded("tools.d/a.yaml")
	get("/healthz").want(t, 200, `{"status":"degraded","files":["tools.d/a.yaml"]}`)
	get("/readyz").want(t, 200, `{"status":"degraded","files":["tools.d/a.yaml"]}`)
	x.bridge.Degraded()
	x.bridge.ReloadFailed()
	get("/readyz").want(t, 200, `{"status":"ok"}`)
	get("/elsewhere").want(t, 404)
}

func TestMetrics(t *testing.T) {
	x := newTeam(t, nil, open, "breaker: {failures: 1}")
	c := x.client(t)
	c.post(callTool(stateless, 1, "echo", "{}"))
	c.post(callTool(stateless, 1, "echo", `{"n":"x"}`))
	c.post(callTool(stateless, 1, "ecco", "{}"))
	x.bridge.Degraded("tools.d/a.yaml")
	c.do(must(http.NewRequest(http.MethodGet, x.url+"/metrics", nil))).want(t, 200,
		`tbridge_calls_total{outcome="ok",tool="echo"} 1`, `tbridge_calls_total{outcome="invalid_arguments",tool="echo"} 1`,
		`tbridge_calls_total{outcome="unknown_tool",tool=""} 1`, `tbridge_call_seconds_count{tool="echo"} 2`,
		`tbridge_upstream_seconds_count{api="up"} 1`, `tbridge_breaker_state{api="up"} 0`, `tbridge_api_in_flight{api="up"} 0`,
		`tbridge_in_flight 0`, `tbridge_reload_generation 1`, `tbridge_reload_failures_total 1`, `tbridge_faulty_files 1`,
		`tbridge_tools 4`, `tbridge_sessions 0`, `tbridge_streams 0`, `tbridge_build_info{version="1.2.3"} 1`, `go_goroutines`, `process_open_fds`)
}

func TestBreakerStates(t *testing.T) {
	b := newBreaker(&config.Breaker{Failures: 1, Open: time.Nanosecond})
	states := []int{b.state()}
	p, _ := b.enter("host")
	p.leave(failed)
	states = append(states, b.state())
	time.Sleep(time.Microsecond)
	if _, e := b.enter("host"); e != nil {
		t.Fatal(e)
	}
	if states = append(states, b.state()); fmt.Sprint(states) != "[0 2 1]" {
		t.Errorf("states %v", states)
	}
}

func TestTraces(t *testing.T) {
	const parent, meta = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-b7ad6b7169203331-00"
	x := newTeam(t, nil, open, "")
	tests := []struct{ name, header, state, params, sent, sentState string }{
		{"header", parent, "a=1", "", parent, "a=1"},
		{"meta", "", "", `"_meta":{"traceparent":"` + meta + `","tracestate":"b=2"},`, meta, "b=2"},
		{"both", parent, "", `"_meta":{"traceparent":"` + meta + `"},`, meta, ""},
		{"none", "", "a=1", "", "", ""},
		{"malformed", "00-0AF7-1", "a=1", "", "", ""},
		{"of zeros", "00-" + noTraceID + "-b7ad6b7169203331-01", "", "", "", ""},
		{"without a span", "00-0af7651916cd43dd8448eb211c80319c-" + noSpanID + "-01", "", "", "", ""},
		{"of an impossible version", "ff" + parent[2:], "", "", "", ""},
		{"state of controls", parent, "a=\t1", "", parent, ""},
	}
	for _, tt := range tests {
		for _, revision := range []string{"2025-06-18", stateless} {
			t.Run(tt.name+" "+revision, func(t *testing.T) {
				c := x.client(t)
				if revision != stateless {
					c.greet(revision)
				}
				req := c.request(rpc(revision, 1, "tools/call", tt.params+`"name":"echo"`))
				if tt.header != "" {
					req.Header.Set("Traceparent", tt.header)
				}
				if tt.state != "" {
					req.Header.Set("Tracestate", tt.state)
				}
				c.do(req).want(t, 200)
				if r := await(t, x.seen); r.Header.Get("Traceparent") != tt.sent || r.Header.Get("Tracestate") != tt.sentState {
					t.Errorf("sent %v", r.Header)
				}
			})
		}
	}
	w := dial(t, x.bridge)
	w.greet("2025-06-18")
	w.ask(rpc("", 1, "tools/call", `"_meta":{"traceparent":"`+meta+`"},"name":"echo"`))
	if r := await(t, x.seen); r.Header.Get("Traceparent") != meta {
		t.Errorf("over pipes: %v", r.Header)
	}
	if !strings.Contains(x.log.String(), `"trace_id":"0af7651916cd43dd8448eb211c80319c"`) {
		t.Errorf("log: %s", x.log)
	}
}

// Signs of life come before the result, whichever transport carries them.
func TestProgress(t *testing.T) {
	const asked = `"_meta":{"progressToken":"p"},"name":"soon"`
	for way, call := range map[string]func(*testing.T, *team) []string{
		"stateless": func(t *testing.T, x *team) []string {
			return x.client(t).post(rpc(stateless, 1, "tools/call", asked)).messages
		},
		"session": func(t *testing.T, x *team) []string {
			return x.client(t).greet("2025-11-25").post(rpc("", 1, "tools/call", asked)).messages
		},
		"pipes": func(t *testing.T, x *team) []string {
			w := dialer(dial).waited(t, x.bridge)
			w.greet("2025-06-18")
			return []string{w.ask(rpc("", 1, "tools/call", asked)), w.receive()}
		},
		"unasked": func(t *testing.T, x *team) []string {
			return append([]string{`"progressToken":"p" notifications/progress`}, x.client(t).post(rpc(stateless, 1, "tools/call", `"name":"soon"`)).messages...)
		},
	} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				messages := call(t, newLAN().team(t, nil, open, ""))
				if len(messages) != 2 || !strings.Contains(messages[0], `"progressToken":"p"`) || !strings.Contains(messages[0], "notifications/progress") || !strings.Contains(messages[1], `"result"`) {
					t.Errorf("got %q", messages)
				}
			})
		})
	}
}

func TestNoAuthOnANetwork(t *testing.T) {
	c := loadTeam(t, "version: 1\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n")
	if _, err := New(c, Options{HTTP: &HTTPOptions{}}); err != ErrNoAuth {
		t.Errorf("got %v", err)
	}
	b, err := New(loadTeam(t, "version: 1\nserver: {"+twoTokens+"}\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n"), Options{HTTP: &HTTPOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Replace(c); err != ErrNoAuth || !b.current.Load().access.known {
		t.Errorf("a reload takes the guard away: %v", err)
	}
}

// The address that a connection came to is a name of the server.
func TestHostIsTheAddress(t *testing.T) {
	a := &access{}
	r := httptest.NewRequest(http.MethodPost, "http://192.0.2.7:80/mcp", nil)
	at := func(ip string) *http.Request {
		return r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(ip)}))
	}
	if !a.knowsHost(at("192.0.2.7")) || a.knowsHost(at("192.0.2.8")) || a.knowsHost(r) {
		t.Error("another address is known, or the own one is not")
	}
}

func TestPagesOfKnownOrigins(t *testing.T) {
	x := newTeam(t, nil, `http: {origins: ["https://app.example"]}`, "")
	req := must(http.NewRequest(http.MethodOptions, x.url+"/mcp", nil))
	req.Header.Set("Origin", "https://app.example")
	req.Header.Set("Access-Control-Request-Headers", "content-type,mcp-session-id")
	x.client(t).do(req).want(t, 204, "Access-Control-Allow-Origin:[https://app.example]", "Access-Control-Allow-Headers:[content-type,mcp-session-id]", "Vary:[Origin]")
}

func TestHandlerPanics(t *testing.T) {
	x := newTeam(t, nil, open, "")
	x.handler.mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("oh") })
	x.client(t).do(must(http.NewRequest(http.MethodGet, x.url+"/panic", nil))).want(t, 500)
	if !strings.Contains(x.log.String(), `"reason":"oh"`) {
		t.Errorf("log: %s", x.log)
	}
	x.client(t).post(callTool(stateless, 1, "echo", "{}")).want(t, 200)
}

func TestSpans(t *testing.T) {
	var got []Span
	up := upstream(t)
	b, err := New(loadTools(t, up.URL, probeTools), Options{Span: func(s Span) { got = append(got, s) }})
	if err != nil {
		t.Fatal(err)
	}
	const trace1 = "0af7651916cd43dd8448eb211c80319c"
	for _, parent := range []string{"", "00-" + trace1 + "-b7ad6b7169203331-01", "00-" + trace1 + "-b7ad6b7169203331-00"} {
		ctx := withInbound(t.Context(), &inbound{caller: local, trace: newTrace(parent, "")})
		if _, found := b.Call(ctx, "missing", nil); !found {
			t.Fatal("not found")
		}
	}
	if len(got) != 2 {
		t.Fatalf("%d spans", len(got))
	}
	root, child := got[0], got[1]
	if len(root.TraceID) != 32 || len(root.SpanID) != 16 || root.ParentID != "" || root.Tool != "missing" || root.Outcome != kindNotFound || root.Status != 404 || root.Ended.Before(root.Began) {
		t.Errorf("root %+v", root)
	}
	if child.TraceID != trace1 || child.ParentID != "b7ad6b7169203331" || child.SpanID == root.SpanID {
		t.Errorf("child %+v", child)
	}
}

// The page lists the metrics that there are.
func TestMetricsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	x := newTeam(t, nil, open, "breaker: {failures: 1}")
	x.client(t).post(callTool(stateless, 1, "echo", "{}"))
	families, err := x.bridge.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range families {
		known[f.GetName()] = true
		if strings.HasPrefix(f.GetName(), "tbridge_") && !strings.Contains(string(page), "`"+f.GetName()+"`") {
			t.Errorf("%s is not described", f.GetName())
		}
	}
	for _, name := range regexp.MustCompile("`(tbridge_\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if !known[name[1]] {
			t.Errorf("there is no %s", name[1])
		}
	}
}

func TestDirectAnswers(t *testing.T) {
	x := newTeam(t, nil, open, "")
	c := x.client(t).greet("2025-06-18")
	req := c.request(callTool("", 1, "echo", "{}"))
	req.Header.Set("Accept", "application/json")
	p := c.do(req)
	p.want(t, 200, "Content-Type:[application/json]", "X-Accel-Buffering:[no]")
	if want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"got\":\" \"}"}],"structuredContent":{"got":" "}}}`; p.body != want {
		t.Errorf("got %s", p.body)
	}
	await(t, x.seen)
	var calling sync.WaitGroup
	calling.Go(func() {
		if p := c.post(callTool("", 7, "slow", "{}")); p.status != 200 || p.body != "" {
			t.Errorf("a cancelled call: %d %s", p.status, p.body)
		}
	})
	await(t, x.seen)
	c.post(callTool("", 7, "echo", "{}")).want(t, 400, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"this id is in use by a call that is not answered yet"}}`)
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`).want(t, 202) // another id
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`).want(t, 202)
	await(t, x.gone)
	calling.Wait()
	req = c.request(callTool("", 2, "echo", "{}"))
	req.Header.Set(versionHeader, "1999-01-01")
	c.do(req).want(t, 400, `"error"`, "id\":2")
	// What clients say of themselves is remembered within bounds.
	e := &eras{}
	for i := range 2 * maxEras {
		e.add(era(fmt.Sprint(i)))
	}
	e.add(era(strings.Repeat("x", maxEra+1)))
	if len(e.known) != maxEras || !e.knows("0") || e.knows("x") {
		t.Errorf("%d eras", len(e.known))
	}
}

func TestDirectPanics(t *testing.T) {
	x := newTeam(t, nil, open, "")
	c := x.client(t).greet("2025-06-18")
	x.bridge.current.Load().byName["echo"].reading = nil // what fails on the way to a result, and then again
	x.bridge.current.Load().byName["echo"].schema = nil
	c.post(callTool("", 1, "echo", "{}")).want(t, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`)
}

func TestAcceptsJSON(t *testing.T) {
	for accept, want := range map[string]bool{"application/json": true, "text/event-stream, Application/JSON;q=0.5": true, "*/*": true, "text/event-stream": false, "": false} {
		if acceptsJSON([]string{accept}) != want {
			t.Errorf("%q", accept)
		}
	}
}

// A message that comes too slowly is refused; a call may last longer than its message.
func TestSlowMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newLAN().team(t, nil, open, "")
		s := x.lan.unstarted(t, x.handler)
		s.Config.ReadTimeout = 200 * time.Millisecond
		s.Start()
		t.Cleanup(s.Close)
		x.url = s.URL
		for _, revision := range []string{"2025-06-18", stateless} {
			c := x.client(t)
			if revision != stateless {
				c.greet(revision)
			}
			c.post(callTool(revision, 1, "soon", "{}")).want(t, 200, "structuredContent")
		}
		conn, err := x.lan.dial(t.Context(), "", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		began := time.Now()
		if _, err := io.WriteString(conn, cutMessage); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 408 ") || time.Since(began) != s.Config.ReadTimeout {
			t.Errorf("got %s, %v after %v", line, err, time.Since(began))
		}
	})
}

const cutMessage = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

func TestMessagesThatBreakOff(t *testing.T) {
	x := newTeam(t, nil, open, "")
	conn, err := net.Dial("tcp", strings.TrimPrefix(x.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, cutMessage); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.Contains(string(answer), "the message broke off") {
		t.Errorf("got %s, %v", answer, err)
	}
}

// A forwarded credential stands in for a token that would have to be fetched.
func TestForwardInsteadOfOAuth2(t *testing.T) {
	x := newTeam(t, map[string]string{"SECRET": "secret-of-oauth"}, open,
		`auth: {oauth2: {token_url: "http://127.0.0.1:1/token", client_id: a, client_secret: "${SECRET}"}}, forward: {X-Tracker-Token: Authorization}`)
	c := x.client(t, "X-Tracker-Token", "Bearer of-alice").greet("2025-06-18")
	c.post(callTool("", 1, "echo", "{}")).want(t, 200, `"structuredContent":{"got":"*** "}`)
	if r := await(t, x.seen); r.Header.Get("Authorization") != "Bearer of-alice" {
		t.Errorf("sent %v", r.Header)
	}
	c.header.Del("X-Tracker-Token")
	c.post(callTool("", 1, "echo", "{}")).want(t, 200, `"kind":"token"`)
}

func TestStreamsAreBounded(t *testing.T) {
	x := newTeam(t, nil, `http: {limits: {sessions: 1, calls: 1}}`, "")
	if n := x.handler.Connections(); n != 1026 {
		t.Errorf("%d connections", n)
	}
	listen := rpc(stateless, 5, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	first := x.client(t)
	await(t, first.stream(first.request(listen)))
	x.client(t).post(listen).want(t, 503, "all the streams", "Retry-After")
}

func TestLongNamesInTheLog(t *testing.T) {
	x := newTeam(t, nil, open, "")
	c := x.client(t).greet("2025-06-18")
	c.post(callTool("", 1, strings.Repeat("n", 1000), "{}")).want(t, 200, "-32602")
	if log := x.log.String(); !strings.Contains(log, `"tool":"`+strings.Repeat("n", maxQuoted)+`…"`) {
		t.Errorf("log: %s", log)
	}
	c.session = "gone"
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`).want(t, 404)
}
