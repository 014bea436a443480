package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Unshare makes what stands at path its own, so that it can be changed for itself: an alias on the way is written
// out, and an anchor on the way or below that others use goes to the first of them. No value changes.
func Unshare(path []any) Change {
	return func(d *document) (*document, error) { return d.unshare(path) }
}

func (d *document) unshare(path []any) (after *document, err error) {
	after = d
	for i := 1; i <= len(path); i++ {
		p, err := after.resolve(path[:i])
		if err != nil {
			return nil, err
		}
		if !p.exists() {
			return after, nil
		}
		if n := p.last(); n.Kind == yaml.AliasNode {
			after, err = after.writeOut(p)
		} else if first := after.aliases[n]; first != nil {
			after, err = after.handOn(n, first)
		}
		if err != nil {
			return nil, err
		}
	}
	return after.unshareBelow(path)
}

// unshareBelow hands on the anchors inside a node that are used outside of it.
func (d *document) unshareBelow(path []any) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	within := map[*yaml.Node]bool{}
	for _, m := range eachNode(p.last(), nil, func(n *yaml.Node) bool { within[n] = true; return d.aliases[n] != nil }) {
		outside := eachNode(d.root, nil, func(n *yaml.Node) bool { return n.Kind == yaml.AliasNode && n.Alias == m && !within[n] })
		if len(outside) == 0 {
			continue
		}
		first := d.aliases[m]
		change := d.writeOutAt
		if !within[first] {
			change = func(*yaml.Node) (*document, error) { return d.handOn(m, first) }
		}
		after, err := change(first)
		if err != nil {
			return nil, err
		}
		return after.unshareBelow(path)
	}
	return d, nil
}

// writeOutAt writes out an alias wherever it stands.
func (d *document) writeOutAt(alias *yaml.Node) (*document, error) {
	p, err := d.resolve(pathTo(d.root, alias, nil))
	if err != nil || p.last() != alias {
		return nil, d.errorf(alias, byHand, "%q cannot be written out here", "*"+alias.Value)
	}
	return d.writeOut(p)
}

// writeOut writes what an alias stands for in its place.
func (d *document) writeOut(p *route) (*document, error) {
	n, depth := p.last(), len(p.path)
	if err := d.unshared(p.path, p.nodes[:depth]); err != nil {
		return nil, err
	}
	s, err := d.slot(p, depth)
	if err != nil {
		return nil, err
	}
	v := read(n, p.dues[depth])
	return d.refill(p, depth, s, d.fill(s, d.copied(n.Alias, v, s, p.dues[depth])), func(after *document) error { return after.holds(p.path, v) })
}

// copied is what an anchored node holds, written for a slot: word for word if it is one line that no one else needs.
func (d *document) copied(n *yaml.Node, v JSON, s slot, due due) written {
	f := d.file
	start := f.start(n)
	text := f.text[start:f.end(n, start)]
	anchored := eachNode(n, nil, func(m *yaml.Node) bool { return m != n && m.Anchor != "" })
	if !isBlock(n) && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !strings.Contains(text, "\n") && len(anchored) == 0 {
		return written{head: text}
	}
	return d.write(v, setting{due: due, indent: s.column, item: s.item, flow: s.flow, inline: isFlow(n), old: asOld(n)})
}

// asOld is a node whose style is to be kept, if it is one of a list or mapping.
func asOld(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode {
		return nil
	}
	return n
}

// handOn makes the first alias of a node the anchored node instead.
func (d *document) handOn(n, first *yaml.Node) (*document, error) {
	path := pathTo(d.root, first, nil)
	p, err := d.resolve(path)
	if err != nil || p.last() != first {
		return nil, d.errorf(first, byHand, "%q cannot be written out here", "*"+first.Value)
	}
	s, err := d.slot(p, len(path))
	if err != nil {
		return nil, err
	}
	v := read(n, p.dues[len(path)])
	w := d.copied(n, v, s, p.dues[len(path)])
	if isBlock(n) && s.item { // an anchor before a key would be the key's
		w.body = slices.Insert(w.body, 0, strings.Repeat(" ", s.column+2)+w.head)
		w.head = ""
	}
	w.head = strings.TrimRight("&"+n.Anchor+" "+w.head, " ")
	at := d.file.offset(n.Line, n.Column)
	end := d.file.skipSpaceInLine(at + 1 + len(n.Anchor))
	if isBlock(n) {
		end = at + 1 + len(n.Anchor)
		at = len(strings.TrimRight(d.file.text[:at], " "))
	}
	return d.revise(n, append(d.fill(s, w), splice{at, end, ""}), func(after *document) error {
		q, err := after.resolve(path)
		if err != nil {
			return err
		}
		if got := read(q.last(), p.dues[len(path)]); !got.same(v) {
			return d.errorf(first, byHand, "%q cannot be written out here", "*"+first.Value)
		}
		n.Anchor = ""
		for _, alias := range eachNode(d.root, nil, func(m *yaml.Node) bool { return m.Kind == yaml.AliasNode && m.Alias == n }) {
			alias.Alias = first
		}
		*first = *q.last()
		return nil
	})
}

// pathTo is the path of a node, or nil.
func pathTo(n, to *yaml.Node, path []any) []any {
	if n == to {
		return path
	}
	for i, child := range n.Content {
		var step any = i
		if n.Kind == yaml.MappingNode {
			step = deref(n.Content[i&^1]).Value
		}
		if found := pathTo(child, to, join(path, step)); found != nil {
			return found
		}
	}
	return nil
}
