package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(c *Catalog) []string {
	var all []string
	for _, tool := range c.Tools {
		all = append(all, tool.Name)
	}
	return all
}

func tool(name string) string { return "tools:\n- {name: " + name + "}\n" }

func TestFilesInByteOrder(t *testing.T) {
	path := write(t, map[string]string{
		"tbridge.yaml": "version: 1\ntools: cat\n",
		"cat/a.yaml":   tool("a"), "cat/a/b.yml": tool("a/b"), "cat/a-b.yaml": tool("a-b"), "cat/Z.yaml": tool("Z"),
		"cat/empty.yaml": "", "cat/comment.yaml": "# none\n", "cat/.x.yaml": "[", "cat/.d/x.yaml": "[", "tools.d/x.yaml": "[",
		"cat/two.yaml": "tools:\n- {name: first}\n- {name: second}\n", "cat/README": "",
	})
	c, ds := load(t, path)
	dir := filepath.Dir(path)
	if got, want := render(ds, dir), "cat/README-0:0: note: not read: tools files are named .yaml or .yml [skipped-file]\n"; got != want {
		t.Errorf("found %s", got)
	}
	if diff := cmp.Diff([]string{"Z", "a-b", "a", "a/b", "first", "second"}, names(c)); diff != "" {
		t.Error(diff)
	}
	want := []string{"Z.yaml", "a-b.yaml", "a.yaml", "a/b.yml", "comment.yaml", "empty.yaml", "two.yaml"}
	for i := range want {
		want[i] = filepath.Join(dir, "cat", want[i])
	}
	if diff := cmp.Diff(want, c.ToolsFiles); diff != "" {
		t.Error(diff)
	}
}

func TestToolsDirectory(t *testing.T) {
	missing := write(t, map[string]string{"tbridge.yaml": "version: 1\ntools: none\n"})
	none := write(t, map[string]string{})
	file := write(t, map[string]string{"tbridge.yaml": "version: 1\ntools: x\n", "x": ""})
	elsewhere := write(t, map[string]string{"tools.d/a.yaml": tool("a")})
	absolute := write(t, map[string]string{"tbridge.yaml": "version: 1\ntools: " + filepath.Dir(elsewhere) + "/tools.d\n"})
	tests := []struct{ path, want string }{
		{missing, "tbridge.yaml:2:8-2:12: error: the tools directory cannot be read: none: no such file or directory [unreadable]\n"},
		{none, "tbridge.yaml-0:0: warning: there is no directory \"tools.d\" beside the file, so that there are no tools [no-tools]\n"},
		{file, "tbridge.yaml:2:8-2:9: error: the tools directory cannot be read: x: not a directory [unreadable]\n"},
		{absolute, ""},
	}
	for _, tt := range tests {
		c, ds := load(t, tt.path)
		if got := render(ds, filepath.Dir(tt.path)); got != tt.want {
			t.Errorf("found %q, want %q", got, tt.want)
		}
		if tt.path == absolute && !cmp.Equal(names(c), []string{"a"}) {
			t.Errorf("tools %q", names(c))
		}
	}
	if _, _, err := Load(filepath.Join(t.TempDir(), "tbridge.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no tbridge.yaml: %v", err)
	}
}

// Links are followed inside the directory, as a mounted volume needs; never out of it, and never round and round.
func TestLinks(t *testing.T) {
	path := write(t, map[string]string{
		"tools.d/..2024/a.yaml": tool("a"), "tools.d/..2024/sub/b.yaml": tool("b"), "outside/c.yaml": tool("c"), "tools.d/real/d.yaml": tool("d"),
	})
	dir := filepath.Dir(path)
	for name, to := range map[string]string{
		"..data": "..2024", "a.yaml": "..data/a.yaml", "sub": "..data/sub", "out.yaml": "../outside/c.yaml", "outdir": "../outside",
		"gone.yaml": "nowhere", "real/loop": "..", "self.yaml": "self.yaml",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "tools.d", name)); err != nil {
			t.Fatal(err)
		}
	}
	c, ds := load(t, path)
	if diff := cmp.Diff([]string{"a", "d", "b"}, names(c)); diff != "" {
		t.Error(diff)
	}
	want := `tools.d/gone.yaml-0:0: error: the file cannot be read: tools.d/nowhere: no such file or directory [unreadable]
tools.d/out.yaml-0:0: warning: not read: the link leads out of the tools directory [skipped-file]
tools.d/outdir-0:0: warning: not read: the link leads out of the tools directory [skipped-file]
tools.d/real/loop-0:0: warning: not read: the link leads to a directory that it stands in [skipped-file]
tools.d/self.yaml-0:0: error: the file cannot be read: EvalSymlinks: too many links [unreadable]
`
	if diff := cmp.Diff(want, render(ds, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadableText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"tools: []\n# \xff", "a.yaml:2:3-2:4: error: \"\\xff\" is not text in UTF-8 [encoding]\n"},
		{"\xff\xfet\x00", "a.yaml:1:1-1:2: error: \"\\xff\" is not text in UTF-8 [encoding]\n"},
		{"tools: []\n# ü \x00", "a.yaml:2:5-2:6: error: \"\\x00\" is not text in UTF-8 [encoding]\n"},
		{"a\u0085b\x1b", "a.yaml:2:2-2:3: error: \"\\x1b\" is not text in UTF-8 [encoding]\n"},
		{"a: \uFEFF", "a.yaml:1:4-1:5: error: \"\\ufeff\" is not text in UTF-8 [encoding]\n"},
		{"\uFEFFtools: []\r\n", ""},
		{"\uFEFF", ""},
		{"# \uFFFD\n", ""},
	}
	for _, tt := range tests {
		_, ds := parseTools("a.yaml", tt.text)
		if got := render(ds, ""); got != tt.want {
			t.Errorf("%q: found %q, want %q", tt.text, got, tt.want)
		}
	}
	var ds Diagnostics
	parseCatalog(newSourceFile("t.yaml", "\uFEFF# nothing\n"), &ds)
	if got := render(ds, ""); got != "t.yaml-0:0: error: the file is empty; it must at least say version: 1 [missing-key]\n" {
		t.Errorf("an empty tbridge.yaml: %s", got)
	}
}

// allocated is how many bytes a function allocates: what it costs, however fast the machine is.
func allocated(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}

// mostAllocated is more than the reading of a file of any size and kind takes, and far less than one that repeats itself.
const mostAllocated = 96 << 20

// A file made to cost much is refused before it does, with its place.
func TestLimits(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := []struct{ name, text, want string }{
		{"file", strings.Repeat("# c\n", maxFile/4+1), "a.yaml-0:0: error: the file is larger than 1 MiB [too-large]\n  hint: split it into several files\n"},
		{"brackets", strings.Repeat("[", 100_000), "a.yaml:1:100001-1:100001: error: nested deeper than 32 levels [too-deep]\n"},
		{"dashes", strings.Repeat("- ", 100_000), "a.yaml:1:200001-1:200001: error: nested deeper than 32 levels [too-deep]\n"},
		{"levels", strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "a.yaml:1:33-1:34: error: nested deeper than 32 levels [too-deep]\n"},
		{"keys", "tools: [{name: a, body: {" + many(1001, "k%d: 1, ") + "}}]", "a.yaml:1:25-1:25: error: a mapping of 1001 keys; at most 1000 are allowed [too-large]\n"},
		{"nodes", "tags: [" + strings.Repeat("a,", maxNodes) + "]", "a.yaml:1:200002-1:200003: error: more than 100000 nodes in one file [too-large]\n"},
		{"aliases", "tags: [&a a" + strings.Repeat(", *a", 101) + "]", "a.yaml:1:414-1:416: error: more than 100 aliases in one file [alias]\n"},
		{"expanded", "tools: [{name: a, body: {a: &a [" + strings.Repeat("1,", 900) + "], b: [" + strings.Repeat("*a, ", 12) + "]}}]",
			"a.yaml:1:1884-1:1886: error: the aliases of this file repeat more than 10000 nodes [alias]\n"},
		{"scalar", "tools: [{name: a, path: " + strings.Repeat("a", maxScalar+1) + "}]", "a.yaml:1:25-1:25: error: a value of 65537 bytes; at most 64 KiB are allowed [too-large]\n"},
		{"description", "tools: [{name: a, description: " + strings.Repeat("a", maxDescription+1) + "}]",
			"a.yaml:1:32-1:8225: error: a description of 8193 bytes; at most 8 KiB are allowed [too-large]\n"},
		{"head", "body: {" + many(900, "k%d: 1, ") + "}\ntools: [" + many(100, "{name: a%d, body: {x: 1}}, ") + "]",
			"a.yaml:2:1502-2:1508: error: \"body\" at the head of this file, merged into each tool, makes more than 100000 nodes [too-large]\n"},
		{"large head", "body: {k: [" + strings.Repeat("1,", 40_000) + "]}\ntools: [" + many(8_000, "{name: a%d, body: {x: 1}}, ") + "]",
			"a.yaml:2:78-2:84: error: \"body\" at the head of this file, merged into each tool, makes more than 100000 nodes [too-large]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ds Diagnostics
			if cost := allocated(func() { _, ds = parseTools("a.yaml", tt.text) }); cost > mostAllocated {
				t.Errorf("%d bytes were allocated", cost)
			}
			got := render(ds, "")
			if got != tt.want {
				t.Errorf("found %.300s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTooManyTools(t *testing.T) {
	files := map[string]string{}
	for i := range 3 {
		files[fmt.Sprintf("tools.d/%d.yaml", i)] = "tools:\n" + strings.Repeat("- {name: a}\n", 7000)
	}
	path := write(t, files)
	c, ds := load(t, path)
	if got := render(ds, filepath.Dir(path)); got != "tbridge.yaml-0:0: error: 21000 tools; at most 20000 are allowed [too-large]\n" || len(c.Tools) != maxTools {
		t.Errorf("found %.300s, %d tools", got, len(c.Tools))
	}
}

// A large head is shared by its tools, not read again for each.
func TestHeadIsShared(t *testing.T) {
	text := "body:\n" + strings.Repeat("  - [a, {b: '{c}'}]\n", 8_000) + "tools:\n" + strings.Repeat("- {name: a}\n", 10_000)
	var tools []*Tool
	var ds Diagnostics
	cost := allocated(func() { tools, ds = parseTools("a.yaml", text) })
	if len(ds) > 0 || len(tools) != 10_000 || tools[0].Body != tools[9_999].Body {
		t.Fatal(render(ds, ""))
	}
	if cost > mostAllocated {
		t.Errorf("%d bytes were allocated", cost)
	}
}

func TestDiagnostics(t *testing.T) {
	var ds Diagnostics
	at := func(file string, line, column int) Pos { return Pos{File: file, Line: line, Column: column} }
	ds.Add(Note, at("b", 1, 1), "r", "last")
	ds.Add(Warning, at("a", 2, 1), "r", "third")
	ds.Add(Error, at("a", 2, 1), "r", "second %d", 2)
	ds.Add(Error, at("a", 1, 9), "r", "first").Hint = "h"
	ds.Add(Error, at("a", 2, 1), "r", "second 2")
	ds.Sort()
	var got []string
	for _, d := range ds {
		got = append(got, d.Severity.String()+" "+d.Message)
	}
	if diff := cmp.Diff([]string{"error first", "error second 2", "warning third", "note last"}, got); diff != "" {
		t.Error(diff)
	}
	if ds.Count(Error) != 2 || ds.Count(Note) != 1 {
		t.Error("counts")
	}
}
