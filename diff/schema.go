package diff

import (
	"math/big"
	"slices"
	"strings"

	"tbridge/config"
)

// A direction says whose values a schema is about: those that a model gives, or those that it is given. What is safe
// in one direction is breaking in the other.
type direction bool

const (
	arguments direction = false
	results   direction = true
)

// parse reads a schema, which the bridge wrote itself.
func parse(text []byte) config.JSON {
	v, _ := config.ParseJSON(text, 10*config.MaxDepth)
	return v
}

// wires gives the names on the wire of a tool's arguments.
func wires(t *config.Tool) map[string]string {
	names := map[string]string{}
	for _, a := range t.Arguments {
		names[a.Name] = a.Name
		if a.As != "" {
			names[a.Name] = a.As
		}
	}
	return names
}

// wider reports a change by which more values, or fewer, are possible.
func (d *differ) wider(dir direction, more bool, what, path, before, after string) {
	reason := map[direction]map[bool]string{
		arguments: {true: "more calls are accepted", false: "calls that were right may be refused"},
		results:   {true: "results may hold what was not there before", false: "results are among those that were possible before"},
	}[dir][more]
	level := Breaking
	if more == (dir == arguments) {
		level = Safe
	}
	d.add(level, what, path, before, after, reason)
}

// schema compares two schemas of one place. The names on the wire, of the root alone, help to find what was renamed.
func (d *differ) schema(path string, before, after config.JSON, oldWires, newWires map[string]string, dir direction) {
	before, wasNullable := bare(before)
	after, nullable := bare(after)
	if wasNullable != nullable {
		d.wider(dir, nullable, "null "+map[bool]string{true: "allowed", false: "refused"}[nullable], path, "", "")
	}
	if path != "" {
		d.texts(path, before, after)
	}
	a, b := member(before, "type").Text, member(after, "type").Text
	switch {
	case a != b && a == "integer" && b == "number":
		d.wider(dir, true, "type changed", path, a, b)
	case a != b && a == "number" && b == "integer":
		d.wider(dir, false, "type changed", path, a, b)
	case a != b:
		d.add(Breaking, "type changed", path, a, b, "values of the old type do not fit any more")
		return // what follows is about values of another type
	}
	d.enum(path, before, after, dir)
	d.constraints(path, before, after, dir)
	d.properties(path, before, after, oldWires, newWires, dir)
	if member(before, "items").Kind == config.KindObject && member(after, "items").Kind == config.KindObject {
		d.schema(path+"[]", member(before, "items"), member(after, "items"), nil, nil, dir)
	}
}

// bare gives the schema of what is not null, and says whether null is allowed too.
func bare(s config.JSON) (config.JSON, bool) {
	any := member(s, "anyOf")
	if any.Kind != config.KindArray || len(any.Items) == 0 {
		return s, false
	}
	joined := any.Items[0]
	for i, key := range s.Keys {
		if key != "anyOf" {
			joined.Keys, joined.Items = append(slices.Clip(joined.Keys), key), append(slices.Clip(joined.Items), s.Items[i])
		}
	}
	return joined, true
}

func member(s config.JSON, key string) config.JSON {
	v, _ := s.Get(key)
	return v
}

// shown is a member as text: empty when it is not there.
func shown(s config.JSON, key string) string {
	v, ok := s.Get(key)
	switch {
	case !ok:
		return ""
	case v.Kind == config.KindString && key != "default":
		return v.Text
	}
	return v.String()
}

// texts compares what an argument says of itself, and its default.
func (d *differ) texts(path string, before, after config.JSON) {
	for _, key := range []string{"description", "examples"} {
		if a, b := shown(before, key), shown(after, key); a != b {
			d.add(Safe, key+" changed", path, a, b, "the model reads other words")
		}
	}
	switch a, b := shown(before, "default"), shown(after, "default"); {
	case a == b:
	case a == "":
		d.add(Safe, "default added", path, a, b, "the model sees what is sent when it gives nothing")
	default:
		d.add(Breaking, "default changed", path, a, b, "calls that leave it out mean something else")
	}
}

func (d *differ) enum(path string, before, after config.JSON, dir direction) {
	a, b := member(before, "enum"), member(after, "enum")
	lacks := func(of, in config.JSON) bool {
		return slices.ContainsFunc(of.Items, func(v config.JSON) bool {
			return !slices.ContainsFunc(in.Items, func(w config.JSON) bool { return v.String() == w.String() })
		})
	}
	switch {
	case a.Kind == config.KindNull && b.Kind == config.KindNull:
	case a.Kind == config.KindNull:
		d.wider(dir, false, "enum added", path, "", b.String())
	case b.Kind == config.KindNull:
		d.wider(dir, true, "enum removed", path, a.String(), "")
	default:
		if lacks(a, b) {
			d.wider(dir, false, "enum values removed", path, a.String(), b.String())
		}
		if lacks(b, a) {
			d.wider(dir, true, "enum values added", path, a.String(), b.String())
		}
	}
}

// bounds are the constraints that leave more values, the larger they are; the others of limits fewer.
var bounds = map[string]bool{"maximum": true, "exclusiveMaximum": true, "maxLength": true, "maxItems": true,
	"minimum": false, "exclusiveMinimum": false, "minLength": false, "minItems": false}

var limits = []string{"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minItems", "maxItems", "uniqueItems", "contentEncoding"}

func (d *differ) constraints(path string, before, after config.JSON, dir direction) {
	for _, key := range limits {
		a, b := shown(before, key), shown(after, key)
		upper, bound := bounds[key]
		switch {
		case a == b:
		case a == "":
			d.wider(dir, false, key+" added", path, a, b)
		case b == "":
			d.wider(dir, true, key+" removed", path, a, b)
		case bound:
			d.wider(dir, (number(b).Cmp(number(a)) > 0) == upper, key+" changed", path, a, b)
		case key == "multipleOf":
			d.wider(dir, new(big.Rat).Quo(number(a), number(b)).IsInt(), key+" changed", path, a, b)
		default:
			d.add(Breaking, key+" changed", path, a, b, "values that fitted the old one may not fit the new one")
		}
	}
}

// number is the value of a JSON number.
func number(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// properties compares the members of two objects.
func (d *differ) properties(path string, before, after config.JSON, oldWires, newWires map[string]string, dir direction) {
	a, b := member(before, "properties"), member(after, "properties")
	if closed := isClosed(after); dir == arguments && isClosed(before) != closed {
		d.wider(dir, !closed, "other members "+map[bool]string{true: "refused", false: "allowed"}[closed], path, "", "")
	}
	was := map[string]string{} // new name → old name
	for _, name := range b.Keys {
		if _, same := a.Get(name); same {
			was[name] = name
		}
	}
	for i, name := range b.Keys {
		if _, known := was[name]; !known {
			if old := oldName(name, b.Items[i], a, b, was, oldWires, newWires); old != "" {
				was[name] = old
			}
		}
	}
	required, wasRequired := member(after, "required"), member(before, "required")
	for i, name := range b.Keys {
		at := join(path, name)
		needed := has(required, name)
		old, known := was[name]
		if !known {
			d.added(at, b.Items[i], needed, dir)
			continue
		}
		if old != name {
			d.add(Breaking, noun(dir)+" renamed", at, old, name, map[direction]string{
				arguments: "calls that give the old name are refused", results: "who reads the old name finds nothing"}[dir])
		}
		if has(wasRequired, old) != needed {
			d.wider(dir, !needed, map[bool]string{true: "now required", false: "no longer required"}[needed], at, "", "")
		}
		d.schema(at, member(a, old), b.Items[i], nil, nil, dir)
	}
	for _, name := range a.Keys {
		if !slices.ContainsFunc(b.Keys, func(n string) bool { return was[n] == name }) {
			d.removed(join(path, name), isClosed(after), dir)
		}
	}
}

func noun(dir direction) string {
	if dir == results {
		return "field"
	}
	return "argument"
}

func (d *differ) added(path string, schema config.JSON, needed bool, dir direction) {
	kind := member(schema, "type").Text
	switch {
	case dir == results:
		d.add(Safe, "field added", path, "", kind, "results hold more than before")
	case needed:
		d.add(Breaking, "required argument added", path, "", kind, "calls that do not give it are refused")
	default:
		d.add(Safe, "argument added", path, "", kind, "it can be left out")
	}
}

func (d *differ) removed(path string, closed bool, dir direction) {
	switch {
	case dir == results:
		d.add(Breaking, "field removed", path, "", "", "who reads it finds nothing")
	case closed:
		d.add(Breaking, "argument removed", path, "", "", "calls that give it are refused")
	default:
		d.add(Safe, "argument removed", path, "", "", "it is accepted like any other, and no longer described")
	}
}

func isClosed(s config.JSON) bool { return member(s, "additionalProperties").Text == "false" }

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

func has(list config.JSON, name string) bool {
	return slices.ContainsFunc(list.Items, func(v config.JSON) bool { return v.Text == name })
}

// oldName finds what a member was called before: one that is gone, and had the same name on the wire, or was the same
// in all else.
func oldName(name string, schema, before, after config.JSON, was, oldWires, newWires map[string]string) string {
	taken := map[string]bool{}
	for _, old := range was {
		taken[old] = true
	}
	found := ""
	for i, old := range before.Keys {
		if _, there := after.Get(old); there || taken[old] {
			continue
		}
		if wire := newWires[name]; wire != "" && wire == oldWires[old] {
			return old
		}
		if found == "" && before.Items[i].String() == schema.String() && shown(schema, "description") != "" {
			found = old
		}
	}
	return found
}
