package config

import "gopkg.in/yaml.v3"

// SetText gives the place at path the value that a text says, as Set does. A text with comments is written as it is,
// indented from column 1 in the text, without anchors; that is an error inside brackets.
func SetText(path []any, text string) Change {
	return func(d *document) (*document, error) {
		v, err := ParseValue(text)
		if err != nil {
			return nil, err
		}
		raw, err := readDocument(newSourceFile(d.file.name, text))
		if err != nil || !commented(raw.root) {
			return d.set(path, v)
		}
		room, err := d.set(path, JSON{})
		if err != nil {
			return nil, err
		}
		return room.writeText(path, raw)
	}
}

// commented says whether there is a comment in a tree.
func commented(n *yaml.Node) bool {
	if n.HeadComment != "" || n.LineComment != "" || n.FootComment != "" {
		return true
	}
	for _, child := range n.Content {
		if commented(child) {
			return true
		}
	}
	return false
}

// ParseValue reads a value written as YAML: plain true, false, null and numbers are JSON's, all other scalars text;
// aliases and merges are done. Nothing at all is null. An error is an [*EditError].
func ParseValue(text string) (JSON, error) {
	var ds Diagnostics
	root := parse(newSourceFile("", text), &ds)
	for _, d := range ds {
		if d.Severity == Error {
			return JSON{}, &EditError{Pos: d.Pos, Message: d.Message, Hint: d.Hint}
		}
	}
	if root == nil {
		return JSON{}, nil
	}
	return literal(root), nil
}
