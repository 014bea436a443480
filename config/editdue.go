package config

import (
	"reflect"
	"time"

	"gopkg.in/yaml.v3"
)

// A due is what the language says of a place: how scalars there and below it are read, and in which order keys stand.
type due struct {
	t        reflect.Type // a type of the model, or string for text all the way down; nil: nobody declared it
	head     bool         // the root of a tools file: the keys of t, and the list of tools
	argument *JSON        // the argument whose type reads the value, or
	list     bool         // each element of it
}

var (
	textDue = due{t: reflect.TypeFor[string]()}

	// textual are the types whose scalars are text, in all that is written for them.
	textual = map[reflect.Type]bool{
		textDue.t: true, reflect.TypeFor[Value](): true, reflect.TypeFor[Template](): true, reflect.TypeFor[Paths](): true,
		reflect.TypeFor[Verdict](): true, reflect.TypeFor[Projection](): true,
		reflect.TypeFor[time.Duration](): true, reflect.TypeFor[Size](): true, reflect.TypeFor[Rate](): true,
	}

	argumentType = reflect.TypeFor[Argument]()
	orderedType  = reflect.TypeFor[ordered]()
)

// documentDue says which of the two kinds of file a document is.
func documentDue(root *yaml.Node) due {
	if _, version := below(root, "version"); version != nil {
		return due{t: reflect.TypeFor[Catalog]()}
	}
	return due{t: toolType, head: true}
}

// base is the type without pointers to it, and that of an element where one may stand for a list.
func (d due) base() reflect.Type {
	t := d.t
	for t != nil && !textual[t] && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// in is what is due one step below a node.
func (d due) in(n *yaml.Node, step any) due {
	key, _ := step.(string)
	if t := d.base(); t == argumentType {
		if f := layoutOf(t).byKey[key]; f != nil && f.later {
			return d.below(read(n, due{}), step)
		}
	}
	return d.below(JSON{}, step)
}

// below is what is due one step down; in is the value of the place if that is an argument.
func (d due) below(in JSON, step any) due {
	t := d.base()
	key, _ := step.(string)
	switch {
	case d.argument != nil:
		return d.member(step)
	case t == nil:
		return d
	case textual[t]:
		return textDue
	case d.head && key == "tools":
		return due{t: reflect.TypeFor[[]*Tool]()}
	case t == reflect.TypeFor[JSON]() || t == reflect.TypeFor[Tree]():
		return due{}
	case reflect.PointerTo(t).Implements(orderedType):
		return due{t: t.Elem().Field(2).Type}
	case t.Kind() == reflect.Slice:
		return due{t: t.Elem()}
	case t.Kind() != reflect.Struct:
		return due{}
	}
	f := layoutOf(t).byKey[key]
	switch {
	case f == nil:
		return due{}
	case f.later:
		return due{argument: &in, list: key != "default"}
	case t == toolType && key == "query":
		return textDue
	}
	return due{t: t.Field(f.index).Type}
}

// member is what is due inside a value of an argument.
func (d due) member(step any) due {
	if d.list {
		return due{argument: d.argument}
	}
	key, isKey := step.(string)
	if !isKey {
		if items, ok := d.argument.Get("items"); ok {
			return due{argument: &items}
		}
		return due{}
	}
	properties, _ := d.argument.Get("properties")
	for i := range properties.Items {
		if name, _ := properties.Items[i].Get("name"); name.Text == key {
			return due{argument: &properties.Items[i]}
		}
	}
	return due{}
}

// text says whether a scalar is text whatever its characters, and whether null may stand in its stead.
func (d due) text() (text, null bool) {
	if d.argument != nil {
		of, _ := d.argument.Get("type")
		nullable, _ := d.argument.Get("nullable")
		return !d.list && (of.Text == "" || of.Text == "string" || of.Text == "file"), nullable.Text == "true"
	}
	t := d.base()
	if t != nil && !textual[t] && t.Kind() == reflect.Slice { // one may stand for a list of one
		t = t.Elem()
	}
	return textual[t], false
}

// read reads a node as what is due there. What << merges is in it.
func read(n *yaml.Node, d due) JSON {
	n = deref(n)
	switch n.Kind {
	case yaml.SequenceNode:
		v := JSON{Kind: KindArray, Items: make([]JSON, len(n.Content))}
		for i, item := range n.Content {
			v.Items[i] = read(item, d.in(n, i))
		}
		return v
	case yaml.MappingNode:
		v := JSON{Kind: KindObject}
		eachMerged(n, map[*yaml.Node]bool{}, func(m *yaml.Node) {
			for i := 0; i+1 < len(m.Content); i += 2 {
				if name := deref(m.Content[i]).Value; !isMerge(m.Content[i]) && !v.has(name) {
					v.Put(name, read(m.Content[i+1], d.in(n, name)))
				}
			}
		})
		return v
	}
	text, null := d.text()
	if text && !(null && isEmpty(n) && n.Value != "") {
		return StringJSON(n.Value)
	}
	return literal(n)
}

func (v JSON) has(key string) bool { _, ok := v.Get(key); return ok }

// as makes a value what would be read where it is due: a scalar becomes text where only text is.
func (v JSON) as(d due) JSON {
	switch v.Kind {
	case KindArray, KindObject:
		all := JSON{Kind: v.Kind, Keys: v.Keys, Items: make([]JSON, len(v.Items))}
		for i, item := range v.Items {
			all.Items[i] = item.as(d.below(v, v.step(i)))
		}
		return all
	case KindNull:
		return v
	}
	if text, _ := d.text(); text {
		return StringJSON(v.Text)
	}
	return v
}

// step is the step of a path to a member or element.
func (v JSON) step(i int) any {
	if v.Kind == KindObject {
		return v.Keys[i]
	}
	return i
}

// same says whether two values are the same, whatever the order of their members.
func (v JSON) same(w JSON) bool {
	if v.Kind != w.Kind || v.Text != w.Text || len(v.Items) != len(w.Items) {
		return false
	}
	for i, item := range v.Items {
		other := w.Items[i]
		if v.Kind == KindObject {
			var ok bool
			if other, ok = w.Get(v.Keys[i]); !ok {
				return false
			}
		}
		if !item.same(other) {
			return false
		}
	}
	return true
}

// rank is where the language puts a key in a mapping; ok is false if it does not say.
func (d due) rank(key string) (rank int, ok bool) {
	t := d.base()
	if d.head && key == "tools" {
		return t.NumField(), true
	}
	if t == nil || t.Kind() != reflect.Struct || textual[t] || t.Field(0).Type != reflect.TypeFor[Source]() || d.argument != nil {
		return 0, false
	}
	f := layoutOf(t).byKey[key]
	if f == nil {
		return 0, false
	}
	return f.index, true
}
