package bridge

import (
	"bufio"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
)

// argumentsOf is a call with these arguments; pairs are name, value.
func argumentsOf(pairs ...any) *call {
	args := config.JSON{Kind: config.KindObject}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case string:
			args.Put(pairs[i].(string), config.StringJSON(v))
		case []string:
			list := config.JSON{Kind: config.KindArray}
			for _, s := range v {
				list.Items = append(list.Items, config.StringJSON(s))
			}
			args.Put(pairs[i].(string), list)
		}
	}
	return &call{args: args}
}

// nasty are texts that have broken renderers.
var nasty = []string{"", "a", "a/b", "..", "%2e%2e", "a?b=c#d&e=f;g", "é😀", "a\r\nX: y", "{b}", "\x00", "@127.0.0.2", "//h/", "+ %20", `"\`, "a,b|c d", "--x\r\n\r\n", "]]><", "[0]", " a "}

func seed(f *testing.F) {
	f.Helper()
	for _, a := range nasty {
		f.Add(a, "x")
		f.Add("x", a)
	}
}

// inJSON says whether JSON can hold the texts: others never come this far.
func inJSON(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

// A path that is rendered has the segments of its template, each decodes to its argument, and the host stays.
func FuzzRenderPath(f *testing.F) {
	seed(f)
	p := planOf(f, "", `
method: GET
path: /u/{a}/f{a}-{b}/{+b}
arguments: [{name: a, type: string, description: A}, {name: b, type: string, description: B}]
`, nil)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !inJSON(a, b) {
			return
		}
		r, e := p.render(argumentsOf("a", a, "b", b))
		if e != nil {
			if e.Kind != kindInvalidArguments {
				t.Fatalf("%q, %q: %v", a, b, e)
			}
			return
		}
		u, err := url.ParseRequestURI("http://host/base/" + r.path)
		if err != nil {
			t.Fatal(err)
		}
		if u.Host != "host" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q makes the URL %s", r.path, u)
		}
		var got []string
		for _, segment := range strings.Split(u.EscapedPath(), "/")[2:] {
			decoded, err := url.PathUnescape(segment)
			if err != nil || decoded == "" || decoded == "." || decoded == ".." {
				t.Errorf("segment %q of %q: %v", segment, r.path, err)
			}
			got = append(got, decoded)
		}
		want := append([]string{"u", a, "f" + a + "-" + b}, strings.Split(b, "/")...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if clean := u.JoinPath().EscapedPath(); clean != u.EscapedPath() {
			t.Errorf("%q is read as %q", u.EscapedPath(), clean)
		}
	})
}

// A query decodes to its arguments, and nothing else.
func FuzzRenderQuery(f *testing.F) {
	seed(f)
	p := planOf(f, "", `
method: GET
path: /q?c=1
arguments:
  - {name: a, type: string, description: A}
  - {name: l, type: array, description: L, items: {type: string}}
  - {name: c, type: array, style: comma, as: "c,&", description: C, items: {type: string}}
query: {t: "<{a}>"}
`, nil)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !inJSON(a, b) {
			return
		}
		r, e := p.render(argumentsOf("a", a, "l", []string{a, b}, "c", []string{b, a, b}))
		if e != nil {
			t.Fatal(e)
		}
		got := map[string][]string{}
		for _, p := range r.query {
			for i, piece := range [...]string{p.name, p.value} {
				if strings.ContainsAny(piece, "&=#+ \r\n?/") || !isASCII(piece) {
					t.Errorf("piece %d of the query is %q", i, piece)
				}
			}
			name, err := url.QueryUnescape(p.name)
			if err != nil {
				t.Fatal(err)
			}
			values := []string{p.value}
			if name == "c,&" {
				values = strings.Split(p.value, ",")
			}
			for _, v := range values {
				v, err := url.QueryUnescape(v)
				if err != nil {
					t.Fatal(err)
				}
				got[name] = append(got[name], v)
			}
		}
		want := map[string][]string{"c": {"1"}, "t": {"<" + a + ">"}, "l": {a, b}, "c,&": {b, a, b}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func isASCII(s string) bool {
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= utf8.RuneSelf })
}

// A header or cookie arrives as it was given, alone, or is refused by name without being quoted.
func FuzzRenderHeader(f *testing.F) {
	seed(f)
	p := planOf(f, "", `
method: GET
path: /h
arguments: [{name: a, type: string, description: A}, {name: b, type: string, description: B}]
headers: {X-A: "{a}", X-B: "<{a}>"}
cookies: {sid: "{b}"}
`, nil)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !inJSON(a, b) {
			return
		}
		r, e := p.render(argumentsOf("a", a, "b", b))
		if e != nil {
			_, bad := control(a + b)
			if e.Kind != kindInvalidArguments || !bad && strings.TrimSpace(a) == a {
				t.Errorf("%q, %q: %v", a, b, e)
			}
			return
		}
		text := "GET / HTTP/1.1\r\nHost: h\r\n"
		for _, h := range r.header {
			text += h.name + ": " + h.value + "\r\n"
		}
		for _, c := range r.cookies {
			text += "Cookie: " + c.name + "=" + c.value + "\r\n"
		}
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text + "\r\n")))
		if err != nil {
			t.Fatal(err)
		}
		cookie, err := req.Cookie("sid")
		if err != nil || len(req.Cookies()) != 1 || len(req.Header) != 3 {
			t.Fatalf("%v in %q", err, text)
		}
		sid, err := url.PathUnescape(cookie.Value)
		if err != nil {
			t.Fatal(err)
		}
		got := [...]string{req.Header.Get("X-A"), req.Header.Get("X-B"), sid}
		if diff := cmp.Diff([...]string{a, "<" + a + ">", b}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A JSON body has the keys of its tree and the values of the arguments, digits and all, whatever they hold.
func FuzzRenderJSONBody(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, `{"k":[12345678901234567890,1e3,-0.10,null,{"":"\u0000"}]}`)
	}
	p := planOf(f, "", `
method: POST
path: /j
arguments: [{name: a, type: string, description: A}, {name: v, type: object, description: V}, {name: more, type: object, description: M}]
body: {a: "{a}", t: "<{a}>", list: [{v: "{v}"}]}
`, nil)
	f.Fuzz(func(t *testing.T, a, value string) {
		v, err := config.ParseJSON(value, config.MaxDepth)
		if err != nil || !utf8.ValidString(a) {
			return
		}
		c := argumentsOf("a", a)
		c.args.Put("more", v)
		c.args.Put("v", v)
		r, e := p.render(c)
		if e != nil {
			t.Fatal(e)
		}
		got, err := config.ParseJSON(bodyOf(t, r), 0)
		if err != nil {
			t.Fatal(err)
		}
		object := func(pairs ...any) config.JSON {
			o := config.JSON{Kind: config.KindObject}
			for i := 0; i < len(pairs); i += 2 {
				o.Put(pairs[i].(string), pairs[i+1].(config.JSON))
			}
			return o
		}
		list := config.JSON{Kind: config.KindArray, Items: []config.JSON{object("v", v)}}
		want := object("a", config.StringJSON(a), "t", config.StringJSON("<"+a+">"), "list", list, "more", v)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A form and a multipart body give back their arguments when they are parsed.
func FuzzRenderForm(f *testing.F) {
	seed(f)
	const arguments = `
arguments:
  - {name: a, type: string, description: A}
  - {name: l, type: array, style: brackets, description: L, items: {type: string}}
  - {name: o, type: object, description: O}
body: {t: "{a}&{a}"}
`
	form := planOf(f, "", "method: POST\npath: /f\nencoding: form"+arguments, nil)
	parts := planOf(f, "", "method: POST\npath: /f\nencoding: multipart"+arguments, nil)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !inJSON(a, b) {
			return
		}
		args := func() *call {
			c := argumentsOf("a", a, "l", []string{a, b})
			o := config.JSON{Kind: config.KindObject}
			o.Put(b, config.StringJSON(a))
			c.args.Put("o", o)
			return c
		}
		want := url.Values{"t": {a + "&" + a}, "l[]": {a, b}, "o[" + b + "]": {a}}
		r, e := form.render(args())
		if e != nil {
			t.Fatal(e)
		}
		got, err := url.ParseQuery(bodyOf(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("form: %s", diff)
		}
		if r, e = parts.render(args()); e != nil {
			if _, bad := control(b); e.Kind != kindInvalidArguments || !bad {
				t.Fatal(e)
			}
			return
		}
		got = url.Values{}
		for _, p := range partsOf(t, r.body.contentType, bodyOf(t, r)) {
			got.Add(p.Name, p.Text)
		}
		if strings.ContainsAny(b, "\r\n") { // which a name holds percent-encoded
			delete(want, "o["+b+"]")
			delete(got, "o["+strings.NewReplacer("\r", "%0D", "\n", "%0A").Replace(b)+"]")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("multipart: %s", diff)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	p := planOf(b, "", `
method: POST
path: /tasks/{id}/take
arguments:
  - {name: id, type: string, description: I}
  - {name: agent, type: string, description: A}
  - {name: note, type: string, description: N}
  - {name: n, type: integer, description: N}
`, nil)
	c := callOf(b, `{"id":"TE-15","agent":"coder","note":"a longer text, with \"quotes\"","n":7}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.render(c); err != nil {
			b.Fatal(err)
		}
	}
}
