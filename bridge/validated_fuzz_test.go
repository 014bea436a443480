package bridge

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tbridge/config"
	"tbridge/validate"
)

// What validate passes New builds, and a call of it renders a request or is refused, but never fails otherwise.
func FuzzNewAcceptsWhatValidatePasses(f *testing.F) {
	archives, err := filepath.Glob("../validate/testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	const plain = "version: 1\nvars: {owner: octo}\napis:\n  a: {base_url: \"http://127.0.0.1:1/api\"}\n"
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, folder := range []string{"bad", "good"} {
			bridge, tools := plain, "tools: []\n"
			for _, file := range archive.Files {
				switch file.Name {
				case folder + "/tbridge.yaml":
					bridge = string(file.Data)
				case folder + "/tools.d/t.yaml":
					tools = string(file.Data)
				}
			}
			f.Add(bridge, tools, `{"s":"x","n":1,"list":["a"],"obj":{"key":"k"},"id":"7"}`)
		}
	}
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, bridge, tools, arguments string) {
		path := filepath.Join(dir, "tbridge.yaml")
		for name, text := range map[string]string{path: bridge, filepath.Join(dir, "tools.d", "t.yaml"): tools} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c, ds, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if ds.Count(config.Error) > 0 {
			return
		}
		// One tool at a time: a fault of one must not hide the others.
		for _, tool := range c.Tools {
			one := *c
			one.Tools = []*config.Tool{tool}
			if validate.Catalog(&one).Count(config.Error) == 0 {
				build(t, &one, tool, arguments)
			}
		}
	})
}

// build builds a bridge of one tool and renders a call of it.
func build(t *testing.T, c *config.Catalog, tool *config.Tool, arguments string) {
	b, err := New(c, Options{Env: func(string) (string, bool) { return "value-from-outside", true }})
	if err != nil {
		t.Fatalf("validate passes and New refuses: %v", err)
	}
	if _, err := b.Preview(tool.Name, json.RawMessage(arguments)); err != nil {
		if e, ok := err.(*Error); ok && e.Kind == kindInternal && e.Code == "" {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, found := b.Call(ctx, tool.Name, json.RawMessage(arguments)); !found {
		t.Fatalf("tool %q is lost", tool.Name)
	}
}
