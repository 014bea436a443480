package bridge

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tbridge/config"
)

// canned is a reply as a client has it; fuzzing has no time for sockets.
func canned(r reply) *http.Response {
	recorder := httptest.NewRecorder()
	r.ServeHTTP(recorder, nil)
	resp := recorder.Result()
	resp.Request = httptest.NewRequest(http.MethodGet, "/files/x", nil)
	return resp
}

// sound checks what holds for every result.
func sound(t *testing.T, g *reading, r *Result) {
	t.Helper()
	whole, err := r.MarshalJSON()
	if err != nil || !gjson.ValidBytes(whole) {
		t.Fatalf("no JSON: %v %s", err, whole)
	}
	if r.Structured != nil {
		if v := gjson.ParseBytes(r.Structured); !v.IsObject() || !gjson.ValidBytes(r.Structured) {
			t.Fatalf("structured is no object: %s", r.Structured)
		}
	}
	if r.IsError && r.Kind == "" {
		t.Fatalf("a failure without a kind: %s", whole)
	}
	if r.IsError {
		return // its parts are bounded one by one
	}
	for _, c := range r.Content {
		if n := len(c.Text); n > g.resultLimit+2*noticeRoom+len(g.projection.paths.String()) {
			t.Fatalf("%d bytes of text", n)
		}
		if clean(c.Text, false) != c.Text {
			t.Fatalf("unclean text %q", c.Text)
		}
	}
	if len(r.Structured) > g.resultLimit {
		t.Fatalf("%d bytes structured", len(r.Structured))
	}
}

// fuzzed is a reading that does everything, with a limit small enough to be met.
func fuzzed(t testing.TB) *reading {
	return readingOf(t, "limits: {result: 1KiB, response: 64KiB}\n"+
		"envelope: {ok: {path: [ok, $headers.X-Ok], equals: [true, 1]}, data: data, error: {code: c, message: m, details: d, retry_after: r}, request_id: id}\n"+
		"errors: [{status: 404, ok: true}, {code: [x, 1], kind: x, hint: h}]",
		"method: GET\npath: /x\narguments: []\nresponse: {list: [items, '@this'], text: '{#} {a.b}', each: '- {id}'}", nil)
}

// Whatever path is followed in whatever answer, the result is JSON within its limits, and compacting it changes nothing.
func FuzzProject(f *testing.F) {
	for _, expr := range []string{"a", "a.b", "#.id", "#(id>1)#.id", "a|@reverse", "@this", "@flatten:{\"deep\":true}", "{x:a,\"y\":b}", "[a,b]",
		"..#", "..0.a", "!\"x\"", "@fromstr", "a.@tostr", "@dig:id", "*", "a*.?", "@group", "@join", "@keys", "#", "@pretty:{\"indent\":\"\\u001b\"}", "a.#(b%\"*\")#|0"} {
		for _, body := range []string{`{"a":{"b":[1,{"id":2}]},"b":"\u001b[2J\ud800\u202e"}`, ` [ {"id" : 1.0e5 }, [ ], "\"[" ]`, `"{\"a\":[1]}"`, `null`, `12345678901234567890`} {
			f.Add(expr, body)
		}
	}
	g := fuzzed(f)
	plain := readingOf(f, "limits: {result: 1KiB}", "method: GET\npath: /x\narguments: []", nil)
	f.Fuzz(func(t *testing.T, expr, body string) {
		if len(expr) > 200 || len(body) > 10_000 {
			return
		}
		p := config.Path{Text: strconv.Quote(expr), Expr: expr}
		for _, g := range []*reading{g, plain} {
			g := *g
			g.projection.paths = compilePaths(config.Paths{p})
			r := g.read(t.Context(), callOf(t, "{}"), canned(reply{0, asJSON, body}))
			sound(t, &g, r)
			if compact := appendCompact(nil, string(r.Structured)); !bytes.Equal(compact, r.Structured) {
				t.Fatalf("not compact: %s, %s", r.Structured, compact)
			}
		}
	})
}

// Whatever is answered with whatever status, the result is sound, and a status outside 2xx that no row knows is a failure.
func FuzzEnvelope(f *testing.F) {
	for _, status := range []int{200, 204, 304, 404, 422, 503} {
		for _, body := range []string{`{"ok":true,"data":{"items":[{"id":1}]}}`, `{"ok":false,"c":1,"m":"\u202e","d":{"a":[1,2]},"r":"1e9","id":{}}`,
			`{"error":{"message":"m"}}`, `["x"]`, `"x"`, ``, "\xff", strings.Repeat("[", 200)} {
			f.Add(status, "application/json", "7", body)
			f.Add(status, "text/html", "Wed, 21 Oct 2015 07:28:00 GMT", body)
		}
	}
	g := fuzzed(f)
	f.Fuzz(func(t *testing.T, status int, media, retry, body string) {
		if status < 200 || status > 999 || strings.ContainsAny(media+retry, "\r\n") {
			return
		}
		r := g.read(t.Context(), callOf(t, "{}"), canned(reply{status, "Content-Type: " + media + "\nRetry-After: " + retry, body}))
		sound(t, g, r)
		if status/100 != 2 && status != 404 && !r.IsError {
			t.Fatalf("%d is a success: %s", status, r.Text())
		}
		if wait := gjson.GetBytes(r.Structured, "error.retry_after_s"); r.IsError && wait.Exists() && wait.Num < 0 {
			t.Fatalf("wait %s", wait.Raw)
		}
	})
}

// Whatever the bytes claim to be, reading them ends, within the limit, in a sound result.
func FuzzDecode(f *testing.F) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, `{"a":"é"}`)
	_ = w.Close()
	for _, c := range [][3]string{
		{"application/json", "gzip", zipped.String()}, {"application/json; charset=utf-16", "", "{\x00}\x00"}, {"text/plain", "deflate", "\x78\x9c"},
		{"text/csv; charset=shift_jis", "identity", "\x93\xfa"}, {"", "gzip, deflate", "\x1f\x8b"}, {"image/png", "br", "\x89"}, {"application/x", "x-gzip", ""},
		{"text/html; charset=gb18030", "", "\x81\x30\x81\x30"}, {"*/*;;", "", "\xff\xfea\x00"}, {"text/plain; charset=utf-8", "", "\x1b[\xff"},
	} {
		f.Add(c[0], c[1], []byte(c[2]))
	}
	readings := map[string]*reading{}
	for _, content := range []string{"auto", "json", "text", "file"} {
		readings[content] = readingOf(f, "limits: {result: 1KiB, response: 4KiB}", "method: GET\npath: /x\narguments: []\nresponse: {content: "+content+"}", nil)
	}
	f.Fuzz(func(t *testing.T, media, encoding string, body []byte) {
		if strings.ContainsAny(media+encoding, "\r\n") {
			return
		}
		head := "Content-Type: " + media
		if encoding != "" {
			head += "\nContent-Encoding: " + encoding
		}
		for content, g := range readings {
			r := g.read(t.Context(), callOf(t, "{}"), canned(reply{0, head, string(body)}))
			sound(t, g, r)
			for _, c := range r.Content {
				if int64(len(c.Data)) > g.responseLimit {
					t.Fatalf("content %s: %d bytes", content, len(c.Data))
				}
			}
		}
	})
}

func benchmarkRead(b *testing.B, of, tool, body string) {
	g := readingOf(b, of, tool, nil)
	resp := canned(reply{0, asJSON, ""})
	resp.ContentLength = int64(len(body))
	c := callOf(b, "{}")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		resp.Body = io.NopCloser(strings.NewReader(body))
		if r := g.read(b.Context(), c, resp); r.IsError {
			b.Fatal(r.Text())
		}
	}
}

const (
	boardEnvelope = "envelope: {ok: ok, data: data, error: {code: error.code, message: error.message}, request_id: meta.id}\nlimits: {response: 32MiB}"
	boardTask     = `{"id":"0191f7a2-6b1c","key":"TE-15","title":"Lay the cable","status":"todo","points":9007199254740993,"tags":["a","b"],"owner":{"name":"Zoë","id":7}}`
)

func boardTasks(n int) string {
	return `{"ok":true,"data":{"tasks":[` + strings.TrimSuffix(strings.Repeat(boardTask+",", n), ",") + `]}}`
}

func BenchmarkReadSmall(b *testing.B) {
	benchmarkRead(b, boardEnvelope, anyTool+"response: {text: '✅ Task {key} taken by {owner.name}'}", `{"ok":true,"data":`+boardTask+`,"meta":{"id":"`+strings.Repeat("x", 200)+`"}}`)
}

func BenchmarkRead64K(b *testing.B) {
	benchmarkRead(b, boardEnvelope, anyTool, boardTasks(64<<10/len(boardTask)))
}

func BenchmarkReadList16M(b *testing.B) {
	benchmarkRead(b, boardEnvelope, anyTool+"response: {projection: tasks.0.title}", boardTasks(16<<20/len(boardTask)))
}

func BenchmarkCutList16M(b *testing.B) {
	benchmarkRead(b, boardEnvelope, anyTool+"response: {projection: tasks, each: '{key}'}", boardTasks(16<<20/len(boardTask)))
}

// The yardstick of BenchmarkReadList16M: reading the bytes, and nothing else.
func BenchmarkReadBytes16M(b *testing.B) {
	body := boardTasks(16 << 20 / len(boardTask))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, tooLong, err := gather(strings.NewReader(body), int64(len(body)), 32<<20); tooLong || err != nil {
			b.Fatal(tooLong, err)
		}
	}
}

// checkJSON takes what gjson takes, but for depth, text that is no UTF-8 and keys that stand twice.
func FuzzCheckJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,-0.5e+10,true,false,null,"\u00e9\n"],"b":{}}`, ` [ ] `, `[1,]`, `{"a":1,}`, `{,}`, `[,1]`, `01`, `-`, `1.`, `1e`, `1e+`, `.5`,
		`"\x"`, `"\u12g4"`, `"\u+123"`, `"\u_123"`, `"a`, "\"\n\"", `tru`, `nul`, `{"a"}`, `{"a":}`, `{1:2}`, `[1 2]`, `{"a":{"b":1},"b":2,"\u0061":3}`, `{"\ud800":1,"\ud800x":2}`, `1 2`, `]`, `[}`, ``, ` `, `"`, `"\`, `"\u`, `[[`, "\"\xff\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := checkJSON(text)
		if err == errDeep {
			return
		}
		key, found := repeats(text)
		if twice, ok := errors.AsType[*repeated](err); ok {
			if !found || twice.name != key {
				t.Fatalf("%q: got %q twice, want %q, %v", text, twice.name, key, found)
			}
			err = nil
		} else if err == nil && found {
			t.Fatalf("%q: %q stands twice", text, key)
		}
		if want := gjson.Valid(text) && utf8.ValidString(text); (err == nil) != want {
			t.Fatalf("%q: %v, want valid %v", text, err, want)
		}
	})
}
