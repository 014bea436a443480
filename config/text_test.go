package config

import (
	"fmt"
	"strings"
	"testing"
)

// Each place of a template shows, in its file, the hole that it is the place of.
func TestTemplatePlaces(t *testing.T) {
	const text = "tools:\n" +
		"  - name: ä\n" +
		"    path: /ü/{a}/x{b}\n" +
		"    headers:\n" +
		"      A: '{a} \"ß\" {b}'\n" +
		"      B: \"✅ {a}\"\n" +
		"      C: &x !!str {a}\n" +
		"      D: |\n" +
		"        ü\n" +
		"\n" +
		"         {a} {b}\n" +
		"      E: &y\n" +
		"        |-\n" +
		"        {a}\n" +
		"      F: {a: b}\n"
	text2 := strings.Replace(text, "C: &x !!str {a}", "C: &x !!str \"{a}\"", 1)
	text2 = strings.Replace(text2, "      F: {a: b}\n", "", 1)
	tools, ds := parseTools("a.yaml", text2)
	if ds.Count(Error) > 0 {
		t.Fatal(render(ds, ""))
	}
	lines := strings.Split(text2, "\n")
	seen := 0
	check := func(tpl *Template) {
		for _, p := range tpl.Parts {
			if p.Hole == nil {
				continue
			}
			seen++
			line := []rune(lines[p.Pos.Line-1])
			if p.Pos.EndLine != p.Pos.Line || string(line[p.Pos.Column-1:p.Pos.EndColumn-1]) != p.Text {
				t.Errorf("%q of %q is placed at %+v", p.Text, tpl.Text, p.Pos)
			}
		}
	}
	check(tools[0].Path)
	for _, e := range tools[0].Headers {
		check(e.Value)
	}
	if seen != 9 {
		t.Errorf("%d holes, want 9", seen)
	}
}

// Where escapes or folded lines lie between, the place is the whole scalar.
func TestTemplatePlacesThatAreNotExact(t *testing.T) {
	tools, _ := parseTools("a.yaml", "tools:\n- name: a\n  path: \"\\u00e9{a}\"\n  error_text: 'it''s {a}'\n  content_type: >-\n    x\n    {a}\n\n  filename: x\n")
	tool := tools[0]
	for _, tt := range []struct {
		tpl                 *Template
		line, column, endLn int
	}{{tool.Path, 3, 9, 3}, {tool.ErrorText, 4, 15, 4}, {tool.ContentType, 5, 17, 7}} {
		p := tt.tpl.Parts[1].Pos
		if p != tt.tpl.Pos || p.Line != tt.line || p.Column != tt.column || p.EndLine != tt.endLn {
			t.Errorf("%q: %+v", tt.tpl.Text, p)
		}
	}
}

func TestSourcePlaces(t *testing.T) {
	tools, ds := parseTools("a.yaml", "tools:\r\n- name: a # n\r\n  arguments:\r\n  - {name: ü, type: string} # c\r\n  - name: b\r\n    description: a long\r\n      text\r\n  one_of: [a, # c\r\n    b ,]\r\n")
	if len(ds) > 0 {
		t.Fatal(render(ds, ""))
	}
	tool := tools[0]
	tests := []struct {
		got  Pos
		want string
	}{
		{tool.At(), "2:3-9:9"},
		{tool.At("name"), "2:9-2:10"},
		{tool.KeyAt("name"), "2:3-2:7"},
		{tool.At("arguments", 0), "4:5-4:28"},
		{tool.At("arguments", 0, "type"), "4:21-4:27"},
		{tool.KeyAt("arguments", 0, "type"), "4:15-4:19"},
		{tool.At("arguments", 0, "none"), "4:5-4:28"},
		{tool.KeyAt("arguments", 0, "none"), "4:5-4:28"},
		{tool.KeyAt("arguments", 0), "4:5-4:28"},
		{tool.At("arguments", 1, "description"), "6:18-7:11"},
		{tool.At("arguments", 7), "4:3-7:11"},
		{tool.KeyAt("none", 7), "2:3-9:9"},
		{tool.At("one_of"), "8:11-9:9"},
		{tool.Arguments[1].KeyAt("description"), "6:5-6:16"},
		{tool.At("name", "x", 1), "2:9-2:10"},
		{Source{}.At("x"), "0:0-0:0"},
		{Source{}.KeyAt("x"), "0:0-0:0"},
	}
	for i, tt := range tests {
		if got := place(tt.got); got != tt.want {
			t.Errorf("%d: got %s, want %s", i, got, tt.want)
		}
	}
	if (Source{}).Has("x") || !tool.Has("one_of") || tool.Has("a") {
		t.Error("Has")
	}
	for pos, want := range map[Pos]string{{File: "a"}: "a", {File: "a", Line: 2}: "a:2", {File: "a", Line: 2, Column: 3}: "a:2:3"} {
		if pos.String() != want {
			t.Errorf("got %s, want %s", pos, want)
		}
	}
}

func place(p Pos) string {
	return fmt.Sprintf("%d:%d-%d:%d", p.Line, p.Column, p.EndLine, p.EndColumn)
}

// A long line of non-ASCII text has its places found by index, not by counting from its start.
func TestPlacesInLongLines(t *testing.T) {
	tools, ds := parseTools("a.yaml", "tools: [{name: "+strings.Repeat("é", 1000)+", path: '/ß/{x}', bad: 1}]")
	if len(ds) != 1 || ds[0].Column != 1034 {
		t.Fatal(render(ds, ""))
	}
	if p := tools[0].Path.Parts[1].Pos; p.Column != 1028 || p.EndColumn != p.Column+3 {
		t.Errorf("hole at %+v", p)
	}
}

func TestTemplates(t *testing.T) {
	tests := []struct {
		text    string
		request string // parts, | between; holes as name/from
		result  string
	}{
		{"", "", ""},
		{"{a}", "a/0", "(a)"},
		{"x{a.b}y", "x|a.b/0|y", "x|(a.b)|y"},
		{"{+p}", "+p/0", "(+p)"},
		{"{*}", "*/3", "(*)"},
		{"{vars.x}{call.id}", "x/1|id/2", "(vars.x)|(call.id)"},
		{"{vars.x.y}", "vars.x.y/0", "(vars.x.y)"},
		{"{{a}} { a } {} {1} {", "={a}| { a } {} {1} {", "={a}| { a } {} |(1)| {"},
		{"{{{a}}}", "{|={a}|}", "{|={a}|}"},
		{"{{a}", "{|a/0", "{|(a)"},
		{"{a}}", "a/0|}", "(a)|}"},
		{"{{ } {q}", "{{ } |q/0", "{{ } |(q)"},
		{"n: {#}!", "n: {#}!", "n: |#|!"},
		{`{a.#(b=="}").c}`, "!", `(a.#(b=="}").c)`},
		{`{{a.#(b=="}")}}`, "!", `={a.#(b=="}")}`},
		{`{a.{b,c}} {a\}b}`, "!", `(a.{b,c})| |(a\}b)`},
		{"{\n a}", "{\n a}", "{\n a}"},
		{"{a", "!", "!"},
		{"{a.}", "!", "(a.)"},
		{"{a..b}", "!", "(a..b)"},
		{"{user{id}}", "!", "(user{id})"},
	}
	for _, tt := range tests {
		request, err := ParseRequest(tt.text)
		if got := parts(request, err); got != tt.request {
			t.Errorf("%q as a request is %q, want %q", tt.text, got, tt.request)
		}
		result, err := ParseText(tt.text)
		if got := parts(result, err); got != tt.result {
			t.Errorf("%q as a result is %q, want %q", tt.text, got, tt.result)
		}
	}
	sole, _ := ParseRequest("{a}")
	more, _ := ParseRequest("{a} ")
	text, _ := ParseRequest("{{a}} b")
	if sole.Sole() == nil || more.Sole() != nil || (*Template)(nil).Sole() != nil {
		t.Error("Sole")
	}
	if sole.Constant() || !text.Constant() || text.Literal() != "{a} b" {
		t.Error("Constant")
	}
}

func parts(t *Template, err error) string {
	if err != nil {
		return "!"
	}
	var all []string
	for _, p := range t.Parts {
		switch h := p.Hole; {
		case p.Doubled:
			all = append(all, "="+p.Text)
		case h == nil:
			all = append(all, p.Text)
		case h.Count:
			all = append(all, "#")
		case h.From == FromResult:
			all = append(all, "("+h.Value.Text+")")
		default:
			name := fmt.Sprintf("%s/%d", strings.Join(append([]string{h.Name}, h.Path...), "."), h.From)
			if h.Slash {
				name = "+" + name
			}
			all = append(all, name)
		}
	}
	return strings.Join(all, "|")
}

// A text of nothing but opened braces is read in a moment.
func TestTemplatesAreLinear(t *testing.T) {
	for _, piece := range []string{"{", "{a", "{{a", "{\"", "{a\n"} {
		text := strings.Repeat(piece, maxScalar/len(piece))
		for _, scan := range []scanner{scanName, scanPath} {
			if _, _, faults := parseTemplate(text, scan); len(faults) > 0 && len(faults[0].message) > 200 {
				t.Errorf("%q: a message of %d bytes", piece, len(faults[0].message))
			}
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"name", "title", "description", "read_only", "id", "task_id", "maxHops", "agent_slug", "chat_slug"}
	for word, want := range map[string]string{
		"nmae": "name", "Name": "name", "names": "name", "nam": "name", "descripton": "description", "descrpition": "description",
		"read-only": "read_only", "readOnly": "read_only", "taskid": "task_id", "taskId": "task_id", "max_hops": "maxHops", "uid": "id", "ib": "id",
		"task": "task_id", "the_title": "title", "agent": "agent_slug", "slug": "", "a": "", "my_agent": "",
		"x": "", "zebra": "", "name": "", "": "", "nmea!": "", strings.Repeat("x", 300): "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
