package tbridge_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// A block is one fenced block of Markdown: its info string, and where it begins.
type block struct {
	info, text string
	line       int
}

var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// blocks gives the fenced blocks of a page.
func blocks(t *testing.T, page string) (found []block) {
	t.Helper()
	text := read(t, page)
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, block{text[m[2]:m[3]], text[m[4]:m[5]], 1 + strings.Count(text[:m[0]], "\n")})
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("docs/*.md")
	if err != nil || len(found) < 3 {
		t.Fatalf("pages are %q, %v", found, err)
	}
	return append(found, "README.md")
}

const (
	defaultAPI   = "version: 1\nvars: {agent: coder}\nfiles: {roots: [/srv/share]}\napis:\n  tracker: {base_url: https://tracker.example}\n"
	defaultTools = "api: tracker\ntools:\n  - {name: ping, description: Ping., method: GET, path: /ping, arguments: []}\n"
)

// The YAML of README and docs is what tbridge accepts, without error and warning. Its info string says what it
// is: a whole tbridge.yaml, a whole tools file, the keys of one API, or elements of tools.
func TestYAMLOfThePagesIsValid(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocks(t, page) {
			if !strings.HasPrefix(b.info, "yaml") || strings.HasSuffix(b.info, " wrong") {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", page, b.line), func(t *testing.T) {
				api, tools := defaultAPI, defaultTools
				switch b.info {
				case "yaml tbridge.yaml":
					api = b.text
				case "yaml tools":
					tools = b.text
				case "yaml api":
					api = "version: 1\napis:\n  tracker:\n" + indent("    ", b.text)
				case "yaml tool":
					tools = "api: tracker\ntools:\n" + indent("  ", b.text)
				default:
					t.Fatalf("the info string %q does not say what this is", b.info)
				}
				accept(t, api, tools)
			})
		}
	}
}

func indent(by, text string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

// accept validates a bridge directory of two files.
func accept(t *testing.T, api, tools string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tbridge.yaml": api, "tools.d/tools.yaml": tools} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, found, err := validate.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tools) == 0 {
		t.Error("there is no tool")
	}
	for _, d := range found {
		if d.Severity != config.Note {
			t.Errorf("%s:%d: %s: %s [%s]", filepath.Base(d.File), d.Line, d.Severity, d.Message, d.Rule)
		}
	}
	if found.Count(config.Error) == 0 {
		pass(t, c)
	}
}

// pass runs the tests of a catalogue.
func pass(t *testing.T, c *config.Catalog) {
	t.Helper()
	tester, err := bridge.NewTester(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range c.Tools {
		for _, test := range tool.Tests {
			for _, d := range tester.Run(tool.Name, test).Differences {
				t.Errorf("%s: %s: %s is\n%s\nwant\n%s", tool.Name, test.Name, d.What, d.Got, d.Want)
			}
		}
	}
}

// Every key of the language stands in docs/language.md.
func TestLanguagePageHasEveryKey(t *testing.T) {
	page := read(t, "docs/language.md")
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(s reflect.Type) {
		for s.Kind() == reflect.Pointer || s.Kind() == reflect.Slice {
			s = s.Elem()
		}
		if s.Kind() != reflect.Struct || seen[s] || !strings.HasPrefix(s.PkgPath(), "tbridge") {
			return
		}
		seen[s] = true
		for i := range s.NumField() {
			f := s.Field(i)
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
				if !regexp.MustCompile("(?m)(`|\\.|[{ ,]|^)" + regexp.QuoteMeta(key) + "(`|:)").MatchString(page) {
					t.Errorf("%s.%s: the key %q is not described", s.Name(), f.Name, key)
				}
			}
			visit(f.Type)
		}
	}
	visit(reflect.TypeFor[config.Catalog]())
	visit(reflect.TypeFor[config.API]()) // a Map holds it
}

// Every test that docs/threats.md names exists.
func TestThreatsNameTestsThatExist(t *testing.T) {
	exists := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range declared.FindAllStringSubmatch(read(t, path), -1) {
			exists[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(read(t, "docs/threats.md"), -1)
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, m := range named {
		if !exists[m[1]] {
			t.Errorf("there is no test %s", m[1])
		}
	}
}
