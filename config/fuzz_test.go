package config

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// parseTools reads a tools file from memory.
func parseTools(name, text string) ([]*Tool, Diagnostics) {
	var ds Diagnostics
	f := newSourceFile(name, text)
	root := parse(f, &ds)
	if root == nil {
		return nil, ds
	}
	d := decoder{file: f, ds: &ds, tools: true}
	return d.toolsFile(root), ds
}

// Whatever a file holds: reading it costs little and does not panic, and what it says lies inside the file.
func FuzzLoad(f *testing.F) {
	archives, _ := filepath.Glob("testdata/rules/*.txtar")
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
	f.Add("\uFEFFtools:\r\n- name: a\r\n  path: |+2\r\n    {a}\r\n\r\n")
	f.Add("tools: [{name: &a ü, title: *a, path: '''{x}''', query: \"\\u1234{x}\"}]")
	f.Add("a: &a {b: 1}\nc: {<<: [*a, *a], b: 2}\n? x\n: y")
	f.Add("tools:\n- name: a\n  body: >-\n    a\n    {b}\n\n    c\n")
	f.Fuzz(func(t *testing.T, text string) {
		var tools []*Tool
		var ds Diagnostics
		var c *Catalog
		cost := allocated(func() {
			tools, ds = parseTools("a.yaml", text)
			c = parseCatalog(newSourceFile("a.yaml", text), &ds)
		})
		if cost > 2*mostAllocated {
			t.Errorf("%d bytes were allocated", cost)
		}
		lines := newSourceFile("", text)
		for _, d := range ds {
			inside(t, lines, d.Pos)
			for _, r := range d.Related {
				inside(t, lines, r.Pos)
			}
		}
		for _, tool := range tools {
			inside(t, lines, tool.At())
			inside(t, lines, tool.At("arguments", 0, "type"))
			inside(t, lines, tool.KeyAt("path"))
			if tool.Path != nil {
				for _, p := range tool.Path.Parts {
					inside(t, lines, p.Pos)
				}
			}
		}
		if c.node != nil {
			inside(t, lines, c.At("apis"))
		}
	})
}

// inside checks that a place lies in a file, and does not end before it begins.
func inside(t *testing.T, f *sourceFile, p Pos) {
	t.Helper()
	if p.Line == 0 {
		return // the whole file
	}
	for _, at := range [][2]int{{p.Line, p.Column}, {p.EndLine, p.EndColumn}} {
		if at[0] < 1 || at[0] > len(f.lines) || at[1] < 1 {
			t.Errorf("%+v lies outside a file of %d lines", p, len(f.lines))
			return
		}
		if most := utf8.RuneCountInString(f.line(at[0])) + 1; at[1] > most {
			t.Errorf("%+v lies outside line %d, which has %d columns", p, at[0], most)
		}
	}
	if p.EndLine < p.Line || p.EndLine == p.Line && p.EndColumn < p.Column {
		t.Errorf("%+v ends before it begins", p)
	}
}

// What ParseJSON accepts, encoding/json accepts too, and it comes back the same; what only ParseJSON refuses
// is what its comment says.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+3,"\u00e4\ud83d\ude00\n",null,true,false],"b":{}}`, `{"a":1,"a":2}`, "\"\xff\"",
		`"\ud800"`, `010`, `1e99999`, `[1,]`, `{"a":1,}`, ` [ ] `, `"\x"`, "\"\t\"", `-`, `nul`, `[[[[`, `{"\u0061":1,"a":2}`, `""x`, `1.`, `+1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseJSON(text, MaxDepth)
		if err != nil {
			if json.Valid([]byte(text)) && !stricter(err.Error()) {
				t.Fatalf("%q is refused: %v", text, err)
			}
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is accepted", text)
		}
		again, err := ParseJSON(v.Append(nil), MaxDepth)
		if err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("%q became %q, read again as %v (%v)", text, v.String(), again, err)
		}
	})
}

// stricter says whether a message is one of those that RFC 8259 does not ask for.
func stricter(message string) bool {
	for _, part := range []string{"given twice", "UTF-8", "surrogate", "digits", "nested deeper"} {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// Literal text and holes are the text again, but for doubled braces.
func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"", "{a}", "x {a.b} {{c}} {vars.x}{call.id}{*}{+p} {", "{ a }", "{a", "{{{a}}}", "{a.#(b==\"}\").c}", "{#}", "{{a}", "{a}}", "{$body.x}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, scan := range []scanner{scanName, scanPath} {
			tpl, starts, faults := parseTemplate(text, scan)
			var joined strings.Builder
			holes := 0
			for i, p := range tpl.Parts {
				joined.WriteString(p.Text)
				if p.Hole == nil {
					if p.Text == "" || !p.Doubled && i > 0 && tpl.Parts[i-1].Hole == nil && !tpl.Parts[i-1].Doubled {
						t.Fatalf("%q: part %d is no literal of its own", text, i)
					}
					continue
				}
				if at := starts[holes]; !strings.HasPrefix(text[at:], p.Text) {
					t.Fatalf("%q: hole %q does not stand at byte %d", text, p.Text, at)
				}
				holes++
			}
			if joined.String() != text && !strings.Contains(text, "{{") {
				t.Fatalf("%q was read as %q", text, joined.String())
			}
			for _, fault := range faults {
				if fault.start < 0 || fault.end > len(text) || fault.start >= fault.end {
					t.Fatalf("%q: fault at [%d, %d)", text, fault.start, fault.end)
				}
			}
		}
	})
}

// No text of a Value makes reading panic, and what is read names only variables that stand there.
func FuzzParseValue(f *testing.F) {
	for _, seed := range []string{"", "$", "$$", "${A}", "a ${A:-b} $$ ${B}", "${", "${A", "${}", "${A:-${B}}", "$${A}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, fault := parseValue(text)
		if fault != nil && (fault.start >= fault.end || fault.end > len(text)) {
			t.Fatalf("%q: fault at [%d, %d)", text, fault.start, fault.end)
		}
		for _, p := range parts {
			if p.name != "" && !strings.Contains(text, "${"+p.name) {
				t.Fatalf("%q: no variable %q", text, p.name)
			}
		}
		if v := (&Value{choices: []choice{{written: text, parts: parts}}}); fault == nil && v.String() != text {
			t.Fatalf("%q prints as %q", text, v)
		}
	})
}

// A large catalogue: files of 100 tools each with what tools mostly have.
func generate(tb testing.TB, tools, files int) string {
	tb.Helper()
	const tool = `  - name: tool_%d
    title: Tool
    description: Do the thing number so and so, as the API says.
    method: POST
    path: /things/{id}/parts
    arguments:
      - {name: id, type: string, required: true, description: Id of the thing}
      - {name: limit, type: integer, default: 20, minimum: 1, maximum: 100, description: How many}
      - {name: state, type: string, enum: [open, closed], description: State}
    body: {limit: "{limit}", state: "is {state}", kind: part}
    response: {projection: {id: id, name: owner.name}, text: "✅ {id} of {name}"}
`
	all := map[string]string{"tbridge.yaml": "version: 1\napis: {a: {base_url: \"http://a.example\"}}\n"}
	for i := range files {
		var b strings.Builder
		b.WriteString("api: a\ntags: [x]\ntools:\n")
		for j := range tools / files {
			b.WriteString(strings.Replace(tool, "%d", string(rune('a'+i%26))+strings.Repeat("x", j%7), 1))
		}
		all["tools.d/"+strings.Repeat("d/", i%3)+strings.Repeat("f", i/3+1)+".yaml"] = b.String()
	}
	return write(tb, all)
}

func benchmarkLoad(b *testing.B, tools int) {
	path := generate(b, tools, 100)
	b.ReportAllocs()
	for b.Loop() {
		c, ds, err := Load(path)
		if err != nil || len(c.Tools) != tools || len(ds) > 0 {
			b.Fatal(len(c.Tools), ds, err)
		}
	}
}

func BenchmarkLoad1000(b *testing.B)  { benchmarkLoad(b, 1000) }
func BenchmarkLoad10000(b *testing.B) { benchmarkLoad(b, 10000) }
