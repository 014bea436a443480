package bridge

import "tbridge/config"

// A node is a compiled config.Tree: what a body or a query is built from.
type node struct {
	kind   nodeKind
	value  config.JSON // of a constant
	typed  string      // of a constant, as text
	hole   *ref
	text   *text
	items  []*node
	fields []field
	open   bool // a mapping that takes all that the call of an open tool sends
	named  bool // an argument is named in it or below it; {*} names none
}

type nodeKind byte

const (
	nodeConstant nodeKind = iota
	nodeHole
	nodeText
	nodeList
	nodeMapping
)

// A field is one pair of a mapping.
type field struct {
	name     string
	optional bool // it goes when no argument below it has a value
	value    *node
}

// sent says whether the field is there at all.
func (fd *field) sent(f *frame, nulls bool) bool { return !fd.optional || fd.value.given(f, nulls) }

// kept says whether a list keeps the element: its holes are not all absent.
func (n *node) kept(f *frame, nulls bool) bool { return !n.named || n.given(f, nulls) }

// given says whether any argument named in the node or below has a value. Null is one only where nulls is true.
func (n *node) given(f *frame, nulls bool) bool {
	switch n.kind {
	case nodeHole:
		return n.hole.given(f, nulls)
	case nodeText:
		return n.text.given(f, nulls)
	}
	for _, item := range n.items {
		if item.given(f, nulls) {
			return true
		}
	}
	for _, fd := range n.fields {
		if fd.value.given(f, nulls) {
			return true
		}
	}
	return n.open && len(f.call.args.Keys) > 0
}

// build makes the JSON value; false when it is absent.
func (n *node) build(f *frame) (config.JSON, bool) {
	switch n.kind {
	case nodeConstant:
		return n.value, true
	case nodeHole:
		v, ok := n.hole.value(f)
		return n.hole.shape.outward(f, v), ok
	case nodeText:
		s, ok := n.text.render(f, inText)
		return config.StringJSON(s), ok
	case nodeList:
		return n.buildList(f), true
	}
	return n.buildMapping(f), true
}

func (n *node) buildList(f *frame) config.JSON {
	list := config.JSON{Kind: config.KindArray, Items: make([]config.JSON, 0, len(n.items))}
	for _, item := range n.items {
		if !item.kept(f, true) {
			continue
		}
		if v, ok := item.build(f); ok {
			list.Items = append(list.Items, v)
		}
	}
	return list
}

func (n *node) buildMapping(f *frame) config.JSON {
	object := config.JSON{Kind: config.KindObject,
		Keys: make([]string, 0, len(n.fields)), Items: make([]config.JSON, 0, len(n.fields))}
	for i := range n.fields {
		fd := &n.fields[i]
		if !fd.sent(f, true) {
			continue
		}
		if v, ok := fd.value.build(f); ok {
			object.Keys, object.Items = append(object.Keys, fd.name), append(object.Items, v)
		}
	}
	if n.open {
		object.Keys, object.Items = append(object.Keys, f.call.args.Keys...), append(object.Items, f.call.args.Items...)
	}
	return object
}

// tree compiles a tree. literal says how text of the file goes on the wire.
func (k *compiler) tree(t *config.Tree) *node {
	switch t.Kind {
	case config.TreeLiteral:
		return &node{value: t.Literal, typed: t.Typed}
	case config.TreeText:
		return k.treeText(t.Template)
	case config.TreeList:
		n := &node{kind: nodeList}
		for _, item := range t.Items {
			below := k.tree(item)
			n.items = append(n.items, below)
			n.named = n.named || below.named
		}
		return n
	}
	n := &node{kind: nodeMapping}
	for _, e := range t.Fields {
		below := k.tree(e.Value)
		n.fields = append(n.fields, field{name: e.Key, optional: e.Optional, value: below})
		n.named = n.named || below.named
	}
	return n
}

func (k *compiler) treeText(t *config.Template) *node {
	if hole := t.Sole(); hole != nil {
		if hole.From == config.FromRest {
			return k.rest()
		}
		return &node{kind: nodeHole, hole: k.ref(hole), named: hole.From == config.FromArgument}
	}
	if t.Constant() {
		s := t.Literal()
		return &node{value: config.StringJSON(s), typed: s}
	}
	n := &node{kind: nodeText, text: k.text(t, k.literal)}
	for _, p := range t.Parts {
		n.named = n.named || p.Hole != nil && p.Hole.From == config.FromArgument
	}
	return n
}
