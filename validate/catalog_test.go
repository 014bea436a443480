package validate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"tbridge/config"
)

var update = flag.Bool("update", false, "write what was found into the golden files")

// plain is the tbridge.yaml of tests that bring none.
const plain = `version: 1
vars: {owner: octo}
apis:
  a: {base_url: "http://127.0.0.1:1/api", auth: {api_key: {in: header, name: X-Key, value: "${A_KEY}"}}}
`

// write puts files into a new directory and gives the path of its tbridge.yaml.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, ok := files["tbridge.yaml"]; !ok {
		files["tbridge.yaml"] = plain
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "tbridge.yaml")
}

// load loads a directory that must be readable.
func load(t testing.TB, path string) (*config.Catalog, config.Diagnostics) {
	t.Helper()
	c, ds, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return c, ds
}

// loadAll loads a directory and looks at its secrets too.
func loadAll(t testing.TB, path string) config.Diagnostics {
	t.Helper()
	c, ds := load(t, path)
	env := map[string]string{"SHORT": "ab12é", "LONG": "ab12é6"}
	ds = append(ds, Secrets(c, func(name string) (string, bool) { v, ok := env[name]; return v, ok })...)
	ds.Sort()
	return ds
}

// render writes findings a line each, the directory and what every test needs left out.
func render(ds config.Diagnostics, dir string) string {
	var b strings.Builder
	for _, d := range ds {
		if strings.HasSuffix(d.Message, " A_KEY") || strings.HasSuffix(d.Message, `the variable "owner"`) && d.Rule == ruleUnusedVariable {
			continue
		}
		fmt.Fprintf(&b, "%s-%d:%d: %s: %s [%s]\n", d.Pos, d.EndLine, d.EndColumn, d.Severity, d.Message, d.Rule)
		if d.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "  %s: %s\n", r.Pos, r.Message)
		}
	}
	return strings.ReplaceAll(b.String(), dir+string(filepath.Separator), "")
}

// about leaves out that tools have no tests, where that is not what the archive is about.
func about(rule string, ds config.Diagnostics) config.Diagnostics {
	return slices.DeleteFunc(ds, func(d config.Diagnostic) bool { return d.Rule == ruleUntested && rule != ruleUntested })
}

// below gives the files of an archive below a folder.
func below(a *txtar.Archive, folder string) map[string]string {
	files := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, folder+"/"); ok {
			files[name] = string(f.Data)
		}
	}
	return files
}

// One archive a rule: below bad what breaks it, in want what is found there, and below good what keeps it.
func TestRules(t *testing.T) {
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		rule := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(rule, func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			path := write(t, below(archive, "bad"))
			got := render(about(rule, loadAll(t, path)), filepath.Dir(path))
			if !strings.Contains(got, "["+rule+"]") {
				t.Errorf("the rule finds nothing in:\n%s", got)
			}
			last := &archive.Files[len(archive.Files)-1]
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(last.Data), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			path = write(t, below(archive, "good"))
			if got := render(about(rule, loadAll(t, path)), filepath.Dir(path)); got != "" {
				t.Errorf("findings in what is good:\n%s", got)
			}
		})
	}
}

func TestEveryRuleIsTested(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("rule %s stands twice", r.ID)
		}
		seen[r.ID] = true
	}
	for _, r := range own {
		if r.ID == ruleNoConfig {
			continue // TestToolsFile
		}
		if _, err := os.Stat("testdata/rules/" + r.ID + ".txtar"); err != nil {
			t.Errorf("rule %s has no testdata/rules/%s.txtar", r.ID, r.ID)
		}
		if !strings.HasSuffix(r.About, ".") {
			t.Errorf("rule %s: %q is no sentence", r.ID, r.About)
		}
	}
}

func TestServable(t *testing.T) {
	path := write(t, map[string]string{
		"tools.d/1.yaml": "api: a\ntools:\n  - {name: one, description: One., method: GET, path: /1, arguments: []}\n",
		"tools.d/2.yaml": "api: a\ntools:\n  - {name: two, description: Two., method: GET, path: /2, arguments: []}\n" +
			"  - {name: bad, description: Bad., method: GET, path: \"/{x}\", arguments: []}\n",
		"tools.d/3.yaml": "api: a\ntools:\n  - {name: one, description: Again., method: GET, path: /3, arguments: []}\n",
		"tools.d/4.yaml": "tools: [",
		"tools.d/5.yaml": "api: a\ntools:\n  - {name: five, method: GET, path: /5, arguments: []}\n",
	})
	c, ds := load(t, path)
	kept, left := Servable(c, ds)
	var names []string
	for _, tool := range kept.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"one", "five"}, names); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{"2.yaml", "3.yaml", "4.yaml"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if len(c.Tools) != 5 {
		t.Errorf("the catalogue itself has %d tools, want 5 still", len(c.Tools))
	}
}

func TestLoadUnreadable(t *testing.T) {
	if _, _, err := Load(filepath.Join(t.TempDir(), "tbridge.yaml")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestToolsFile(t *testing.T) {
	c, ds := ToolsFile("t.yaml", "api: nowhere\ntools:\n  - {name: t, description: T., method: GET, path: \"/{x}\", arguments: []}\n")
	if len(c.Tools) != 1 || len(ds) != 3 || ds[0].Rule != ruleNoConfig || ds[1].Rule != ruleUntested || ds[2].Rule != ruleUnknownHole {
		t.Errorf("found %v", ds)
	}
}

// Without a tbridge.yaml what tools refer to in it is not checked.
func TestCatalogWithoutConfiguration(t *testing.T) {
	path := write(t, map[string]string{"tools.d/t.yaml": `api: nowhere
tools:
  - {name: t, description: T., method: POST, path: /t, arguments: [], body: {by: "{vars.nobody}"}}
`})
	c, _ := load(t, path)
	ds := Catalog(&config.Catalog{Tools: c.Tools})
	if ds = about("", ds); len(ds) != 0 {
		t.Errorf("found %v", ds)
	}
}
