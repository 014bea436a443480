package validate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tbridge/config"
)

// onlyTool gives the single tool of a tools file.
func onlyTool(t *testing.T, text string) *config.Tool {
	t.Helper()
	c, ds := load(t, write(t, map[string]string{"tools.d/t.yaml": "api: a\ntools:\n  - " + text + "\n"}))
	if len(c.Tools) != 1 {
		t.Fatalf("%d tools, %v", len(c.Tools), ds)
	}
	return c.Tools[0]
}

func TestDescribe(t *testing.T) {
	const closed = `"inputSchema":{"type":"object","properties":{},"additionalProperties":false}`
	tests := []struct{ name, tool, want string }{
		{"get", `{name: a, title: 取得, description: "x <b>\n", method: GET, path: /a, arguments: []}`,
			`{"name":"a","title":"取得","description":"x <b>",` + closed + `,"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":true}}`},
		{"post", `{name: a, method: POST, path: /a, arguments: []}`,
			`{"name":"a",` + closed + `,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}}`},
		{"put", `{name: a, description: A, method: PUT, path: /a, arguments: []}`,
			`{"name":"a","description":"A",` + closed + `,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}}`},
		{"delete", `{name: a, description: A, method: DELETE, path: /a, arguments: []}`,
			`{"name":"a","description":"A",` + closed + `,"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}}`},
		{"overridden", `{name: a, description: A, method: POST, path: /a, arguments: [], annotations: {read_only: true, idempotent: true, open_world: false}}`,
			`{"name":"a","description":"A",` + closed + `,"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}`},
		{"destructive", `{name: a, description: A, method: POST, path: /a, arguments: [], annotations: {destructive: true}}`,
			`{"name":"a","description":"A",` + closed + `,"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}`},
		{"open", `{name: a, description: A, method: GET, path: /a}`,
			`{"name":"a","description":"A","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":true}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(Describe(onlyTool(t, tt.tool)))
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			enc := json.NewEncoder(&want)
			if err := enc.Encode(json.RawMessage(tt.want)); err != nil {
				t.Fatal(err)
			}
			if string(got) != strings.TrimSpace(want.String()) {
				t.Errorf("\n got %s\nwant %s", got, want.String())
			}
		})
	}
}

func TestDescriptionSaysWhatTheSchemaCannot(t *testing.T) {
	tool := onlyTool(t, `{name: a, description: Say it., deprecated: "Use b. ", method: POST, path: /a, one_of: [x, y, z],
      arguments: [{name: x, type: string, description: X}, {name: y, type: string, description: Y}, {name: z, type: string, description: Z}],
      response: {output: [{name: id, type: integer, required: true, description: Id}]}}`)
	d := Describe(tool)
	if want := "Say it.\nGive exactly one of x, y and z.\nDeprecated: Use b."; d.Description != want {
		t.Errorf("got %q", d.Description)
	}
	if !strings.Contains(string(d.OutputSchema), `"required":["id"]`) {
		t.Errorf("output schema: %s", d.OutputSchema)
	}
	tool.Description = ""
	tool.OneOf = tool.OneOf[:2]
	if want := "Give exactly one of x and y.\nDeprecated: Use b."; Describe(tool).Description != want {
		t.Errorf("got %q", Describe(tool).Description)
	}
}
