package bridge

import (
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRenderHeaders(t *testing.T) {
	p := planOf(t, "vars: {v: \"${V}\"}", `
method: GET
path: /t
arguments:
  - {name: trace, type: string, description: T}
  - {name: list, type: array, description: L, items: {type: string}}
  - {name: obj, type: object, style: json, description: O}
  - {name: n, type: integer, in: header, as: x-n, description: N}
  - {name: tags, type: array, in: cookie, description: L, items: {type: string}}
headers: {X-Trace: "id {trace}", X-List: "{list}", X-Obj: "{obj}", X-Var: "{vars.v}"}
cookies: {"a b": "x {trace}"}
`, map[string]string{"V": "{trace}"})
	const refused = "!invalid_arguments: trace: holds the control character"
	runAll(t, p, []renderCase{
		{"none", `{"trace":null,"list":[],"n":null}`, "GET t\nX-Var: {trace}"},
		{"all", `{"trace":"{n}","list":["a","b c"],"obj":{"k":[1]},"n":12345678901234567890,"tags":["é,","b"]}`,
			"GET t\nX-Trace: id {n}\nX-List: a,b c\nX-Obj: {\"k\":[1]}\nX-Var: {trace}\nX-N: 12345678901234567890" +
				"\nCookie: a%20b=x%20%7Bn%7D\nCookie: tags=%C3%A9%2C,b"},
		{"non-ascii", `{"list":["naïve"]}`, "GET t\nX-List: naïve\nX-Var: {trace}"},
		{"empty is a value", `{"list":[""]}`, "GET t\nX-List: \nX-Var: {trace}"},
		{"line break", `{"trace":"a\r\nX-Evil: 1"}`, refused + " U+000D"},
		{"line feed", `{"trace":"a\nb"}`, refused + " U+000A"},
		{"nul", `{"trace":"a\u0000b"}`, refused + " U+0000"},
		{"tab", `{"trace":"a\tb"}`, refused + " U+0009"},
		{"escape", `{"trace":"a\u001bb"}`, refused + " U+001B"},
		{"delete", `{"trace":"a\u007fb"}`, refused + " U+007F"},
		{"in a list", `{"list":["a\nb"]}`, "!invalid_arguments: list: holds the control character"},
		{"in JSON it is escaped", `{"obj":{"k":"a\nb"}}`, "GET t\nX-Obj: {\"k\":\"a\\nb\"}\nX-Var: {trace}"},
		{"delimiter in an element", `{"list":["a,b"]}`, `!invalid_arguments: list: an element holds ","`},
		{"blank at the end", `{"trace":"a "}`, "!invalid_arguments: trace: header X-Trace would begin or end with a blank"},
		{"blank at the start", `{"list":[" a"]}`, "!invalid_arguments: list: header X-List would begin or end with a blank"},
		{"nothing after the constant", `{"trace":""}`, "!invalid_arguments: trace: header X-Trace"},
		{"a list within text", `{"trace":["a"]}`, "!invalid_arguments: trace: is an array, and within text"},
		{"cookie", `{"tags":["a; b=c"]}`, "GET t\nX-Var: {trace}\nCookie: tags=a%3B%20b%3Dc"},
		{"line break in a cookie", `{"tags":["a\r\nb"]}`, "!invalid_arguments: tags: holds the control character"},
	})
	r, e := p.render(callOf(t, `{"trace":"s3cret\r\nX: 1"}`))
	if r != nil || strings.Contains(e.Error(), "s3cret") {
		t.Errorf("the error %q quotes the value", e)
	}
}

func TestVariables(t *testing.T) {
	const tool = `
method: GET
path: /o/{vars.owner}
arguments: [{name: a, type: string, description: A}]
`
	const top = "vars: {owner: [\"${OWNER}\", \"${ALSO}\"]}"
	renderCase{"present", `{"a":"{vars.owner}"}`, "GET o/octo%20%7Ba%7D?a=%7Bvars.owner%7D"}.run(t, planOf(t, top, tool, map[string]string{"OWNER": "octo {a}"}))
	renderCase{"unfit", `{}`, "!internal: vars.owner: holds a path segment . or .."}.run(t, planOf(t, top, tool, map[string]string{"ALSO": ".."}))
	p := planOf(t, top, tool, nil)
	_, e := p.render(callOf(t, `{}`))
	want := Error{Kind: "internal", Code: "missing_value", Message: "variable owner: no value: tried $OWNER, $ALSO",
		Hint: "the operator sets it in the environment of tbridge, or in tbridge.yaml"}
	if diff := cmp.Diff(&want, e); diff != "" {
		t.Error(diff)
	}
}

func TestCallID(t *testing.T) {
	p := planOf(t, "", `
method: POST
path: /p
arguments: [{name: n, type: integer, description: N}]
headers: {Idempotency-Key: "{call.id}", X-Trace: "t-{call.id}"}
body: {id: "{call.id}", "with?": {id: "{call.id}", n: "{n}"}}
`, nil)
	seen := map[string]bool{}
	for range 3 {
		c := callOf(t, `{}`)
		got := ""
		for range 2 { // the request of a retry is the same
			r, e := p.render(c)
			if e != nil {
				t.Fatal(e)
			}
			id := r.header[0].value
			want := "POST p\nIdempotency-Key: " + id + "\nX-Trace: t-" + id + "\napplication/json\n\n{\"id\":\"" + id + "\"}"
			if diff := cmp.Diff(want, rendered(t, r)); diff != "" {
				t.Error(diff)
			}
			if got != "" && got != id {
				t.Errorf("one call has the ids %s and %s", got, id)
			}
			got = id
		}
		if len(got) != 36 || got[14] != '4' || !strings.Contains("89ab", got[19:20]) || seen[got] {
			t.Errorf("%q is no new UUID of version 4", got)
		}
		seen[got] = true
	}
}

func TestRenderJSONBody(t *testing.T) {
	p := planOf(t, "vars: {agent: coder}", `
method: POST
path: /n
arguments:
  - {name: text, type: string, description: Text}
  - {name: n, type: integer, nullable: true, description: Number}
  - {name: flag, type: boolean, description: Flag}
  - name: who
    type: object
    description: Who
    properties:
      - {name: name, as: Name, type: string, description: Name}
      - {name: tags, type: array, description: Tags, items: {type: object, properties: [{name: key, as: k, type: string, description: K}]}}
body:
  whole: "{n}"
  longer: "{n} of {text}, {flag}"
  name: "{who.name}"
  who: "{who}"
  agent: "by {vars.agent}"
  const: [1.10, true, null, "1", {}, []]
  list: ["{text}", {a: "{n}", b: c}, ["{flag}"], "{n}-{text}", {v: "{vars.agent}", x: "{text}"}]
  outer: {"inner?": {of: "until {text}", n: "{n}"}}
`, nil)
	const constant = `"agent":"by coder","const":[1.10,true,null,"1",{},[]],`
	const head = "POST n\napplication/json\n\n"
	runAll(t, p, []renderCase{
		{"nothing", `{}`, head + `{` + constant + `"list":[],"outer":{}}`},
		{"null", `{"n":null}`, head + `{"whole":null,` + constant + `"list":[{"a":null,"b":"c"}],"outer":{"inner":{"n":null}}}`},
		{"all", `{"text":"\"{n}\n","n":12345678901234567890,"flag":false,"who":{"name":"Ä","tags":[{"key":"x"},{}],"more":1e3}}`,
			head + `{"whole":12345678901234567890,"longer":"12345678901234567890 of \"{n}\n, false","name":"Ä",` +
				`"who":{"Name":"Ä","tags":[{"k":"x"},{}],"more":1e3},` + constant +
				`"list":["\"{n}\n",{"a":12345678901234567890,"b":"c"},[false],"12345678901234567890-\"{n}\n",{"v":"coder","x":"\"{n}\n"}],` +
				`"outer":{"inner":{"of":"until \"{n}\n","n":12345678901234567890}}}`},
		{"empty text is a value", `{"text":""}`,
			head + `{` + constant + `"list":["",{"v":"coder","x":""}],"outer":{"inner":{"of":"until "}}}`},
	})
}

func TestRenderBodies(t *testing.T) {
	for _, c := range []struct {
		name, tool, args, want string
	}{
		{"a hole that is absent", `body: "{o}"`, `{}`, "application/json\n\n{}"},
		{"a hole", `body: "{o}"`, `{"o":[1]}`, "application/json\n\n[1]"},
		{"declared arguments alone", ``, `{}`, "application/json\n\n{}"},
		{"a content type", "content_type: application/vnd.{s}+json", `{"s":"x"}`, "application/vnd.x+json\n\n{\"s\":\"x\"}"},
		{"a content type that is absent", "content_type: application/vnd.{s}+json\nbody: {}", `{}`, "application/json\n\n{}"},
		{"a content type with a line break", "content_type: \"a/b;{s}\"\nbody: {}", `{"s":"\n"}`, "!invalid_arguments: s: holds the control"},
		{"the header", "headers: {content-type: text/x}\nbody: {}", `{}`, "text/x\n\n{}"},
		{"form", "encoding: form\nbody: {mode: basic, x: \"a {s}\", n: 1.10, nil: null}", `{"s":"a&b=c+d é","l":["r","w"],"o":{"a":{"b":[1]},"c":null}}`,
			"application/x-www-form-urlencoded\n\nmode=basic&x=a+a%26b%3Dc%2Bd+%C3%A9&n=1.10&l=r&l=w&o%5Ba%5D%5Bb%5D%5B%5D=1"},
		{"form, empty", "encoding: form", `{"l":[],"s":null}`, "application/x-www-form-urlencoded\n\n"},
		{"form of one object", "encoding: form\nbody: \"{o}\"", `{"o":{"a b":"c d","l":[1,2],"m":{"x":1}}}`,
			"application/x-www-form-urlencoded\n\na+b=c+d&l=1&l=2&m%5Bx%5D=1"},
		{"form of what is no object", "encoding: form\nbody: \"{o}\"", `{"o":1}`, "!invalid_arguments: o: must be an object"},
		{"text", "encoding: text\nbody: \"{s}\"", `{"s":"ü \"q\" {n}\n"}`, "text/plain; charset=utf-8\n\nü \"q\" {n}\n"},
		{"text of an object", "encoding: text\nbody: \"{o.a}\"", `{"o":{"a":[1]}}`, "!invalid_arguments: o.a: is an array, and within text"},
		{"longer text", "encoding: text\ncontent_type: text/csv\nbody: \"id;row\\n{s};{{s}}\\n\"", `{"s":"x;y"}`, "text/csv\n\nid;row\nx;y;{s}\n"},
		{"text, absent", "encoding: text\nbody: \"a {s}\"", `{}`, "text/plain; charset=utf-8\n\n"},
		{"constant text", "encoding: text\nbody: 1.10", `{}`, "text/plain; charset=utf-8\n\n1.10"},
		{"xml", "encoding: xml\nbody: \"<a b='{s}'>{s}</a>\"", `{"s":"A&B <x/> \"'ü ]]>&amp;\r"}`,
			"application/xml; charset=utf-8\n\n<a b='" + escapedXML + "'>" + escapedXML + "</a>"},
		{"what xml cannot hold", "encoding: xml\nbody: \"<a>{s}</a>\"", `{"s":"a\u0001"}`, "!invalid_arguments: s: holds the character U+0001"},
		{"nor that", "encoding: xml\nbody: \"<a>{s}</a>\"", `{"s":"\uffff"}`, "!invalid_arguments: s: holds the character U+FFFF"},
		{"ndjson", "encoding: ndjson\nbody: \"{o}\"", `{"o":[{"a":12345678901234567890},"x\ny",null]}`,
			"application/x-ndjson\n\n{\"a\":12345678901234567890}\n\"x\\ny\"\nnull\n"},
		{"ndjson of a list", "encoding: ndjson\nbody: [{index: {_id: 1}}, \"{o}\"]", `{}`, "application/x-ndjson\n\n{\"index\":{\"_id\":1}}\n"},
		{"ndjson of one value", "encoding: ndjson", `{"s":"x"}`, "application/x-ndjson\n\n{\"s\":\"x\"}\n"},
		{"bytes of a string", "encoding: bytes\nbody: \"{s}\"", `{"s":"\u0000ü"}`, "application/octet-stream\n\n\x00ü"},
		{"ndjson, absent", "encoding: ndjson\nbody: \"{o}\"", `{}`, "application/x-ndjson\n\n"},
	} {
		in := "none" // the arguments stand in holes alone
		if !strings.Contains(c.tool, "body:") || strings.Contains(c.tool, "body: {mode") {
			in = "body"
		}
		p := planOf(t, "", "method: POST\npath: /b\n"+c.tool+`
arguments:
  - {name: s, type: string, in: `+in+`, description: S}
  - {name: l, type: array, in: `+in+`, description: L, items: {type: string}}
  - {name: o, type: object, in: `+in+`, description: O}
`, nil)
		want := c.want
		if !strings.HasPrefix(want, "!") {
			want = "POST b\n" + want
		}
		renderCase{c.name, c.args, want}.run(t, p)
	}
}

const escapedXML = "A&amp;B &lt;x/&gt; &#34;&#39;ü ]]&gt;&amp;amp;&#xD;"

func TestMultipart(t *testing.T) {
	p := planOf(t, "", `
method: POST
path: /m
encoding: multipart
arguments:
  - {name: note, type: string, in: none, description: N}
  - {name: other, as: "no\"te", type: string, description: O}
  - {name: n, type: integer, description: N}
  - {name: l, type: array, description: L, items: {type: string}}
  - {name: c, type: array, style: comma, description: L, items: {type: string}}
  - {name: o, type: object, description: O}
  - {name: j, type: object, style: json, description: J}
  - {name: docs, type: array, description: D, items: {type: file, source: text, filename: "{name}.md"}}
  - {name: raw, type: file, media_type: "image/{kind}", description: R}
  - {name: name, type: string, in: none, description: N}
  - {name: kind, type: string, in: none, description: K}
body: {fixed: "a {note}", id: 1.10}
`, nil)
	const args = `{"note":"ü\r\n","other":"ü\r\n","n":12345678901234567890,"l":["a","b"],"c":["x","y"],"o":{"k":{"d":false}},"j":{"k":[1]},
		"docs":["# A","--B"],"raw":"AP8N","name":"a \"b\"\\ü","kind":"png"}`
	r, e := p.render(callOf(t, args))
	if e != nil {
		t.Fatal(e)
	}
	got := partsOf(t, r.body.contentType, bodyOf(t, r))
	want := []part{
		{Name: "fixed", Text: "a ü\r\n"}, {Name: "id", Text: "1.10"}, {Name: `no"te`, Text: "ü\r\n"},
		{Name: "n", Text: "12345678901234567890"}, {Name: "l", Text: "a"}, {Name: "l", Text: "b"}, {Name: "c", Text: "x,y"},
		{Name: "o[k][d]", Text: "false"}, {Name: "j", Text: `{"k":[1]}`, Type: "application/json"},
		{Name: "docs", File: `a "b"\ü.md`, Text: "# A", Type: "text/plain; charset=utf-8"},
		{Name: "docs", File: `a "b"\ü.md`, Text: "--B", Type: "text/plain; charset=utf-8"},
		{Name: "raw", File: "raw", Text: "\x00\xff\x0d", Type: "image/png"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	runAll(t, p, []renderCase{
		{"delimiter in an element", `{"c":["x,y"]}`, `!invalid_arguments: c: an element holds ","`},
		{"line break in a filename", `{"docs":["x"],"name":"a\nb"}`, "!invalid_arguments: name: holds the control character"},
		{"line break in a media type", `{"raw":"","kind":"a\r\nX: 1"}`, "!invalid_arguments: kind: holds the control character"},
		{"no base64", `{"raw":"no base64!"}`, "!invalid_arguments: raw: not valid base64"},
		{"a nul in a name", `{"o":{"a\u0000":1}}`, "!invalid_arguments: the name of a part: holds the control character U+0000"},
	})
	first, _ := p.render(callOf(t, `{}`))
	second, _ := p.render(callOf(t, `{}`))
	if first.body.contentType == second.body.contentType {
		t.Error("two requests have one boundary")
	}
}

// A part is one part of a multipart body.
type part struct{ Name, File, Type, Text string }

func partsOf(t testing.TB, contentType, body string) (parts []part) {
	t.Helper()
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/form-data" {
		t.Fatalf("content type %q: %v", contentType, err)
	}
	r := multipart.NewReader(strings.NewReader(body), params["boundary"])
	for {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatalf("%v in %q", err, body)
		}
		text, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		_, disposition, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{Name: p.FormName(), File: disposition["filename"], Type: p.Header.Get("Content-Type"), Text: string(text)})
	}
}
