//go:build !race

package workbench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tbridge/config"
)

// meanings are what the tools of a text mean, as forms show them, without where they stand.
func meanings(t testing.TB, text string) []config.JSON {
	t.Helper()
	c, ds := config.ParseTools("t.yaml", text)
	if !parses(slices.DeleteFunc(slices.Clone(ds), func(d config.Diagnostic) bool { return d.Severity != config.Error })) {
		t.Fatalf("no YAML any more: %v\n%s", ds, text)
	}
	all := make([]config.JSON, len(c.Tools))
	for i, tool := range c.Tools {
		all[i] = meaning(t, tool)
	}
	return all
}

// written holds YAML, in which quotes and spaces mean nothing.
var writtenKeys = []string{"query", "headers", "cookies", "body", "content_type", "envelope", "errors", "timeout", "retry", "limits", "annotations", "tests",
	"projection", "list", "content", "max_items", "output", "check"}

func meaning(t testing.TB, tool *config.Tool) config.JSON {
	t.Helper()
	raw, err := json.Marshal(makeForm(tool))
	if err != nil {
		t.Fatal(err)
	}
	v, err := config.ParseJSON(raw, 100)
	if err != nil {
		t.Fatal(err)
	}
	var plain func(v *config.JSON, key string)
	plain = func(v *config.JSON, key string) {
		if v.Kind == config.KindString && slices.Contains(writtenKeys, key) {
			if parsed, err := config.ParseValue(v.Text); err == nil {
				*v = parsed
			}
			return
		}
		for i := len(v.Items) - 1; i >= 0; i-- {
			name := ""
			if v.Kind == config.KindObject {
				name = v.Keys[i]
			}
			switch name {
			case "lines", "from_head", "line", "place", "index":
				v.Keys, v.Items = slices.Delete(v.Keys, i, i+1), slices.Delete(v.Items, i, i+1)
			default:
				plain(&v.Items[i], name)
			}
		}
	}
	plain(&v, "")
	return v
}

// replaced is a value with another one at a path; what is on the way is copied.
func replaced(v config.JSON, path []any, change func(config.JSON) config.JSON) config.JSON {
	if len(path) == 0 {
		return change(v)
	}
	v.Keys, v.Items = slices.Clone(v.Keys), slices.Clone(v.Items)
	i, ok := path[0].(int)
	if !ok {
		if i = slices.Index(v.Keys, path[0].(string)); i < 0 || v.Kind != config.KindObject {
			v.Kind = config.KindObject
			v.Put(path[0].(string), config.JSON{})
			i = slices.Index(v.Keys, path[0].(string))
		}
	}
	v.Items[i] = replaced(v.Items[i], path[1:], change)
	return v
}

// A deed is a change of the form, and what it makes of the meaning of the file's tools.
type deed struct {
	change formChange
	makes  func(tools []config.JSON) []config.JSON
	lines  int // that go at most where the change is of one line; -1: not counted
}

// deeds are what can be done to a tool in the form. Word is put where text belongs.
func deeds(tool *config.Tool, at int, word string) (all []deed) {
	index, quoted := tool.Index, string(config.AppendQuoted(nil, word))
	do := func(op string, path []any, lines int, fill func(*formChange), makes func(config.JSON) config.JSON) {
		c := formChange{Op: op, Tool: &index, At: path}
		fill(&c)
		all = append(all, deed{c, func(tools []config.JSON) []config.JSON {
			tools = slices.Clone(tools)
			tools[at] = makes(tools[at])
			return tools
		}, lines})
	}
	set := func(value string, path ...any) {
		v, _ := config.ParseJSON([]byte(value), 100)
		steps := make([]any, len(path)) // positions as JSON has them
		for i, step := range path {
			steps[i] = step
			if n, ok := step.(int); ok {
				steps[i] = float64(n)
			}
		}
		do("set", steps, 1, func(c *formChange) { c.Value = json.RawMessage(value) }, func(form config.JSON) config.JSON {
			return replaced(form, path, func(config.JSON) config.JSON { return v })
		})
	}
	for _, key := range []string{"title", "description", "deprecated", "error_text"} {
		set(quoted, key)
	}
	set(`"PATCH"`, "method")
	set("["+quoted+`,"b"]`, "tags")
	limits := "{result: 1KiB}"
	do("set", []any{"limits"}, -1, func(c *formChange) { c.Raw = &limits }, func(form config.JSON) config.JSON {
		return replaced(form, []any{"limits"}, func(config.JSON) config.JSON {
			v, _ := config.ParseValue(limits)
			return v
		})
	})
	all = append(all, argumentDeeds(tool, do, set, quoted)...)
	return append(all, toolDeeds(tool, at, word)...)
}

func argumentDeeds(tool *config.Tool, do func(string, []any, int, func(*formChange), func(config.JSON) config.JSON), set func(string, ...any), quoted string) []deed {
	list := []any{"arguments"}
	if tool.Arguments == nil {
		return nil
	}
	for i, a := range tool.Arguments {
		set(quoted, "arguments", i, "description")
		if !a.Required {
			set("true", "arguments", i, "required")
		}
		here := []any{"arguments", float64(i)}
		do("remove", here, -1, func(*formChange) {}, func(form config.JSON) config.JSON {
			return replaced(form, list, func(l config.JSON) config.JSON {
				l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
				return l
			})
		})
		do("move", here, -1, func(c *formChange) { c.To = 0 }, func(form config.JSON) config.JSON {
			return replaced(form, list, func(l config.JSON) config.JSON {
				l.Items = slices.Insert(slices.Delete(slices.Clone(l.Items), i, i+1), 0, l.Items[i])
				return l
			})
		})
		for j := range a.Properties {
			set(quoted, "arguments", i, "properties", j, "description")
		}
		if a.Items != nil {
			set(quoted, "arguments", i, "items", "description")
		}
	}
	for _, i := range []int{0, len(tool.Arguments)} {
		value := `{"name":"zz","type":"integer","description":` + quoted + `}`
		do("insert", []any{"arguments", float64(i)}, 1, func(c *formChange) { c.Value = json.RawMessage(value) }, func(form config.JSON) config.JSON {
			added, _ := config.ParseJSON([]byte(`{"name":"zz","type":"integer","description":`+quoted+`,"required":false,"nullable":false,"constraints":{}}`), 10)
			return replaced(form, list, func(l config.JSON) config.JSON {
				l.Items = slices.Insert(slices.Clone(l.Items), i, added)
				return l
			})
		})
	}
	return nil
}

func toolDeeds(tool *config.Tool, at int, word string) []deed {
	index := tool.Index
	return []deed{
		{formChange{Op: "remove_tool", Tool: &index}, func(tools []config.JSON) []config.JSON { return slices.Delete(slices.Clone(tools), at, at+1) }, -1},
		{formChange{Op: "duplicate_tool", Tool: &index, Name: "zz_copy"}, func(tools []config.JSON) []config.JSON {
			return slices.Insert(slices.Clone(tools), at+1, replaced(tools[at], []any{"name"}, func(config.JSON) config.JSON { return config.StringJSON("zz_copy") }))
		}, 0},
	}
}

// done checks what a change made of a text: what it names is changed, all else means what it meant, comments stay,
// lines end as they did, and no more lines than the change is about are others.
func (d deed) done(t testing.TB, before, after string, meant []config.JSON) {
	t.Helper()
	want, got := fmt.Sprint(d.makes(meant)), fmt.Sprint(meanings(t, after))
	if want != got {
		t.Errorf("%s %v: the tools mean\n%s\nand should mean\n%s\n%s", d.change.Op, d.change.At, got, want, plainDiff(before, after))
	}
	diff := compareLines(before, after)
	if d.lines >= 0 && !strings.ContainsAny(before, "&*") && diff.Removed > d.lines {
		t.Errorf("%s %v: %d lines are gone\n%s", d.change.Op, d.change.At, diff.Removed, plainDiff(before, after))
	}
	if strings.Count(after, "\r\n") == 0 && strings.Contains(before, "\r\n") || strings.Contains(before, "\r\n") && strings.Count(after, "\r\n") != strings.Count(after, "\n") {
		t.Errorf("%s %v: lines end otherwise\n%q", d.change.Op, d.change.At, after)
	}
	if strings.HasPrefix(before, "\uFEFF") != strings.HasPrefix(after, "\uFEFF") {
		t.Errorf("%s %v: the byte order mark", d.change.Op, d.change.At)
	}
	if d.change.Op == "set" || d.change.Op == "insert" || d.change.Op == "move" {
		if was, is := comments(before), comments(after); was != is {
			t.Errorf("%s %v: comments\n%s\nare now\n%s", d.change.Op, d.change.At, was, is)
		}
	}
}

// comments are those on lines of their own, in any order.
func comments(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// shippedTools are the tools files of the catalogue and the examples.
func shippedTools(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../tools.d/*.yaml", "../examples/*/tools.d/*.yaml"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(name, "../")] = string(text)
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d files", len(all))
	}
	return all
}

// Every field of every form of the shipped files can be set to what it is, and the text stays.
func TestFormsOfShippedFilesAreTheirText(t *testing.T) {
	for name, text := range shippedTools(t) {
		for some, text := range []string{text, "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n")} {
			c, _ := config.ParseTools("t.yaml", text)
			for i, tool := range c.Tools {
				if some > 0 && i > 0 {
					break
				}
				for _, again := range sameAgain(makeForm(tool)) {
					if after, err := again.apply("t.yaml", text); err != nil || after != text {
						t.Errorf("%s: %s %v: %v\n%s", name, tool.Name, again.At, err, plainDiff(text, after))
					}
				}
			}
		}
	}
}

// sameAgain are changes that set fields of a form to what they are.
func sameAgain(f form) (changes []formChange) {
	set := func(value any, at ...any) {
		raw, _ := json.Marshal(value)
		if text := string(raw); text != `""` && text != "null" && text != "[]" && text != "false" {
			changes = append(changes, formChange{Op: "set", Tool: &f.Index, At: at, Value: raw})
		}
	}
	text := func(raw *string, at ...any) {
		if raw != nil {
			changes = append(changes, formChange{Op: "set", Tool: &f.Index, At: at, Raw: raw})
		}
	}
	for key, value := range map[string]any{"name": f.Name, "title": f.Title, "description": f.Description, "api": f.API, "tags": f.Tags, "method": f.Method,
		"path": f.Path, "encoding": f.Encoding, "deprecated": f.Deprecated, "one_of": f.OneOf, "scopes": f.Scopes, "error_text": f.ErrorText} {
		set(value, key)
	}
	for key, raw := range map[string]*string{"query": f.Query, "headers": f.Headers, "cookies": f.Cookies, "body": f.Body, "content_type": f.ContentType, "envelope": f.Envelope,
		"errors": f.Errors, "timeout": f.Timeout, "retry": f.Retry, "limits": f.Limits, "annotations": f.Annotations, "tests": f.Tests} {
		text(raw, key)
	}
	if r := f.Response; r != nil {
		set(r.Text, "response", "text")
		set(r.Each, "response", "each")
		for key, raw := range map[string]*string{"projection": r.Projection, "list": r.List, "content": r.Content, "max_items": r.MaxItems, "output": r.Output, "check": r.Check} {
			text(raw, "response", key)
		}
	}
	var arguments func(all []*argument, at ...any)
	arguments = func(all []*argument, at ...any) {
		for i, a := range all {
			here := append(slices.Clip(at), float64(i))
			in := func(key string) []any { return append(slices.Clip(here), key) }
			for key, value := range map[string]any{"name": a.Name, "type": a.Type, "description": a.Description, "required": a.Required, "nullable": a.Nullable,
				"default": a.Default, "enum": a.Enum, "examples": a.Examples, "in": a.In, "as": a.As, "style": a.Style, "filename": a.Filename, "media_type": a.MediaType} {
				set(value, in(key)...)
			}
			for key, value := range a.Constraints {
				if key != "pattern" && key != "format" {
					text(&value, in(key)...)
				}
			}
			arguments(a.Properties, in("properties")...)
		}
	}
	arguments(f.Arguments, "arguments")
	return changes
}

// Operations of the form on tools of every shipped file of every shipped file, with LF and with a byte order mark and CRLF: only what
// it names changes, and the file still means the rest.
func TestFormChangesOnlyWhatItNames(t *testing.T) {
	const every = 8 // of the more than 3,000 that there are
	count := 0
	for name, text := range shippedTools(t) {
		for _, text := range []string{text, "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n")} {
			c, _ := config.ParseTools("t.yaml", text)
			meant := meanings(t, text)
			for i, tool := range c.Tools {
				for _, d := range deeds(tool, i, "другое: \"x\" # no") {
					if count++; count%every > 0 {
						continue
					}
					after, err := d.change.apply("t.yaml", text)
					if err != nil {
						t.Errorf("%s: %s: %s %v: %v", name, tool.Name, d.change.Op, d.change.At, err)
						continue
					}
					d.done(t, text, after, meant)
					if t.Failed() {
						t.Fatalf("in %s, tool %s", name, tool.Name)
					}
				}
				if count%2 == 0 {
					renamedAndBack(t, text, tool)
				}
			}
		}
	}
	t.Logf("%d of %d changes", count/every, count)
}

// renamedAndBack renames each argument and names it as before: no trace is left.
func renamedAndBack(t *testing.T, text string, tool *config.Tool) {
	t.Helper()
	for i, a := range tool.Arguments {
		there := formChange{Op: "rename", Tool: &tool.Index, At: []any{"arguments", float64(i)}, Name: "zz_renamed"}
		back := there
		back.Name = a.Name
		renamed, err := there.apply("t.yaml", text)
		if err != nil {
			t.Errorf("%s: rename %s: %v", tool.Name, a.Name, err)
			continue
		}
		if again, err := back.apply("t.yaml", renamed); err != nil || !strings.Contains(text, "&") && again != text {
			t.Errorf("%s: %s renamed and back: %v\n%s", tool.Name, a.Name, err, plainDiff(text, again))
		}
		if c, _ := config.ParseTools("t.yaml", renamed); c.Tools[slices.IndexFunc(c.Tools, func(u *config.Tool) bool { return u.Index == tool.Index })].Arguments[i].Name != "zz_renamed" {
			t.Errorf("%s: %s has its name still", tool.Name, a.Name)
		}
	}
}

// Whatever the file: an operation of the form is refused, or changes only what it names.
func FuzzFormChange(f *testing.F) {
	for _, text := range shippedTools(f) {
		if len(text) < 2000 { // larger ones take their time
			f.Add(text, uint16(3), "x")
		}
	}
	f.Add(tasks, uint16(40), "a: b\n\tc")
	f.Add(rich, uint16(7), "")
	f.Add("api: a\ntools: [{name: a, path: '/{x}', arguments: [{name: x, description: &d D}]}, {name: b, title: *d}]", uint16(9), "'\"")
	f.Fuzz(func(t *testing.T, text string, nth uint16, word string) {
		if strings.ContainsAny(strings.ReplaceAll(text, "\r\n", ""), "\r\u0085\u2028\u2029") {
			return // lines end as git has them end
		}
		c, ds := config.ParseTools("t.yaml", text)
		if ds.Count(config.Error) > 0 || len(c.Tools) == 0 {
			return
		}
		i := int(nth) % len(c.Tools)
		all := deeds(c.Tools[i], i, word)
		d := all[int(nth)/len(c.Tools)%len(all)]
		after, err := d.change.apply("t.yaml", text)
		if err != nil {
			return
		}
		d.lines = -1
		if strings.Count(text, "\r\n") != strings.Count(text, "\n") {
			text, after = strings.ReplaceAll(text, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
		}
		d.done(t, text, after, meanings(t, text))
	})
}
