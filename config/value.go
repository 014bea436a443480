package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Value is a string that may come from outside: from the environment, or
// from a file. It prints as its source (${TOKEN}), never as its content, which
// it does not keep.
type Value struct {
	Source
	choices []choice // the first that is present wins
	list    bool     // written as a list
}

// A choice is one way to have a value: text with variables, or a file.
type choice struct {
	written string      // the text, or the path of the file
	parts   []valuePart // of what is written
	isFile  bool        // {file: PATH}
	key     string      // {file: PATH, key: a.b}; empty: the whole file
	file    *sourceFile // that it is written in
}

// A valuePart is literal text, or a variable.
type valuePart struct {
	text     string // the literal, or the default
	name     string // of the variable; empty: a literal
	fallback bool   // a default was given
}

// A Lookup reads one environment variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// Resolved is the content of a Value.
type Resolved struct {
	Text    string
	Secrets []string // the pieces that were read from a variable or a file, never a default written in the file
}

// A MissingError says that a Value is absent, and everything that was tried for it.
type MissingError struct {
	Tried []string // $NAME, or file PATH, or key K of PATH, in order
}

func (e *MissingError) Error() string {
	return "no value: tried " + strings.Join(e.Tried, ", ")
}

// Resolve reads the content: the first choice that is present. The error is a
// *MissingError when none is, and another one when a file cannot be used or
// the content holds a line break or NUL; it never quotes content. A nil Value is absent.
func (v *Value) Resolve(env Lookup) (Resolved, error) {
	missing := &MissingError{}
	if v == nil {
		return Resolved{}, missing
	}
	for _, c := range v.choices {
		r, err := c.resolve(env)
		var m *MissingError
		if !errors.As(err, &m) {
			return r, err
		}
		missing.Tried = append(missing.Tried, m.Tried...)
	}
	return Resolved{}, missing
}

func (c choice) resolve(env Lookup) (Resolved, error) {
	r, err := c.expand(env)
	if err != nil || !c.isFile {
		return r, err
	}
	path, err := c.file.locate(r.Text, env)
	if err != nil {
		return Resolved{}, err
	}
	text, err := c.read(path)
	if err != nil {
		return Resolved{}, err
	}
	return Resolved{Text: text, Secrets: []string{text}}, nil
}

// expand puts the variables into what is written.
func (c choice) expand(env Lookup) (Resolved, error) {
	var r Resolved
	var b strings.Builder
	var missing []string
	for _, p := range c.parts {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		value, _ := env(p.name)
		switch {
		case value == "" && !p.fallback:
			missing = append(missing, "$"+p.name)
		case value == "":
			b.WriteString(p.text)
		case strings.ContainsAny(value, "\r\n\x00"):
			return Resolved{}, fmt.Errorf("the value of $%s holds a line break or NUL", p.name)
		default:
			b.WriteString(value)
			r.Secrets = append(r.Secrets, value)
		}
	}
	if missing != nil {
		return Resolved{}, &MissingError{Tried: missing}
	}
	r.Text = b.String()
	return r, nil
}

// read reads the file, or one key of it.
func (c choice) read(path string) (string, error) {
	text, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &MissingError{Tried: []string{c.where(path)}}
	case err != nil:
		return "", err
	case len(text) > maxFile:
		return "", fmt.Errorf("file %s is larger than 1 MiB", path)
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	if c.key != "" {
		return c.readKey(path, text)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", fmt.Errorf("file %s is empty", path)
	case strings.ContainsAny(text, "\r\n\x00"):
		return "", fmt.Errorf("file %s holds more than one line", path)
	}
	return text, nil
}

func (c choice) where(path string) string {
	if c.key != "" {
		return "key " + c.key + " of " + path
	}
	return "file " + path
}

// String is the Value as it was written: ${TOKEN}, {file: PATH}, or a list of those.
func (v *Value) String() string {
	if v == nil {
		return ""
	}
	var texts []string
	for _, c := range v.choices {
		text := c.written
		if c.isFile {
			text = "{file: " + c.written
			if c.key != "" {
				text += ", key: " + c.key
			}
			text += "}"
		}
		texts = append(texts, text)
	}
	if v.list {
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return strings.Join(texts, "")
}

// GoString is String: %#v shows no more.
func (v *Value) GoString() string { return v.String() }

// MarshalText is String: in JSON, YAML and logs a Value is its source.
func (v *Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Variables are the names of all variables that may be read, in order, each once.
func (v *Value) Variables() []string {
	var names []string
	if v == nil {
		return nil
	}
	for _, c := range v.choices {
		for _, p := range c.parts {
			if p.name != "" && !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	}
	return names
}

// Files are the paths of all files that may be read, as written, in order.
func (v *Value) Files() []string {
	var paths []string
	if v == nil {
		return nil
	}
	for _, c := range v.choices {
		if c.isFile {
			paths = append(paths, c.written)
		}
	}
	return paths
}

// External says whether the content may come from a variable or a file.
func (v *Value) External() bool { return len(v.Variables()) > 0 || len(v.Files()) > 0 }

// Literal is the content of a Value that is written out in the file.
func (v *Value) Literal() (string, bool) {
	if v == nil || v.External() {
		return "", false
	}
	r, err := v.Resolve(nil) // nothing is looked up
	return r.Text, err == nil
}

// Written are the texts that the Value has when nothing comes from outside: of each choice that needs neither a file
// nor a variable without a default, in order.
func (v *Value) Written() (texts []string) {
	if v == nil {
		return nil
	}
	for _, c := range v.choices {
		if c.isFile {
			continue
		}
		if r, err := c.expand(func(string) (string, bool) { return "", false }); err == nil {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// external reads a Value.
func (d *decoder) external(n *yaml.Node, label string) *Value {
	v := &Value{Source: Source{d.file, n}}
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes, v.list = n.Content, true
	}
	for _, node := range nodes {
		if c, ok := d.choice(deref(node), label); ok {
			v.choices = append(v.choices, c)
		}
	}
	if len(nodes) == 0 {
		d.wrongKind(n, label, "text, {file: PATH} or a list of those that is not empty")
	}
	if len(v.choices) < max(len(nodes), 1) {
		return nil
	}
	return v
}

// A fileValue is a Value in a file.
type fileValue struct {
	Source
	// The path of the file; ~ is the home directory, and a relative path begins beside this file.
	File string `yaml:"file,required" example:"~/.config/tbridge/tracker.toml"`
	// One key of a .toml, .yaml, .json or .env file. Absent: the whole file.
	Key string `yaml:"key" example:"tracker.token"`
}

func (d *decoder) choice(n *yaml.Node, label string) (choice, bool) {
	c := choice{written: n.Value}
	at := n
	switch n.Kind {
	case yaml.SequenceNode:
		return c, d.wrongKind(n, label, "text, or {file: PATH}")
	case yaml.ScalarNode:
		if plain(n) && n.Value == "" {
			return c, d.wrongKind(n, label, `text ("" for none), or {file: PATH}`)
		}
	case yaml.MappingNode:
		var f fileValue
		if !d.into(n, label, reflect.ValueOf(&f).Elem()) || f.File == "" {
			return c, false
		}
		_, at = below(n, "file")
		c = choice{written: f.File, isFile: true, key: f.Key, file: d.file}
	}
	parts, fault := parseValue(c.written)
	if fault != nil {
		d.errorf(d.file.inside(at, fault.start, fault.end), ruleValue, "%s", fault.message).Hint = fault.hint
		return c, false
	}
	c.parts = parts
	return c, true
}

// parseValue reads ${NAME}, ${NAME:-default} and $$.
func parseValue(text string) ([]valuePart, *templateError) {
	var parts []valuePart
	var literal strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			literal.WriteByte('$')
			i += 2
		case strings.HasPrefix(rest, "${"):
			part, n, fault := parseVariable(rest)
			if fault != nil {
				fault.start, fault.end = i, i+fault.end
				return nil, fault
			}
			if literal.Len() > 0 {
				parts = append(parts, valuePart{text: literal.String()})
				literal.Reset()
			}
			parts = append(parts, part)
			i += n
		default:
			literal.WriteByte(text[i])
			i++
		}
	}
	if literal.Len() > 0 || len(parts) == 0 {
		parts = append(parts, valuePart{text: literal.String()})
	}
	return parts, nil
}

// parseVariable reads the variable at the start of text.
func parseVariable(text string) (part valuePart, length int, fault *templateError) {
	const remedy = "write ${NAME} or ${NAME:-default}; $$ is a dollar sign"
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return part, 0, &templateError{end: len(text), message: fmt.Sprintf("%q is not closed", excerpt(text)), hint: remedy}
	}
	name, fallback, ok := strings.Cut(text[2:end], ":-")
	n := nameEnd(name)
	if n == 0 || n < len(name) || !isNameStart(name[0]) || strings.Contains(name, "-") {
		return part, 0, &templateError{end: end + 1, message: fmt.Sprintf("%q names no variable", excerpt(text[:end+1])), hint: remedy}
	}
	if strings.Contains(fallback, "${") {
		return part, 0, &templateError{end: end + 1, message: fmt.Sprintf("%q has a variable in its default", excerpt(text[:end+1])),
			hint: "write a list: the first value that is present wins"}
	}
	return valuePart{name: name, text: strings.ReplaceAll(fallback, "$$", "$"), fallback: ok}, end + 1, nil
}
