package config

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

var varPattern = regexp.MustCompile(`^\{vars\.([A-Za-z_][A-Za-z0-9_-]*)\}$`)

// typed reads the keys of an argument that its type reads: default, enum and examples.
func (d *decoder) typed(a *Argument) {
	if _, n := below(a.node, "default"); n != nil {
		d.noEnv(n)
		if m := varPattern.FindStringSubmatch(n.Value); m != nil {
			a.DefaultVar = m[1]
		} else if v, ok := d.json(n, a.label("default"), a); ok {
			a.Default = &v
		}
	}
	a.Enum = d.jsonList(a, "enum")
	a.Examples = d.jsonList(a, "examples")
}

// label names an argument's key in a message.
func (a *Argument) label(key string) string {
	if a.Name == "" {
		return key
	}
	return key + " of " + a.Name
}

func (d *decoder) jsonList(a *Argument, key string) []JSON {
	_, n := below(a.node, key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		d.wrongKind(n, a.label(key), "a list")
		return nil
	}
	values := make([]JSON, 0, len(n.Content))
	for _, item := range n.Content {
		if v, ok := d.json(deref(item), a.label(key), a); ok {
			values = append(values, v)
		}
	}
	return values
}

// json reads a value of an argument as the argument's type reads it.
func (d *decoder) json(n *yaml.Node, label string, a *Argument) (JSON, bool) {
	if a.Nullable && plain(n) && (n.Value == "null" || n.Value == "~") {
		return JSON{}, true
	}
	switch a.Type {
	case "", "string", "file":
		s, ok := d.text(n, label)
		d.noEnv(n)
		return StringJSON(s), ok
	case "integer":
		if n.Kind == yaml.ScalarNode && plain(n) && integerPattern.MatchString(n.Value) && IsNumber(n.Value) {
			return JSON{Kind: KindNumber, Text: n.Value}, true
		}
		return JSON{}, d.wrongValue(n, label, "an integer in plain decimal")
	case "number":
		var number Number
		ok := d.number(n, label, &number)
		return JSON{Kind: KindNumber, Text: string(number)}, ok
	case "boolean":
		var b bool
		ok := d.boolean(n, label, &b)
		return JSON{Kind: KindBool, Text: n.Value}, ok
	case "array":
		return d.jsonArray(n, label, a)
	case "object":
		return d.jsonObject(n, label, a)
	}
	return literal(n), true // the type is unknown, which is reported where it stands
}

func (d *decoder) jsonArray(n *yaml.Node, label string, a *Argument) (JSON, bool) {
	if n.Kind != yaml.SequenceNode {
		return JSON{}, d.wrongKind(n, label, "a list")
	}
	v, all := JSON{Kind: KindArray, Items: make([]JSON, 0, len(n.Content))}, true
	for _, item := range n.Content {
		value, ok := d.jsonMember(deref(item), label, a.Items)
		v.Items = append(v.Items, value)
		all = all && ok
	}
	return v, all
}

func (d *decoder) jsonObject(n *yaml.Node, label string, a *Argument) (JSON, bool) {
	if n.Kind != yaml.MappingNode {
		return JSON{}, d.wrongKind(n, label, "a mapping")
	}
	v, all := JSON{Kind: KindObject}, true
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i]).Value
		var member *Argument
		for _, p := range a.Properties {
			if p.Name == key {
				member = p
			}
		}
		value, ok := d.jsonMember(deref(n.Content[i+1]), label, member)
		v.Keys, v.Items = append(v.Keys, key), append(v.Items, value)
		all = all && ok
	}
	return v, all
}

// jsonMember reads a part of a value; a nil argument says nothing of its type.
func (d *decoder) jsonMember(n *yaml.Node, label string, a *Argument) (JSON, bool) {
	if a != nil {
		return d.json(n, label, a)
	}
	d.noEnvBelow(n)
	return literal(n), true
}

func (d *decoder) noEnvBelow(n *yaml.Node) {
	d.noEnv(n)
	for _, child := range n.Content {
		d.noEnvBelow(deref(child))
	}
}
