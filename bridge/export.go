package bridge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// Exports give a tool as other systems want it, to be written as JSON: what tools/list shows (mcp), the function
// definitions of two model APIs (anthropic, openai), and a tool entry of TrustGraph (trustgraph).
var Exports = map[string]func(*config.Tool) any{
	"mcp":        func(t *config.Tool) any { return validate.Describe(t) },
	"anthropic":  toAnthropic,
	"openai":     toOpenAI,
	"trustgraph": toTrustGraph,
}

func toAnthropic(t *config.Tool) any {
	d := validate.Describe(t)
	return struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{d.Name, d.Description, d.InputSchema}
}

func toOpenAI(t *config.Tool) any {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	d := validate.Describe(t)
	return struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}{"function", function{d.Name, d.Description, d.InputSchema}}
}

// A trustArgument is an argument as TrustGraph stores it. It knows two types, and nothing of what need not be given
// or which values there are: the description says that.
type trustArgument struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

func toTrustGraph(t *config.Tool) any {
	entry := struct {
		Type        string           `json:"type"`
		Name        string           `json:"name"`
		Description string           `json:"description"`
		Tool        string           `json:"mcp-tool"`
		Arguments   *[]trustArgument `json:"arguments,omitempty"`
	}{"mcp-tool", t.Name, validate.Description(t), t.Name, nil}
	if t.Arguments == nil {
		return entry
	}
	args := make([]trustArgument, len(t.Arguments))
	for i, a := range t.Arguments {
		args[i] = trustArgument{a.Name, "string", a.Description}
		if a.Type == "integer" || a.Type == "number" {
			args[i].Type = "number"
		}
		var notes []string
		if a.Enum != nil {
			var values []string
			for _, v := range a.Enum {
				values = append(values, plainText(v))
			}
			notes = append(notes, "one of "+strings.Join(values, ", "))
		}
		if !MustGive(t, a) && !strings.Contains(strings.ToLower(a.Description), "optional") {
			notes = append(notes, "optional")
		}
		if notes != nil {
			args[i].Description = strings.TrimSpace(a.Description + " (" + strings.Join(notes, "; ") + ")")
		}
	}
	entry.Arguments = &args
	return entry
}

// plainText is a string as its characters, anything else as JSON.
func plainText(v config.JSON) string {
	if v.Kind == config.KindString {
		return v.Text
	}
	return v.String()
}

// Prompt gives a tool as the prompts of agents without function calling show it, with a line break at its end.
func Prompt(t *config.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- **%s**: %s\n", t.Name, validate.Description(t))
	for _, a := range t.Arguments {
		need := "Optional"
		if MustGive(t, a) {
			need = "Required"
		}
		fmt.Fprintf(&b, "  - %s: \"%s\" (%s): %s\n", need, a.Name, TypeName(a), a.Description)
	}
	return b.String()
}

// MustGive says whether a call without the argument is refused.
func MustGive(t *config.Tool, a *config.Argument) bool {
	return a.Default == nil && a.DefaultVar == "" && (a.Required || inTemplate(t.Path, a.Name))
}

// inTemplate says whether a hole names the argument.
func inTemplate(t *config.Template, name string) bool {
	return t != nil && slices.ContainsFunc(t.Parts, func(p config.Part) bool {
		return p.Hole != nil && p.Hole.From == config.FromArgument && p.Hole.Name == name
	})
}

// TypeName is the type of an argument in words, as the model sees it: the content of a file is text, and an argument
// without a type is a string.
func TypeName(a *config.Argument) string {
	switch {
	case a.Type == "", a.Type == "file":
		return "string"
	case a.Type == "array" && a.Items != nil:
		return "array of " + TypeName(a.Items)
	}
	return a.Type
}
