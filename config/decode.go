package config

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"
)

// A field is one key of a struct of the model, as its tag says:
//
//	yaml:"key"        the key; - for none
//	,required         it must be there
//	,head             it may stand at the head of a tools file
//	,request ,text    templates in it are a request's, a result's
//	,single           one value may stand for a list of one
//	,prose            free text for people: ${ has no meaning in it
//	,later            read by the struct's own function, once its other keys are known
//	oneof:"a b c"     the words it can be
type field struct {
	key      string
	element  string // what an element of it is called
	index    int
	required bool
	head     bool
	scan     scanner
	single   bool
	prose    bool
	later    bool
	oneof    []string
}

// A layout is the keys of one struct of the model.
type layout struct {
	fields []field
	byKey  map[string]*field
}

var layouts sync.Map // reflect.Type → *layout

func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l := &layout{byKey: map[string]*field{}}
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("yaml")
		if key, _, _ := strings.Cut(tag, ","); ok && key != "-" {
			l.fields = append(l.fields, newField(t, i, tag))
		}
	}
	for i := range l.fields {
		l.byKey[l.fields[i].key] = &l.fields[i]
	}
	layouts.Store(t, l)
	return l
}

func newField(t reflect.Type, i int, tag string) field {
	words := strings.Split(tag, ",")
	f := field{key: words[0], element: "an element of " + words[0], index: i,
		oneof: strings.Fields(t.Field(i).Tag.Get("oneof"))}
	for _, word := range words[1:] {
		switch word {
		case "required":
			f.required = true
		case "head":
			f.head = true
		case "request":
			f.scan = scanName
		case "text":
			f.scan = scanPath
		case "single":
			f.single = true
		case "prose":
			f.prose = true
		case "later":
			f.later = true
		default:
			panic("unknown option " + word + " of " + t.Name() + "." + f.key)
		}
	}
	return f
}

// A decoder reads nodes into the structs of the model and collects what is wrong.
type decoder struct {
	file    *sourceFile
	ds      *Diagnostics
	tools   bool // the file is a tools file
	partial bool // reading a head: what it lacks may stand in the tools
}

func (d *decoder) errorf(at Pos, rule, format string, args ...any) *Diagnostic {
	return d.ds.Add(Error, at, rule, format, args...)
}

// last is the finding reported last.
func (d *decoder) last() *Diagnostic { return &(*d.ds)[len(*d.ds)-1] }

// wrongKind says that something else is due than what stands there.
func (d *decoder) wrongKind(n *yaml.Node, label, due string) bool {
	d.errorf(d.file.span(n), ruleWrongKind, "%s must be %s, not %s", label, due, kindOf(n))
	return false
}

// wrongValue says that a scalar cannot be read as what is due.
func (d *decoder) wrongValue(n *yaml.Node, label, due string) bool {
	d.errorf(d.file.span(n), ruleWrongValue, "%s must be %s, not %s", label, due, kindOf(n))
	return false
}

// kindOf says what a node is: a mapping, a list, or its characters.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Value == "" && plain(n) {
		return "empty"
	}
	if !plain(n) {
		return fmt.Sprintf("the quoted %q", excerpt(n.Value))
	}
	return fmt.Sprintf("%q", excerpt(n.Value))
}

// excerpt is the beginning of a long text.
func excerpt(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// plain says whether a scalar was written without quotes, block or tag.
func plain(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 }

// into decodes a mapping into a struct.
func (d *decoder) into(n *yaml.Node, label string, v reflect.Value) bool {
	*v.Field(0).Addr().Interface().(*Source) = Source{d.file, n}
	if n.Kind != yaml.MappingNode {
		return d.wrongKind(n, label, "a mapping")
	}
	l := layoutOf(v.Type())
	var seen uint64
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		f := l.byKey[deref(key).Value]
		switch {
		case f == nil:
			d.unknown(key, label, l.keys(func(*field) bool { return true }))
			if n.Style&yaml.FlowStyle != 0 && plain(value) && value.Value == "" {
				d.last().Hint = "a comma ends the text before it inside {}; put that text in quotes"
			}
			continue
		case !f.later:
			v.Field(f.index).SetZero() // a tool begins as a copy of the head of its file
			d.value(value, f.key, f, v.Field(f.index))
		}
		seen |= 1 << f.index
	}
	for i := range l.fields {
		if f := &l.fields[i]; f.required && !d.partial && seen&(1<<f.index) == 0 {
			d.errorf(d.beginning(n), ruleMissingKey, "%s lacks %q", label, f.key)
		}
	}
	d.finish(v.Addr().Interface())
	return true
}

// finish runs what a struct needs once its keys are known.
func (d *decoder) finish(p any) {
	switch p := p.(type) {
	case *Argument:
		d.typed(p)
	case *Tool:
		supplied(p)
	case *Catalog:
		for _, e := range p.APIs {
			e.Value.Name = e.Key
		}
	}
}

// keys gives the keys that pass, in their order.
func (l *layout) keys(pass func(*field) bool) []string {
	var keys []string
	for i := range l.fields {
		if pass(&l.fields[i]) {
			keys = append(keys, l.fields[i].key)
		}
	}
	return keys
}

// unknown reports a key that nobody reads.
func (d *decoder) unknown(key *yaml.Node, label string, keys []string) {
	name := deref(key).Value
	rest := "; its keys are " + list(keys, "and")
	if near := Nearest(name, keys); near != "" {
		rest = fmt.Sprintf("; did you mean %q?", near)
	}
	d.errorf(d.file.span(key), ruleUnknownKey, "%s has no key %q%s", label, excerpt(name), rest)
}

// list joins words for a sentence.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// beginning is the place of a mapping as a whole: its first key.
func (d *decoder) beginning(n *yaml.Node) Pos {
	if n.Alias != nil {
		n = n.Alias
	}
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0 {
		return d.file.span(n.Content[0])
	}
	return d.file.span(n)
}

// An ordered is a *Map: put appends a pair and gives a pointer to its value.
type ordered interface {
	put(key string, at Pos) any
	drop()
}

func (m *Map[T]) put(key string, at Pos) any {
	*m = append(*m, Entry[T]{Key: key, KeyPos: at})
	return &(*m)[len(*m)-1].Value
}

// drop takes the last pair away.
func (m *Map[T]) drop() { *m = (*m)[:len(*m)-1] }

// value decodes a node into a field or an element. It says whether there is something worth keeping.
func (d *decoder) value(n *yaml.Node, label string, f *field, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *string:
		return d.str(n, label, f, p)
	case **string:
		*p = new(string)
		return d.str(n, label, f, *p)
	case *bool:
		return d.boolean(n, label, p)
	case **bool:
		*p = new(bool)
		return d.boolean(n, label, *p)
	case *int:
		return d.integer(n, label, 1, p)
	case **int:
		*p = new(int)
		return d.integer(n, label, 0, *p)
	case *time.Duration:
		return d.duration(n, label, p)
	case *Size:
		return d.size(n, label, p)
	case *Rate:
		return d.rate(n, label, p)
	case **Number:
		*p = new(Number)
		return d.number(n, label, *p)
	case **Value:
		*p = d.external(n, label)
		return *p != nil
	case **Template:
		*p = d.template(n, label, f.scan)
		return *p != nil
	case **Tree:
		*p = d.tree(n, label, f.key == "query")
		return *p != nil
	case *Paths:
		return d.paths(n, label, p)
	case **Verdict:
		*p = d.verdict(n, label)
		return *p != nil
	case **Projection:
		*p = d.projection(n, label)
		return *p != nil
	case **JSON:
		value := literal(n)
		*p = &value
		return true
	case ordered:
		return d.ordered(n, label, f, p)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.into(n, label, v.Elem())
	case reflect.Slice:
		return d.list(n, label, f, v)
	}
	return d.into(n, label, v)
}

func (d *decoder) ordered(n *yaml.Node, label string, f *field, m ordered) bool {
	if n.Kind != yaml.MappingNode {
		return d.wrongKind(n, label, "a mapping")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i]).Value
		into := reflect.ValueOf(m.put(key, d.file.span(n.Content[i]))).Elem()
		if !d.value(deref(n.Content[i+1]), key, f, into) {
			m.drop()
		}
	}
	return true
}

func (d *decoder) list(n *yaml.Node, label string, f *field, v reflect.Value) bool {
	nodes := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && f.single && !(plain(n) && n.Value == ""):
		nodes = []*yaml.Node{n}
	case n.Kind != yaml.SequenceNode:
		return d.wrongKind(n, label, "a list")
	}
	all := reflect.MakeSlice(v.Type(), len(nodes), len(nodes))
	kept := 0
	for _, node := range nodes {
		if d.value(deref(node), f.element, f, all.Index(kept)) {
			kept++
		}
	}
	v.Set(all.Slice(0, kept))
	return true
}
