package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A loader parses what has changed, and takes drafts in the place of files without remembering them.
func TestLoader(t *testing.T) {
	path := write(t, map[string]string{"tools.d/a.yaml": tool("a"), "tools.d/b.yaml": tool("b")})
	dir := filepath.Dir(path)
	l := NewLoader(path)
	load := func(drafts map[string]string) *Catalog {
		t.Helper()
		c, ds, err := l.Load(drafts)
		if err != nil || ds.Count(Error) > 0 {
			t.Fatal(err, render(ds, dir))
		}
		return c
	}
	first := load(nil)
	draft := load(map[string]string{"b.yaml": tool("b2"), "c/new.yaml": tool("c")})
	if diff := cmp.Diff([]string{"a", "b2", "c"}, names(draft)); diff != "" {
		t.Error(diff)
	}
	if last := draft.ToolsFiles[2]; last != filepath.Join(dir, "tools.d/c/new.yaml") {
		t.Errorf("the draft is called %s", last)
	}
	again := load(nil)
	if diff := cmp.Diff([]string{"a", "b"}, names(again)); diff != "" {
		t.Error(diff)
	}
	if first.Tools[0] != draft.Tools[0] || first.Tools[1] != again.Tools[1] {
		t.Error("a file that has not changed was parsed again")
	}
	if err := os.WriteFile(filepath.Join(dir, "tools.d/a.yaml"), []byte(tool("z")), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"z", "b"}, names(load(nil))); diff != "" {
		t.Error(diff)
	}
}

func TestTextAt(t *testing.T) {
	text := `tools:
  - name: one
    title: &t "ein Titel" # not this
    description: |
      first

        second
    body:
      # above
      b:
        - 2 # beside
    query: {
      c: d }
    deprecated: two
      lines
    error_text: *t
`
	tools, ds := parseTools("a.yaml", text)
	if len(ds) > 0 {
		t.Fatal(render(ds, ""))
	}
	for key, want := range map[string]string{
		"name": "one", "title": `"ein Titel"`, "description": "|\n  first\n\n    second",
		"body": "b:\n  - 2", "query": "{\n  c: d }", "deprecated": "two\n  lines",
	} {
		if got, ok := tools[0].TextAt(key); !ok || got != want {
			t.Errorf("%s: %q, %t, want %q", key, got, ok, want)
		}
	}
	for _, key := range []string{"error_text", "path"} {
		if got, ok := tools[0].TextAt(key); ok {
			t.Errorf("%s: %q", key, got)
		}
	}
	if _, ok := (Source{}).TextAt("name"); ok || len(Source{}.Places()) > 0 {
		t.Error("nothing was read, and there is text")
	}
}

// Of a tool it is known where in its file it stands, and what it has from the head.
func TestToolInItsFile(t *testing.T) {
	tools, _ := parseTools("a.yaml", "api: t\nmethod: POST\nbody: {a: 1}\ntools:\n- {name: one}\n- text\n- {name: two, method: GET, body: {b: 2}, arguments: [{name: n, enum: [x, y]}]}\n")
	if tools[0].Index != 0 || tools[1].Index != 2 {
		t.Errorf("positions %d and %d", tools[0].Index, tools[1].Index)
	}
	if diff := cmp.Diff([]string{"api", "method", "body"}, tools[0].FromHead()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"api"}, tools[1].FromHead()); diff != "" {
		t.Error(diff)
	}
	if text, _ := tools[1].TextAt("body"); text != "{b: 2}" {
		t.Errorf("the body is %q", text)
	}
	places := tools[1].Places()
	if got, want := places["arguments.0.enum.1"], tools[1].At("arguments", 0, "enum", 1); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	alone, _ := parseTools("a.yaml", tool("a"))
	if keys := alone[0].FromHead(); keys != nil {
		t.Errorf("without a head: %q", keys)
	}
}
