package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
)

// tool reads one tool, given as the lines below its name, which must be without errors.
func tool(t testing.TB, lines string) *config.Tool {
	t.Helper()
	text := "api: a\ntools:\n  - name: t\n    description: T.\n" + indent(lines)
	c, ds := load(t, write(t, map[string]string{"tools.d/t.yaml": text}))
	for _, d := range ds {
		if d.Severity == config.Error {
			t.Fatalf("%s\nin\n%s", render(ds, ""), text)
		}
	}
	return c.Tools[0]
}

func indent(lines string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ") + "\n"
}

const stops = `
method: POST
path: /routes/{id}
arguments:
  - {name: id, type: string, description: Id}
  - {name: region, type: string, required: true, default: eu, enum: [eu, us], description: Region}
  - {name: count, type: integer, minimum: 1, maximum: 9007199254740993, multipleOf: 3, examples: [3, 6]}
  - {name: due, type: string, nullable: true, format: date, description: Due, default: null}
  - {name: by, type: string, default: "{vars.owner}"}
  - name: stops
    type: array
    minItems: 1
    uniqueItems: true
    items:
      type: object
      properties:
        - {name: place, type: string, required: true, minLength: 2, description: Place}
        - {name: weight, type: number, exclusiveMinimum: 0}
        - {name: kind, type: string, default: stop}
  - {name: free, type: object}
  - {name: none, type: object, properties: []}
  - {name: doc, type: file}
  - {name: text, type: file, source: text}
  - {name: at, type: file, source: path, description: Where}
`

func TestSchemaText(t *testing.T) {
	want := `{"type":"object","properties":{
"id":{"type":"string","description":"Id"},
"region":{"type":"string","description":"Region","enum":["eu","us"],"default":"eu"},
"count":{"type":"integer","minimum":1,"maximum":9007199254740993,"multipleOf":3,"examples":[3,6]},
"due":{"description":"Due","anyOf":[{"type":"string","format":"date"},{"type":"null"}],"default":null},
"by":{"type":"string"},
"stops":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"object","properties":{
"place":{"type":"string","description":"Place","minLength":2},
"weight":{"type":"number","exclusiveMinimum":0},
"kind":{"type":"string","default":"stop"}},"required":["place"],"additionalProperties":false}},
"free":{"type":"object","properties":{}},
"none":{"type":"object","properties":{},"additionalProperties":false},
"doc":{"type":"string","description":"Content of the file, in base64","contentEncoding":"base64"},
"text":{"type":"string","description":"Content of the file, as text"},
"at":{"type":"string","description":"Where"}},"required":["id"],"additionalProperties":false}`
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n", ""), string(For(tool(t, stops)).JSON())); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestSchemaOfFewArguments(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"method: POST\npath: /x", `{"type":"object","properties":{}}`},
		{"method: POST\npath: /x\narguments: []", `{"type":"object","properties":{},"additionalProperties":false}`},
		{"method: GET\npath: /x/{a}\narguments: [{name: a, type: string, default: all}]",
			`{"type":"object","properties":{"a":{"type":"string","default":"all"}},"additionalProperties":false}`},
		{"method: GET\npath: /x/{o.id}\narguments: [{name: o, type: object, properties: [{name: id, type: integer}]}]",
			`{"type":"object","properties":{"o":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}},"required":["o"],"additionalProperties":false}`},
		{"method: GET\npath: /x/{o.id}\narguments: [{name: o, type: object, nullable: true}]",
			`{"type":"object","properties":{"o":{"type":"object","properties":{},"required":["id"]}},"required":["o"],"additionalProperties":false}`},
		{"method: POST\npath: /x\narguments: [{name: p, type: file, source: path}]",
			`{"type":"object","properties":{"p":{"type":"string","description":"Absolute path of the file, below one of the folders that the operator allowed"}},"additionalProperties":false}`},
	} {
		if got := string(For(tool(t, c.lines)).JSON()); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.lines, got, c.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	s := For(tool(t, stops))
	for _, c := range []struct{ args, want string }{
		{`{}`, `id: required, but not given`},
		{`[1]`, `want an object of arguments, got array`},
		{`"x"`, `want an object of arguments, got string`},
		{`{"id":7}`, `id: want string, got number 7`},
		{`{"id":null}`, `id: want string, got null`},
		{`{"id":"a","count":"12abc"}`, `count: want integer, got string "12abc"`},
		{`{"id":"a","count":1.5}`, `count: want integer, got number 1.5`},
		{`{"id":"a","count":0}`, `count: want at least 1, got 0`},
		{`{"id":"a","count":9007199254740996}`, `count: want at most 9007199254740993, got 9007199254740996`},
		{`{"id":"a","count":4}`, `count: want a multiple of 3, got 4`},
		{`{"id":"a","region":"asia"}`, `region: want one of "eu", "us", got "asia"`},
		{`{"id":"a","due":"2027-02-29"}`, `due: want a date like 2031-05-28, got "2027-02-29"`},
		{`{"id":"a","due":7}`, `due: want string or null, got number 7`},
		{`{"id":"a","stops":[]}`, `stops: want at least 1 element, got array of 0 elements`},
		{`{"id":"a","stops":[{"place":"xx"},{"place":"xx"}]}`, `stops: want no element twice, got array of 2 elements`},
		{`{"id":"a","stops":[{"place":"xx"},{"place":"é","weight":0,"knd":1}]}`,
			`stops[1].knd: unknown argument; the known ones are place, weight, kind; ` +
				`stops[1].place: want at least 2 characters, got "é" (1 character); stops[1].weight: want more than 0, got 0`},
		{`{"id":"a","stops":[true]}`, `stops[0]: want object, got boolean true`},
		{`{"id":"a","none":{"x":1}}`, `none.x: unknown argument; there are none`},
		{`{"zz":1,"Region":"eu"}`, `id: required, but not given; ` +
			`zz: unknown argument; the known ones are id, region, count, due, by, stops, free, none, doc, text, at; ` +
			`Region: unknown argument; the known ones are id, region, count, due, by, stops, free, none, doc, text, at`},
		{`{"id":"a","id":"b"}`, `id: "id" is given twice`},
		{`{"id":"a","free":{"k":1,"k":2}}`, `free.k: "k" is given twice`},
		{`{"id":"a","free":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
			`free` + strings.Repeat("[0]", 31) + `: nested deeper than 32 levels`},
		{"{\"id\":\"\xff\"}", `not valid UTF-8`},
		{`{"id"`, `id: unexpected end, want a colon`},
		{`{"id":"a","count":"` + strings.Repeat("ж\\n", 30) + `"}`, `count: want integer, got string "` + strings.Repeat(`ж\n`, 20) + `…"`},
		{`{"id":"a","due":"a\u001b\u202eb"}`, `due: want a date like 2031-05-28, got "a\x1b\u202eb"`},
	} {
		_, err := s.Check(json.RawMessage(c.args), false)
		var invalid *Invalid
		if !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an *Invalid", c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

// A pattern is matched in time linear in the length of the text.
func TestPatternsThatWouldTakeForever(t *testing.T) {
	s := For(tool(t, "method: GET\npath: /x\narguments: [{name: a, type: string, pattern: ^(a+)+$}]"))
	long := strings.Repeat("a", 100_000)
	if _, err := s.Check(json.RawMessage(`{"a":"`+long+`"}`), false); err != nil {
		t.Errorf("%.100v", err)
	}
	if _, err := s.Check(json.RawMessage(`{"a":"`+long+`!"}`), false); err == nil || !strings.Contains(err.Error(), "a: want text that matches") {
		t.Errorf("%.100v", err)
	}
}

func TestCheckHints(t *testing.T) {
	s := For(tool(t, stops))
	_, err := s.Check(json.RawMessage(`{"id":"a","Regoin":"eu","stops":[{"place":"xx","wieght":1}]}`), false)
	var hints []string
	for _, p := range err.(*Invalid).Problems {
		hints = append(hints, p.Path+" → "+p.Hint)
	}
	want := []string{`Regoin → did you mean "region" instead of "Regoin"?`, `stops[0].wieght → did you mean "weight" instead of "wieght"?`}
	if diff := cmp.Diff(want, hints); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
}

func TestCheckAccepts(t *testing.T) {
	s := For(tool(t, stops))
	for _, c := range []struct{ args, want string }{
		{`{"id":"a"}`, `{"id":"a"}`},
		{` {"id":"a","count":3e1} `, `{"id":"a","count":30}`},
		{`{"id":"a","count":30.000}`, `{"id":"a","count":30}`},
		{`{"id":"a","due":null,"free":{"n":1.50,"e":1e2}}`, `{"id":"a","due":null,"free":{"n":1.50,"e":1e2}}`},
		{`{"id":"","stops":[{"place":"äö","weight":0.10}]}`, `{"id":"","stops":[{"place":"äö","weight":0.10}]}`},
		{`{"id":"a","count":9007199254740993}`, `{"id":"a","count":9007199254740993}`},
	} {
		got, err := s.Check(json.RawMessage(c.args), false)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.args, got, err, c.want)
		}
	}
	none := For(tool(t, "method: GET\npath: /x\narguments: []"))
	for _, args := range []string{"", "null", " null ", "{}"} {
		if got, err := none.Check(json.RawMessage(args), false); err != nil || got.String() != "{}" {
			t.Errorf("%q: got %s, %v; want {}", args, got, err)
		}
	}
}

func TestOneOf(t *testing.T) {
	s := For(tool(t, "method: POST\npath: /x\none_of: [chat_id, task_id]\narguments:\n"+
		"  - {name: chat_id, type: integer, nullable: true}\n  - {name: task_id, type: string}\n"))
	for _, c := range []struct{ args, want string }{
		{`{}`, `want exactly one of chat_id, task_id, got none`},
		{`{"chat_id":null}`, ``},
		{`{"chat_id":1,"task_id":"t"}`, `want exactly one of chat_id, task_id, got chat_id and task_id`},
		{`{"chat_id":"x","task_id":"t"}`, `chat_id: want integer or null, got string "x"; want exactly one of chat_id, task_id, got chat_id and task_id`},
		{`{"chat_id":0}`, ``},
		{`{"chat_id":null,"task_id":""}`, `want exactly one of chat_id, task_id, got chat_id and task_id`},
	} {
		_, err := s.Check(json.RawMessage(c.args), false)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
}

func TestCoerce(t *testing.T) {
	s := For(tool(t, `
method: POST
path: /x
arguments:
  - {name: n, type: integer}
  - {name: x, type: number, nullable: true}
  - {name: on, type: boolean}
  - {name: list, type: array, items: {type: integer}}
  - {name: obj, type: object, properties: [{name: n, type: integer}]}
  - {name: free, type: object}
  - {name: s, type: string}
  - {name: rows, type: array, items: {type: array, items: {type: object, properties: [{name: on, type: boolean}, {name: s, type: string}]}}}
`))
	for _, c := range []struct{ args, want string }{
		{`{"n":"9007199254740993","x":"1.50","on":"true","list":"[1,2.0]","s":"12"}`, `{"n":9007199254740993,"x":1.50,"on":true,"list":[1,2],"s":"12"}`},
		{`{"n":"3e1","on":"false","list":["1",2],"obj":{"n":"7"}}`, `{"n":30,"on":false,"list":[1,2],"obj":{"n":7}}`},
		{`{"obj":"{\"n\":1}","free":"{\"a\":\"1\"}"}`, `{"obj":{"n":1},"free":{"a":"1"}}`},
		{`{"n":"1.5"}`, `n: want integer, got string "1.5"`},
		{`{"n":""}`, `n: want integer, got string ""`},
		{`{"n":" 1"}`, `n: want integer, got string " 1"`},
		{`{"on":"yes"}`, `on: want boolean, got string "yes"`},
		{`{"on":1}`, `on: want boolean, got number 1`},
		{`{"s":1}`, `s: want string, got number 1`},
		{`{"list":"[\"1\",\"2\", 3.0]"}`, `{"list":[1,2,3]}`},
		{`{"rows":"[\"[{\\\"on\\\":\\\"true\\\",\\\"s\\\":\\\"[1]\\\"}]\",[\"{}\"]]"}`, `{"rows":[[{"on":true,"s":"[1]"}],[{}]]}`},
		{`{"list":"[\"1\",\"x\"]"}`, `list[1]: want integer, got string "x"`},
		{`{"list":"[\"\\\"1\\\"\"]"}`, `list[0]: want integer, got string "\"1\""`}, // once for each level
		{`{"list":"\"[1]\""}`, `list: want array, got string "\"[1]\""`},
		{`{"rows":"[\"[{\\\"on\\\":1,\\\"on\\\":2}]\"]"}`, `rows[0]: want array, got string "[{\"on\":1,\"on\":2}]"`},
		{`{"list":"{}"}`, `list: want array, got string "{}"`},
		{`{"obj":"{\"n\":1,\"n\":2}"}`, `obj: want object, got string "{\"n\":1,\"n\":2}"`},
		{`{"free":"{\"a\":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}"}`, `free: want object, got string "{\"a\":` + strings.Repeat("[", 31) + `]]]]…"`},
		{`{"zz":"1"}`, `zz: unknown argument; the known ones are n, x, on, list, obj, free, s, rows`},
	} {
		got, err := s.Check(json.RawMessage(c.args), true)
		text := got.String()
		if err != nil {
			text = err.Error()
		}
		if diff := cmp.Diff(c.want, text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestFill(t *testing.T) {
	s := For(tool(t, stops))
	s.Resolve(func(name string) (string, error) { return "value of {" + name + "}", nil })
	for _, c := range []struct{ args, want string }{
		{`{"id":"a"}`, `{"id":"a","region":"eu","due":null,"by":"value of {owner}"}`},
		{`{"due":"2031-01-01","by":"me","region":"us"}`, `{"due":"2031-01-01","by":"me","region":"us"}`},
		{`{"region":null,"due":null,"by":null,"stops":[{"place":"x"},{"kind":"end"}]}`,
			`{"region":null,"due":null,"by":null,"stops":[{"place":"x","kind":"stop"},{"kind":"end"}]}`},
	} {
		args, err := config.ParseJSON(c.args, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Fill(&args); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		if got := args.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

// A default from a variable is read as the type of its argument, and held against its rules.
func TestFillFromVariables(t *testing.T) {
	const text = `tools:
- name: t
  method: POST
  arguments:
  - {name: s, type: string, default: '{vars.s}', description: S}
  - {name: i, type: integer, nullable: true, maximum: 9007199254740993, default: '{vars.i}', description: I}
  - {name: o, type: object, description: O, properties: [{name: n, type: number, default: '{vars.n}'}, {name: b, type: boolean, default: '{vars.b}'}]}
  - {name: l, type: array, description: L, items: {type: object, properties: [{name: e, type: string, enum: [x, y], default: '{vars.e}'}]}}
`
	c, ds := config.ParseTools("t.yaml", text)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	absent := errors.New("absent")
	good := map[string]string{"s": "12", "i": "9007199254740993", "n": "-1.50e3", "b": "false", "e": "y"}
	for _, tt := range []struct{ vary, text, args, want string }{
		{"", "", `{"o":{},"l":[{}]}`, `{"o":{"n":-1.50e3,"b":false},"l":[{"e":"y"}],"s":"12","i":9007199254740993}`},
		{"", "", `{"i":null,"s":"a"}`, `{"i":null,"s":"a"}`},
		{"i", "3.0", `{"s":"a"}`, `{"s":"a","i":3}`},
		{"s", "", `{"i":1}`, "absent"},
		{"i", "abc", `{}`, `variable i, the default of i: want integer, got string "abc"`},
		{"i", "1.5", `{}`, `variable i, the default of i: want integer, got string "1.5"`},
		{"i", "9007199254740994", `{}`, "variable i, the default of i: want at most 9007199254740993, got 9007199254740994"},
		{"i", "null", `{}`, `variable i, the default of i: want integer, got string "null"`},
		{"n", "0x1", `{"o":{}}`, `variable n, the default of n: want number, got string "0x1"`},
		{"b", "True", `{"o":{}}`, `variable b, the default of b: want boolean, got string "True"`},
		{"b", "True", `{}`, `{"s":"12","i":9007199254740993}`},
		{"e", "z", `{"l":[{"e":"x"},{}]}`, `variable e, the default of e: want one of "x", "y", got "z"`},
	} {
		s := For(c.Tools[0])
		s.Resolve(func(name string) (string, error) {
			if name != tt.vary {
				return good[name], nil
			}
			if tt.text == "" {
				return "", absent
			}
			return tt.text, nil
		})
		args, err := config.ParseJSON(tt.args, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.Fill(&args); err != nil {
			got = err.Error()
		} else {
			got = args.String()
		}
		if got != tt.want {
			t.Errorf("%s=%s %s: got %s, want %s", tt.vary, tt.text, tt.args, got, tt.want)
		}
	}
}

func TestOutput(t *testing.T) {
	s := Output(tool(t, `
method: GET
path: /x
arguments: []
response:
  output:
    - {name: id, type: integer, required: true, description: Id}
    - {name: owner, type: object, properties: [{name: name, type: string, required: true}]}
`))
	want := `{"type":"object","properties":{"id":{"type":"integer","description":"Id"},` +
		`"owner":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},"required":["id"]}`
	if got := string(s.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct{ value, want string }{
		{`{"id":9007199254740993,"new":2,"owner":{"name":"n","age":3}}`, ``},
		{`{"id":"nine","owner":{}}`, `id: want integer, got string "nine"; owner.name: required, but not given`},
		{`[]`, `want object, got array of 0 elements`},
		{`{"id":1,"id":2}`, `id: "id" is given twice`},
	} {
		got := ""
		if err := s.Fits(json.RawMessage(c.value)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.value, got, c.want)
		}
	}
	for _, lines := range []string{"response: {text: x}", "response: {check: off, output: []}", ""} {
		if Output(tool(t, "method: GET\npath: /x\narguments: []\n"+lines)) != nil {
			t.Errorf("%q has an output schema", lines)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name      string
		good, bad []string
	}{
		{"date", []string{"2028-02-29"}, []string{"2027-02-29", "2031-5-28", "tomorrow", ""}},
		{"date-time", []string{"2031-05-28T14:30:00Z", "2031-05-28t14:30:00.5+02:00"}, []string{"2031-05-28", "2031-05-28T+4:30:00Z", "2031-05-28 14:30:00Z"}},
		{"time", []string{"14:30:00Z", "14:30:00-01:00"}, []string{"14:30", "+4:30:00Z", "25:00:00Z"}},
		{"duration", []string{"P3DT4H", "PT1M"}, []string{"3d", "P"}},
		{"email", []string{"a@b.test"}, []string{"nobody", "A <a@b.test>", "a@-b.test"}},
		{"hostname", []string{"www.example.com", "a-b.c"}, []string{"-a.b", "a.-b", "a_b", ""}},
		{"ipv4", []string{"192.0.2.7"}, []string{"+1.2.3.4", "1.2.3", "01.2.3.4", "::1"}},
		{"ipv6", []string{"2001:db8::7", "::"}, []string{"1.2.3.4", "fe80::1%eth0", "x::"}},
		{"uri", []string{"https://example.com/a?b=c#d", "urn:x:y", "mailto:a@b"}, []string{"/a", "https://a b", "https://a/b c", "https://a/{b}", "x"}},
		{"uri-reference", []string{"/a?b=c", "#x", ""}, []string{`\a`, "a b"}},
		{"iri", []string{"https://example.com/ä"}, []string{"/ä"}},
		{"iri-reference", []string{"/ä"}, []string{"/ ä"}},
		{"uri-template", []string{"/a/{b}"}, []string{"/a/{b"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000"}, []string{"123e4567e89b12d3a456426614174000", ""}},
		{"json-pointer", []string{"", "/a/0", "/a~1b"}, []string{"a", "/~2"}},
		{"relative-json-pointer", []string{"1/a", "0#"}, []string{"/a", "-1"}},
		{"regex", []string{"^a+$"}, []string{"("}},
	} {
		s := For(&config.Tool{Arguments: []*config.Argument{{Name: "v", Type: "string", Format: c.name}}})
		check := func(value string) error {
			_, err := s.Check(json.RawMessage(`{"v":`+config.StringJSON(value).String()+`}`), false)
			return err
		}
		for _, value := range c.good {
			if err := check(value); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		for _, value := range c.bad {
			want := fmt.Sprintf("v: want %s, got %s", formatNamed(c.name).want, quote(config.StringJSON(value)))
			if err := check(value); err == nil || err.Error() != want {
				t.Errorf("%s of %q: got %v, want %s", c.name, value, err, want)
			}
		}
	}
}

func TestManyProblems(t *testing.T) {
	s := For(tool(t, "method: POST\npath: /x\narguments: [{name: list, type: array, items: {type: integer}}]"))
	_, err := s.Check(json.RawMessage(`{"list":["`+strings.Repeat(`x","`, 149)+`x"]}`), false)
	problems := err.(*Invalid).Problems
	if len(problems) != maxProblems+1 || problems[99].Path != "list[99]" || problems[100].Message != "and 50 more problems" {
		t.Errorf("got %d problems, the last %+v", len(problems), problems[len(problems)-1])
	}
}

func TestLongLists(t *testing.T) {
	values := make([]config.JSON, 30)
	for i := range values {
		values[i] = config.StringJSON(fmt.Sprintf("v%d", i))
	}
	s := For(&config.Tool{Arguments: []*config.Argument{{Name: "v", Type: "string", Enum: values}}})
	_, err := s.Check(json.RawMessage(`{"v":"x"}`), false)
	if !strings.HasSuffix(err.Error(), `"v19" and 10 more, got "x"`) {
		t.Errorf("got %v", err)
	}
}

// What the library needs names for must not be confused by arguments of those names.
func TestOddNames(t *testing.T) {
	s := For(tool(t, `
method: POST
path: /x
arguments:
  - {name: anyOf, type: object, properties: [{name: a, type: string}, {name: type, type: string}]}
  - {name: required, type: string, nullable: true, minLength: 3, pattern: "^a"}
  - {name: free, type: object}
`))
	_, err := s.Check(json.RawMessage(`{"anyOf":{"a":1,"type":2},"required":"b","a/b~c%20.d":1}`), false)
	want := `a/b~c%20.d: unknown argument; the known ones are anyOf, required, free; anyOf.a: want string, got number 1; ` +
		`anyOf.type: want string, got number 2; required: want at least 3 characters and text that matches ^a, got "b" (1 character)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A schema that no catalogue that passes can have is still no reason to end the process.
func TestFaultySchema(t *testing.T) {
	s := For(&config.Tool{Arguments: []*config.Argument{{Name: "v", Type: "string", Pattern: "("}}})
	_, err := s.Check(json.RawMessage(`{}`), false)
	if err == nil || !strings.HasPrefix(err.Error(), "the schema of this tool is faulty: ") {
		t.Errorf("got %v", err)
	}
}

// A Schema must not keep what it was derived from.
func TestSchemaIsIndependent(t *testing.T) {
	def := tool(t, stops)
	s := For(def)
	before := bytes.Clone(s.JSON())
	for _, a := range def.Arguments {
		a.Name, a.Type, a.Required = "gone", "boolean", true
	}
	if _, err := s.Check(json.RawMessage(`{"id":"a"}`), false); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(before, s.JSON()) {
		t.Error("the text changed with the tool")
	}
}
