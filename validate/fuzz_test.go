package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"tbridge/config"
)

// oracle is the advertised text, compiled by nobody but the library.
func oracle(t testing.TB, s *Schema) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	for _, f := range formats {
		if f.check != nil {
			c.Formats[f.name] = f.check
		}
	}
	if err := c.AddResource("mem:///s.json", bytes.NewReader(s.JSON())); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///s.json")
	if err != nil {
		t.Fatalf("%v in %s", err, s.JSON())
	}
	return compiled
}

// What the advertised schema accepts Check accepts, and nothing else. What Check gives it accepts again
// unchanged, and what it refuses it names in short.
func FuzzCheck(f *testing.F) {
	tools := []*config.Tool{
		tool(f, stops),
		tool(f, `
method: POST
path: /x
arguments:
  - {name: i, type: integer, nullable: true, minimum: -3, enum: [1, 2, 30]}
  - {name: n, type: number, multipleOf: 0.01, exclusiveMaximum: 10}
  - {name: l, type: array, uniqueItems: true, maxItems: 3, items: {type: array, items: {type: integer, nullable: true}}}
  - {name: o, type: object, nullable: true, properties: [{name: b, type: boolean, required: true}, {name: o, type: object}]}
  - {name: m, type: string, format: email, maxLength: 20, pattern: "^[a-z]"}
`),
		tool(f, "method: POST\npath: /x"),
		tool(f, "method: POST\npath: /x\narguments: []"),
	}
	var schemas []*Schema
	var oracles []*jsonschema.Schema
	for _, def := range tools {
		s := For(def)
		schemas, oracles = append(schemas, s), append(oracles, oracle(f, s))
	}
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"id":"a"}`, `{"id":"a","count":3e1,"due":null}`, `{"id":"a","count":30.0}`, `{"id":"a","count":-0}`,
		`{"id":"a","stops":[{"place":"xx","weight":0.1},{"place":"xx","weight":0.10}]}`, `{"id":"a","region":"EU"}`, `{"i":30.0,"n":9.99}`,
		`{"i":null,"o":null,"l":[[1,1.0,null],[1]]}`, `{"l":[[1],[1.0]]}`, `{"o":{"b":true,"o":{"z":[1]}}}`, `{"o":{}}`, `{"m":"a@b.c"}`,
		`{"m":"\u0000"}`, `{"n":1e999}`, `{"n":0.1e-1000}`, `{"a/b":1,"~":2,"%41":3}`, `{"i":"1","l":"[[1]]","o":"{\"b\":true}"}`,
		`{"id":"a","free":{"x":null},"none":{}}`, `{"due":"2031-05-28","id":"é"}`, `7`, `{"id":"a"} x`, ``,
	} {
		for i := range tools {
			f.Add(seed, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, raw string, which byte) {
		i := int(which) % len(schemas)
		s := schemas[i]
		if _, err := config.ParseJSON(raw, config.MaxDepth); err != nil && strings.Trim(raw, jsonSpace) != "" {
			if _, err := s.Check(json.RawMessage(raw), false); err == nil {
				t.Fatalf("accepted %q, which is no JSON as we want it", raw)
			}
			return
		}
		var v any = map[string]any{}
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil && strings.Trim(raw, jsonSpace) != "" {
			t.Fatalf("%q: encoding/json says %v", raw, err)
		}
		if v == nil {
			v = map[string]any{}
		}
		want := oracles[i].Validate(v)
		got, err := s.Check(json.RawMessage(raw), false)
		if (want == nil) != (err == nil) {
			t.Fatalf("%s\nagainst %s\nthe library says %v\nCheck says %v", raw, s.JSON(), want, err)
		}
		if err != nil {
			named(t, err)
		} else {
			steady(t, s, got)
		}
		if repaired, err := s.Check(json.RawMessage(raw), true); err == nil {
			steady(t, s, repaired)
		}
	})
}

// named says that a refusal consists of short problems on one line.
func named(t *testing.T, err error) {
	var invalid *Invalid
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		t.Fatalf("%v is no *Invalid with problems", err)
	}
	for _, p := range invalid.Problems {
		if p.Message == "" || utf8.RuneCountInString(p.Message) > 500 || strings.ContainsFunc(p.Message+p.Path+p.Hint, isControl) {
			t.Fatalf("bad problem %+v", p)
		}
	}
}

// steady says that what Check gave is accepted again, unchanged, and with defaults too.
func steady(t *testing.T, s *Schema, v config.JSON) {
	again, err := s.Check(json.RawMessage(v.String()), false)
	if err != nil || again.String() != v.String() {
		t.Fatalf("%s became %s, %v", v, again, err)
	}
	if err := s.Fill(&again); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(json.RawMessage(again.String()), false); err != nil {
		t.Fatalf("with defaults %s: %v", again, err)
	}
}

// A path that checkPath passes does not trip gjson's reader, and checking never fails itself.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b", `a\.b`, "#(a==1)#.b", `{"x":a,b.c}`, "[a,b].0", "@pretty:{}|a", `!"x"`, "a.#(b.#(c>1)).d", "..", `#("`, `@join:"`, "{a", `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if fault := checkPath(path); strings.ContainsFunc(fault, isControl) {
			t.Fatalf("%q: %q", path, fault)
		}
	})
}
