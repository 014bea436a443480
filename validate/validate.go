// Package validate decides what is acceptable: a catalogue before it is served
// (Catalog), and the arguments of a call before they are sent (Schema).
//
// A Schema is derived from the arguments array of a tool, and what it
// advertises is what its Check enforces: both are the same JSON Schema.
package validate

import "strings"

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
