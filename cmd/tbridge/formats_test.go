package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"tbridge/config"
	"tbridge/validate"
)

// findings are of every kind: with and without a place, a hint, other places, and characters that formats use.
func findings() config.Diagnostics {
	return config.Diagnostics{
		{Pos: config.Pos{File: "tools.d/a b,c%.yaml"}, Severity: config.Note, Rule: "skipped-file", Message: "not read: 100 %"},
		{Pos: config.Pos{File: "tools.d/ü.yaml", Line: 2, Column: 3, EndLine: 2, EndColumn: 3}, Severity: config.Warning, Rule: "no-description", Message: "one\ntwo", Hint: "a: b, c"},
		{Pos: config.Pos{File: "-", Line: 1, Column: 1, EndLine: 3, EndColumn: 9}, Severity: config.Error, Rule: "duplicate-tool", Message: `tool "a"`,
			Related: []config.Related{{Pos: config.Pos{File: "x.yaml", Line: 7, Column: 1, EndLine: 7, EndColumn: 2}, Message: "the first"}}},
	}
}

func TestSARIF(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif/sarif-2.1.0-rtm.5.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.CompileString("sarif.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	var all config.Diagnostics
	for _, r := range validate.Rules() {
		all = append(all, config.Diagnostic{Pos: config.Pos{File: "f", Line: 1, Column: 1, EndLine: 1, EndColumn: 2}, Rule: r.ID, Message: r.About})
	}
	for _, ds := range []config.Diagnostics{nil, findings(), all} {
		var out bytes.Buffer
		if err := sarif(&out, ds, nil); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
	var out bytes.Buffer
	if err := sarif(&out, findings(), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"uri": "tools.d/a%20b,c%25.yaml"`, `"uri": "tools.d/%C3%BC.yaml"`, `"level": "note"`, `"ruleIndex": 0`, `"text": "one\ntwo; a: b, c"`, `"endColumn": 9`, `"relatedLocations"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

func TestGitHubAnnotations(t *testing.T) {
	var out bytes.Buffer
	if err := github(&out, findings(), nil); err != nil {
		t.Fatal(err)
	}
	want := `::notice file=tools.d/a b%2Cc%25.yaml,title=skipped-file::not read: 100 %25
::warning file=tools.d/ü.yaml,line=2,col=3,endLine=2,endColumn=3,title=no-description::one%0Atwo; a: b, c
::error file=-,line=1,col=1,endLine=3,endColumn=9,title=duplicate-tool::tool "a"
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestYAMLBlocks(t *testing.T) {
	page := "# Page\n```yaml\na: 1\n```\n~~~yml tools\n```\nb: 2\n~~~\n```json\n{}\n```\n````yaml wrong\nc: 3\n````\n  ```YAML\nd: 4\n```\n```yaml\nnever: closed\n"
	want := []string{"\n\na: 1\n", "\n\n\n\n\n```\nb: 2\n", strings.Repeat("\n", 15) + "d: 4\n"}
	if diff := cmp.Diff(want, yamlBlocks(page)); diff != "" {
		t.Error(diff)
	}
}
