package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Template is text with holes, parsed once. It knows its names and where
// they stand; what a value looks like in place of a hole belongs to whoever
// knows what the text is for.
type Template struct {
	Text  string
	Parts []Part // literal text and holes; none for an empty text
	Pos   Pos
}

// A Part is literal text, or a hole.
type Part struct {
	Text    string // the literal, or the hole with its braces
	Hole    *Hole  // nil: a literal
	Doubled bool   // a literal {name} that was written {{name}}
	Pos     Pos    // of the hole
}

// A Hole is a place for a value. In a request template it is a name; in the
// text of a result it is a path.
type Hole struct {
	Name  string   // the argument, variable or call property; "*" for all that is left
	From  HoleFrom // where Name is looked up
	Path  []string // further members, for {name.field}
	Slash bool     // {+name}: slashes of the value separate segments
	Value Path     // in the text of a result
	Count bool     // {#} in the text of a result: the number of elements of the list
}

// HoleFrom is where a hole's name is looked up.
type HoleFrom byte

const (
	FromArgument HoleFrom = iota // {name}, {name.field}
	FromVars                     // {vars.name}
	FromCall                     // {call.id}
	FromRest                     // {*}
	FromResult                   // a path, in the text of a result
)

// Sole gives the hole if the template is exactly one hole and nothing else.
func (t *Template) Sole() *Hole {
	if t != nil && len(t.Parts) == 1 {
		return t.Parts[0].Hole
	}
	return nil
}

// Constant says whether the template has no hole.
func (t *Template) Constant() bool {
	for _, p := range t.Parts {
		if p.Hole != nil {
			return false
		}
	}
	return true
}

// Literal is the text of a constant template, doubled braces undone.
func (t *Template) Literal() string {
	var b strings.Builder
	for _, p := range t.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// A templateError is a fault in a template: bytes [start, end) of its text.
type templateError struct {
	start, end int
	message    string
	hint       string
}

// ParseRequest reads the template of a request. {name}, {name.field}, {+name},
// {vars.name}, {call.id} and {*} are holes; {{name}} is the text {name}; text is
// read from the left. Other braces are themselves, but a name that opens and
// does not close is an error. The Pos of the parts are left empty.
func ParseRequest(text string) (*Template, error) {
	t, _, faults := parseTemplate(text, scanName)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s", faults[0].message)
	}
	return t, nil
}

// ParseText reads the text of a result, whose holes are paths that run to the
// matching brace, quotes respected. {{path}} is the text {path}; a brace before
// a space, or {}, is itself.
func ParseText(text string) (*Template, error) {
	t, _, faults := parseTemplate(text, scanPath)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s", faults[0].message)
	}
	return t, nil
}

// A scanner looks at text that begins with a brace. It gives the hole and its
// length; 0 when the brace is just a brace.
type scanner func(text string) (hole *Hole, length int, fault *templateError)

// parseTemplate reads all of the text, past faults, so that they are all found. starts are the bytes where the
// holes begin, in their order.
func parseTemplate(text string, scan scanner) (t *Template, starts []int, faults []templateError) {
	t = &Template{Text: text}
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			t.Parts = append(t.Parts, Part{Text: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(text); {
		next := strings.IndexByte(text[i:], '{')
		if next < 0 {
			literal.WriteString(text[i:])
			break
		}
		literal.WriteString(text[i : i+next])
		i += next
		if strings.HasPrefix(text[i:], "{{") {
			n := doubled(text[i:], scan)
			if n == 0 {
				literal.WriteByte('{')
				i++
				continue
			}
			flush()
			t.Parts = append(t.Parts, Part{Text: text[i+1 : i+1+n], Doubled: true})
			i += n + 2
			continue
		}
		hole, n, fault := scan(text[i:])
		switch {
		case fault != nil:
			literal.WriteString(text[i : i+fault.end])
			fault.start, fault.end = i, i+fault.end
			faults = append(faults, *fault)
			i = fault.end
		case n == 0:
			literal.WriteByte('{')
			i++
		default:
			flush()
			t.Parts = append(t.Parts, Part{Text: text[i : i+n], Hole: hole})
			starts = append(starts, i)
			i += n
		}
	}
	flush()
	return t, starts, faults
}

// doubled gives the length of {name} in text that begins with {{name}}, or 0.
func doubled(text string, scan scanner) int {
	_, n, fault := scan(text[1:])
	if fault != nil || n == 0 || !strings.HasPrefix(text[1+n:], "}") {
		return 0
	}
	return n
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isNameByte(c byte) bool { return isNameStart(c) || c == '-' || c >= '0' && c <= '9' }

// nameEnd is the length of the name at the start of s.
func nameEnd(s string) int {
	i := 0
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	return i
}

// scanName is the scanner of requests.
func scanName(text string) (*Hole, int, *templateError) {
	if strings.HasPrefix(text, "{*}") {
		return &Hole{Name: "*", From: FromRest}, 3, nil
	}
	i := 1
	slash := strings.HasPrefix(text[i:], "+")
	if slash {
		i++
	}
	if i >= len(text) || !isNameStart(text[i]) {
		return nil, 0, nil
	}
	var names []string
	for {
		n := nameEnd(text[i:])
		if n == 0 {
			break
		}
		names = append(names, text[i:i+n])
		i += n
		if i >= len(text) || text[i] != '.' {
			break
		}
		i++
	}
	if i >= len(text) || text[i] != '}' || text[i-1] == '.' {
		return nil, 0, &templateError{end: i, message: fmt.Sprintf("%q opens a hole that is not closed after its name", excerpt(text[:i])),
			hint: "close it with }, or put a space after the brace if it is text"}
	}
	hole := &Hole{Name: names[0], Path: names[1:], Slash: slash}
	if names[0] == "vars" && len(names) == 2 {
		*hole = Hole{Name: names[1], From: FromVars, Slash: slash}
	}
	if names[0] == "call" && len(names) == 2 {
		*hole = Hole{Name: names[1], From: FromCall, Slash: slash}
	}
	return hole, i + 1, nil
}

// scanPath is the scanner of results.
func scanPath(text string) (*Hole, int, *templateError) {
	if len(text) < 2 || text[1] == ' ' || text[1] == '\n' || text[1] == '}' || text[1] == '{' {
		return nil, 0, nil
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			if text[1:i] == "#" {
				return &Hole{From: FromResult, Count: true}, i + 1, nil
			}
			return &Hole{From: FromResult, Value: parsePath(text[1:i], Pos{})}, i + 1, nil
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return nil, 0, &templateError{end: len(text), message: fmt.Sprintf("%q opens a hole that is not closed", excerpt(line)), hint: "close it with }"}
}

// parsePath splits a path into its root and the rest.
func parsePath(text string, at Pos) Path {
	p := Path{Text: text, Expr: text, Pos: at}
	for _, root := range [...]struct {
		name string
		root Root
	}{{"$body", RootBody}, {"$status", RootStatus}, {"$headers", RootHeaders}, {"$args", RootArgs}} {
		rest, ok := strings.CutPrefix(text, root.name)
		if ok && (rest == "" || rest[0] == '.') {
			p.Root, p.Expr = root.root, strings.TrimPrefix(rest, ".")
		}
	}
	return p
}

// runes counts the characters of s.
func runes(s string) int { return utf8.RuneCountInString(s) }
