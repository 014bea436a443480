package config

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// TextAt is the value of a key as it is written, indented from column 1, with the comments inside it. It is false
// when the key is not there, and for a value that stands elsewhere in the file, under an alias.
func (s Source) TextAt(key string) (text string, ok bool) {
	if s.node == nil {
		return "", false
	}
	name, n := below(s.node, key)
	if n == nil {
		return "", false
	}
	if n.Kind == yaml.MappingNode && n.Alias != nil { // more is in it than was written there
		n = n.Alias
	}
	start := s.file.start(n)
	if start < s.file.offset(name.Line, name.Column) {
		return "", false
	}
	text = s.file.text[start:s.file.end(n, start)]
	_, column := s.file.place(start)
	return dedent(text, n, column-1), true
}

// dedent takes the indentation of a value from its lines after the first. What a scalar says does not change by it.
func dedent(text string, n *yaml.Node, indent int) string {
	lines := strings.Split(text, "\n")
	if n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0 {
		indent = 0
		for i, line := range lines[1:] {
			if own := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (i == 0 || own < indent) {
				indent = own
			}
		}
		indent = max(indent-2, 0)
	}
	blank := strings.Repeat(" ", indent)
	for i, line := range lines[1:] {
		lines[i+1] = strings.TrimPrefix(line, blank)
	}
	return strings.Join(lines, "\n")
}

// Places gives the place of each value below this one, by its keys and positions joined with dots: arguments.0.type.
func (s Source) Places() map[string]Pos {
	places := map[string]Pos{}
	if s.node != nil {
		s.places(s.node, "", places)
	}
	return places
}

func (s Source) places(n *yaml.Node, path string, places map[string]Pos) {
	note := func(step string, child *yaml.Node) {
		child = deref(child)
		places[path+step] = s.file.span(child)
		s.places(child, path+step+".", places)
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			note(deref(n.Content[i]).Value, n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			note(strconv.Itoa(i), item)
		}
	}
}
