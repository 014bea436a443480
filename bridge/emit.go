package bridge

import (
	"strconv"

	"tbridge/config"
)

// An item is one pair of a query, a form or a multipart body. The name is as it reads, the value as it goes on the wire.
type item struct {
	name  string
	value string
	json  bool      // the value is JSON text
	file  *openFile // the value, in a multipart body
}

// An emitter writes a tree as named values, in order. Null and absent are no value.
type emitter struct {
	f     *frame
	d     *dialect
	items []item
}

// root emits a tree whose members are the names themselves.
func (e *emitter) root(n *node) {
	if n.kind != nodeHole {
		e.fields("", n, false)
		return
	}
	switch v, ok := n.hole.value(e.f); {
	case !ok || v.Kind == config.KindNull:
	case v.Kind != config.KindObject:
		n.hole.refuse(e.f, "must be an object here, whose members are the names")
	default:
		e.members(n.hole, "", v, n.hole.shape, false)
	}
}

// node emits what stands below a name. Within brackets, all below is in brackets unless it says otherwise.
func (e *emitter) node(name string, n *node, within bool) {
	switch n.kind {
	case nodeConstant:
		if n.value.Kind != config.KindNull {
			e.add(name, e.d.escaped(n.typed))
		}
	case nodeText:
		if s, ok := n.text.render(e.f, e.d); ok {
			e.add(name, s)
		}
	case nodeHole:
		v, _ := n.hole.value(e.f) // absent is null here
		e.value(n.hole, name, v, n.hole.shape, e.style(n.hole.shape, v, within))
	case nodeList:
		e.list(name, n, within)
	case nodeMapping:
		e.fields(name, n, true)
	}
}

func (e *emitter) list(name string, n *node, within bool) {
	numbered := false
	for _, below := range n.items {
		numbered = numbered || below.kind == nodeList || below.kind == nodeMapping
	}
	kept := 0 // elements that go leave no gap
	for _, below := range n.items {
		if below.kept(e.f, false) {
			e.node(elementName(name, kept, numbered, within), below, numbered || within)
			kept++
		}
	}
}

// elementName is the name of a list's element: a[0], a[] or, without brackets, a.
func elementName(name string, i int, numbered, brackets bool) string {
	switch {
	case numbered:
		return name + "[" + strconv.Itoa(i) + "]"
	case brackets:
		return name + "[]"
	}
	return name
}

func (e *emitter) fields(name string, n *node, within bool) {
	for i := range n.fields {
		if fd := &n.fields[i]; fd.sent(e.f, false) {
			e.node(memberName(name, fd.name, within), fd.value, within)
		}
	}
	if !n.open {
		return
	}
	for i, v := range e.f.call.args.Items {
		key := e.f.call.args.Keys[i]
		e.value(&ref{label: key}, memberName(name, key, within), v, nil, e.style(nil, v, within))
	}
}

// memberName is the name of an object's member: a[b], or b at the top.
func memberName(name, member string, within bool) string {
	if !within {
		return member
	}
	return name + "[" + member + "]"
}

// style is the style of a value. A list that declares none repeats its name, unless it holds what cannot be repeated.
func (e *emitter) style(s *shape, v config.JSON, within bool) string {
	if s != nil && s.style != "" {
		return s.style
	}
	if within || v.Kind == config.KindObject || nested(v) {
		return "brackets"
	}
	return "repeat"
}

// nested says whether a list or object holds another.
func nested(v config.JSON) bool {
	for _, below := range v.Items {
		if below.Kind == config.KindArray || below.Kind == config.KindObject {
			return true
		}
	}
	return false
}

// value emits one value below a name.
func (e *emitter) value(r *ref, name string, v config.JSON, s *shape, style string) {
	switch {
	case v.Kind == config.KindNull, v.Kind == config.KindArray && len(v.Items) == 0:
	case v.Kind != config.KindArray && v.Kind != config.KindObject:
		e.scalar(name, v, s)
	case style == "repeat" || style == "brackets":
		if v.Kind == config.KindObject {
			e.members(r, name, v, s, true)
		} else {
			e.elements(r, name, v, s, style)
		}
	default:
		if b, ok := e.d.join(nil, e.f, r, s.outward(e.f, v), style); ok {
			e.items = append(e.items, item{name: name, value: string(b), json: style == "json"})
		}
	}
}

func (e *emitter) scalar(name string, v config.JSON, s *shape) {
	if !s.isFile() {
		e.add(name, e.d.escaped(v.Text))
		return
	}
	if file, ok := s.file.open(e.f, s.label, v.Text); ok {
		e.items = append(e.items, item{name: name, file: file})
	}
}

func (e *emitter) elements(r *ref, name string, v config.JSON, s *shape, style string) {
	numbered := nested(v)
	if style == "repeat" && numbered {
		r.refuse(e.f, "holds a list or object, which style repeat cannot write")
		return
	}
	kept := 0 // null is absent here, and leaves no gap
	for _, below := range v.Items {
		if below.Kind != config.KindNull {
			e.value(r, elementName(name, kept, numbered, style == "brackets"), below, s.item(), style)
			kept++
		}
	}
}

// members emits an object: in brackets below a name, or as names of their own.
func (e *emitter) members(r *ref, name string, v config.JSON, s *shape, within bool) {
	for i, below := range v.Items {
		m := s.member(v.Keys[i])
		style := "brackets"
		if !within {
			style = e.style(m, below, false)
		}
		e.value(r, memberName(name, s.wireName(v.Keys[i]), within), below, m, style)
	}
}

func (e *emitter) add(name, value string) { e.items = append(e.items, item{name: name, value: value}) }
