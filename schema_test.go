package tbridge_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"

	"tbridge/config"
)

// The schemas that editors use accept every file of every shipped directory, as editors read YAML.
func TestShippedFilesFitTheSchemas(t *testing.T) {
	schemas := map[bool]*jsonschema.Schema{}
	for isTools, kind := range map[bool]config.FileKind{false: config.ConfigFile, true: config.ToolsFile} {
		s, err := jsonschema.CompileString("schema.json", config.JSONSchema(kind).String())
		if err != nil {
			t.Fatal(err)
		}
		schemas[isTools] = s
	}
	seen := 0
	for _, root := range []string{"tools.d", "tbridge.yaml", "examples", "cmd/tbridge/starter"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			seen++
			var v any
			if err := yaml.Unmarshal([]byte(read(t, path)), &v); err != nil {
				return err
			}
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(text, &v); err != nil {
				return err
			}
			if err := schemas[strings.Contains(path, "tools.d")].Validate(v); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 25 {
		t.Errorf("only %d files", seen)
	}
}
