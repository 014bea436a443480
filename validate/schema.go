package validate

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"tbridge/config"
)

// A Schema is the JSON Schema (2020-12) of a tool's arguments or result, and its check.
// It is safe for concurrent use, and holds nothing of the catalogue it came from.
type Schema struct {
	root  *node
	text  json.RawMessage
	oneOf []string // of these arguments exactly one must be given

	compile  sync.Once // compiling takes 0.3 ms: only what needs it pays for it
	compiled *jsonschema.Schema
	failed   error
}

// A node is one place of a schema, and what the advertised text does not say.
type node struct {
	name     string
	schema   config.JSON // as advertised; of a nullable place the branch that is not null
	kind     string      // JSON Schema's type
	nullable bool
	items    *node
	props    []*node // in the order of their declaration
	names    []string

	fallback    *config.JSON // the default
	fallbackVar string       // the variable that is the default
	unset       error        // why that is none

	hasIntegers bool // here or below
	hasDefaults bool // below
	hasRules    bool // here or below

	required bool               // in the object it is a member of
	needs    int                // members that are required
	open     bool               // members that are not declared pass
	ruled    bool               // more is asked of a value than its type
	compiled *jsonschema.Schema // that of schema; set when the whole is compiled
}

// For derives the schema of a tool's arguments. A tool that Catalog finds fault
// with has one too, though its Check may refuse everything.
func For(t *config.Tool) *Schema {
	d := deriver{closed: true, inPath: pathHoles(t.Path)}
	return newSchema(d.root(t.Arguments), t.OneOf)
}

// Output derives the schema of a tool's result; nil when it declares none, or says check: off.
func Output(t *config.Tool) *Schema {
	if t.Response == nil || t.Response.Output == nil || t.Response.Check == "off" {
		return nil
	}
	return newSchema(deriver{}.root(t.Response.Output), nil)
}

func newSchema(root *node, oneOf []string) *Schema {
	return &Schema{root: root, text: root.schema.Append(nil), oneOf: slices.Clone(oneOf)}
}

// JSON is the schema's text. The caller must not change it.
func (s *Schema) JSON() json.RawMessage { return s.text }

// pathHoles are the arguments, or members of arguments, that a path cannot do without.
func pathHoles(path *config.Template) [][]string {
	if path == nil {
		return nil
	}
	var names [][]string
	for _, p := range path.Parts {
		if h := p.Hole; h != nil && h.From == config.FromArgument {
			names = append(names, append([]string{h.Name}, h.Path...))
		}
	}
	return names
}

// A deriver turns arguments into nodes.
type deriver struct {
	closed bool       // of arguments; a result is open
	inPath [][]string // names below the present place that are needed
}

// below is the deriver of the member of that name, and whether a path needs the member.
func (d deriver) below(name string) (in deriver, needed bool) {
	in.closed = d.closed
	for _, names := range d.inPath {
		if names[0] != name {
			continue
		}
		needed = true
		if len(names) > 1 {
			in.inPath = append(in.inPath, names[1:])
		}
	}
	return in, needed
}

func (d deriver) root(args []*config.Argument) *node {
	n := &node{kind: "object", schema: config.JSON{Kind: config.KindObject}}
	put(&n.schema, "type", config.StringJSON("object"))
	d.object(n, args)
	return n
}

// object adds the members of an object; nil args: it is free-form.
func (d deriver) object(n *node, args []*config.Argument) {
	properties, required := config.JSON{Kind: config.KindObject}, config.JSON{Kind: config.KindArray}
	for _, a := range args {
		in, needed := d.below(a.Name)
		child, text := in.node(a, a.Nullable && !needed) // null is no segment of a path
		n.props, n.names = append(n.props, child), append(n.names, child.name)
		n.hasIntegers = n.hasIntegers || child.hasIntegers
		n.hasRules = n.hasRules || child.hasRules
		n.hasDefaults = n.hasDefaults || child.hasDefaults || child.fallback != nil || child.fallbackVar != ""
		properties.Put(a.Name, text)
		if (a.Required || needed) && child.fallback == nil && child.fallbackVar == "" {
			required.Items = append(required.Items, config.StringJSON(a.Name))
			child.required = true
		}
	}
	if args == nil {
		for _, names := range d.inPath {
			required.Items = append(required.Items, config.StringJSON(names[0]))
		}
	}
	n.needs, n.open = len(required.Items), args == nil || !d.closed
	put(&n.schema, "properties", properties)
	if len(required.Items) > 0 {
		put(&n.schema, "required", required)
	}
	if args != nil && d.closed {
		put(&n.schema, "additionalProperties", config.JSON{Kind: config.KindBool, Text: "false"})
	}
}

// node gives the place of one argument, and its advertised schema.
func (d deriver) node(a *config.Argument, nullable bool) (*node, config.JSON) {
	n := &node{name: a.Name, kind: kindOf(a), nullable: nullable, schema: config.JSON{Kind: config.KindObject}}
	n.hasIntegers = n.kind == "integer"
	if d.closed {
		n.fallbackVar = a.DefaultVar
		if a.Default != nil && a.DefaultVar == "" {
			v := *a.Default
			n.normalize(&v)
			n.fallback = &v
		}
	}
	put(&n.schema, "type", config.StringJSON(n.kind))
	described := config.JSON{Kind: config.KindObject}
	if text := describe(a); text != "" {
		put(&described, "description", config.StringJSON(text))
	}
	examples := config.JSON{Kind: config.KindObject}
	if n.fallback != nil {
		put(&examples, "default", *n.fallback)
	}
	if a.Examples != nil {
		put(&examples, "examples", config.JSON{Kind: config.KindArray, Items: a.Examples})
	}
	if !nullable {
		join(&n.schema, described)
		d.constrain(n, a)
		join(&n.schema, examples)
		return n, n.schema
	}
	d.constrain(n, a)
	null := config.JSON{Kind: config.KindObject}
	put(&null, "type", config.StringJSON("null"))
	put(&described, "anyOf", config.JSON{Kind: config.KindArray, Items: []config.JSON{n.schema, null}})
	join(&described, examples)
	return n, described
}

// kindOf is JSON Schema's type of an argument.
func kindOf(a *config.Argument) string {
	switch a.Type {
	case "integer", "number", "boolean", "array", "object":
		return a.Type
	}
	return "string" // also a file, and an argument without a type
}

// describe is the description of an argument. A file without one says how it is given.
func describe(a *config.Argument) string {
	if a.Type != "file" || a.Description != "" {
		return a.Description
	}
	switch a.FileSource {
	case "path":
		return "Absolute path of the file, below one of the folders that the operator allowed"
	case "text":
		return "Content of the file, as text"
	}
	return "Content of the file, in base64"
}

// constrain adds the rules for a value to the schema of its place, and what is below it.
func (d deriver) constrain(n *node, a *config.Argument) {
	if a.Type == "file" && (a.FileSource == "" || a.FileSource == "base64") {
		put(&n.schema, "contentEncoding", config.StringJSON("base64"))
	}
	if a.Enum != nil {
		put(&n.schema, "enum", config.JSON{Kind: config.KindArray, Items: a.Enum})
	}
	rules := constraints(a)
	for _, c := range rules {
		put(&n.schema, c.key, c.value)
	}
	n.ruled = a.Enum != nil || len(rules) > 0
	n.hasRules = n.ruled
	switch n.kind {
	case "array":
		n.items = &node{}
		items := config.JSON{Kind: config.KindObject}
		if a.Items != nil {
			n.items, items = deriver{closed: d.closed}.node(a.Items, a.Items.Nullable)
		}
		n.hasIntegers, n.hasDefaults, n.hasRules = n.items.hasIntegers, n.items.hasDefaults, n.ruled || n.items.hasRules
		put(&n.schema, "items", items)
	case "object":
		d.object(n, a.Properties)
	}
}

// A constraint is one keyword that limits the values of some types.
type constraint struct {
	key   string
	value config.JSON
	kinds string // the types it is for
}

// constraints are those that an argument gives, in the order they are advertised.
func constraints(a *config.Argument) []constraint {
	var list []constraint
	add := func(given bool, key, kinds string, value config.JSON) {
		if given {
			list = append(list, constraint{key, value, kinds})
		}
	}
	number := func(key string, n *config.Number) {
		if n != nil {
			add(true, key, "integer number", config.JSON{Kind: config.KindNumber, Text: string(*n)})
		}
	}
	count := func(key, kinds string, n *int) {
		if n != nil {
			add(true, key, kinds, config.JSON{Kind: config.KindNumber, Text: strconv.Itoa(*n)})
		}
	}
	add(a.Format != "", "format", "string", config.StringJSON(a.Format))
	add(a.Pattern != "", "pattern", "string", config.StringJSON(a.Pattern))
	count("minLength", "string", a.MinLength)
	count("maxLength", "string", a.MaxLength)
	number("minimum", a.Minimum)
	number("maximum", a.Maximum)
	number("exclusiveMinimum", a.ExclusiveMinimum)
	number("exclusiveMaximum", a.ExclusiveMaximum)
	number("multipleOf", a.MultipleOf)
	count("minItems", "array", a.MinItems)
	count("maxItems", "array", a.MaxItems)
	add(a.UniqueItems, "uniqueItems", "array", config.JSON{Kind: config.KindBool, Text: "true"})
	return list
}

// put appends a member that is not there yet.
func put(v *config.JSON, key string, item config.JSON) {
	v.Keys, v.Items = append(v.Keys, key), append(v.Items, item)
}

// join appends the members of another object.
func join(v *config.JSON, more config.JSON) {
	v.Keys, v.Items = append(v.Keys, more.Keys...), append(v.Items, more.Items...)
}

// prop gives the member of that name, or nil.
func (n *node) prop(name string) *node {
	for _, p := range n.props {
		if p.name == name {
			return p
		}
	}
	return nil
}

// normalize writes integers as integers: 30.0 and 3e1 become 30.
func (n *node) normalize(v *config.JSON) {
	switch {
	case !n.hasIntegers:
	case v.Kind == config.KindNumber && n.kind == "integer":
		if text, ok := integer(v.Text); ok {
			v.Text = text
		}
	case v.Kind == config.KindArray && n.items != nil:
		for i := range v.Items {
			n.items.normalize(&v.Items[i])
		}
	case v.Kind == config.KindObject:
		for i, key := range v.Keys {
			if p := n.prop(key); p != nil {
				p.normalize(&v.Items[i])
			}
		}
	}
}

// integer gives the plain decimal of a JSON number that is an integer.
func integer(literal string) (string, bool) {
	if literal != "-0" && !strings.ContainsAny(literal, ".eE") {
		return literal, true
	}
	r, ok := new(big.Rat).SetString(literal)
	if !ok || !r.IsInt() {
		return "", false
	}
	return r.Num().String(), true
}
