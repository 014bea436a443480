package validate

import (
	"encoding/json"
	"strconv"
	"strings"

	"tbridge/config"
)

// A Definition is what a client is told of a tool: the Tool of MCP.
type Definition struct {
	Name         string
	Title        string // empty: none
	Description  string // with the sentences of one_of and deprecated
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // nil: none
	Annotations  Annotations
}

// Annotations are hints that follow from the method, unless the tool says otherwise.
type Annotations struct {
	ReadOnly    bool
	Destructive *bool // nil: read-only, there is nothing to destroy
	Idempotent  bool
	OpenWorld   bool
}

// Describe gives the definition of a tool.
func Describe(t *config.Tool) *Definition {
	d := &Definition{
		Name:        t.Name,
		Title:       t.Title,
		Description: Description(t),
		InputSchema: For(t).JSON(),
		Annotations: annotate(t),
	}
	if out := Output(t); out != nil {
		d.OutputSchema = out.JSON()
	}
	return d
}

// Description is the tool's own, followed by what a schema cannot say: one_of and deprecated.
func Description(t *config.Tool) string {
	var lines []string
	if text := strings.TrimSpace(t.Description); text != "" {
		lines = append(lines, text)
	}
	if n := len(t.OneOf); n > 1 {
		lines = append(lines, "Give exactly one of "+strings.Join(t.OneOf[:n-1], ", ")+" and "+t.OneOf[n-1]+".")
	}
	if t.Deprecated != "" {
		lines = append(lines, "Deprecated: "+strings.TrimSpace(t.Deprecated))
	}
	return strings.Join(lines, "\n")
}

// annotate gives what the method says of a tool, and the tool's own word where it has one.
func annotate(t *config.Tool) Annotations {
	read := t.Method == "GET" || t.Method == "HEAD"
	a := Annotations{ReadOnly: read, Idempotent: read || t.Method == "PUT" || t.Method == "DELETE", OpenWorld: true}
	given := t.Annotations
	if given == nil {
		given = &config.Annotations{}
	}
	override(&a.ReadOnly, given.ReadOnly)
	override(&a.Idempotent, given.Idempotent)
	override(&a.OpenWorld, given.OpenWorld)
	if a.Destructive = given.Destructive; a.Destructive == nil && !a.ReadOnly {
		destroys := t.Method == "DELETE"
		a.Destructive = &destroys
	}
	return a
}

func override(hint, given *bool) {
	if given != nil {
		*hint = *given
	}
}

// JSON is the definition as tools/list shows it: the Tool of MCP.
func (d *Definition) JSON() json.RawMessage {
	b := config.AppendQuoted([]byte(`{"name":`), d.Name)
	if d.Title != "" {
		b = config.AppendQuoted(append(b, `,"title":`...), d.Title)
	}
	if d.Description != "" {
		b = config.AppendQuoted(append(b, `,"description":`...), d.Description)
	}
	b = append(append(b, `,"inputSchema":`...), d.InputSchema...)
	if d.OutputSchema != nil {
		b = append(append(b, `,"outputSchema":`...), d.OutputSchema...)
	}
	return append(d.Annotations.append(append(b, `,"annotations":`...)), '}')
}

// MarshalJSON gives what JSON does.
func (d *Definition) MarshalJSON() ([]byte, error) { return d.JSON(), nil }

func (a Annotations) append(b []byte) []byte {
	b = strconv.AppendBool(append(b, `{"readOnlyHint":`...), a.ReadOnly)
	if a.Destructive != nil {
		b = strconv.AppendBool(append(b, `,"destructiveHint":`...), *a.Destructive)
	}
	b = strconv.AppendBool(append(b, `,"idempotentHint":`...), a.Idempotent)
	return append(strconv.AppendBool(append(b, `,"openWorldHint":`...), a.OpenWorld), '}')
}

// bytesPerToken is a rule of thumb for JSON in the tokenizers of today's models.
const bytesPerToken = 4

// Tokens estimates what the definition costs a model's context.
func (d *Definition) Tokens() int { return (len(d.JSON()) + bytesPerToken - 1) / bytesPerToken }
