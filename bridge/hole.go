package bridge

import (
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"

	"tbridge/config"
)

// A frame is one call being rendered. What cannot be rendered is refused, and rendering goes on as if the value
// were absent, so that all refusals are named at once.
type frame struct {
	call     *call
	values   []*config.JSON // of the declared arguments, by position; nil: absent
	files    []io.Closer    // opened on the way
	refusals []string       // in order, the first of each label
	internal bool           // one of them is not the caller's fault
}

// refuse notes that what the label names cannot stand where it should.
func (f *frame) refuse(label, format string, args ...any) {
	known := func(refusal string) bool { return strings.HasPrefix(refusal, label+": ") }
	if !slices.ContainsFunc(f.refusals, known) {
		f.refusals = append(f.refusals, label+": "+fmt.Sprintf(format, args...))
	}
}

// refused is the error of a frame with refusals; nil: there are none.
func (f *frame) refused() *Error {
	switch {
	case f.refusals == nil:
		return nil
	case f.internal:
		return errorf(kindInternal, "%s", strings.Join(f.refusals, "; "))
	}
	return errorf(kindInvalidArguments, "%s", strings.Join(f.refusals, "; "))
}

func (f *frame) close() {
	for _, file := range f.files {
		_ = file.Close()
	}
}

// callID gives the UUID of the call (RFC 9562, version 4), the same however often it is asked for.
func (c *call) callID() string {
	if c.id == "" {
		var b [16]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather than give weak bytes
		b[6] = b[6]&0x0f | 0x40
		b[8] = b[8]&0x3f | 0x80
		c.id = fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return c.id
}

// A ref is a compiled hole: where its value comes from, and what was declared of it.
type ref struct {
	from  config.HoleFrom
	label string   // in messages: who.name
	slot  int      // of the argument
	path  []string // members below it
	shape *shape   // nil: nothing was declared
	text  string   // of a variable
	slash bool     // {+name}
}

// value gives the value of the hole; false when it is absent.
func (r *ref) value(f *frame) (config.JSON, bool) {
	switch r.from {
	case config.FromVars:
		return config.StringJSON(r.text), true
	case config.FromCall:
		return config.StringJSON(f.call.callID()), true
	}
	if f.values[r.slot] == nil {
		return config.JSON{}, false
	}
	v, ok := *f.values[r.slot], true
	for _, member := range r.path {
		if v, ok = v.Get(member); !ok {
			break
		}
	}
	return v, ok
}

// given says whether the hole names an argument that has a value. Null is one only where nulls is true.
func (r *ref) given(f *frame, nulls bool) bool {
	v, ok := r.value(f)
	return ok && r.from == config.FromArgument && (nulls || v.Kind != config.KindNull)
}

// refuse notes that its value cannot stand where its hole is. A variable is the operator's.
func (r *ref) refuse(f *frame, format string, args ...any) {
	f.internal = f.internal || r.from == config.FromVars
	f.refuse(r.label, format, args...)
}

// append appends the value as text, as the dialect writes it; false when it is absent, null or refused. Alone in its
// template, a list or object is written by its style; beside other text only scalars can stand.
func (r *ref) append(b []byte, f *frame, d *dialect, alone bool) ([]byte, bool) {
	v, ok := r.value(f)
	switch {
	case !ok || v.Kind == config.KindNull:
		return b, false
	case v.Kind != config.KindArray && v.Kind != config.KindObject:
		return d.append(b, f, r, v.Text)
	case !alone || d.style == "":
		r.refuse(f, "is an %s, and within text only a string, number or boolean can stand", v.Kind)
		return b, false
	}
	return d.join(b, f, r, r.shape.outward(f, v), d.styleOf(r.shape))
}

// A text is a compiled template whose literals are already as they go on the wire.
type text struct {
	parts []textPart
	size  int // of the literals
}

// A textPart is literal text, or a hole.
type textPart struct {
	literal string
	ref     *ref
}

// render fills the holes; false when any of them is absent, null or refused.
func (t *text) render(f *frame, d *dialect) (string, bool) {
	b, all := make([]byte, 0, t.size+32), true
	for _, p := range t.parts {
		if p.ref == nil {
			b = append(b, p.literal...)
			continue
		}
		var ok bool
		b, ok = p.ref.append(b, f, d, len(t.parts) == 1)
		all = all && ok
	}
	return string(b), all
}

// given says whether any argument it names has a value.
func (t *text) given(f *frame, nulls bool) bool {
	for _, p := range t.parts {
		if p.ref != nil && p.ref.given(f, nulls) {
			return true
		}
	}
	return false
}

// refuse notes that the text cannot stand where it is, in the name of the holes that make it.
func (t *text) refuse(f *frame, format string, args ...any) {
	var labels []string
	ours := true // no argument has a part in it
	for _, p := range t.parts {
		if p.ref != nil && !slices.Contains(labels, p.ref.label) {
			labels = append(labels, p.ref.label)
			ours = ours && p.ref.from != config.FromArgument
		}
	}
	f.internal = f.internal || ours
	f.refuse(strings.Join(labels, " and "), format, args...)
}

// A shape is what of a declared argument matters on the wire.
type shape struct {
	label   string // in messages: stops[].place
	key     string // as the caller names it
	wire    string // as the API names it
	style   string // as declared; empty: the default of the place
	items   *shape
	members []*shape
	file    *fileRule
	changed bool // a member below has another name on the wire, or there is a file
}

// item is the shape of an element.
func (s *shape) item() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// member is the shape of a member; nil when it is not declared.
func (s *shape) member(key string) *shape {
	if s == nil {
		return nil
	}
	for _, m := range s.members {
		if m.key == key {
			return m
		}
	}
	return nil
}

// wireName is the name of a member on the wire.
func (s *shape) wireName(key string) string {
	if m := s.member(key); m != nil {
		return m.wire
	}
	return key
}

// isFile says whether the value is a file.
func (s *shape) isFile() bool { return s != nil && s.file != nil }

// outward gives the value as it stands in JSON: members by their names on the wire, files as base64.
func (s *shape) outward(f *frame, v config.JSON) config.JSON {
	if s == nil || !s.changed {
		return v
	}
	if s.file != nil && v.Kind == config.KindString {
		return config.StringJSON(s.file.base64(f, s.label, v.Text))
	}
	out := config.JSON{Kind: v.Kind, Text: v.Text}
	for i, item := range v.Items {
		below := s.items
		if v.Kind == config.KindObject {
			below = s.member(v.Keys[i])
			out.Keys = append(out.Keys, s.wireName(v.Keys[i]))
		}
		out.Items = append(out.Items, below.outward(f, item))
	}
	return out
}

// shapeOf gives the shape of a declared argument. Nothing of a is kept.
func (k *compiler) shapeOf(a *config.Argument, label string) *shape {
	s := &shape{label: label, key: a.Name, wire: a.Name, style: a.Style}
	if a.As != "" {
		s.wire = a.As
	}
	if a.Type == "file" {
		s.file = k.fileRule(a, label)
		s.changed = true
	}
	if a.Items != nil {
		s.items = k.shapeOf(a.Items, label+"[]")
		s.changed = s.changed || s.items.changed
	}
	for _, p := range a.Properties {
		m := k.shapeOf(p, label+"."+p.Name)
		s.members = append(s.members, m)
		s.changed = s.changed || m.changed || m.wire != m.key
	}
	return s
}

// ref compiles a hole.
func (k *compiler) ref(h *config.Hole) *ref {
	r := &ref{from: h.From, path: h.Path, slash: h.Slash}
	switch h.From {
	case config.FromVars:
		r.label, r.text = "vars."+h.Name, k.variable(h.Name)
		return r
	case config.FromCall:
		r.label = "call." + h.Name
		return r
	}
	r.label = strings.Join(append([]string{h.Name}, h.Path...), ".")
	slot, ok := k.slots[h.Name]
	if !ok {
		k.failf("hole {%s} names no argument", r.label)
		return r
	}
	r.slot, r.shape = slot, k.shapes[slot]
	for _, member := range h.Path {
		r.shape = r.shape.member(member)
	}
	return r
}

// text compiles a template; literal says how its own text goes on the wire.
func (k *compiler) text(t *config.Template, literal func(string) string) *text {
	out := &text{}
	for _, p := range t.Parts {
		if p.Hole != nil {
			out.parts = append(out.parts, textPart{ref: k.ref(p.Hole)})
			continue
		}
		s := literal(p.Text)
		out.parts = append(out.parts, textPart{literal: s})
		out.size += len(s)
	}
	return out
}
