//go:build !race

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A canary is a secret that shows by any piece of it.
type canary struct{ name, left, right string }

func newCanary(name string) canary {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return canary{name, hex.EncodeToString(b[:4]), hex.EncodeToString(b[4:])}
}

// secret has what JSON, URLs and shells escape in its middle.
func (c canary) secret() string { return "c4nary-" + c.left + `"\/+&` + c.right }

// A cage has all canaries of a test.
type cage map[string]canary

var (
	percentEncoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	unicodeEscaped = regexp.MustCompile(`\\u00[0-9A-Fa-f]{2}`)
)

// sings says which canary shows in a text, in whatever form; empty: none does.
func (all cage) sings(text string) string {
	decode := func(code string) string {
		b, _ := hex.DecodeString(code[len(code)-2:])
		return string(b)
	}
	plain := text
	for range 3 {
		plain = percentEncoded.ReplaceAllStringFunc(plain, decode)
		plain = unicodeEscaped.ReplaceAllStringFunc(plain, decode)
	}
	small := strings.ToLower(plain)
	for _, c := range all {
		for _, piece := range []string{"c4nary-" + c.left, c.left, c.right} {
			if strings.Contains(small, piece) {
				return c.name
			}
			for before := range 3 {
				code := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:before] + piece))
				if strings.Contains(plain, code[(before*8+5)/6:(before+len(piece))*8/6]) {
					return c.name + " in base64"
				}
			}
		}
	}
	if strings.Contains(small, "c4nary") {
		return "the beginning of one"
	}
	return ""
}

// forms are the ways in which an API may send secrets back: at most so many levels of JSON deep.
func forms(secrets []string, levels int) []string {
	var all []string
	for _, s := range secrets {
		all = append(all, s, "Bearer "+s, url.QueryEscape(s), url.PathEscape(s),
			base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte("{"+s+"}")), base64.StdEncoding.EncodeToString([]byte("{{"+s)))
		for range levels {
			b, _ := json.Marshal(map[string]string{"x": s})
			s = string(b)
			all = append(all, s)
		}
	}
	return all
}

// A parrot is an API that says all that it was told and all the secrets that it knows.
type parrot struct {
	known []string
	token string // the access token that it gives
}

// heard is what a request has told.
func (p *parrot) heard(r *http.Request) []string {
	body, _ := io.ReadAll(r.Body)
	heard := []string{r.URL.String(), r.URL.Path, string(body)}
	for _, values := range r.Header {
		heard = append(heard, values...)
	}
	if user, password, ok := r.BasicAuth(); ok {
		heard = append(heard, user, password)
	}
	return append(heard, p.known...)
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	heard := p.heard(r)
	text := strings.Join(append(forms(p.known, 3), heard...), "\n")
	said := func(v map[string]any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}
	whole := map[string]any{"all": forms(p.known, 2), "heard": heard, p.known[0]: 1, "message": strings.Join(forms(p.known, 2), " "), "code": p.known[0], "n": 7}
	send := func(status int, media, body string) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	const asJSON = "application/json"
	mode, number, _ := strings.Cut(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], "-")
	pad := strings.Repeat("x", len(number)*100)
	switch mode {
	case "token":
		send(200, asJSON, said(map[string]any{"access_token": p.token, "token_type": "bearer", "expires_in": 3600}))
	case "json":
		send(200, asJSON, said(whole))
	case "list":
		send(200, asJSON, said(map[string]any{"items": forms(slices.Repeat(p.known, 8), 2)}))
	case "text":
		send(200, "text/plain", text)
	case "html":
		send(500, "text/html", "<title>"+pad+strings.Join(p.known, " ")+"</title>")
	case "failure":
		send(422, asJSON, said(map[string]any{"message": pad + p.known[0], "detail": pad + p.known[1], "errors": []any{whole}}))
	case "plain":
		send(500, "text/plain", pad+text)
	case "no":
		send(200, asJSON, said(map[string]any{"ok": false, "error": whole, "rid": p.known[0]}))
	case "bytes":
		send(200, "application/octet-stream", "\x00\xff"+text)
	case "image":
		send(200, "image/png", "\x89PNG"+text)
	case "file":
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(p.known[0])+strings.Repeat("x", 150))
		send(200, "text/csv", text)
	case "headers":
		w.Header().Set("X-Said", strings.Join(forms(p.known, 1), " "))
		w.Header().Set("X-Request-Id", p.known[0])
		send(200, asJSON, "{}")
	case "type":
		send(200, "application/x; charset="+p.known[0], "{}")
	case "encoding":
		w.Header().Set("Content-Encoding", pad+p.known[0])
		send(200, asJSON, "{}")
	case "away":
		w.Header().Set("Location", "https://elsewhere.example/?k="+url.QueryEscape(p.known[0]))
		send(302, "text/plain", text)
	case "later":
		w.Header().Set("Retry-After", "0")
		send(503, "text/plain", text)
	default:
		p.fault(w, r, mode, text)
	}
}

// fault answers in ways that are none.
func (p *parrot) fault(w http.ResponseWriter, r *http.Request, mode, text string) {
	raw := map[string]string{
		"reset":   "",
		"broken":  "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + text,
		"reason":  "HTTP/1.1 500 " + p.known[0] + "\r\nContent-Length: 0\r\n\r\n",
		"garbage": p.known[0] + " 200 OK\r\n\r\n",
		"header":  "HTTP/1.1 200 OK\r\n" + p.known[0] + "\r\n\r\n",
		"flood":   "HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat(p.known[0], 3000) + "\r\n\r\n",
		"gzip":    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + text,
		"deep":    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + strings.Repeat("[", 200) + text,
		"big":     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n" + strings.Repeat(text, 10),
		"twice":   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + fmt.Sprintf(`{%q:1,%[1]q:2}`, p.known[0]),
	}
	if mode == "hang" {
		<-r.Context().Done()
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, raw[mode])
}

// aviary is a bridge directory whose secrets are canaries, and whose API is a parrot.
type aviary struct {
	t      *testing.T
	cage   cage
	dir    string
	config string
	tools  []string
	seen   map[string]string // what came out, by where
	spans  *output
}

const aviaryMain = `version: 1
server: {name: aviary, http: {auth: {tokens: [{name: ci, token: "${C_TOKEN}"}]}}}
apis:
  main:
    base_url: UP/v1
    auth: {bearer: "${C_BEARER}"}
    headers: {X-Key: "before ${C_HEADER} after"}
    query: {key: "${C_QUERY}"}
    retry: {attempts: 2}
    limits: {response: 1MiB, result: 64KiB}
  basic: {base_url: UP/basic, auth: {basic: {username: "${C_USER}", password: "${C_PASSWORD}"}}}
  inquery: {base_url: UP/q, auth: {api_key: {in: query, name: k, value: "${C_KEY_QUERY}"}}}
  incookie: {base_url: UP/c, auth: {api_key: {in: cookie, name: k, value: "${C_KEY_COOKIE}"}}}
  inpath: {base_url: "UP/bot{k}/v1", auth: {api_key: {in: path, name: k, value: "${C_KEY_PATH}"}}}
  oauth: {base_url: UP/o, auth: {oauth2: {token_url: UP/token, client_id: me, client_secret: "${C_CLIENT_SECRET}"}}}
  file: {base_url: UP/f, auth: {bearer: {file: secret.toml, key: a.token}}}
  forward: {base_url: UP/w, forward: {X-Up: Authorization}}
  dead: {base_url: "http://DEAD/", auth: {api_key: {in: query, name: k, value: "${C_KEY_QUERY}"}}}
  tls: {base_url: "https://PLAIN/", auth: {bearer: "${C_BEARER}"}}
  proxied: {base_url: "http://api.example/", auth: {bearer: "${C_BEARER}"}}
`

// aviaryModes are what is asked of the parrot, each a tool of main, with what the tool says beside.
var aviaryModes = map[string]string{
	"json": "", "list": ", response: {projection: items, each: '{@this}'}", "text": "", "html": "", "html-xxxxxxxxxxxxxxxxxxxx": "", "failure": "", "failure-xxxxxxxxxxxxxxxxxxxx": ", error_text: '{message} {details}'",
	"plain": "", "plain-xxxxxxxxxxxxxxxxxxxx": "", "no": ", envelope: {ok: ok, error: {code: error.code, message: error.message, details: error}, request_id: rid}",
	"bytes": "", "image": "", "file": ", response: {content: file}", "headers": ", response: {projection: {said: $headers.X-Said, id: $headers.X-Request-Id, args: $args}}",
	"type": ", response: {content: json}", "encoding": "", "encoding-x": "", "away": "", "later": "", "reset": "", "broken": "", "reason": "", "garbage": "", "header": "", "flood": "", "gzip": "",
	"twice": "", "deep": ", response: {content: json}", "big": "", "hang": ", timeout: 50ms",
}

// newAviary makes the directory and sets the environment.
func newAviary(t *testing.T) *aviary {
	a := &aviary{t: t, cage: cage{}, dir: t.TempDir(), seen: map[string]string{}, spans: &output{}}
	bird := func(name string) string {
		a.cage[name] = newCanary(name)
		return a.cage[name].secret()
	}
	p := &parrot{token: bird("access token")}
	for _, name := range []string{"C_BEARER", "C_HEADER", "C_QUERY", "C_USER", "C_PASSWORD", "C_KEY_QUERY", "C_KEY_COOKIE", "C_KEY_PATH", "C_CLIENT_SECRET"} {
		p.known = append(p.known, bird(name))
		t.Setenv(name, a.cage[name].secret())
	}
	t.Setenv("C_TOKEN", bird("C_TOKEN"))
	bird("forwarded")
	p.known = append(p.known, bird("file"))
	up := httptest.NewServer(p)
	t.Cleanup(func() { up.CloseClientConnections(); up.Close() })
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(a.spans, r.Body) }))
	t.Cleanup(collector.Close)
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key="+url.QueryEscape(bird("collector")))
	t.Setenv("HTTP_PROXY", "http://me:"+url.QueryEscape(bird("proxy"))+"@"+dead.Addr().String())
	t.Setenv("XDG_STATE_HOME", filepath.Join(a.dir, "state"))
	host := strings.TrimPrefix(up.URL, "http://")
	write(t, a.dir, "tbridge.yaml", strings.NewReplacer("UP", up.URL, "DEAD", dead.Addr().String(), "PLAIN", host).Replace(aviaryMain))
	write(t, a.dir, "secret.toml", "[a]\ntoken = '"+a.cage["file"].secret()+"'\n")
	a.config = filepath.Join(a.dir, "tbridge.yaml")
	a.writeTools()
	return a
}

// writeTools writes the tools files: all modes of one API, some of the others, and what takes bodies.
func (a *aviary) writeTools() {
	var text strings.Builder
	text.WriteString("tools:\n")
	tool := func(name, api, path, more string) {
		a.tools = append(a.tools, name)
		fmt.Fprintf(&text, "  - {name: %s, api: %s, description: Says %s., method: GET, path: /%s, arguments: [{name: note, type: string, description: A note, maxLength: 500}]%s}\n", name, api, name, path, more)
	}
	for mode, more := range aviaryModes {
		tool(strings.ReplaceAll("main_"+mode, "-", "_"), "main", mode, more)
	}
	for _, api := range []string{"basic", "inquery", "incookie", "inpath", "oauth", "file", "forward", "dead", "tls", "proxied"} {
		tool(api+"_json", api, "json", "")
		tool(api+"_failure", api, "failure", "")
	}
	for name, encoding := range map[string]string{"body": "json", "form": "form", "parts": "multipart"} {
		a.tools = append(a.tools, name)
		fmt.Fprintf(&text, "  - {name: %s, api: main, description: Sends %s., method: POST, path: /json, encoding: %s, arguments: [{name: note, type: string, description: A note}], response: {text: 'said {all}'}}\n", name, name, encoding)
	}
	write(a.t, a.dir, "tools.d/birds.yaml", text.String())
}

// note keeps what came out somewhere.
func (a *aviary) note(where, text string) { a.seen[where] += text + "\n" }

// command runs one command line, and keeps what it says.
func (a *aviary) command(args ...string) (stdout string) {
	a.t.Helper()
	var out, talk output
	ctx, cancel := context.WithTimeout(a.t.Context(), 10*patience)
	defer cancel()
	run(ctx, append(args, "--config", a.config), strings.NewReader(""), &out, &talk)
	a.note(strings.Join(args[:min(2, len(args))], " "), out.String()+talk.String())
	return out.String()
}

// notes are arguments that hold a canary.
func (a *aviary) notes() []string {
	secret, _ := json.Marshal(a.cage["C_BEARER"].secret())
	inner := string(secret[1 : len(secret)-1])
	return []string{`{}`, `{"note":"` + inner + `"}`, `{"note":7,"` + inner + `":"` + strings.Repeat("x", 30) + inner + `"}`, `{"note":"` + strings.Repeat("x", 490) + inner + `"}`}
}

// TestCanaries drives everything that says anything, with an API that says all secrets in every form, and looks for
// them in all that comes out.
func TestCanaries(t *testing.T) {
	a := newAviary(t)
	t.Run("the test itself", a.selfTest)
	a.stdio(t, "debug", "text")
	a.stdio(t, "info", "json")
	a.http(t)
	a.commands()
	a.workbench(t)
	a.note("spans", a.spans.String())
	_ = filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "secret.toml" {
			text, _ := os.ReadFile(path)
			a.note("file "+strings.TrimPrefix(path, a.dir), path+"\n"+string(text))
		}
		return err
	})
	for where, text := range a.seen {
		if name := a.cage.sings(text); name != "" {
			t.Errorf("%s: %s shows in %s", where, name, around(a.cage, text))
		}
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s: nothing came out", where)
		}
	}
}

// around gives the lines that a canary shows in, shortened.
func around(all cage, text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		for len(line) > 1000 && all.sings(line[:len(line)/2]) != "" {
			line = line[:len(line)/2]
		}
		for len(line) > 1000 && all.sings(line[len(line)/2:]) != "" {
			line = line[len(line)/2:]
		}
		if all.sings(line) != "" && len(lines) < 5 {
			lines = append(lines, line)
		}
	}
	return fmt.Sprintf("%.2000q", lines)
}

// selfTest sees that a canary that comes out is noticed, in every form in which the parrot says it.
func (a *aviary) selfTest(t *testing.T) {
	for name, c := range a.cage {
		for _, form := range forms([]string{c.secret()}, 3) {
			if got, _, _ := strings.Cut((cage{name: c}).sings("so "+form+" so"), " in "); got != name {
				t.Errorf("%s is not seen in %s", name, form)
			}
		}
		if (cage{name: c}).sings("x"+c.secret()[:9]) == "" || (cage{name: c}).sings(c.secret()[len(c.secret())-10:]) == "" {
			t.Errorf("a piece of %s is not seen", name)
		}
	}
}

const (
	helloLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	knownLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// messages are requests of all tools, and requests that are refused and hold a canary.
func (a *aviary) messages() []string {
	secret, _ := json.Marshal(a.cage["C_HEADER"].secret())
	inner := string(secret[1 : len(secret)-1])
	var bodies []string
	for _, name := range a.tools {
		for _, note := range a.notes() {
			bodies = append(bodies, fmt.Sprintf(`"method":"tools/call","params":{"name":%q,"arguments":%s}`, name, note))
		}
	}
	for _, pad := range []string{"", strings.Repeat("x", 90), strings.Repeat("x", 120), strings.Repeat("x", 290)} {
		said := pad + inner
		bodies = append(bodies, `"method":"tools/list"`, `"method":"`+said+`"`, `"method":"tools/list","params":{"cursor":"`+said+`"}`,
			`"method":"tools/call","params":{"name":"`+said+`"}`, `"method":"tools/call","params":{"`+said+`":1,"`+said+`":2}`, `"method":"prompts/get","params":{"name":"`+said+`"}`,
			`"method":"ping","`+said+`":1,"`+said+`":2`, `"method":"tools/call","params":{"name":"main_json","arguments":"`+said+`"}`)
	}
	var lines []string
	for i, body := range bodies {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, body))
	}
	return append(lines, "no message "+a.cage["C_QUERY"].secret())
}

// stdio serves on pipes.
func (a *aviary) stdio(t *testing.T, level, format string) {
	messages := a.messages()
	lines := strings.Join(append([]string{helloLine, knownLine}, messages...), "\n") + "\n"
	var out, log output
	code := run(t.Context(), []string{"serve", "--config", a.config, "--log-level", level, "--log-format", format}, strings.NewReader(lines), &out, &log)
	if n := strings.Count(out.String(), "\n"); code != 0 || n != len(messages)+1 {
		t.Errorf("exit code %d, %d answers to %d messages: %s", code, n, len(messages)+1, &log)
	}
	if !strings.Contains(out.String(), "***") || !strings.Contains(log.String(), "main_json") {
		t.Error("no answer has a secret in it, or nothing is logged")
	}
	a.note("serve: stdout", out.String())
	a.note("serve: log at "+level+" as "+format, log.String())
}

// http serves a team, in a process of its own.
func (a *aviary) http(t *testing.T) {
	r := startReplica(t, a.dir, "--log-level", "debug")
	token := a.cage["C_TOKEN"].secret()
	ask := func(req *http.Request, header ...string) {
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("X-Up", "Bearer "+a.cage["forwarded"].secret())
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		a.note("http: "+req.Method+" "+req.URL.Path, fmt.Sprint(resp.Status, resp.Header, string(body)))
	}
	for _, name := range a.tools {
		for _, note := range a.notes()[:2] {
			ask(toolCall(t.Context(), r.url, name, note))
		}
	}
	if !strings.Contains(a.seen["http: POST /mcp"], "***") {
		t.Error("no answer has a secret in it")
	}
	for _, header := range []string{"Authorization", "Mcp-Name", "Mcp-Method", "Mcp-Protocol-Version", "Mcp-Session-Id", "Last-Event-Id", "Traceparent", "Accept", "Content-Type"} {
		ask(toolCall(t.Context(), r.url, "main_json", "{}"), header, "Bearer "+a.cage["C_TOKEN"].secret()+"x")
	}
	for _, message := range a.messages() {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/mcp", strings.NewReader(message))
		ask(req, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/.well-known/oauth-protected-resource", "/nowhere", "/debug/vars", "/debug/pprof/"} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+path, nil)
		ask(req)
	}
	faulty := filepath.Join(a.dir, "tools.d", "faulty.yaml")
	write(t, a.dir, "tools.d/faulty.yaml", "tools: [")
	_ = r.cmd.Process.Signal(syscall.SIGHUP)
	r.said(t, `(faulty tools file)`)
	_ = os.Remove(faulty)
	r.terminate(t)
	if code := r.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	a.note("http: log", r.stderr.String())
}

// commands runs every command.
func (a *aviary) commands() {
	for _, format := range []string{"auto", "compact", "github", "json", "pretty", "sarif"} {
		a.command("validate", "--format", format)
	}
	for _, format := range []string{"anthropic", "json", "markdown", "mcp", "openai", "prompt", "table", "trustgraph"} {
		a.command("list", "--format", format)
	}
	for i, name := range a.tools {
		a.command("show", name)
		for n, note := range a.notes() {
			if n != 1 && i%10 > 0 {
				continue // the engine is the same for all; stdio calls all
			}
			a.command("call", name, note, "--json")
			a.command("call", name, note, "--curl")
			a.command("call", name, note, "--as-test")
			if i%10 == 0 {
				a.command("call", name, note)
				a.command("call", name, note, "--dry-run")
				a.command("call", name, note, "--output", filepath.Join(a.dir, fmt.Sprintf("out-%d-%d", i, n)))
			}
		}
	}
	a.command("explain", "short-secret")
	a.command("schema", "config")
	a.command("version", "--json")
	a.command("completion", "bash")
	a.command("__complete", "call", "main_json", "")
	a.command("init", filepath.Join(a.dir, "new"))
	a.command("demo")
	a.command("diff", a.dir, filepath.Join(a.dir, "new"))
	for _, format := range []string{"json", "junit", "text"} {
		a.command("test", "--format", format)
	}
}

// workbench uses every route of the page's API.
func (a *aviary) workbench(t *testing.T) {
	var out, talk output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"workbench", "--config", a.config}, strings.NewReader(""), &out, &talk)
	}()
	for deadline := time.Now().Add(6 * patience); !strings.Contains(out.String(), "#token="); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no address: %s", &talk)
		}
	}
	base, token, _ := strings.Cut(strings.TrimSpace(out.String()), "/#token=")
	ask := func(method, path string, body any, header ...string) []byte {
		text, _ := json.Marshal(body)
		req, _ := http.NewRequestWithContext(ctx, method, base+"/api/"+path, bytes.NewReader(text))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		a.note("workbench: "+method+" "+path, fmt.Sprint(resp.Status, resp.Header, string(answer)))
		return answer
	}
	ask("GET", "catalogue", nil)
	var file struct{ Text, ETag string }
	if err := json.Unmarshal(ask("GET", "files/birds.yaml", nil), &file); err != nil {
		t.Fatal(err)
	}
	draft := func(more map[string]any) map[string]any {
		all := map[string]any{"path": "birds.yaml", "text": file.Text}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	ask("POST", "check", draft(nil))
	ask("POST", "diff", draft(map[string]any{"text": file.Text + "\n"}))
	ask("POST", "edit", draft(map[string]any{"changes": []any{map[string]any{"op": "set", "tool": 0, "at": []any{"title"}, "value": "T"}}}))
	ask("POST", "import/curl", draft(map[string]any{"text": "tools: []\n", "command": "curl -H 'Authorization: Bearer " + a.cage["C_BEARER"].secret() + "' " + base + "/x"}))
	a.tries(ask, draft)
	ask("POST", "test", draft(nil))
	ask("POST", "export", draft(map[string]any{"tool": "main_json", "format": "mcp"}))
	ask("PUT", "files/birds.yaml", map[string]any{"text": file.Text + "\n"}, "If-Match", file.ETag)
	ask("GET", "history/birds.yaml", nil)
	ask("POST", "nowhere", nil)
	ask("DELETE", "files/birds.yaml", nil, "If-Match", file.ETag)
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, &talk)
	}
	a.note("workbench: stderr", talk.String())
}

// tries previews, tries and keeps calls as the page does: no more than it may in a minute.
func (a *aviary) tries(ask func(method, path string, body any, header ...string) []byte, draft func(map[string]any) map[string]any) {
	for n, name := range a.tools {
		for i, note := range a.notes() {
			call := map[string]any{"tool": name, "arguments": json.RawMessage(note)}
			var shown struct{ Hash string }
			_ = json.Unmarshal(ask("POST", "preview", draft(call)), &shown)
			if i > 1 || i == 1 && n%5 > 0 {
				continue
			}
			call["hash"] = shown.Hash
			var tried struct{ Arguments, Response json.RawMessage }
			_ = json.Unmarshal(ask("POST", "try", draft(call)), &tried)
			delete(call, "hash")
			call["arguments"], call["response"] = tried.Arguments, tried.Response
			ask("POST", "keep-test", draft(call))
		}
	}
}
