package config

import (
	"reflect"
	"time"

	"gopkg.in/yaml.v3"
)

// A FileKind is one of the two kinds of file in a bridge directory.
type FileKind byte

const (
	ConfigFile FileKind = iota // tbridge.yaml
	ToolsFile                  // a file below tools.d
)

const (
	toolsAbout   = "The tools of this file. Keys beside it are defaults for all of them."
	toolsExample = "[{name: get_task, description: Show a task., api: tracker, method: GET, path: '/tasks/{id}', arguments: [{name: id, type: string}]}]"
)

// JSONSchema is the JSON Schema (draft-07) of a kind of file, for editors. It
// comes from the structs that files are decoded into and their comments, and
// takes each scalar as editors read YAML: text may look like a number.
func JSONSchema(kind FileKind) JSON {
	g := &schemaWriter{known: map[string]bool{}, definitions: object()}
	root := object("$schema", StringJSON("http://json-schema.org/draft-07/schema#"))
	if kind == ConfigFile {
		root.Put("title", StringJSON("tbridge.yaml: what a bridge may talk to"))
		root = root.with(g.mapping(reflect.TypeFor[Catalog](), nil))
	} else {
		root.Put("title", StringJSON("A tools file of tbridge"))
		tools := object("description", StringJSON(toolsAbout), "examples", array(example(toolsExample)),
			"type", texts("array", "null"), "items", g.structure(toolType))
		body := g.mapping(toolType, func(f *field) bool { return f.head })
		properties, _ := body.Get("properties")
		body.Put("properties", object("tools", tools).with(properties))
		root = root.with(body)
	}
	root.Put("definitions", g.definitions)
	return root
}

// A schemaWriter writes schemas of types, each struct once.
type schemaWriter struct {
	known       map[string]bool
	definitions JSON
}

// define writes a definition, unless it is there, and gives the reference to it.
func (g *schemaWriter) define(name string, write func() JSON) JSON {
	if !g.known[name] {
		g.known[name] = true
		body := write()
		g.definitions.Put(name, body)
	}
	return object("$ref", StringJSON("#/definitions/"+name))
}

func (g *schemaWriter) structure(t reflect.Type) JSON {
	return g.define(where(t), func() JSON { return g.mapping(t, nil) })
}

// mapping is the schema of a struct; pass chooses among its keys, none of which is required then.
func (g *schemaWriter) mapping(t reflect.Type, pass func(*field) bool) JSON {
	properties, required := object(), JSON{Kind: KindArray}
	l := layoutOf(t)
	for i := range l.fields {
		f := &l.fields[i]
		if pass != nil && !pass(f) {
			continue
		}
		properties.Put(f.key, g.key(t, f))
		if f.required && pass == nil {
			required.Items = append(required.Items, StringJSON(f.key))
		}
	}
	s := object("type", StringJSON("object"), "properties", properties, "additionalProperties", JSON{Kind: KindBool, Text: "false"})
	if len(required.Items) > 0 {
		s.Put("required", required)
	}
	if n := t.Field(0).Tag.Get("exactly"); n != "" {
		s.Put("minProperties", JSON{Kind: KindNumber, Text: n})
		s.Put("maxProperties", JSON{Kind: KindNumber, Text: n})
	}
	return s
}

// key is the schema of one key: what it is for, an example, and what it takes.
func (g *schemaWriter) key(t reflect.Type, f *field) JSON {
	of := t.Field(f.index)
	about := f.describe(t, "")
	s := object("description", StringJSON(about.About), "examples", array(example(about.Example)))
	value := g.value(of.Type, f)
	if len(about.Values) > 0 {
		value = enumeration(about.Values, of.Type.Kind() == reflect.Int)
	}
	if p := of.Tag.Get("pattern"); p != "" {
		value.Put("pattern", StringJSON(p))
	}
	if p := of.Tag.Get("keys"); p != "" {
		value.Put("propertyNames", object("pattern", StringJSON(p)))
	}
	if _, ok := value.Get("$ref"); ok {
		value = object("allOf", array(value)) // draft-07 reads nothing beside $ref
	}
	return s.with(value)
}

// value is the schema of a type, as decoder.value reads it.
func (g *schemaWriter) value(t reflect.Type, f *field) JSON {
	switch t {
	case reflect.TypeFor[string](), reflect.TypeFor[*string](), reflect.TypeFor[*Template]():
		return object("type", texts("string", "number", "boolean", "null"))
	case reflect.TypeFor[bool](), reflect.TypeFor[*bool]():
		return object("type", StringJSON("boolean"))
	case reflect.TypeFor[int]():
		return object("type", StringJSON("integer"), "minimum", JSON{Kind: KindNumber, Text: "1"})
	case reflect.TypeFor[*int]():
		return object("type", StringJSON("integer"), "minimum", JSON{Kind: KindNumber, Text: "0"})
	case reflect.TypeFor[*Number]():
		return object("type", StringJSON("number"))
	case reflect.TypeFor[time.Duration]():
		return object("type", StringJSON("string"), "pattern", StringJSON(`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`))
	case reflect.TypeFor[Size]():
		return object("type", texts("integer", "string"), "minimum", JSON{Kind: KindNumber, Text: "1"}, "pattern", StringJSON(sizePattern.String()))
	case reflect.TypeFor[Rate]():
		return object("type", StringJSON("string"), "pattern", StringJSON(ratePattern.String()))
	case reflect.TypeFor[*Value]():
		return g.define("value", g.external)
	case reflect.TypeFor[Paths]():
		return g.paths()
	case reflect.TypeFor[*Verdict]():
		return object("anyOf", array(g.paths(), g.structure(t.Elem())))
	case reflect.TypeFor[*Projection]():
		return object("anyOf", array(g.paths(), object("type", StringJSON("object"), "additionalProperties", g.paths())))
	case reflect.TypeFor[*Tree]():
		if f.key == "query" {
			return object("type", texts("object", "string"))
		}
		return object()
	case reflect.TypeFor[*JSON](), reflect.TypeFor[JSON]():
		return object()
	}
	return g.composite(t, f)
}

func (g *schemaWriter) composite(t reflect.Type, f *field) JSON {
	if elem, ok := mapElem(t); ok {
		return object("type", StringJSON("object"), "additionalProperties", g.value(elem, f))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.structure(t.Elem())
	case reflect.Slice:
		item := g.value(t.Elem(), f)
		if t.Elem() == reflect.TypeFor[*Argument]() {
			item = object("allOf", array(item, object("required", texts("name"))))
		}
		many := object("type", StringJSON("array"), "items", item)
		if f.single {
			return object("anyOf", array(item, many))
		}
		return many
	}
	return g.structure(t)
}

// external is the schema of a Value.
func (g *schemaWriter) external() JSON {
	one := array(object("type", texts("string", "number", "boolean")), g.structure(reflect.TypeFor[fileValue]()))
	many := object("type", StringJSON("array"), "minItems", JSON{Kind: KindNumber, Text: "1"}, "items", object("anyOf", one))
	return object("anyOf", array(append(one.Items, many)...))
}

func (g *schemaWriter) paths() JSON {
	return g.define("paths", func() JSON {
		one := object("type", texts("string", "number", "boolean"))
		return object("anyOf", array(one, object("type", StringJSON("array"), "minItems", JSON{Kind: KindNumber, Text: "1"}, "items", one)))
	})
}

func enumeration(words []string, integers bool) JSON {
	values := texts(words...)
	for i := range values.Items {
		if integers {
			values.Items[i].Kind = KindNumber
		}
	}
	return object("enum", values)
}

// example reads the YAML of an example.
func example(text string) JSON {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return StringJSON(text)
	}
	return literal(doc.Content[0])
}

// object is a JSON object of names and values in turn.
func object(pairs ...any) JSON {
	v := JSON{Kind: KindObject}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Put(pairs[i].(string), pairs[i+1].(JSON))
	}
	return v
}

func array(items ...JSON) JSON { return JSON{Kind: KindArray, Items: items} }

func texts(words ...string) JSON {
	v := JSON{Kind: KindArray}
	for _, word := range words {
		v.Items = append(v.Items, StringJSON(word))
	}
	return v
}

// with is an object and the members of another.
func (v JSON) with(more JSON) JSON {
	for i, key := range more.Keys {
		v.Put(key, more.Items[i])
	}
	return v
}
