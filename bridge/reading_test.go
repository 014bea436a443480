package bridge

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
)

// readingOf compiles the reading of the one tool of a snippet; of says what its API is beside its base_url.
func readingOf(t testing.TB, of, tool string, log *slog.Logger) *reading {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis:\n  a:\n    base_url: http://127.0.0.1\n"+indent(of))
	write(t, dir, "tools.d/t.yaml", "api: a\ntools:\n  - name: t\n    description: T\n"+indent(tool))
	c, ds, err := config.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if ds.Count(config.Error) > 0 || len(c.Tools) != 1 {
		t.Fatalf("%d tools, %v", len(c.Tools), ds)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	g, err := compileReading(c.Tools[0], c, &api{masks: newMasks(), options: Options{Log: log}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A reply is what an upstream answers: a status (0: 200), headers, a line each, and a body.
type reply struct {
	status int
	head   string
	body   string
}

func (r reply) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = nil
	for line := range strings.Lines(r.head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		w.Header()[name] = append(w.Header()[name], value)
	}
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	_, _ = io.WriteString(w, r.body)
}

// newClient makes a client that shows the bodies of answers as they came over the wire.
func newClient(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// readAnswer serves h and reads what it answers to a request of that method.
func readAnswer(t testing.TB, g *reading, method string, h http.Handler, arguments string) *Result {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/files/report 7.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return g.read(req.Context(), callOf(t, arguments), resp)
}

const asJSON = "Content-Type: application/json"

// A readCase is an answer and the result it must make. A text of "=" is the structured value's own text.
type readCase struct {
	name       string
	answer     reply
	args       string
	text       string
	structured string
}

func (c readCase) run(t *testing.T, g *reading, method string) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		t.Helper()
		if c.args == "" {
			c.args = "{}"
		}
		r := readAnswer(t, g, method, c.answer, c.args)
		if c.text == "=" {
			c.text = c.structured
		}
		if diff := cmp.Diff([]string{c.text, c.structured}, []string{r.Text(), string(r.Structured)}); diff != "" {
			t.Errorf("text and structured (-want +got):\n%s", diff)
		}
		if want := strings.HasPrefix(c.structured, `{"error":`); r.IsError != want {
			t.Errorf("isError %v, want %v", r.IsError, want)
		}
	})
}

func runReads(t *testing.T, g *reading, cases ...readCase) {
	t.Helper()
	for _, c := range cases {
		c.run(t, g, http.MethodGet)
	}
}

func TestStructuredIsAlwaysAnObject(t *testing.T) {
	g := readingOf(t, "envelope: {ok: ok, data: data}", "method: GET\npath: /x\narguments: []", nil)
	runReads(t, g,
		readCase{"object", reply{0, asJSON, `{"ok":true,"data":{"id":1}}`}, "", `=`, `{"id":1}`},
		readCase{"list", reply{0, asJSON, `{"ok":true,"data":[1, 2]}`}, "", `[1,2]`, `{"items":[1,2]}`},
		readCase{"number keeps its digits", reply{0, asJSON, `{"ok":true,"data":12345678901234567890.10}`}, "", `12345678901234567890.10`, `{"value":12345678901234567890.10}`},
		readCase{"string", reply{0, asJSON, `{"ok":true,"data":"x"}`}, "", `"x"`, `{"value":"x"}`},
		readCase{"null", reply{0, asJSON, `{"ok":true,"data":null}`}, "", `null`, `{"value":null}`},
		readCase{"no data: all of the body", reply{0, asJSON, `{"ok":true}`}, "", `=`, `{"ok":true}`},
		readCase{"letters are readable, literals exact", reply{0, asJSON, ` {"ok":true,"data": { "\u00e9\/" : "\ud83d\ude00 <b> \u0001 \"\n \ud800", "n" : 1.0e2 } } `}, "",
			`{"é/":"😀 <b>  \"\n �","n":1.0e2}`, `{"é/":"😀 <b> \u0001 \"\n �","n":1.0e2}`},
	)
}

func TestNothingToRead(t *testing.T) {
	const of = "envelope: {ok: ok, data: data}"
	path := readingOf(t, of, "method: DELETE\npath: /x\narguments: []\nresponse: {projection: id}", nil)
	runReads(t, path,
		readCase{"204", reply{status: 204}, "", `=`, `{"status":204}`},
		readCase{"empty 200", reply{0, asJSON, ""}, "", `=`, `{"status":200}`},
		readCase{"white space", reply{202, asJSON, " \r\n"}, "", `=`, `{"status":202}`},
	)
	text := readingOf(t, of, "method: DELETE\npath: /x\narguments: [{name: id}]\nresponse: {text: 'gone: {$args.id} ({status})'}", nil)
	runReads(t, text, readCase{"text over the status", reply{status: 204}, `{"id":"T 1"}`, `gone: T 1 (204)`, `{"status":204}`})

	build := readingOf(t, of, "method: PUT\npath: /x\narguments: [{name: n}]\n"+
		"response: {projection: {n: $args.n, at: $headers.location, code: $status, key: key, was: status, more: $status.x, body: $body}}", nil)
	runReads(t, build, readCase{"a mapping over the status", reply{204, "Location: /y", ""}, `{"n":9007199254740993}`,
		`=`, `{"n":9007199254740993,"at":"/y","code":204,"key":null,"was":204,"more":null,"body":null}`})

	head := readingOf(t, of, "method: HEAD\npath: /x\narguments: []\nresponse: {projection: {total: $headers.X-Total}, text: '{total} in all'}", nil)
	readCase{"HEAD", reply{0, asJSON + "\nX-Total: 31\nX-Total: 32\nContent-Length: 2", ""}, "", `31, 32 in all`, `{"total":"31, 32"}`}.run(t, head, http.MethodHead)
}

func TestEnvelope(t *testing.T) {
	const tool = "method: GET\npath: /x\narguments: []\n"
	yes := func(name, body string) readCase { return readCase{name, reply{0, asJSON, body}, "", "=", body} }
	no := func(name, body string) readCase {
		want := `{"error":{"message":"the API answered 200, but its envelope says that the call failed","http_status":200,"kind":"upstream","details":` + body + `}}`
		return readCase{name, reply{0, asJSON, body}, "", "=", want}
	}
	runReads(t, readingOf(t, "envelope: {ok: ok}", tool, nil), yes("true", `{"ok":true}`), yes("absent", `{}`), yes("a list", `{"items":[1]}`),
		no("false", `{"ok":false}`), no("a word", `{"ok":"true"}`), no("null", `{"ok":null}`), no("an object", `{"ok":{}}`))
	runReads(t, readingOf(t, "envelope: {ok: {path: s, equals: [success, 0, true, null]}}", tool, nil),
		yes("word", `{"s":"success"}`), yes("number", `{"s":0}`), yes("number as text", `{"s":"0"}`), yes("true", `{"s":true}`),
		yes("null", `{"s":null}`), yes("absent", `{"a":1}`), no("false", `{"s":false}`), no("other word", `{"s":"Success"}`), no("0.0", `{"s":0.0}`), no("list", `{"s":["success"]}`))
	runReads(t, readingOf(t, "envelope: {ok: {absent: fault}}", tool, nil), yes("absent", `{"a":1}`), yes("null", `{"fault":null}`), no("false", `{"fault":false}`))
	runReads(t, readingOf(t, "envelope: {ok: {absent: fault}}", tool+"envelope: {ok: fine}", nil), yes("the tool's flag replaces the API's", `{"fault":1,"fine":true}`))
	runReads(t, readingOf(t, "envelope: {ok: {path: $headers.X-Ok, equals: yes}}", tool, nil),
		readCase{"a header", reply{0, asJSON + "\nX-Ok: no", `{"a":1}`}, "", "=",
			`{"error":{"message":"the API answered 200, but its envelope says that the call failed","http_status":200,"kind":"upstream","details":{"a":1}}}`},
		readCase{"a good header", reply{0, asJSON + "\nX-Ok: yes", `{"a":1}`}, "", "=", `{"a":1}`})
}

func TestFailureKeepsItsReason(t *testing.T) {
	const tool = "method: GET\npath: /x\narguments: []\n"
	of := "envelope: {ok: ok, data: data, error: {code: [error.code, error.no], message: error.message, details: error.more, retry_after: [wait, p.after]}, request_id: [rid, $headers.X-Id]}"
	fail := func(name string, r reply, want string) readCase {
		return readCase{name, r, "", "=", `{"error":{` + want + `}}`}
	}
	runReads(t, readingOf(t, of, tool, nil),
		fail("all parts", reply{409, asJSON, `{"ok":false,"error":{"code":"C","message":"m","more":[1.10, 2]},"rid":7,"wait":1.2}`},
			`"code":"C","message":"m","http_status":409,"request_id":"7","kind":"conflict","retry_after_s":2,"details":[1.10,2]`),
		fail("second places", reply{429, asJSON + "\nX-Id: h", `{"ok":false,"error":{"no":42,"message":"m"},"p":{"after":"41"}}`},
			`"code":"42","message":"m","http_status":429,"request_id":"h","kind":"rate_limited","retryable":true,"retry_after_s":41`),
		fail("the status beats a yes", reply{500, asJSON, `{"ok":true,"data":1}`},
			`"message":"500 Internal Server Error","http_status":500,"kind":"upstream"`),
		fail("another shape", reply{401, asJSON, `{"error":"token_expired"}`},
			`"message":"token_expired","http_status":401,"kind":"token"`),
		fail("text", reply{500, "Content-Type: text/plain", "boom\x1b[31m!\u202e\n"}, `"message":"boom!","http_status":500,"kind":"upstream"`),
		fail("nothing", reply{503, "Retry-After: 7", ""}, `"message":"503 Service Unavailable","http_status":503,"kind":"upstream","retryable":true,"retry_after_s":7`),
		fail("an unknown status", reply{599, "", ""}, `"message":"status 599","http_status":599,"kind":"upstream"`),
		fail("a page", reply{502, "Content-Type: text/html", "<html><TITLE>Bad &amp;\n gateway</TITLE><p>secret"},
			`"message":"Bad & gateway","http_status":502,"kind":"upstream","retryable":true`),
		fail("a page without title", reply{404, "Content-Type: text/html", "<p>x"}, `"message":"404 Not Found","http_status":404,"kind":"not_found"`),
		fail("bytes", reply{403, "Content-Type: image/png", "\x89PNG"}, `"message":"403 Forbidden","http_status":403,"kind":"forbidden"`),
		fail("an encoding that cannot be read", reply{403, "Content-Encoding: br", "x"}, `"message":"403 Forbidden","http_status":403,"kind":"forbidden"`),
		fail("faulty JSON", reply{400, asJSON, "bad input"}, `"message":"bad input","http_status":400,"kind":"validation"`),
		fail("a redirect not followed", reply{304, "", ""}, `"message":"304 Not Modified","http_status":304,"kind":"upstream"`),
	)
	runReads(t, readingOf(t, "timeout: 5m", tool, nil),
		fail("problem", reply{422, "Content-Type: application/problem+json", `{"title":"Bad","detail":"due is past"}`},
			`"message":"due is past","http_status":422,"kind":"validation","details":{"title":"Bad","detail":"due is past"}`),
		fail("OAuth", reply{400, asJSON, `{"error":"invalid_grant","error_description":"used up"}`},
			`"code":"invalid_grant","message":"used up","http_status":400,"kind":"validation","details":{"error":"invalid_grant","error_description":"used up"}`),
		fail("list of errors", reply{410, asJSON, `{"errors":[{"code":7,"message":"gone"}]}`},
			`"code":"7","message":"gone","http_status":410,"kind":"not_found","details":{"errors":[{"code":7,"message":"gone"}]}`),
		fail("one member", reply{412, asJSON, `{"message":"no \u202e match"}`}, `"message":"no  match","http_status":412,"kind":"conflict"`),
		fail("a string", reply{408, asJSON, `"too slow"`}, `"message":"too slow","http_status":408,"kind":"timeout","retryable":true`),
		fail("no shape", reply{504, asJSON, `[{"a":{"b":[]}}]`},
			`"message":"504 Gateway Timeout","http_status":504,"kind":"timeout","retryable":true,"details":[{"a":{"b":[]}}]`),
		fail("an empty object", reply{501, asJSON, `{}`}, `"message":"501 Not Implemented","http_status":501,"kind":"upstream"`),
	)
	long := `{"why":"` + strings.Repeat("x", 5000) + `"}`
	r := readAnswer(t, readingOf(t, "timeout: 5m", tool, nil), "GET", reply{500, asJSON, long}, "{}")
	if want := `"500 Internal Server Error: {\"why\":\"xxxx`; !strings.Contains(r.Text(), want) || len(r.Text()) > 2300 {
		t.Errorf("a long reason is %d bytes: %.80s", len(r.Text()), r.Text())
	}
}

func TestErrorRows(t *testing.T) {
	of := `
envelope: {ok: ok, data: data, error: {code: code, message: message}}
errors:
  - {status: 403, code: scope, kind: scope, hint: Another scope.}
  - {status: [500, 502], code: [E1, E2], kind: infra, retryable: true}
  - {code: quota, kind: rate_limited, retryable: false}
  - {code: [done, same], ok: true}
  - {code: breaker_open, hint: Wait a little.}
  - {status: 418, hint: Tea.}
error_text: "api {message}"`
	tool := `
method: GET
path: /x
arguments: []
errors: [{status: 304, ok: true}, {code: same, kind: conflict}, {status: 404, ok: true}]
error_text: "❌ {message} ({code}) {http_status}{nope}"`
	g := readingOf(t, of, tool, nil)
	fail := func(name string, status int, body, text, want string) readCase {
		return readCase{name, reply{status, asJSON, body}, "", text, `{"error":{` + want + `}}`}
	}
	runReads(t, g,
		fail("both keys", 403, `{"code":"scope","message":"m"}`, "❌ m (scope) 403", `"code":"scope","message":"m","http_status":403,"kind":"scope","hint":"Another scope."`),
		fail("one key is not enough", 403, `{"code":"ban","message":"by {code}"}`, "❌ by {code} (ban) 403", `"code":"ban","message":"by {code}","http_status":403,"kind":"forbidden"`),
		fail("lists", 502, `{"code":"E2","message":"m"}`, "❌ m (E2) 502", `"code":"E2","message":"m","http_status":502,"kind":"infra","retryable":true`),
		fail("code alone", 200, `{"ok":false,"code":"quota","message":"m"}`, "❌ m (quota) 200", `"code":"quota","message":"m","http_status":200,"kind":"rate_limited","retryable":false`),
		fail("the tool's row first", 409, `{"ok":false,"code":"same","message":"m"}`, "❌ m (same) 409", `"code":"same","message":"m","http_status":409,"kind":"conflict"`),
		fail("a hint alone", 418, `{"code":"x","message":"m"}`, "❌ m (x) 418", `"code":"x","message":"m","http_status":418,"kind":"upstream","hint":"Tea."`),
		readCase{"a yes", reply{409, asJSON, `{"ok":false,"code":"done"}`}, "", "=", `{"ok":false,"code":"done"}`},
		readCase{"a yes without a body", reply{304, "", ""}, "", "=", `{"status":304}`},
		readCase{"a yes with a page", reply{404, "Content-Type: text/html", "<p>gone"}, "", "=", `{"status":404}`},
	)
	r := g.failure(errorf(kindUnreachable, "open").coded("breaker_open"))
	want := `{"error":{"code":"breaker_open","message":"open","kind":"unreachable","hint":"Wait a little.","retryable":true}}`
	if string(r.Structured) != want || r.Text() != "❌ open (breaker_open) " || r.Kind != kindUnreachable || r.Status != 0 || !r.IsError {
		t.Errorf("without an answer: %s %q", r.Structured, r.Text())
	}
	r = g.failure(errorf(kindUnreachable, "no").coded("tls"))
	if want := `{"error":{"code":"tls","message":"no","kind":"unreachable"}}`; string(r.Structured) != want {
		t.Errorf("got %s, want %s", r.Structured, want)
	}
}

func TestRetryAfterMayBeADate(t *testing.T) {
	g := readingOf(t, "timeout: 5m", "method: GET\npath: /x\narguments: []", nil)
	runReads(t, g,
		readCase{"long ago", reply{503, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", ""}, "", "=",
			`{"error":{"message":"503 Service Unavailable","http_status":503,"kind":"upstream","retryable":true,"retry_after_s":0}}`},
		readCase{"no sense", reply{503, "Retry-After: NaN", ""}, "", "=",
			`{"error":{"message":"503 Service Unavailable","http_status":503,"kind":"upstream","retryable":true}}`},
		readCase{"huge", reply{503, "Retry-After: 1e99", ""}, "", "=",
			`{"error":{"message":"503 Service Unavailable","http_status":503,"kind":"upstream","retryable":true,"retry_after_s":2147483647}}`})
}

func TestProjection(t *testing.T) {
	const of = "envelope: {ok: ok, data: [data, payload]}"
	project := func(p string) *reading {
		return readingOf(t, of, "method: GET\npath: /x\narguments: [{name: who}]\nresponse: "+p, nil)
	}
	body := reply{0, asJSON, `{"ok":true,"data":{"a.b":1,"a":{"b":2},"list":[{"id":7205759403792793601},{"id":2}],"s":"{\"x\":1}","zero":null},"next":"n"}`}
	for p, want := range map[string][2]string{
		`{projection: 'a\.b'}`:                    {`1`, `{"value":1}`},
		`{projection: a.b}`:                       {`2`, `{"value":2}`},
		`{projection: "list.#.id"}`:               {`[7205759403792793601,2]`, `{"items":[7205759403792793601,2]}`},
		`{projection: "list.#"}`:                  {`2`, `{"value":2}`},
		`{projection: [none, zero, a]}`:           {`{"b":2}`, `{"b":2}`},
		`{projection: [none, zero]}`:              {`null`, `{"value":null}`},
		`{projection: [none, nope]}`:              {`null (no match for none or nope)`, `{"value":null}`},
		`{projection: none, text: "x{a}"}`:        {"x\n(no match for none)", `{"value":null}`},
		`{projection: $body.next}`:                {`"n"`, `{"value":"n"}`},
		`{projection: s|x}`:                       {`null (no match for s|x)`, `{"value":null}`},
		`{projection: s.x}`:                       {`null (no match for s.x)`, `{"value":null}`},
		`{projection: 's.@fromstr'}`:              {`{"x":1}`, `{"x":1}`},
		`{projection: '{z:zero,"y":a.b,a.b}'}`:    {`{"z":null,"y":2,"b":2}`, `{"z":null,"y":2,"b":2}`},
		`{projection: {n: zero, "q\"": a, m: x}}`: {`{"n":null,"q\"":{"b":2},"m":null}`, `{"n":null,"q\"":{"b":2},"m":null}`},
		`{text: "{a} {a\\.b} {s} {zero}{x}{list.#(id==2).id} {$args.who} {$status} {{a}}"}`: {`{"b":2} 1 {"x":1} 2 Zoë 200 {a}`, ""},
	} {
		r := readAnswer(t, project(p), "GET", body, `{"who":"Zoë"}`)
		if r.Text() != want[0] || want[1] != "" && string(r.Structured) != want[1] {
			t.Errorf("%s: %q and %s, want %q", p, r.Text(), r.Structured, want)
		}
	}
	r := readAnswer(t, project(`{projection: '!{"a":}'}`), "GET", body, `{}`)
	if want := `{"error":{"code":"projection_failed","message":"the path \"!{\\\"a\\\":}\" cannot be followed in this answer","http_status":200,"kind":"bad_response"}}`; string(r.Structured) != want {
		t.Errorf("got %s, want %s", r.Structured, want)
	}
	deep := reply{0, asJSON, `{"data":"` + strings.Repeat("[", 2_000_000) + `"}`}
	if r := readAnswer(t, project(`{projection: "@fromstr|@valid"}`), "GET", deep, `{}`); r.Kind != kindBadResponse {
		t.Errorf("a deep document in a string: %.200s", r.Text())
	}
}

func TestTextAndEach(t *testing.T) {
	const of = "envelope: {ok: ok, data: data}"
	tool := "method: GET\npath: /x\narguments: []\nresponse: {list: found.items, text: '{#} hits, next {cursor}:', each: '- {id} {name}{$status}'}"
	runReads(t, readingOf(t, of, tool, nil),
		readCase{"lines", reply{0, asJSON, `{"data":{"cursor":"{id}","found":{"items":[{"id":1.50,"name":"Ä\u001b[2J<"},{"id":false}]}}}`}, "",
			"2 hits, next {id}:\n- 1.50 Ä<200\n- false 200", `{"cursor":"{id}","found":{"items":[{"id":1.50,"name":"Ä\u001b[2J<"},{"id":false}]}}`},
		readCase{"no lines", reply{0, asJSON, `{"data":{"found":{"items":[]}}}`}, "", "0 hits, next :", `{"found":{"items":[]}}`},
		readCase{"null for none", reply{0, asJSON, `{"data":{"found":{"items":null}}}`}, "", "0 hits, next :", `{"found":{"items":null}}`},
		readCase{"no list", reply{0, asJSON, `{"data":{"found":{"items":{}}}}`}, "", "0 hits, next :", `{"found":{"items":{}}}`})
	lines := readingOf(t, of, "method: GET\npath: /x\narguments: []\nresponse: {each: '{@this}'}", nil)
	runReads(t, lines,
		readCase{"scalars", reply{0, asJSON, `{"data":["a",2,{"b": 1}]}`}, "", "a\n2\n{\"b\":1}", `{"items":["a",2,{"b":1}]}`},
		readCase{"none", reply{0, asJSON, `{"data":[]}`}, "", "[]", `{"items":[]}`})
}

func TestListIsCut(t *testing.T) {
	const tool = "method: GET\npath: /x\narguments: []\n"
	runReads(t, readingOf(t, "timeout: 5m", tool+"response: {max_items: 2}", nil),
		readCase{"max_items", reply{0, asJSON, `["x", "y", "z"]`}, "", "[\"x\",\"y\"]\n(truncated: 2 of 3 shown)", `{"items":["x","y"],"truncated":true,"shown":2,"total":3}`},
		readCase{"just so many", reply{0, asJSON, `["x", "y"]`}, "", `["x","y"]`, `{"items":["x","y"]}`},
		readCase{"no list", reply{0, asJSON, `{"x": [1,2,3]}`}, "", `=`, `{"x":[1,2,3]}`})
	runReads(t, readingOf(t, "timeout: 5m", tool+"response: {list: f.rows, max_items: 1, text: '{#} in all', each: '{id}'}", nil),
		readCase{"inside an object", reply{0, asJSON, `{"total": 99, "shown": {"a":1}, "f": {"rows": [{"id":1},{"id":2}], "took": 1.50}, "z": 1}`}, "",
			"2 in all\n1\n(truncated: 1 of 2 shown)",
			`{"shown":{"a":1},"f":{"rows":[{"id":1}],"took":1.50},"z":1,"truncated":true,"total":2}`})
	runReads(t, readingOf(t, "timeout: 5m", tool+"response: {list: 'rows.#(id>0)#', max_items: 1, each: '{id}'}", nil),
		readCase{"a list that is made up cuts only the lines", reply{0, asJSON, `{"rows": [{"id":1},{"id":2}]}`}, "",
			"1\n(truncated: 1 of 2 shown)", `{"rows":[{"id":1},{"id":2}],"truncated":true,"shown":1,"total":2}`})
}

// What is given fits the limit, is as much as fits, and is whole elements.
func TestSizeCut(t *testing.T) {
	const limit = 2048
	rows := func(n int) string {
		b := []byte{'['}
		for i := range n {
			b = append(b, []string{"", ", "}[min(i, 1)]...)
			b = append(b, `{ "row": `+strconv.Itoa(i)+`, "e": "\u00e9" }`...)
		}
		return string(append(b, ']'))
	}
	for _, response := range []string{"{list: rows}", "{projection: rows}", "{list: rows, text: '{#}:', each: 'a long line for row number {row}'}", "{list: rows, each: '{row}'}"} {
		g := readingOf(t, "limits: {result: 2KiB}", "method: GET\npath: /x\narguments: []\nresponse: "+response, nil)
		for _, n := range []int{0, 1, 40, 80, 85, 90, 100, 105, 5000} {
			r := readAnswer(t, g, "GET", reply{0, asJSON, `{"page":7,"rows":` + rows(n) + `}`}, "{}")
			size := max(len(r.Structured), len(r.Text()))
			if r.IsError || size > limit || checkJSON(string(r.Structured)) != nil {
				t.Fatalf("%s of %d rows: %d bytes, %.100s", response, n, size, r.Text())
			}
			cut := bytes.Contains(r.Structured, []byte(`"truncated":true`))
			if cut != strings.Contains(r.Text(), "of "+strconv.Itoa(n)+" shown)") || cut != bytes.Contains(r.Structured, []byte(`"total":`+strconv.Itoa(n))) {
				t.Errorf("%s of %d rows: %s %s", response, n, r.Text(), r.Structured)
			}
			if cut && (n < 40 || size < limit-noticeRoom-60) || !cut && n > 105 {
				t.Errorf("%s of %d rows: cut %v at %d bytes", response, n, cut, size)
			}
		}
	}
}

func TestResultTooLarge(t *testing.T) {
	tool := "method: GET\npath: /x\narguments: []\n"
	g := readingOf(t, "limits: {result: 4KiB}", tool+"limits: {result: 1KiB}", nil)
	want := func(n string) string {
		return `{"error":{"message":"the result has ` + n + `, over the limit of 1KiB","http_status":200,"kind":"result_too_large",` +
			`"hint":"ask for less, or give the tool a projection (response.projection), or the path of the list that may be cut (response.list)"}}`
	}
	long := strings.Repeat("0123456789", 100)
	runReads(t, g,
		readCase{"object", reply{0, asJSON, `{"t":"` + long + long + `"}`}, "", "=", want("2.0KiB")},
		readCase{"first element", reply{0, asJSON, `["` + long + `1","` + long + `2",1]`}, "", "=", want("2.0KiB")},
		readCase{"text", reply{0, "Content-Type: text/csv", long + long}, "", "=", want("2.0KiB")},
		readCase{"details are left out", reply{400, asJSON, `{"message":"m","d":"` + long + `"}`}, "", "=",
			`{"error":{"message":"m","http_status":400,"kind":"validation"}}`})
	text := readingOf(t, "limits: {result: 1KiB}", tool+"response: {text: '{t}{t}'}", nil)
	runReads(t, text, readCase{"words", reply{0, asJSON, `{"t":"` + long[:600] + `"}`}, "", "=", want("1.2KiB")})
	if r := readAnswer(t, g, "GET", reply{0, "Content-Type: image/png", long + long}, "{}"); r.IsError || len(r.Content[0].Data) != 2000 {
		t.Errorf("bytes have no such limit: %s", r.Text())
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func deflated(text string, header bool) string {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if !header {
		w, _ = flate.NewWriter(&b, flate.BestSpeed)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func TestContentEncodings(t *testing.T) {
	g := readingOf(t, "limits: {response: 1MiB}", "method: GET\npath: /x\narguments: []", nil)
	const doc = `{"abcdef":1}`
	encoded := func(name, encoding, body string) readCase {
		return readCase{name, reply{0, asJSON + "\nContent-Encoding: " + encoding, body}, "", "=", doc}
	}
	bad := func(name, encoding, body, code, message string) readCase {
		return readCase{name, reply{0, asJSON + "\nContent-Encoding: " + encoding, body}, "", "=",
			`{"error":{"code":"` + code + `","message":"` + message + `","http_status":200,"kind":"bad_response"}}`}
	}
	zipped := gzipped(doc)
	runReads(t, g,
		encoded("gzip", "gzip", zipped), encoded("upper case", "X-GZIP", zipped), encoded("zlib", "deflate", deflated(doc, true)),
		encoded("bare deflate", "deflate", deflated(doc, false)), encoded("identity", "identity", doc),
		encoded("two", "deflate, gzip", gzipped(deflated(doc, true))), encoded("two lines", "deflate\nContent-Encoding: gzip", gzipped(deflated(doc, true))),
		readCase{"nothing packed", reply{0, asJSON + "\nContent-Encoding: gzip", ""}, "", "=", `{"status":200}`},
		bad("cut", "gzip", zipped[:len(zipped)-12], codeTruncated, "the gzip answer ends early"),
		bad("cut head", "gzip", zipped[:5], codeTruncated, "the gzip answer ends early"),
		bad("no gzip", "gzip", doc, codeEncoding, "the answer is not the gzip or deflate that it says it is"),
		bad("no deflate", "deflate", "\xff\xff\xff\xff", codeEncoding, "the answer is not the gzip or deflate that it says it is"),
		bad("brotli", "br", "\x89PNG", codeEncoding, `the answer cannot be unpacked: content encoding \"br\"; gzip and deflate can be read`),
		bad("too many", "gzip,gzip,gzip,gzip", doc, codeEncoding, `the answer cannot be unpacked: more than 3 content encodings`),
	)
	sum := []byte(zipped)
	sum[len(sum)-5] ^= 1
	runReads(t, g, bad("checksum", "gzip", string(sum), codeEncoding, "the answer is not the gzip or deflate that it says it is"))

	bomb := gzipped(strings.Repeat("\x00", 16<<20))
	r := readAnswer(t, g, "GET", reply{0, asJSON + "\nContent-Encoding: gzip", bomb}, "{}")
	if want := `{"error":{"message":"the answer is over the limit of 1MiB","http_status":200,"kind":"response_too_large"}}`; string(r.Structured) != want {
		t.Errorf("bomb: %s", r.Structured)
	}
	empty := strings.Repeat(gzipped(""), 1<<16) // nothing, in 1.5 MB
	if r := readAnswer(t, g, "GET", reply{0, asJSON + "\nContent-Encoding: gzip", empty}, "{}"); r.Kind != kindResponseTooLarge {
		t.Errorf("empty members: %s", r.Structured)
	}
}

func TestResponseLimit(t *testing.T) {
	g := readingOf(t, "limits: {response: 1KiB, result: 1MiB}", "method: GET\npath: /x\narguments: []", nil)
	gone := make(chan struct{})
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		for {
			if _, err := io.WriteString(w, "0123456789"); err != nil {
				return
			}
		}
	})
	r := readAnswer(t, g, "GET", endless, "{}")
	if want := `{"error":{"message":"the answer is over the limit of 1KiB","http_status":200,"kind":"response_too_large"}}`; string(r.Structured) != want {
		t.Errorf("endless: %s", r.Structured)
	}
	<-gone
	exact := `"` + strings.Repeat("x", 1022) + `"`
	if r := readAnswer(t, g, "GET", reply{0, asJSON, exact}, "{}"); r.Text() != exact {
		t.Errorf("just at the limit: %s", r.Text())
	}
	if r := readAnswer(t, g, "GET", reply{0, asJSON, exact + " "}, "{}"); r.Kind != kindResponseTooLarge {
		t.Errorf("one beyond: %s", r.Text())
	}
}

func TestCutOff(t *testing.T) {
	g := readingOf(t, "timeout: 5m", "method: GET\npath: /x\narguments: []", nil)
	raw := func(head, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, buffered, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = buffered.WriteString("HTTP/1.1 " + head + "\r\nContent-Type: application/json\r\n\r\n" + body)
			_ = buffered.Flush()
			_ = conn.Close()
		})
	}
	for name, c := range map[string]struct {
		h    http.Handler
		code string
	}{
		"content length": {raw("200 OK\r\nContent-Length: 100", `{"a":1`), codeTruncated},
		"chunked":        {raw("200 OK\r\nTransfer-Encoding: chunked", "6\r\n{\"a\":1\r\n"), codeTruncated},
		"until close":    {raw("200 OK", `{"a":1`), codeJSON},
	} {
		r := readAnswer(t, g, "GET", c.h, "{}")
		if !r.IsError || r.Kind != kindBadResponse || !strings.Contains(r.Text(), `"code":"`+c.code+`"`) || strings.Contains(r.Text(), `\"a\"`) {
			t.Errorf("%s: %s", name, r.Text())
		}
	}
	if r := readAnswer(t, g, "GET", raw("500 No\r\nContent-Length: 100", `{"a":1`), "{}"); r.Kind != kindUpstream {
		t.Errorf("a failure that is cut off is still that failure: %s", r.Text())
	}
}

func TestInterruptedBody(t *testing.T) {
	g := readingOf(t, "timeout: 5m", "method: GET\npath: /x\narguments: []", nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	resp, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if r := g.read(ctx, callOf(t, "{}"), resp); r.Kind != kindCancelled {
		t.Errorf("cancelled while reading: %s", r.Text())
	}
}

func TestDeepJSON(t *testing.T) {
	g := readingOf(t, "timeout: 5m", "method: GET\npath: /x\narguments: []", nil)
	const want = `{"error":{"code":"upstream_invalid_json","message":"the answer is no JSON that can be read: nested deeper than 100 levels","http_status":200,"kind":"bad_response"}}`
	runReads(t, g,
		readCase{"a million", reply{0, asJSON, strings.Repeat("[", 1_000_000)}, "", "=", want},
		readCase{"101", reply{0, asJSON, strings.Repeat("[", 101) + strings.Repeat("]", 101)}, "", "=", want},
		readCase{"100", reply{0, asJSON, `{"[[\"":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + "}"}, "", "=", `{"[[\"":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + "}"})
}

func TestOutputIsChecked(t *testing.T) {
	const tool = "method: GET\npath: /x\narguments: []\nresponse: {output: [{name: id, type: integer, required: true, description: Id}]"
	var log bytes.Buffer
	g := readingOf(t, "timeout: 5m", tool+"}", slog.New(slog.NewTextHandler(&log, nil)))
	runReads(t, g,
		readCase{"fits", reply{0, asJSON, `{"id":9007199254740993,"new":1}`}, "", "=", `{"id":9007199254740993,"new":1}`},
		readCase{"does not fit", reply{0, asJSON, `{"id":"hunter2"}`}, "", "=", `{"id":"hunter2"}`})
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "tool=t at=id") || strings.Contains(got, "hunter2") {
		t.Errorf("logged %q", got)
	}
	strict := readingOf(t, "timeout: 5m", tool+", check: strict}", nil)
	bad := func(at string) string {
		return `{"error":{"code":"output","message":"the result is not what output promises: ` + at + `","http_status":200,"kind":"bad_response"}}`
	}
	runReads(t, strict,
		readCase{"fits", reply{0, asJSON, `{"id":1}`}, "", "=", `{"id":1}`},
		readCase{"wrong", reply{0, asJSON, `{"id":"x"}`}, "", "=", bad("id")},
		readCase{"picture", reply{0, "Content-Type: image/png", "x"}, "", "=", bad("no value")})
	off := readingOf(t, "timeout: 5m", tool+", check: off}", nil)
	runReads(t, off, readCase{"off", reply{0, asJSON, `{"id":"x"}`}, "", "=", `{"id":"x"}`})
}
