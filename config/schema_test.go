package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"
)

func compiled(t *testing.T, kind FileKind) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	if err := c.AddResource("mem:///schema.json", strings.NewReader(JSONSchema(kind).String())); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asEditorsRead gives a YAML text as the JSON that an editor's YAML 1.2 makes of it.
func asEditorsRead(t *testing.T, text string) any {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	var v any
	d := json.NewDecoder(strings.NewReader(literal(doc.Content[0]).String()))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// What the decoder refuses because of keys, kinds and scalars, the schema refuses too, file by file.
func TestSchemaRefusesWhatTheDecoderRefuses(t *testing.T) {
	schemas := map[FileKind]*jsonschema.Schema{ConfigFile: compiled(t, ConfigFile), ToolsFile: compiled(t, ToolsFile)}
	for _, rule := range []string{ruleUnknownKey, ruleMissingKey, ruleWrongKind, ruleWrongValue, ruleHeadKey} {
		archive, err := txtar.ParseFile(filepath.Join("testdata/rules", rule+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		want := string(archive.Files[len(archive.Files)-1].Data)
		refused := 0
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".yaml") || !strings.Contains(want, f.Name) {
				continue
			}
			kind := ToolsFile
			if f.Name == "tbridge.yaml" {
				kind = ConfigFile
			}
			v := asEditorsRead(t, string(f.Data))
			if v == nil {
				continue // editors hold an empty file against no schema
			}
			if schemas[kind].Validate(v) == nil {
				t.Errorf("%s: the schema accepts %s", rule, f.Name)
			}
			refused++
		}
		if refused == 0 {
			t.Errorf("%s: no file was tried", rule)
		}
	}
}

// One fault in a file that is right otherwise is seen.
func TestSchemaSeesOneFault(t *testing.T) {
	const tool = "tools:\n- name: t\n  method: GET\n  arguments: [{name: a, type: string}]\n"
	tests := []struct {
		kind FileKind
		text string
		ok   bool
	}{
		{ConfigFile, "version: 1", true}, {ConfigFile, "version: 2", false}, {ConfigFile, "{}", false},
		{ConfigFile, "version: 1\nvars: {a b: c}", false}, {ConfigFile, "version: 1\nvars: {a: [$X, {file: f}]}", true},
		{ConfigFile, "version: 1\napis: {a: {base_url: [{file: f, kee: k}]}}", false},
		{ConfigFile, "version: 1\napis: {a: {base_url: x, auth: {bearer: a, basic: {username: a, password: b}}}}", false},
		{ConfigFile, "version: 1\napis: {a: {base_url: x, auth: {}}}", false},
		{ConfigFile, "version: 1\napis: {a: {base_url: x, envelope: {ok: {path: a, equals: [1, ok]}}, timeout: 1m30s, limits: {response: 512, rate: 1/s}}}", true},
		{ToolsFile, tool, true}, {ToolsFile, "tools:", true}, {ToolsFile, "tools: [{name: no, description: 0123, method: GET, response: {check: off}}]", true},
		{ToolsFile, "name: t\n" + tool, false}, {ToolsFile, tool + "  metod: GET\n", false}, {ToolsFile, "tools: [{name: a b}]", false},
		{ToolsFile, "tools: [{name: a, method: FETCH}]", false}, {ToolsFile, "tools: [{name: a, arguments: [{type: string}]}]", false},
		{ToolsFile, "tools: [{name: a, arguments: [{name: 1a}]}]", false}, {ToolsFile, "tools: [{name: a, arguments: [{name: a, format: datum}]}]", false},
		{ToolsFile, "tools: [{name: a, arguments: [{name: a, items: {type: string}}]}]", true},
		{ToolsFile, "tools: [{name: a, response: {projection: {a: b, c: [d, e]}, list: []}}]", false},
		{ToolsFile, "tools: [{name: a, response: {projection: {a: b, c: [d, e]}, list: [a, b]}}]", true},
		{ToolsFile, "errors: [{status: 404, code: [a, b], kind: k}]\ntimeout: 5s\n" + tool, true},
	}
	schemas := map[FileKind]*jsonschema.Schema{ConfigFile: compiled(t, ConfigFile), ToolsFile: compiled(t, ToolsFile)}
	for _, tt := range tests {
		if err := schemas[tt.kind].Validate(asEditorsRead(t, tt.text)); (err == nil) != tt.ok {
			t.Errorf("%s\n%v", tt.text, err)
		}
	}
}

// Each key says what it is for and shows an example, which its own schema and the decoder accept.
func TestEveryKeyIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		name := k.Where + "." + k.Name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		if !strings.HasSuffix(k.About, ".") || k.Example == "" {
			t.Errorf("%s: about %q, example %q", name, k.About, k.Example)
		}
		if len(k.Values) > 0 && !slices.Contains(k.Values, strings.Trim(k.Example, "'")) && k.Name != "version" {
			t.Errorf("%s: the example %s is none of %q", name, k.Example, k.Values)
		}
	}
	for _, want := range []string{"config.apis", "file.tools", "file.api", "tool.name", "argument.default", "response.each", "filevalue.key", "test.request", "serverlimits.idle"} {
		if !seen[want] {
			t.Errorf("no key %s", want)
		}
	}
	for _, kind := range []FileKind{ConfigFile, ToolsFile} {
		text := JSONSchema(kind)
		examples(t, text)
		if !bytes.Equal([]byte(text.String()), []byte(JSONSchema(kind).String())) {
			t.Error("the schema differs from one time to the next")
		}
	}
}

// examples holds the examples of all keys of a schema against what stands beside them.
func examples(t *testing.T, root JSON) {
	definitions, _ := root.Get("definitions")
	var keys []JSON
	var gather func(s JSON)
	gather = func(s JSON) {
		if list, _ := s.Get("examples"); list.Kind == KindArray {
			definitions = definitions.with(object(fmt.Sprintf("key %d", len(keys)), s))
			keys = append(keys, s)
		}
		for i := range s.Keys {
			if s.Items[i].Kind == KindObject {
				gather(s.Items[i])
			}
		}
	}
	gather(root)
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	if err := c.AddResource("mem:///keys.json", strings.NewReader(object("definitions", definitions).String())); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		compiled, err := c.Compile(fmt.Sprintf("mem:///keys.json#/definitions/key%%20%d", i))
		if err != nil {
			t.Fatal(err)
		}
		list, _ := key.Get("examples")
		for _, v := range list.Items {
			if err := compiled.Validate(asEditorsRead(t, v.String())); err != nil {
				t.Errorf("%s\n%v", v, err)
			}
		}
	}
}
