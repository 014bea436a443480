package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var ruleAtEnd = regexp.MustCompile(`(?m): error: .*\[([a-z-]+)\]$`)

// What validate finds in a broken directory serve finds too: the rules of the errors are the same.
func TestServeAndValidateFindTheSame(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	var archives []string
	for _, pattern := range []string{"../../validate/testdata/rules/*.txtar", "../../config/testdata/rules/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		archives = append(archives, found...)
	}
	broken := 0
	for _, archive := range archives {
		dir := t.TempDir()
		unpackBad(t, archive, dir)
		config := filepath.Join(dir, "tbridge.yaml")
		if validated := rulesOfValidate(t, config); len(validated) > 0 {
			broken++
			var out, talk bytes.Buffer
			if code := run(t.Context(), []string{"serve", "--strict", "--config", config}, strings.NewReader(""), &out, &talk); code != exitUsage {
				t.Errorf("%s: serve --strict ends with %d", archive, code)
			}
			var served []string
			for _, m := range ruleAtEnd.FindAllStringSubmatch(talk.String(), -1) {
				served = append(served, m[1])
			}
			slices.Sort(served)
			// What is wrong with tbridge.yaml ends serve before it looks further.
			if diff := cmp.Diff(validated, slices.Compact(served)); diff != "" && !strings.Contains(talk.String(), config+":") {
				t.Errorf("%s: (-validate +serve)\n%s", archive, diff)
			}
		}
	}
	if broken < 40 {
		t.Errorf("only %d directories were broken", broken)
	}
}

// rulesOfValidate are the rules that have errors, each once.
func rulesOfValidate(t *testing.T, config string) (rules []string) {
	var out, talk bytes.Buffer
	run(t.Context(), []string{"validate", "--format", "json", config}, strings.NewReader(""), &out, &talk)
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), talk.String())
	}
	for _, d := range r.Diagnostics {
		if d.Severity == "error" {
			rules = append(rules, d.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// unpackBad writes the broken files of an archive of goldens.
func unpackBad(t *testing.T, archive, dir string) {
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"tbridge.yaml": "version: 1\nvars: {owner: octo}\napis:\n  a: {base_url: \"http://127.0.0.1:1/api\"}\n", "tools.d/.keep": ""}
	for _, f := range a.Files {
		if name := strings.TrimPrefix(f.Name, "bad/"); !strings.HasPrefix(name, "good/") && name != "want" {
			files[name] = string(f.Data)
		}
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
}
