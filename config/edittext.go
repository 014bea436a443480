package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// isPosition says whether a path ends in a position of a list.
func isPosition(path []any) bool {
	if len(path) == 0 {
		return false
	}
	_, ok := path[len(path)-1].(int)
	return ok
}

// insertText makes room for a value, and writes the text there.
func (d *document) insertText(path []any, text string) (*document, error) {
	raw, err := readDocument(newSourceFile(d.file.name, text))
	if err != nil {
		return nil, d.errorf(d.root, "", "the text to insert: %s", err.(*EditError).Message)
	}
	if anchored := eachNode(raw.root, nil, func(n *yaml.Node) bool { return n.Anchor != "" }); len(anchored) > 0 {
		return nil, d.errorf(d.root, "write it out", "the text to insert has an anchor, %q", "&"+anchored[0].Anchor)
	}
	after := d
	if isPosition(path) {
		after, err = d.insert(path, JSON{}, true)
	} else {
		after, err = d.room(path)
	}
	if err != nil {
		return nil, err
	}
	return after.writeText(path, raw)
}

// room writes a key with null.
func (d *document) room(path []any) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	if p.exists() && !isEmpty(p.last()) {
		return nil, d.errorf(p.last(), "", "%s is there already", pathText(path))
	}
	if p.exists() {
		return d, nil
	}
	return d.create(p, JSON{}, true)
}

// writeText puts a text in the place of a null.
func (d *document) writeText(path []any, raw *document) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	s, err := d.slot(p, len(path))
	if err != nil {
		return nil, err
	}
	if s.flow {
		return nil, d.errorf(p.last(), "write the list or mapping over several lines first", "%s stands inside brackets, where text over lines cannot go", pathText(path[:len(path)-1]))
	}
	above, text := "", raw.file.text
	if s.item && isBlock(raw.root) { // comments that begin it go above the dash
		begin := raw.file.lineStart(raw.begin(raw.root, 0))
		indent := strings.Repeat(" ", s.column)
		for line := range strings.Lines(text[:begin]) {
			above += strings.TrimRight(line, "\r\n") + d.eol + indent
		}
		text = text[begin:]
	}
	splices := append(d.fill(s, d.indented(text, raw.root, s)), splice{s.after - 1, s.after - 1, above})
	return d.refill(p, len(path), s, splices, func(after *document) error {
		q, err := after.resolve(path)
		if err != nil || !q.exists() || !(likeness{}).same(raw.root, q.last()) {
			return d.errorf(s.value, "indent it from column 1", "the text to insert would be read differently here")
		}
		return nil
	})
}

// indented is a text with the indentation of a slot.
func (d *document) indented(text string, root *yaml.Node, s slot) written {
	indent := s.column + 2
	if !s.item {
		indent = s.column + d.style.step
	}
	lines := strings.Split(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = strings.Repeat(" ", indent) + line
		}
	}
	if isBlock(root) && !s.item {
		return written{body: lines}
	}
	return written{head: strings.TrimLeft(lines[0], " "), body: lines[1:]}
}
