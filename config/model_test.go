package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// catalog loads files that have no fault.
func catalog(t *testing.T, bridge, tools string) *Catalog {
	t.Helper()
	path := write(t, map[string]string{"tbridge.yaml": bridge, "tools.d/t.yaml": tools})
	c, ds := load(t, path)
	if len(ds) > 0 {
		t.Fatal(render(ds, filepath.Dir(path)))
	}
	return c
}

func TestCatalog(t *testing.T) {
	c := catalog(t, `
version: 1
tools: tools.d
server:
  name: board
  title: yes
  version: 1.10
  coerce: true
  instructions: |
    Read
    first.
files: {roots: [/srv, "${HOME}/x"]}
vars: {a: no, b: 2024-01-01}
apis:
  one:
    base_url: http://one.example/
    auth: {basic: {username: u, password: "${P}"}}
    query: {v: 1.10}
    envelope: {ok: {path: status, equals: [success, 1, null]}, data: [result, $body.r], error: {code: e.code}, request_id: $headers.X-Id}
    errors:
      - {status: 404, code: [a, b], kind: Gone, retryable: false}
      - {status: [304, 409], ok: true}
    timeout: 1m30s
    limits: {response: 16MiB, result: 1MB, concurrency: 4, rate: 90/m}
    breaker: {failures: 2, open: 400ms}
    redirects: none
    tls: {ca_file: ca.pem, insecure_skip_verify: true}
  two: {base_url: "http://two.example/", envelope: {ok: done}, error_text: "❌ {message}"}
  three: {base_url: "http://three.example/", envelope: {ok: {absent: error}}}
`[1:], "")
	one, two, three := c.API("one"), c.API("two"), c.API("three")
	if c.API("four") != nil || len(c.APIs) != 3 || one.Name != "one" {
		t.Fatal("apis are not one, two and three")
	}
	checks := []struct{ got, want any }{
		{c.Server.Title, "yes"},
		{c.Server.Version, "1.10"},
		{c.Server.Instructions, "Read\nfirst.\n"},
		{c.Server.Coerce, true},
		{c.Files.Roots[1].String(), "${HOME}/x"},
		{c.Vars[0].Value.String(), "no"},
		{c.Vars[1].Value.String(), "2024-01-01"},
		{one.Query[0].Value.String(), "1.10"},
		{one.Auth.Basic.Password.String(), "${P}"},
		{one.Envelope.OK.Path[0].Text, "status"},
		{one.Envelope.OK.Equals, []string{"success", "1", "null"}},
		{[]any{one.Envelope.Data[0].Root, one.Envelope.Data[0].Expr}, []any{RootData, "result"}},
		{[]any{one.Envelope.Data[1].Root, one.Envelope.Data[1].Expr, one.Envelope.Data[1].Text}, []any{RootBody, "r", "$body.r"}},
		{[]any{one.Envelope.RequestID[0].Root, one.Envelope.RequestID[0].Expr}, []any{RootHeaders, "X-Id"}},
		{one.Errors[0].Status, []int{404}},
		{one.Errors[0].Code, []string{"a", "b"}},
		{*one.Errors[0].Retryable, false},
		{one.Errors[1].Status, []int{304, 409}},
		{one.Errors[1].OK, true},
		{one.Errors[1].Retryable == nil, true},
		{one.Timeout, 90 * time.Second},
		{one.Limits.Response, Size(16 << 20)},
		{one.Limits.Result, Size(1_000_000)},
		{one.Limits.Rate, Rate{90, time.Minute}},
		{one.Breaker.Open, 400 * time.Millisecond},
		{one.TLS.InsecureSkipVerify, true},
		{two.Envelope.OK.Path[0].Expr, "done"},
		{two.Envelope.OK.Equals == nil, true},
		{two.ErrorText.Parts[1].Hole.Value.Expr, "message"},
		{three.Envelope.OK.Absent[0].Expr, "error"},
	}
	for i, check := range checks {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("check %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	c := catalog(t, "version: 1\n", `
tools:
  - {name: open}
  - {name: none, arguments: []}
  - name: typed
    arguments:
      - {name: s, type: string, default: no, enum: [auto, NO, ~, true, 0123, 1e3, "null"], nullable: false}
      - {name: n, type: string, nullable: true, default: null, enum: [~, "~", a]}
      - {name: i, type: integer, default: 12345678901234567890, examples: [-1, 0], minimum: -1.50, minLength: 0}
      - {name: f, type: number, default: 0.10, nullable: true, enum: [1e3, null], multipleOf: 0.1}
      - {name: b, type: boolean, default: false}
      - {name: v, default: "{vars.owner}"}
      - {name: w, default: "by {vars.owner}"}
      - {name: l, type: array, items: {type: string}, default: [no, 1, "2"]}
      - name: o
        type: object
        properties: [{name: a, type: string}, {name: b, type: array, items: {type: object, properties: []}}]
        default: {b: [{x: 1, y: no}], a: 7, c: 7.0}
      - {name: free, type: object, default: {a: [1, no, null, ~, true, "true", -0.50, {}]}}
      - {name: file, type: file, default: 7, filename: "{s}.txt", source: path, max_bytes: 1KiB}
`[1:])
	if c.Tools[0].Arguments != nil || c.Tools[1].Arguments == nil || len(c.Tools[1].Arguments) != 0 {
		t.Error("absent arguments must be nil, [] must not")
	}
	defaults := map[string]string{
		"s": `"no"`, "n": `null`, "i": `12345678901234567890`, "f": `0.10`, "b": `false`, "w": `"by {vars.owner}"`,
		"l": `["no","1","2"]`, "o": `{"b":[{"x":1,"y":"no"}],"a":"7","c":7.0}`,
		"free": `{"a":[1,"no",null,null,true,"true",-0.50,{}]}`, "file": `"7"`,
	}
	args := map[string]*Argument{}
	for _, a := range c.Tools[2].Arguments {
		args[a.Name] = a
		got := ""
		if a.Default != nil {
			got = a.Default.String()
		}
		if got != defaults[a.Name] {
			t.Errorf("default of %s is %s, want %s", a.Name, got, defaults[a.Name])
		}
	}
	lists := []struct {
		got  []JSON
		want string
	}{
		{args["s"].Enum, `["auto","NO","~","true","0123","1e3","null"]`},
		{args["n"].Enum, `[null,"~","a"]`},
		{args["i"].Examples, `[-1,0]`},
		{args["f"].Enum, `[1e3,null]`},
	}
	for _, l := range lists {
		if got := (JSON{Kind: KindArray, Items: l.got}).String(); got != l.want {
			t.Errorf("got %s, want %s", got, l.want)
		}
	}
	if args["v"].DefaultVar != "owner" || *args["i"].Minimum != "-1.50" || *args["i"].MinLength != 0 || args["b"].Enum != nil {
		t.Errorf("v: %q, i: %v %v", args["v"].DefaultVar, *args["i"].Minimum, *args["i"].MinLength)
	}
	if props := args["o"].Properties[1].Items.Properties; props == nil || args["free"].Properties != nil {
		t.Error("properties: [] must not be nil, absent ones must")
	}
	if a := args["file"]; a.MaxBytes != 1024 || a.Filename.Parts[0].Hole.Name != "s" || a.FileSource != "path" {
		t.Errorf("file: %+v", a)
	}
}

// shape writes a tree as text: literals as JSON, templates as their text in angle brackets.
func shape(t *Tree) string {
	var parts []string
	switch t.Kind {
	case TreeLiteral:
		return t.Literal.String() + "=" + t.Typed
	case TreeText:
		return "<" + t.Template.Text + ">"
	case TreeList:
		for _, item := range t.Items {
			parts = append(parts, shape(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	for _, f := range t.Fields {
		key := f.Key
		if f.Optional {
			key += "?"
		}
		parts = append(parts, key+":"+shape(f.Value))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func TestTrees(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{`body: {a: 1, b: "1", c: no, d: true, e: True, f: null, g: ~, h: , i: 010, j: 1e3, k: 1.10, l: 0x1F, m: .5, n: !!str 1}`,
			`{a:1=1 b:<1> c:<no> d:true=true e:<True> f:null=null g:null=~ h:null= i:<010> j:1e3=1e3 k:1.10=1.10 l:<0x1F> m:<.5> n:<1>}`},
		{"body:\n      parent?: {a: \"{x}\"}\n      \"b?\": 1\n      \"\": 2\n      c ?: []", `{parent?:{a:<{x}>} b?:1=1 :2=2 c ?:[]}`},
		{`body: "{*}"`, `<{*}>`},
		{`body: [1, [a], {}]`, `[1=1 [<a>] {}]`},
		{`body: 7`, `7=7`},
		{`body: {}`, `{}`},
		{`query: {a: 1, b: null, c: [~, true], d: {e: 1.10}}`, `{a:<1> b:<null> c:[<~> <true>] d:{e:<1.10>}}`},
		{`query: "{*}"`, `<{*}>`},
	}
	for _, tt := range tests {
		c := catalog(t, "version: 1\n", "tools:\n  - name: a\n    "+tt.yaml+"\n")
		tree := c.Tools[0].Body
		if tree == nil {
			tree = c.Tools[0].Query
		}
		if got := shape(tree); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.yaml, got, tt.want)
		}
	}
}

func TestProjection(t *testing.T) {
	c := catalog(t, "version: 1\n", `
tools:
  - {name: a, response: {projection: items.#.id, output: [], each: "{a}"}}
  - {name: b, response: {projection: [a, $status]}}
  - {name: c, response: {projection: {z: a.b, a: [c, $args.k]}, list: z, max_items: 3}}
`[1:])
	a, b, last := c.Tools[0].Response, c.Tools[1].Response, c.Tools[2].Response
	if a.Projection.Paths[0].Expr != "items.#.id" || a.Output == nil || b.Output != nil {
		t.Errorf("a: %+v", a.Projection)
	}
	if p := b.Projection.Paths; len(p) != 2 || p[1].Root != RootStatus || p[1].Expr != "" {
		t.Errorf("b: %+v", p)
	}
	fields := last.Projection.Fields
	if len(fields) != 2 || fields[0].Key != "z" || fields[1].Value[1].Root != RootArgs || fields[1].Value[1].Expr != "k" {
		t.Errorf("c: %+v", fields)
	}
}

func TestHead(t *testing.T) {
	c := catalog(t, "version: 1\n", `
tags: [x, y]
headers: {X-A: head, X-B: head}
query: {v: "2"}
body: {a: {deep: 1}, "b?": {c: "{d}"}}
errors: [{status: 404, kind: Gone}]
retry: {statuses: [500]}
response: {text: "head {a}", max_items: 5}
annotations: {idempotent: true}
timeout: 3s
tools:
  - {name: one, retry: {attempts: 2}}
  - name: two
    tags: [z]
    headers: {X-B: own, X-C: own}
    query: {w: "3"}
    body: {a: {other: 2}, b: 3}
    errors: [{status: 409, kind: Busy}]
    response: {text: "own {a}"}
    retry: {attempts: 3}
    timeout: 1s
api: last
`[1:])
	one, two := c.Tools[0], c.Tools[1]
	checks := []struct{ got, want any }{
		{one.Tags, []string{"x", "y"}},
		{two.Tags, []string{"x", "y", "z"}},
		{[]string{one.API, two.API}, []string{"last", "last"}},
		{shape(two.Body), "{a:{other:2=2} b:3=3}"},
		{shape(one.Body), "{a:{deep:1=1} b?:{c:<{d}>}}"},
		{shape(two.Query), "{v:<2> w:<3>}"},
		{headers(two), "X-A: head, X-B: own, X-C: own"},
		{headers(one), "X-A: head, X-B: head"},
		{len(two.Errors), 1},
		{two.Errors[0].Kind, "Busy"},
		{one.Errors[0].Kind, "Gone"},
		{two.Response.Text.Text, "own {a}"},
		{two.Response.MaxItems, 5},
		{[]int{two.Retry.Attempts, two.Retry.Statuses[0], one.Retry.Attempts}, []int{3, 500, 2}},
		{[]time.Duration{one.Timeout, two.Timeout}, []time.Duration{3 * time.Second, time.Second}},
		{*two.Annotations.Idempotent, true},
		{one.Has("timeout") && one.Has("name") && !one.Has("path"), true},
		{one.At("timeout").Line, 9},
		{two.At("headers", "X-A").Line, 2},
		{two.At("headers", "X-B").Line, 14},
		{two.At("tags", 2).Line, 13},
		{two.KeyAt("response", "max_items").Line, 7},
		{two.At().Line, 12},
		{two.At().EndLine, 20},
	}
	for i, check := range checks {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("check %d (-want +got):\n%s", i, diff)
		}
	}
}

func headers(tool *Tool) string {
	keys := map[string]string{}
	for _, e := range tool.Headers {
		keys[e.Key] = e.Value.Text
	}
	var parts []string
	for _, key := range []string{"X-A", "X-B", "X-C"} {
		if v, ok := keys[key]; ok {
			parts = append(parts, key+": "+v)
		}
	}
	return strings.Join(parts, ", ")
}

func TestMergesAndAliases(t *testing.T) {
	c := catalog(t, "version: 1\n", `
tools:
  - &one
    name: one
    path: /1
    headers: &shared {X-A: a, X-B: b}
    arguments: &args
      - {name: x, type: string}
  - {name: two, headers: {<<: *shared, X-B: own}, arguments: *args}
  - {headers: {X-B: own, <<: *shared}, <<: *one, name: three}
  - {name: four, headers: {<<: [{X-A: first}, *shared]}}
`[1:])
	want := []string{"X-A: a, X-B: b", "X-A: a, X-B: own", "X-A: a, X-B: own", "X-A: first, X-B: b"}
	for i, tool := range c.Tools {
		if got := headers(tool); got != want[i] {
			t.Errorf("%s has the headers %s, want %s", tool.Name, got, want[i])
		}
	}
	if three := c.Tools[2]; three.Path.Text != "/1" || three.Name != "three" || three.At("path").Line != 4 || three.At().Line != 9 {
		t.Errorf("three: %q at %v", three.Path.Text, three.At("path"))
	}
	if at := c.Tools[1].Arguments[0].At("name"); at.Line != 7 {
		t.Errorf("an aliased argument stands at %v", at)
	}
}
