package bridge

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
	"tbridge/validate"
)

// A trial shows the request and the answer of the very call whose result it holds, and no secret.
func TestTry(t *testing.T) {
	const secret = "s3cret-of-the-api"
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.Header()["Date"] = nil
		switch r.URL.Path {
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("ü" + strings.Repeat("ü", maxShown)))
		case "/bytes":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("\x89PNG\xff" + secret))
		default:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write([]byte(`{"you":"` + r.Header.Get("Authorization") + `","id":"` + r.Header.Get("X-Id") + `"}`))
		}
	}))
	defer up.Close()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {a: {base_url: '"+up.URL+"', auth: {bearer: '${TOKEN}'}}}\n")
	write(t, dir, "tools.d/a.yaml", `api: a
method: GET
tools:
  - {name: who, description: Who., path: '/who/{n}', headers: {X-Id: '{call.id}'}, arguments: [{name: n, type: integer}]}
  - {name: long, description: Long., path: /long, arguments: []}
  - {name: bytes, description: Bytes., path: /bytes, arguments: []}
`)
	c, ds, err := validate.Load(dir + "/tbridge.yaml")
	if err != nil || ds.Count(config.Error) > 0 {
		t.Fatalf("%v %+v", err, ds)
	}
	b, err := New(c, Options{Env: func(string) (string, bool) { return secret, true }})
	if err != nil {
		t.Fatal(err)
	}
	got, found := b.Try(t.Context(), "who", []byte(`{"n":7}`))
	if !found || got.Request.URL != up.URL+"/who/7" || got.Result.IsError {
		t.Fatalf("%t %+v", found, got.Request)
	}
	answer := *got.Response
	id := answer.Body[strings.Index(answer.Body, `"id":"`)+6 : len(answer.Body)-2]
	want := Answer{Status: 200, MediaType: "application/json", Body: `{"you":"Bearer ***","id":"` + id + `"}`, Text: true,
		Header: []Field{{"Content-Length", answer.Header[0].Value}, {"Content-Type", "application/json; charset=utf-8"}, {"X-Echo", "Bearer ***"}}}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Error(diff)
	}
	if len(id) != 36 || !strings.Contains(got.Result.Text(), id) {
		t.Errorf("the result is of another call: %s", got.Result.Text())
	}
	preview, err := b.Preview("who", []byte(`{"n":7}`))
	if err != nil || preview.Digest() != got.Request.Digest() {
		t.Errorf("the request that was sent is not the one that was shown: %v", err)
	}
	if other, _ := b.Preview("who", []byte(`{"n":8}`)); other.Digest() == preview.Digest() {
		t.Error("another request has the same digest")
	}
	if long, _ := b.Try(t.Context(), "long", nil); !long.Response.Truncated || long.Response.Body != strings.Repeat("ü", maxShown/2) {
		t.Errorf("%d bytes of a long answer are shown", len(long.Response.Body))
	}
	if raw, _ := b.Try(t.Context(), "bytes", nil); raw.Response.Text || raw.Response.Body != "\x89PNG\xff"+strings.Repeat("*", 17) {
		t.Errorf("of bytes %q is shown", raw.Response.Body)
	}
	if refused, _ := b.Try(t.Context(), "who", []byte(`{"n":"x"}`)); refused.Request != nil || refused.Response != nil || refused.Result.Kind != kindInvalidArguments {
		t.Errorf("of a refused call: %+v", refused)
	}
	if _, found := b.Try(t.Context(), "nobody", nil); found {
		t.Error("there is a tool nobody")
	}
}

// The digest of a multipart body does not hang on its boundary.
func TestDigestOfMultipart(t *testing.T) {
	x := rigOf(t, nil, "base_url: http://x.example", "method: POST\nencoding: multipart\narguments: [{name: a, type: string}]")
	if one, two := x.preview(t, `{"a":"1"}`), x.preview(t, `{"a":"1"}`); one.Digest() != two.Digest() {
		t.Error("two digests of one call")
	}
	if one, two := x.preview(t, `{"a":"1"}`), x.preview(t, `{"a":"2"}`); one.Digest() == two.Digest() {
		t.Error("one digest of two calls")
	}
}

func TestDestinations(t *testing.T) {
	tests := []struct{ tool, want string }{
		{`{name: a, method: GET, path: '/{p}', arguments: [{name: p}, {name: q}]}`, "path query"},
		{`{name: a, method: POST, path: /, headers: {X: '{h}'}, cookies: {c: '{k}'}, query: {x: ['{q}']}, body: {a: [{b: '{d} {e}'}]},
		   arguments: [{name: h}, {name: k}, {name: q}, {name: d}, {name: e}, {name: f}, {name: g, in: none}, {name: i, in: cookie}]}`,
			"header cookie query body body body none cookie"},
		{`{name: a, method: POST, path: /, query: '{*}', arguments: [{name: p}, {name: b, in: body}]}`, "query body"},
		{`{name: a, method: DELETE, path: '/{+p}/{p}', body: {x: '{p}'}, arguments: [{name: p}, {name: r}]}`, "path query"},
	}
	for _, tt := range tests {
		if got := strings.Join(Destinations(onlyTool(t, tt.tool)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.tool, got, tt.want)
		}
	}
}

func TestExports(t *testing.T) {
	tool := onlyTool(t, `{name: a, description: A., method: GET, path: '/{p}', deprecated: Use b., arguments: [
      {name: p, type: integer, description: Place}, {name: q, type: array, items: {type: string}}, {name: e, type: boolean, description: E, enum: [true]},
      {name: s, type: string, enum: [x, y], default: x, description: 'S (optional)'}]}`)
	open := onlyTool(t, `{name: o, method: POST, path: /}`)
	schema := string(validate.Describe(tool).InputSchema)
	tests := []struct {
		format string
		tool   *config.Tool
		want   string
	}{
		{"anthropic", tool, `{"name":"a","description":"A.\nDeprecated: Use b.","input_schema":` + schema + `}`},
		{"openai", tool, `{"type":"function","function":{"name":"a","description":"A.\nDeprecated: Use b.","parameters":` + schema + `}}`},
		{"openai", open, `{"type":"function","function":{"name":"o","parameters":{"type":"object","properties":{}}}}`},
		{"mcp", open, string(validate.Describe(open).JSON())},
		{"trustgraph", tool, `{"type":"mcp-tool","name":"a","description":"A.\nDeprecated: Use b.","mcp-tool":"a","arguments":[` +
			`{"name":"p","type":"number","description":"Place"},{"name":"q","type":"string","description":"(optional)"},` +
			`{"name":"e","type":"string","description":"E (one of true; optional)"},{"name":"s","type":"string","description":"S (optional) (one of x, y)"}]}`},
		{"trustgraph", open, `{"type":"mcp-tool","name":"o","description":"","mcp-tool":"o"}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(Exports[tt.format](tt.tool))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.format, err, got, tt.want)
		}
	}
	const prompt = "- **a**: A.\nDeprecated: Use b.\n  - Required: \"p\" (integer): Place\n  - Optional: \"q\" (array of string): \n" +
		"  - Optional: \"e\" (boolean): E\n  - Optional: \"s\" (string): S (optional)\n"
	if got := Prompt(tool); got != prompt {
		t.Errorf("%s", got)
	}
}
