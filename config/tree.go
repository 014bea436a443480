package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A Tree is a value with holes: what body and query are written as. It is
// never text: strings in it are templates, and a string that is exactly one
// hole stands for the value itself.
type Tree struct {
	Source
	Kind     TreeKind
	Template *Template // of a TreeText
	Literal  JSON      // of a TreeLiteral: null, a boolean, a number, as JSON reads the plain scalar
	Typed    string    // of a TreeLiteral: its characters as typed, for places where text is due
	Items    []*Tree   // of a TreeList
	Fields   []Field   // of a TreeMapping
}

// TreeKind is the kind of node a Tree is.
type TreeKind byte

const (
	TreeText    TreeKind = iota // text with or without holes
	TreeLiteral                 // null, true, false or a number, written plain
	TreeList
	TreeMapping
)

// A Field is one pair of a TreeMapping.
type Field struct {
	Key      string // without the question mark
	KeyPos   Pos
	Optional bool // written key?: the whole pair goes when no argument below it has a value
	Value    *Tree
}

// tree reads the value of body or query. Where only text is due, as in a query, plain scalars are templates too.
func (d *decoder) tree(n *yaml.Node, label string, query bool) *Tree {
	t := d.branch(n, label, query)
	if !query || t == nil || t.Kind == TreeMapping {
		return t
	}
	if t.Kind == TreeText {
		if hole := t.Template.Sole(); hole != nil && hole.From == FromRest {
			return t
		}
	}
	d.wrongKind(n, label, `a mapping, or "{*}"`)
	return nil
}

func (d *decoder) branch(n *yaml.Node, label string, textual bool) *Tree {
	t := &Tree{Source: Source{d.file, n}}
	switch n.Kind {
	case yaml.SequenceNode:
		t.Kind = TreeList
		for _, item := range n.Content {
			if item := d.branch(deref(item), label, textual); item != nil {
				t.Items = append(t.Items, item)
			}
		}
		return t
	case yaml.MappingNode:
		t.Kind = TreeMapping
		d.fields(t, n, textual)
		return t
	}
	if v, ok := plainLiteral(n); ok && !textual {
		t.Kind, t.Literal, t.Typed = TreeLiteral, v, n.Value
		return t
	}
	t.Template = d.template(n, label, scanName)
	return t
}

func (d *decoder) fields(t *Tree, n *yaml.Node, textual bool) {
	byName := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i])
		d.noEnv(key)
		name, optional := strings.CutSuffix(key.Value, "?")
		at := d.file.span(n.Content[i])
		if i, twice := byName[name]; twice {
			first := t.Fields[i].KeyPos
			d.errorf(at, ruleDuplicateKey, "%q is given twice, first on line %d", excerpt(name), first.Line).Related = []Related{{first, "first given here"}}
		}
		if value := d.branch(deref(n.Content[i+1]), name, textual); value != nil {
			byName[name] = len(t.Fields)
			t.Fields = append(t.Fields, Field{Key: name, KeyPos: at, Optional: optional, Value: value})
		}
	}
}
