// Package validate decides what is acceptable: a catalogue before it is served
// (Catalog), and the arguments of a call before they are sent (Schema).
//
// A Schema is derived from the arguments array of a tool, and what it
// advertises is what its Check enforces: both are the same JSON Schema.
package validate

import (
	"encoding/json"
	"strings"

	"tbridge/config"
)

// Catalog finds what is wrong with a catalogue beyond what reading it found.
// It needs no secrets and no network.
func Catalog(c *config.Catalog) config.Diagnostics { panic("to be built") }

// A Schema is the JSON Schema (2020-12) of a tool's arguments or result, and its check.
type Schema struct{}

// For derives the schema of a tool's arguments.
func For(t *config.Tool) *Schema { panic("to be built") }

// Output derives the schema of a tool's result; nil when it declares none, or says check: off.
func Output(t *config.Tool) *Schema { panic("to be built") }

// JSON is the schema's text. The caller must not change it.
func (s *Schema) JSON() json.RawMessage { panic("to be built") }

// Check reads raw arguments (nil and null are {}) and checks them. The value it gives has integers
// written as integers (30.0 is 30) and, with coerce, lossless repairs made. The error is an *Invalid.
func (s *Schema) Check(raw json.RawMessage, coerce bool) (config.JSON, error) { panic("to be built") }

// Fill puts defaults where an argument is absent, also inside objects that were sent. A default
// {vars.NAME} is asked of vars; its error ends Fill.
func (s *Schema) Fill(args *config.JSON, vars func(name string) (string, error)) error {
	panic("to be built")
}

// Fits checks a result against an Output schema. The error is an *Invalid.
func (s *Schema) Fits(value json.RawMessage) error { panic("to be built") }

// Invalid says everything that is wrong with the arguments of a call.
type Invalid struct{ Problems []Problem }

// A Problem is one offending argument.
type Problem struct {
	Path    string // stops[1].place; empty: the arguments as a whole
	Message string // what was found and the rule, without the path; never a value longer than a short excerpt
	Hint    string // the nearest name, for one that does not exist
}

func (e *Invalid) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(p.Message)
	}
	return b.String()
}
