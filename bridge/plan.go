package bridge

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"tbridge/config"
)

// A plan is how the request of a tool is made. It is compiled once and never changes.
type plan struct {
	method  string
	exact   bool
	path    []*text
	pairs   []pair // the constant query of the path
	query   *node
	headers []named
	cookies []named
	body    *bodyPlan // nil: no body
	fixed   fixed     // of an open tool: names beside which the caller's stand
	slots   map[string]int
	vars    *vars
	missing error // why a variable that the request names has no text
}

// A named text is a header or cookie.
type named struct {
	name string
	text *text
}

// compilePlan decides once where each argument goes. Nothing of def is kept.
func compilePlan(def *config.Tool, v *vars) (*plan, error) {
	k := newCompiler(def, v)
	p := &plan{method: def.Method, slots: k.slots, vars: v}
	p.path, p.pairs = k.compilePath(def.Path)
	p.exact = def.Path == nil || len(p.path) == 1 && len(p.path[0].parts) == 0 && !strings.HasPrefix(def.Path.Text, "/")
	k.literal = inQuery.escaped
	p.query = k.root(def.Query, "query")
	p.headers = k.named(def.Headers, "header", textproto.CanonicalMIMEHeaderKey, asWritten)
	p.cookies = k.named(def.Cookies, "cookie", inCookie.escaped, inCookie.escaped)
	p.body = k.body(p)
	p.fix()
	for _, compile := range k.later {
		compile()
	}
	p.missing = k.missing
	return p, k.err
}

// fix notes the names that the tool gives the places where an open tool puts what its caller sends.
func (p *plan) fix() {
	p.fixed = fixed{}
	if p.query.open {
		for _, pair := range p.pairs {
			p.fixed.addEncoded(pair.name)
		}
		for _, fd := range p.query.fields {
			p.fixed.add(fd.name)
		}
	}
	if p.body != nil && p.body.root.open {
		for _, fd := range p.body.root.fields {
			p.fixed.add(fd.name)
		}
	}
}

// hold refuses what the caller of an open tool sends under a name that the tool fixes.
func (p *plan) hold(f *frame) {
	if len(p.fixed) == 0 {
		return
	}
	for _, name := range f.call.args.Keys {
		if p.fixed.has(name) {
			f.refuse(name, "is fixed by the tool, and cannot be sent")
		}
	}
}

// asWritten is text of the file that stands as it is.
func asWritten(s string) string { return s }

// A compiler makes the plan of one tool.
type compiler struct {
	def     *config.Tool
	vars    *vars
	open    bool           // the tool takes any arguments
	slots   map[string]int // of the declared arguments
	shapes  []*shape
	places  []string        // where each argument goes: hole, query, header, cookie, body, none, or rest for {*}
	holes   map[string]bool // the arguments that holes name
	star    bool            // there is a {*}
	literal func(string) string
	later   []func() // templates that can be compiled only when all arguments are known
	missing error
	err     error
}

func newCompiler(def *config.Tool, v *vars) *compiler {
	k := &compiler{def: def, vars: v, open: def.Arguments == nil, slots: make(map[string]int), holes: make(map[string]bool)}
	for i, a := range def.Arguments {
		k.slots[a.Name] = i
		k.shapes = append(k.shapes, k.shapeOf(a, a.Name))
	}
	k.findHoles()
	for _, a := range def.Arguments {
		k.places = append(k.places, k.place(a))
	}
	return k
}

// place is where an argument goes: a hole, in, {*}, or by the method.
func (k *compiler) place(a *config.Argument) string {
	switch {
	case k.holes[a.Name]:
		return "hole"
	case a.In == "path":
		k.failf("argument %s goes into the path, which has no hole {%s}", a.Name, a.Name)
		return "none"
	case a.In != "":
		return a.In
	case k.star:
		return "rest"
	}
	return byMethod(k.def.Method)
}

// byMethod is where arguments go that nothing else places.
func byMethod(method string) string {
	switch method {
	case "GET", "HEAD", "DELETE":
		return "query"
	}
	return "body"
}

// findHoles notes which arguments holes name, and whether there is a {*}.
func (k *compiler) findHoles() {
	k.holesOf(k.def.Path)
	for _, m := range [...]config.Map[*config.Template]{k.def.Headers, k.def.Cookies} {
		for _, e := range m {
			k.holesOf(e.Value)
		}
	}
	eachTemplate(k.def.Query, k.holesOf)
	eachTemplate(k.def.Body, k.holesOf)
}

func (k *compiler) holesOf(t *config.Template) {
	if t == nil {
		return
	}
	for _, p := range t.Parts {
		switch {
		case p.Hole == nil:
		case p.Hole.From == config.FromArgument:
			k.holes[p.Hole.Name] = true
		case p.Hole.From == config.FromRest:
			k.star = true
		}
	}
}

func (k *compiler) failf(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

// variable is the text of a variable. One without text fails every call of the tool, but not its loading.
func (k *compiler) variable(name string) string {
	s, err := k.vars.text(name)
	if err != nil && k.missing == nil {
		k.missing = err
	}
	return s
}

// placed are the fields of the arguments that go to any of these places, as declared.
func (k *compiler) placed(places ...string) (fields []field) {
	for i, s := range k.shapes {
		if slices.Contains(places, k.places[i]) {
			r := &ref{label: s.label, slot: i, shape: s}
			fields = append(fields, field{name: s.wire, value: &node{kind: nodeHole, hole: r, named: true}})
		}
	}
	return fields
}

// rest is the object that {*} stands for. It is always there, so it counts as no argument's hole.
func (k *compiler) rest() *node {
	return &node{kind: nodeMapping, fields: k.placed("rest"), open: k.open}
}

// root compiles the query or body: what is written, and after it the arguments that go there by rule.
func (k *compiler) root(t *config.Tree, place string) *node {
	n := &node{kind: nodeMapping}
	if t != nil && t.Template.Sole() != nil && t.Template.Sole().From == config.FromRest {
		n = k.rest()
		n.fields = k.placed("rest", place)
		return n
	}
	if t != nil {
		n = k.tree(t)
	}
	n.fields = append(n.fields, k.placed(place)...)
	n.open = k.takesAll(place)
	if n.kind != nodeMapping && (len(n.fields) > 0 || n.open) {
		k.failf("%s is no mapping, so nothing can be added to it; name every argument in a hole, or say in: none", place)
	}
	return n
}

// takesAll says whether all arguments of an open tool go to the place by rule.
func (k *compiler) takesAll(place string) bool {
	return k.open && !k.star && byMethod(k.def.Method) == place
}

// named compiles headers or cookies: those written, and after them the arguments that go there.
func (k *compiler) named(m config.Map[*config.Template], place string, name, literal func(string) string) (out []named) {
	for _, e := range m {
		out = append(out, named{name(e.Key), k.text(e.Value, literal)})
	}
	for _, f := range k.placed(place) {
		out = append(out, named{name(f.name), &text{parts: []textPart{{ref: f.value.hole}}}})
	}
	return out
}

// body compiles the body; nil when there is none. A header Content-Type is the body's.
func (k *compiler) body(p *plan) *bodyPlan {
	if k.def.Body == nil && !k.takesAll("body") && !slices.Contains(k.places, "body") {
		return nil
	}
	e := encodings[k.def.Encoding]
	k.literal = asWritten
	if e.dialect == inForm {
		k.literal = inForm.escaped
	}
	b := &bodyPlan{root: k.root(k.def.Body, "body"), encode: e.encode, fallback: e.contentType}
	p.headers = slices.DeleteFunc(p.headers, func(h named) bool {
		if h.name == "Content-Type" {
			b.contentType = h.text
		}
		return h.name == "Content-Type"
	})
	if k.def.ContentType != nil {
		b.contentType = k.text(k.def.ContentType, asWritten)
	}
	return b
}
