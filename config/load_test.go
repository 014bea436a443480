package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what was found into the golden files")

// write puts files into a new directory and gives the path of its tbridge.yaml.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["tbridge.yaml"]; !ok {
		files["tbridge.yaml"] = "version: 1\n"
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
func load(t testing.TB, path string) (*Catalog, Diagnostics) {
	t.Helper()
	c, ds, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return c, ds
}

// render writes findings a line each, the directory left out.
func render(ds Diagnostics, dir string) string {
	var b strings.Builder
	for _, d := range ds {
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

// One archive a rule: the files, and in want what is found in them.
func TestRules(t *testing.T) {
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files[f.Name] = string(f.Data)
			}
			path := write(t, files)
			_, ds := load(t, path)
			got := render(ds, filepath.Dir(path))
			if *update {
				rewrite(t, name, archive, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func rewrite(t *testing.T, name string, archive *txtar.Archive, want string) {
	t.Helper()
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every rule that an archive can hold has one of its name; the others are tested in Go.
func TestEveryRuleIsTested(t *testing.T) {
	elsewhere := map[string]string{
		ruleEncoding:   "TestUnreadableText",
		ruleNoTools:    "TestToolsDirectory",
		ruleUnreadable: "TestToolsDirectory",
		ruleTooLarge:   "TestLimits",
	}
	ids := map[string]bool{}
	for _, r := range Rules {
		ids[r.ID] = true
		if _, err := os.Stat("testdata/rules/" + r.ID + ".txtar"); err != nil && elsewhere[r.ID] == "" {
			t.Errorf("rule %s has no testdata/rules/%s.txtar", r.ID, r.ID)
		}
		if !strings.HasSuffix(r.About, ".") {
			t.Errorf("rule %s: %q is no sentence", r.ID, r.About)
		}
	}
	if len(ids) != len(Rules) {
		t.Error("a rule stands twice in Rules")
	}
}
