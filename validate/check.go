package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"tbridge/config"
)

// maxResultDepth bounds how deep a result may be nested to be checked.
const maxResultDepth = 100

// jsonSpace is what may stand around a JSON value (RFC 8259, section 2).
const jsonSpace = " \t\r\n"

// Check reads raw arguments (nil and null are {}) and checks them. The value it gives has integers
// written as integers (30.0 is 30) and, with coerce, lossless repairs made. The error is an *Invalid.
//
// Beside what JSON says it refuses only a repeated member, more than
// config.MaxDepth levels, and what breaks one_of.
func (s *Schema) Check(raw json.RawMessage, coerce bool) (config.JSON, error) {
	if raw = bytes.Trim(raw, jsonSpace); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	args, err := config.ParseJSON([]byte(raw), config.MaxDepth)
	if err != nil {
		return args, invalidJSON(err)
	}
	if args.Kind != config.KindObject {
		return args, &Invalid{[]Problem{{Message: "want an object of arguments, got " + args.Kind.String()}}}
	}
	if coerce {
		s.root.coerce(&args, 1)
	}
	problems := s.validate(args)
	if p, ok := s.checkOneOf(args); !ok {
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return args, &Invalid{problems}
	}
	s.root.normalize(&args)
	return args, nil
}

// Fits checks a result against an Output schema. The error is an *Invalid.
func (s *Schema) Fits(value json.RawMessage) error {
	v, err := config.ParseJSON([]byte(value), maxResultDepth)
	if err != nil {
		return invalidJSON(err)
	}
	if problems := s.validate(v); len(problems) > 0 {
		return &Invalid{problems}
	}
	return nil
}

func invalidJSON(err error) error {
	var e *config.JSONError
	if errors.As(err, &e) {
		return &Invalid{[]Problem{{Path: e.Path, Message: e.Message}}}
	}
	return &Invalid{[]Problem{{Message: err.Error()}}}
}

// checkOneOf says whether exactly one argument of one_of is given. Null is a value, and given.
func (s *Schema) checkOneOf(args config.JSON) (Problem, bool) {
	if len(s.oneOf) == 0 {
		return Problem{}, true
	}
	var given []string
	for _, name := range s.oneOf {
		if _, ok := args.Get(name); ok {
			given = append(given, name)
		}
	}
	if len(given) == 1 {
		return Problem{}, true
	}
	found := "none"
	if len(given) > 0 {
		found = strings.Join(given, " and ")
	}
	return Problem{Message: fmt.Sprintf("want exactly one of %s, got %s", strings.Join(s.oneOf, ", "), found)}, false
}

// validate checks a value against the advertised text.
func (s *Schema) validate(v config.JSON) []Problem {
	if !s.root.hasRules && s.root.passes(v) {
		return nil
	}
	s.compile.Do(func() {
		if s.compiled, s.failed = compile(s.text); s.failed == nil {
			s.root.bind(s.compiled)
		}
	})
	if s.failed != nil {
		return []Problem{{Message: "the schema of this tool is faulty: " + s.failed.Error()}}
	}
	if s.root.passes(v) {
		return nil
	}
	err := s.compiled.Validate(view(v))
	if err == nil {
		return nil
	}
	var tree *jsonschema.ValidationError
	if !errors.As(err, &tree) {
		return []Problem{{Message: err.Error()}}
	}
	return s.root.problems(tree, v)
}

// bind gives each place its part of the compiled schema.
func (n *node) bind(s *jsonschema.Schema) {
	if n.nullable {
		s = s.AnyOf[0]
	}
	n.compiled = s
	if n.items != nil {
		n.items.bind(s.Items2020)
	}
	for _, p := range n.props {
		p.bind(s.Properties[p.name])
	}
}

// passes says whether a value is beyond doubt what the schema asks for. Most values have nothing to fulfil
// but their type, and the library takes several times as long to see that; it has the last word on the others.
func (n *node) passes(v config.JSON) bool {
	switch v.Kind {
	case config.KindNull:
		return n.nullable || n.kind == ""
	case config.KindNumber:
		if n.kind == "integer" {
			if _, ok := integer(v.Text); !ok {
				return false
			}
			break
		}
		fallthrough
	default:
		if n.kind != v.Kind.String() && n.kind != "" {
			return false
		}
	}
	if n.ruled {
		return n.compiled.Validate(view(v)) == nil
	}
	if v.Kind == config.KindArray && n.items != nil {
		return !slices.ContainsFunc(v.Items, func(item config.JSON) bool { return !n.items.passes(item) })
	}
	return v.Kind != config.KindObject || n.passesMembers(v)
}

func (n *node) passesMembers(v config.JSON) bool {
	required := 0
	for i, key := range v.Keys {
		p := n.prop(key)
		if p == nil {
			if n.open {
				continue
			}
			return false
		}
		if p.required {
			required++
		}
		if !p.passes(v.Items[i]) {
			return false
		}
	}
	return required == n.needs
}

// compile compiles the text of a schema. Formats are asserted, and nothing is ever loaded from elsewhere.
func compile(text json.RawMessage) (*jsonschema.Schema, error) {
	const name = "tbridge:///schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s is not loaded", url) }
	for _, f := range formats {
		if f.check != nil {
			c.Formats[f.name] = f.check
		}
	}
	if err := c.AddResource(name, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// view is a value as the library wants it, digits kept.
func view(v config.JSON) any {
	switch v.Kind {
	case config.KindBool:
		return v.Text == "true"
	case config.KindNumber:
		return json.Number(v.Text)
	case config.KindString:
		return v.Text
	case config.KindArray:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			list[i] = view(item)
		}
		return list
	case config.KindObject:
		object := make(map[string]any, len(v.Items))
		for i, item := range v.Items {
			object[v.Keys[i]] = view(item)
		}
		return object
	}
	return nil
}

// coerce repairs, in place, what a client sent as text and loses nothing by it: each value once, and then what is in
// it. level is that of the value, the outermost object being 1.
func (n *node) coerce(v *config.JSON, level int) {
	if n == nil {
		return
	}
	if v.Kind == config.KindString {
		if repaired, ok := n.repair(v.Text, level); ok {
			*v = repaired
		}
	}
	switch v.Kind {
	case config.KindArray:
		for i := range v.Items {
			n.items.coerce(&v.Items[i], level+1)
		}
	case config.KindObject:
		for i, key := range v.Keys {
			n.prop(key).coerce(&v.Items[i], level+1)
		}
	}
}

// repair reads text as the type that is due.
func (n *node) repair(text string, level int) (config.JSON, bool) {
	switch n.kind {
	case "integer":
		if config.IsNumber(text) {
			digits, ok := integer(text)
			return config.JSON{Kind: config.KindNumber, Text: digits}, ok
		}
	case "number":
		return config.JSON{Kind: config.KindNumber, Text: text}, config.IsNumber(text)
	case "boolean":
		return config.JSON{Kind: config.KindBool, Text: text}, text == "true" || text == "false"
	case "array", "object":
		if level > config.MaxDepth {
			break
		}
		v, err := config.ParseJSON(text, config.MaxDepth-level+1)
		return v, err == nil && v.Kind.String() == n.kind
	}
	return config.JSON{}, false
}

// formatNamed gives the format of that name, or nil.
func formatNamed(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}
