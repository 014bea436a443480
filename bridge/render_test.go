package bridge

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
)

// planOf compiles the one tool of a snippet. top goes into tbridge.yaml; the tool is indented as the value of tools.
func planOf(t testing.TB, top, tool string, env map[string]string) *plan {
	t.Helper()
	p, err := compileIn(t, t.TempDir(), top, tool, env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func compileIn(t testing.TB, dir, top, tool string, env map[string]string) (*plan, error) {
	t.Helper()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {a: {base_url: \"http://127.0.0.1\"}}\n"+top)
	write(t, dir, "tools.d/t.yaml", "api: a\ntools:\n  - name: t\n    description: T\n"+indent(tool))
	c, ds, err := config.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if ds.Count(config.Error) > 0 || len(c.Tools) != 1 {
		t.Fatalf("%d tools, %v", len(c.Tools), ds)
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	return compilePlan(c.Tools[0], newVars(c, lookup))
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n"
}

// rendered is a request as text: the path and query, then headers and cookies, then the content type, a line each;
// after an empty line, the body.
func rendered(t testing.TB, r *request) string {
	t.Helper()
	defer r.close()
	b := r.method + " " + r.path
	if r.exact {
		b += "(exact)"
	}
	for i, p := range r.query {
		b += [...]string{"?", "&"}[min(i, 1)] + p.name
		if !p.bare {
			b += "=" + p.value
		}
	}
	for _, p := range r.header {
		b += "\n" + p.name + ": " + p.value
	}
	for _, p := range r.cookies {
		b += "\nCookie: " + p.name + "=" + p.value
	}
	if r.body == nil {
		return b
	}
	return b + "\n" + r.body.contentType + "\n\n" + bodyOf(t, r)
}

// bodyOf reads the body twice, as a retry does, and checks its length.
func bodyOf(t testing.TB, r *request) string {
	t.Helper()
	var texts [2]string
	for i := range texts {
		body, err := r.body.open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := body.Close(); err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	if texts[0] != texts[1] {
		t.Errorf("the second reading gives %q, the first %q", texts[1], texts[0])
	}
	if int64(len(texts[0])) != r.body.length {
		t.Errorf("length %d announced, %d read", r.body.length, len(texts[0]))
	}
	return texts[0]
}

func callOf(t testing.TB, arguments string) *call {
	t.Helper()
	args, err := config.ParseJSON(arguments, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &call{args: args}
}

// A renderCase is a call of a tool and the request it makes, or the error.
type renderCase struct {
	name, args, want string
}

// run renders each case; a want that begins with ! is the start of an error, kind: message.
func (c renderCase) run(t *testing.T, p *plan) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		t.Helper()
		r, e := p.render(callOf(t, c.args))
		if e != nil {
			if want, ok := strings.CutPrefix(c.want, "!"); !ok || !strings.HasPrefix(e.Error(), want) {
				t.Fatalf("error %q, want %q", e, c.want)
			}
			return
		}
		if diff := cmp.Diff(c.want, rendered(t, r)); diff != "" {
			t.Error(diff)
		}
	})
}

func runAll(t *testing.T, p *plan, cases []renderCase) {
	t.Helper()
	for _, c := range cases {
		c.run(t, p)
	}
}

func TestRenderPath(t *testing.T) {
	p := planOf(t, "", `
method: GET
path: /users/{id}/x
arguments: [{name: id, type: string, description: I}]
`, nil)
	const refused = "!invalid_arguments: id: "
	runAll(t, p, []renderCase{
		{"slash", `{"id":"a/b"}`, "GET users/a%2Fb/x"},
		{"reserved", `{"id":"a?b=c#d;e%f g+h"}`, "GET users/a%3Fb=c%23d%3Be%25f%20g+h/x"},
		{"backslash", `{"id":"a\\b"}`, `GET users/a%5Cb/x`},
		{"encoded", `{"id":"%41%2F"}`, "GET users/%2541%252F/x"},
		{"host", `{"id":"@127.0.0.2"}`, "GET users/@127.0.0.2/x"},
		{"slashes and host", `{"id":"//127.0.0.2/"}`, "GET users/%2F%2F127.0.0.2%2F/x"},
		{"port", `{"id":":80@127.0.0.2"}`, "GET users/:80@127.0.0.2/x"},
		{"braces", `{"id":"{id}"}`, "GET users/%7Bid%7D/x"},
		{"unicode", `{"id":"é‥．．⸮"}`, "GET users/%C3%A9%E2%80%A5%EF%BC%8E%EF%BC%8E%E2%B8%AE/x"},
		{"dots that are none", `{"id":"a..b/c.d/..."}`, "GET users/a..b%2Fc.d%2F.../x"},
		{"dot", `{"id":"."}`, refused},
		{"dots", `{"id":".."}`, refused},
		{"encoded dots", `{"id":"%2e%2e"}`, refused},
		{"half encoded dots", `{"id":"%2E."}`, refused},
		{"twice encoded", `{"id":"%252e%252e"}`, refused},
		{"thrice encoded slash", `{"id":"x%25252f%25252e%25252e"}`, refused},
		{"up", `{"id":"../../admin"}`, refused},
		{"up, encoded slashes", `{"id":"..%2f..%2fadmin"}`, refused},
		{"up, backslash", `{"id":"..\\admin"}`, refused},
		{"up, inside", `{"id":"a/../b"}`, refused},
		{"here, at the end", `{"id":"a/."}`, refused},
		{"encoded without end", `{"id":"%25252525252525252525252525252541"}`, refused},
		{"line break", `{"id":"a\r\nX: y"}`, refused},
		{"nul", `{"id":"a\u0000b"}`, refused},
		{"delete", `{"id":"\u007f"}`, refused},
		{"empty", `{"id":""}`, refused + "is empty"},
		{"null", `{"id":null}`, refused + "has no value"},
		{"absent", `{}`, refused + "has no value"},
		{"number", `{"id":12345678901234567890123}`, "GET users/12345678901234567890123/x"},
	})
}

func TestRenderPathForms(t *testing.T) {
	const args = `arguments: [{name: a, type: string, description: A}, {name: b, type: string, description: B}]`
	for _, c := range []struct{ path, args, want string }{
		{"x/{a}/{b}", `{"a":"{b}","b":"S"}`, "GET x/%7Bb%7D/S"},
		{"/bot{a}-{b}/m", `{"a":"1","b":"x y"}`, "GET bot1-x%20y/m"},
		{"/{a}{b}", `{"a":"%2","b":"e"}`, "!invalid_arguments: a and b: makes a path segment"},
		{"/.{a}/{b}", `{"a":"x","b":"y"}`, "GET .x/y"},
		{"/f/{+a}?b={{b}}&c&d=ü%41", `{"a":"a/b c/ü?#%41.txt","b":"q"}`, "GET f/a/b%20c/%C3%BC%3F%23%2541.txt?b=%7Bb%7D&c&d=%C3%BC%41&b=q"},
		{"/f/{+a}", `{"a":"/etc"}`, "!invalid_arguments: a: holds an empty path segment"},
		{"/f/{+a}", `{"a":"a//b"}`, "!invalid_arguments: a: holds an empty path segment"},
		{"/f/{+a}", `{"a":"a/"}`, "!invalid_arguments: a: holds an empty path segment"},
		{"/f/{+a}", `{"a":"a/%2e%2E/b"}`, "!invalid_arguments: a: holds a path segment . or .."},
		{"/f/{+a}", `{"a":"a/b\\..\\c"}`, "!invalid_arguments: a: "},
		{"/ü%20%/{a}/", `{"a":"é"}`, "GET %C3%BC%20%25/%C3%A9/"},
		{"/p/{{x}}/{{a.b}}?flag&{{x}}&e=", `{"a":"1"}`, "GET p/%7Bx%7D/%7Ba.b%7D?flag&%7Bx%7D&e=&a=1"},
		{"{{x}}{a}", `{"a":"1"}`, "GET %7Bx%7D1"},
		{"", `{"a":"1"}`, "GET (exact)?a=1"},
		{"/", `{"a":"1"}`, "GET ?a=1"},
		{"?v=1", `{"a":"1"}`, "GET (exact)?v=1&a=1"},
	} {
		p := planOf(t, "", "method: GET\npath: \""+c.path+"\"\n"+args, nil)
		renderCase{c.path + " " + c.args, c.args, c.want}.run(t, p)
	}
}

// Beside other text a list or object has no form; alone it has, unless something in it has none.
func TestRenderPathSegments(t *testing.T) {
	p := planOf(t, "", `
method: GET
path: /{o.a}/x-{o.b}/{+o.c}
arguments: [{name: o, type: object, description: O}]
`, nil)
	runAll(t, p, []renderCase{
		{"scalars", `{"o":{"a":1,"b":true,"c":"x/y"}}`, "GET 1/x-true/x/y"},
		{"a list alone", `{"o":{"a":["p","q"],"b":"1","c":"z"}}`, "GET p,q/x-1/z"},
		{"an object alone", `{"o":{"a":{"k":"v"},"b":"1","c":"z"}}`, "GET k,v/x-1/z"},
		{"beside text", `{"o":{"a":"1","b":["p"],"c":"z"}}`, "!invalid_arguments: o.b: is an array, and within text only"},
		{"with slashes", `{"o":{"a":"1","b":"2","c":{"k":"v"}}}`, "!invalid_arguments: o.c: is an object, and within text only"},
		{"deeper", `{"o":{"a":[["p"]],"b":"1","c":"z"}}`, "!invalid_arguments: o.a: holds an array, which style comma cannot write"},
		{"deeper still", `{"o":{"a":{"k":{"l":1}},"b":"1","c":"z"}}`, "!invalid_arguments: o.a: holds an object, which style comma cannot write"},
	})
}

func TestRenderQuery(t *testing.T) {
	p := planOf(t, "vars: {who: \"a&b {q}\"}", `
method: GET
path: /f?lang=en
arguments:
  - {name: q, type: string, description: Q}
  - {name: n, type: integer, description: N}
  - {name: off, type: boolean, description: O}
  - {name: ids, as: "ids[]", type: array, description: I, items: {type: integer}}
  - {name: tags, type: array, style: comma, description: T, items: {type: string}}
  - {name: words, type: array, style: space, description: W, items: {type: string}}
  - {name: codes, type: array, style: pipe, description: C, items: {type: string}}
  - {name: raw, type: array, style: json, description: R, items: {type: integer}}
  - {name: filter, type: object, description: F}
  - {name: color, type: object, style: comma, description: C}
  - {name: all, type: array, style: repeat, description: A, items: {type: object}}
  - {name: lines, type: array, style: brackets, description: L, items: {type: object}}
  - {name: by, type: string, in: none, description: B}
query: {sort: "by {by}", fixed: "1 2", n0: 1.10, "x?": {y: "{by}", z: 1}, list: [a, "{by}"], who: "{vars.who}"}
`, nil)
	const fixed = "GET f?lang=en&fixed=1%202&n0=1.10&list=a&who=a%26b%20%7Bq%7D"
	runAll(t, p, []renderCase{
		{"nothing", `{}`, fixed},
		{"empty list and object", `{"ids":[],"tags":[],"raw":[],"filter":{}}`, fixed},
		{"null is absent", `{"q":null,"by":null,"filter":{"a":null}}`, fixed},
		{"injection", `{"q":"a&admin=true#x"}`, fixed + "&q=a%26admin%3Dtrue%23x"},
		{"controls are data", `{"q":"a\nb\u0000"}`, fixed + "&q=a%0Ab%00"},
		{"false, zero, empty", `{"q":"","n":0,"off":false}`, fixed + "&q=&n=0&off=false"},
		{"digits", `{"n":12345678901234567890}`, fixed + "&n=12345678901234567890"},
		{"as declared, not as sent", `{"off":true,"n":1,"q":"ü+ "}`, fixed + "&q=%C3%BC%2B%20&n=1&off=true"},
		{"repeat", `{"ids":[1,2]}`, fixed + "&ids%5B%5D=1&ids%5B%5D=2"},
		{"comma", `{"tags":["a,b","c d"]}`, fixed + "&tags=a%2Cb,c%20d"},
		{"space", `{"words":["x","y z"]}`, fixed + "&words=x%20y%20z"},
		{"pipe", `{"codes":["x","y"]}`, fixed + "&codes=x%7Cy"},
		{"pipe in an element", `{"codes":["x|y"]}`, `!invalid_arguments: codes: an element holds "|"`},
		{"json", `{"raw":[3,4]}`, fixed + "&raw=%5B3%2C4%5D"},
		{"brackets below an object", `{"filter":{"s":["open","x y"],"by":{"me":false},"n":[[1]]}}`,
			fixed + "&filter%5Bs%5D%5B%5D=open&filter%5Bs%5D%5B%5D=x%20y&filter%5Bby%5D%5Bme%5D=false&filter%5Bn%5D%5B0%5D%5B%5D=1"},
		{"object with commas", `{"color":{"R":1,"g,":"x"}}`, fixed + "&color=R,1,g%2C,x"},
		{"nested, with commas", `{"color":{"R":[1]}}`, "!invalid_arguments: color: holds an array, which style comma cannot write"},
		{"nested, repeating", `{"all":[{}]}`, "!invalid_arguments: all: holds a list or object, which style repeat"},
		{"objects in a list", `{"lines":[{"a":1,"b":[2]},{"a":3}]}`, fixed + "&lines%5B0%5D%5Ba%5D=1&lines%5B0%5D%5Bb%5D%5B%5D=2&lines%5B1%5D%5Ba%5D=3"},
		{"holes", `{"by":"me"}`, "GET f?lang=en&sort=by%20me&fixed=1%202&n0=1.10&x%5By%5D=me&x%5Bz%5D=1&list=a&list=me&who=a%26b%20%7Bq%7D"},
		{"only scalars in text", `{"by":["a"]}`, "!invalid_arguments: by: is an array"},
	})
}

// What goes out of a list leaves no gap in its numbers.
func TestRenderNumbers(t *testing.T) {
	const arguments = "arguments: [{name: a, type: string}, {name: b, type: string}, {name: m, type: array, items: {type: object, nullable: true}}]\n"
	const list = ": {m: [{k: '{a}'}, {k: '{b}'}], n: [{k: '{a}'}, '{b}'], o: [['{a}'], ['{b}']]}\n"
	runAll(t, planOf(t, "", "method: POST\npath: /t\nencoding: form\n"+arguments+"body"+list, nil), []renderCase{
		{"form", `{"b":"2"}`, "POST t\napplication/x-www-form-urlencoded\n\nm%5B0%5D%5Bk%5D=2&n%5B0%5D=2&o%5B0%5D%5B%5D=2"},
		{"null", `{"m":[null,{"x":1}]}`, "POST t\napplication/x-www-form-urlencoded\n\nm%5B0%5D%5Bx%5D=1"},
	})
	runAll(t, planOf(t, "", "method: GET\npath: /t\n"+arguments+"query"+list, nil), []renderCase{
		{"query", `{"b":"2"}`, "GET t?m%5B0%5D%5Bk%5D=2&n%5B0%5D=2&o%5B0%5D%5B%5D=2"},
	})
}

func TestRenderPlaces(t *testing.T) {
	p := planOf(t, "", `
method: POST
path: /t/{id}?v=2
arguments:
  - {name: id, type: string, description: Id}
  - {name: note, type: string, description: Note}
  - {name: dry, type: boolean, in: query, as: dry_run, description: Dry}
  - {name: trace, type: string, in: header, as: x-trace, description: Trace}
  - {name: lang, type: string, in: cookie, description: L}
  - {name: why, type: string, in: none, description: W}
query: {from: bridge, again: "{id}"}
headers: {x-why: "{why}!"}
body: {done: true}
`, nil)
	runAll(t, p, []renderCase{
		{"all", `{"id":"7","note":"n","dry":false,"trace":"é","lang":"d;e","why":"w"}`,
			"POST t/7?v=2&from=bridge&again=7&dry_run=false\nX-Why: w!\nX-Trace: é\nCookie: lang=d%3Be\napplication/json\n\n{\"done\":true,\"note\":\"n\"}"},
		{"few", `{"id":"7"}`, "POST t/7?v=2&from=bridge&again=7\napplication/json\n\n{\"done\":true}"},
	})
}

func TestRenderRest(t *testing.T) {
	const arguments = `
arguments:
  - {name: id, type: string, description: Id}
  - {name: title, as: Title, type: string, description: T}
  - {name: due, type: string, nullable: true, description: D}
  - {name: lang, type: string, in: query, description: L}
  - {name: extra, type: string, in: body, description: E}
  - {name: reason, type: string, in: none, description: R}
`
	const call = `{"reason":"r","lang":"de","extra":"e","due":null,"title":"T","id":"a"}`
	for _, c := range []renderCase{
		{"body: {fields: \"{*}\", source: x}", call, "PATCH i/a?lang=de\napplication/json\n\n{\"fields\":{\"Title\":\"T\",\"due\":null},\"source\":\"x\",\"extra\":\"e\"}"},
		{"body: {fields: \"{*}\", source: x}", `{"id":"a"}`, "PATCH i/a\napplication/json\n\n{\"fields\":{},\"source\":\"x\"}"},
		{"body: {\"fields?\": \"{*}\", list: [\"{*}\"]}", `{"id":"a"}`, "PATCH i/a\napplication/json\n\n{\"list\":[{}]}"},
		{"body: \"{*}\"", call, "PATCH i/a?lang=de\napplication/json\n\n{\"Title\":\"T\",\"due\":null,\"extra\":\"e\"}"},
		{"query: \"{*}\"", call, "PATCH i/a?Title=T&lang=de\napplication/json\n\n{\"extra\":\"e\"}"},
		{"query: {f: \"{*}\"}", `{"id":"a","title":"T"}`, "PATCH i/a?f%5BTitle%5D=T\napplication/json\n\n{}"},
	} {
		p := planOf(t, "", "method: PATCH\npath: /i/{id}\n"+c.name+arguments, nil)
		c.run(t, p)
	}
}

func TestRenderOpen(t *testing.T) {
	const args = `{"z":[1,{"a":null}],"a":9007199254740993,"名":"x"}`
	for _, c := range []renderCase{
		{"method: POST\npath: /o", args, "POST o\napplication/json\n\n" + args},
		{"method: POST\npath: /o", `{}`, "POST o\napplication/json\n\n{}"},
		{"method: POST\npath: /o\narguments: []", `{}`, "POST o"},
		{"method: GET\npath: /o", args, "GET o?z%5B0%5D=1&a=9007199254740993&%E5%90%8D=x"},
		{"method: GET\npath: /o", `{"q":"a&b","n":7,"list":["x","y"]}`, "GET o?q=a%26b&n=7&list=x&list=y"},
		{"method: POST\npath: /o\nbody: {all: \"{*}\"}", `{"b":1}`, "POST o\napplication/json\n\n{\"all\":{\"b\":1}}"},
		{"method: POST\npath: /o\nbody: {all: {\"x?\": \"{*}\"}}", `{}`, "POST o\napplication/json\n\n{\"all\":{}}"},
		{"method: POST\npath: /o\nbody: \"{*}\"", `{"b":{}}`, "POST o\napplication/json\n\n{\"b\":{}}"},
		{"method: POST\npath: /o\nbody: {c: 1, d: 2}", `{"c":null}`, "!invalid_arguments: c: is fixed by the tool"},
		{"method: POST\npath: /o\nbody: {c: 1, d: 2}", `{"C":null}`, "!invalid_arguments: C: is fixed by the tool"},
		{"method: GET\npath: /o\nquery: {c: 1, d: 2}", `{"c":null,"e":1,"d":3}`, "!invalid_arguments: c: is fixed by the tool, and cannot be sent; d: is fixed by the tool, and cannot be sent"},
		{"method: GET\npath: /o?%63=1&b", `{"c[]":[1],"b[x]":2,"a":3}`, "!invalid_arguments: c[]: is fixed by the tool, and cannot be sent; b[x]: is fixed by the tool, and cannot be sent"},
		{"method: GET\npath: /o?c=1\nquery: \"{*}\"", `{"c":2}`, "!invalid_arguments: c: is fixed by the tool"},
		{"method: GET\npath: /o?c=1\nquery: {f: \"{*}\"}", `{"c":2}`, "GET o?c=1&f%5Bc%5D=2"},
		{"method: POST\npath: /o?c=1\nencoding: form\nbody: {d: \"1\"}", `{"c":2,"b":3}`, "POST o?c=1\napplication/x-www-form-urlencoded\n\nd=1&c=2&b=3"},
		{"method: POST\npath: /o\nencoding: form\nbody: {d: \"1\"}", `{"d":[2]}`, "!invalid_arguments: d: is fixed by the tool"},
		{"method: POST\npath: /o\nencoding: multipart\nbody: {\"d[x]\": \"1\"}", `{"d":{"x":2}}`, "!invalid_arguments: d: is fixed by the tool"},
		{"method: POST\npath: /o\nbody: {c: 1}", `{"b":2}`, "POST o\napplication/json\n\n{\"c\":1,\"b\":2}"},
	} {
		c.run(t, planOf(t, "", c.name, nil))
	}
}

// All that cannot be rendered is named in one answer, each once.
func TestRenderNamesEveryRefusal(t *testing.T) {
	p := planOf(t, "", `
method: POST
path: /r/{a}/{b}/{a}
encoding: multipart
arguments:
  - {name: a, type: string, description: A}
  - {name: b, type: string, description: B}
  - {name: h, type: string, in: header, description: H}
  - {name: c, type: string, in: cookie, description: C}
  - {name: f, type: file, description: F}
  - {name: g, type: file, max_bytes: 1, description: G}
  - {name: l, type: array, style: comma, items: {type: object}, description: L}
headers: {X-T: "{h} {c}"}
`, nil)
	r, e := p.render(callOf(t, `{"a":"..","b":"","h":"x\n","c":"\u0000","f":"!","g":"YWI=","l":[{}]}`))
	const want = `a: holds a path segment . or .. (as it stands, or percent-decoded), which is refused; ` +
		`b: is empty, and a path segment must not be; h: holds the control character U+000A, which cannot stand there; ` +
		`c: holds the control character U+0000, which cannot stand there; ` +
		`f: not valid base64 (RFC 4648, section 4); encode the file's bytes; g: 2 bytes, more than the 1 allowed; ` +
		`l: holds an object, which style comma cannot write`
	if r != nil || e == nil || e.Kind != kindInvalidArguments || e.Message != want {
		t.Errorf("got %v, want %s", e, want)
	}
	if r, e := p.render(callOf(t, `{"a":"1","b":"2","f":"YWI="}`)); e != nil {
		t.Error(e)
	} else {
		r.close()
	}
}

// What the operator set wrong is his, whatever else is wrong.
func TestRenderRefusesVariables(t *testing.T) {
	p := planOf(t, "vars: {v: \"..\"}", "method: GET\npath: /{vars.v}/{a}\narguments: [{name: a, type: string, description: A}]", nil)
	runAll(t, p, []renderCase{{"both", `{"a":""}`, "!internal: vars.v: holds a path segment . or .. (as it stands, or percent-decoded), which is refused; a: is empty"}})
}

// Lists outside the query and forms, and what stands in lists of either.
func TestRenderLists(t *testing.T) {
	p := planOf(t, "", `
method: GET
path: /l/{a}/{b}
arguments:
  - {name: a, type: array, description: A, items: {type: string}}
  - {name: b, type: array, style: pipe, description: B, items: {type: integer}}
  - {name: c, type: string, in: none, description: C}
  - {name: d, type: array, style: comma, in: none, description: D, items: {type: string}}
query: {rows: [{x: "{c}", y: 1}, ["{c}"]], in: {list: ["{c}", z], d: "{d}"}}
`, nil)
	const rest = "?in%5Blist%5D%5B%5D=z"
	runAll(t, p, []renderCase{
		{"path", `{"a":["x,","y/"],"b":[1,null,2]}`, "GET l/x%2C,y%2F/1%7C2" + rest},
		{"empty", `{"a":[],"b":[1]}`, "!invalid_arguments: a: has no value"},
		{"empty element", `{"a":[""],"b":[1]}`, "!invalid_arguments: a: is empty"},
		{"dots", `{"a":["x",".."],"b":[1]}`, "!invalid_arguments: a: holds a path segment"},
		{"tree", `{"a":["x"],"b":[1],"c":"c","d":["e","f"]}`,
			"GET l/x/1?rows%5B0%5D%5Bx%5D=c&rows%5B0%5D%5By%5D=1&rows%5B1%5D%5B%5D=c&in%5Blist%5D%5B%5D=c&in%5Blist%5D%5B%5D=z&in%5Bd%5D=e,f"},
	})
}
