package config

import (
	"cmp"
	"fmt"
	"slices"
)

// A Pos is a span of a file. Lines and columns count from 1, columns in runes;
// the end is exclusive. The zero Pos is no place; a Pos with a File alone is
// the whole file.
type Pos struct {
	File      string
	Line      int
	Column    int
	EndLine   int
	EndColumn int
}

// String is file:line:column, without what is not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Severity says what a finding means for those who run the files.
type Severity byte

const (
	Error   Severity = iota // the file is not served
	Warning                 // it is served, and somebody will regret it
	Note                    // worth knowing
)

// String is error, warning or note.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one finding. Message says, in lower case and without a full
// stop, what was found (quoted), the rule, and what is allowed; Hint says what
// to do when Message does not.
type Diagnostic struct {
	Pos
	Severity Severity
	Rule     string // a word, as tbridge explain takes it
	Message  string
	Hint     string
	Related  []Related
}

// Related is another place that a finding is about, and why.
type Related struct {
	Pos
	Message string
}

// Diagnostics is a list of findings.
type Diagnostics []Diagnostic

// Sort orders by file, position and severity, and drops what is there twice.
func (ds *Diagnostics) Sort() {
	slices.SortStableFunc(*ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	*ds = slices.CompactFunc(*ds, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Count counts the findings of a severity.
func (ds Diagnostics) Count(s Severity) (n int) {
	for _, d := range ds {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Add appends a finding.
func (ds *Diagnostics) Add(s Severity, at Pos, rule, format string, args ...any) *Diagnostic {
	*ds = append(*ds, Diagnostic{Pos: at, Severity: s, Rule: rule, Message: fmt.Sprintf(format, args...)})
	return &(*ds)[len(*ds)-1]
}
