package config

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"sync"
)

// A Key is one key of the language, for editors and pages that help to write it.
type Key struct {
	Name     string   `json:"key"`
	Where    string   `json:"where"` // what it is a key of: config, file, tool, argument, response, api, auth, ..
	About    string   `json:"about"`
	Example  string   `json:"example"` // in YAML
	Values   []string `json:"values,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// Keys are all keys of the language: those of tbridge.yaml and what is below it,
// then those of a tools file (Where is file) and what is below it.
func Keys() []Key {
	var keys []Key
	seen := map[reflect.Type]bool{}
	for _, t := range []reflect.Type{reflect.TypeFor[Catalog](), toolType} {
		if t == toolType {
			keys = append(keys, Key{Name: "tools", Where: "file", About: toolsAbout, Example: toolsExample})
			for _, f := range layoutOf(t).fields {
				if f.head {
					keys = append(keys, f.describe(t, "file"))
				}
			}
		}
		collectKeys(t, seen, &keys)
	}
	return keys
}

// collectKeys appends the keys of a struct, then those of the structs below it.
func collectKeys(t reflect.Type, seen map[reflect.Type]bool, keys *[]Key) {
	if seen[t] {
		return
	}
	seen[t] = true
	l := layoutOf(t)
	for i := range l.fields {
		*keys = append(*keys, l.fields[i].describe(t, where(t)))
	}
	for i := range l.fields {
		if s, ok := structBelow(t.Field(l.fields[i].index).Type); ok {
			collectKeys(s, seen, keys)
		}
	}
}

// describe is what the struct's source says of a field.
func (f *field) describe(t reflect.Type, where string) Key {
	of := t.Field(f.index)
	return Key{Name: f.key, Where: where, About: comments()[t.Name()+"."+of.Name], Example: of.Tag.Get("example"), Values: f.words(of), Required: f.required}
}

// words are the only values that the key can take; none: there are others.
func (f *field) words(of reflect.StructField) []string {
	if len(f.oneof) > 0 {
		return f.oneof
	}
	return strings.Fields(of.Tag.Get("words"))
}

// where is what keys of a struct are said to be keys of.
func where(t reflect.Type) string {
	if t == reflect.TypeFor[Catalog]() {
		return "config"
	}
	return strings.ToLower(t.Name())
}

// structBelow gives the struct of the model that a field holds, or holds many of.
func structBelow(t reflect.Type) (reflect.Type, bool) {
	switch t {
	case reflect.TypeFor[*Value]():
		return reflect.TypeFor[fileValue](), true
	case reflect.TypeFor[*Template](), reflect.TypeFor[*Tree](), reflect.TypeFor[*Projection](), reflect.TypeFor[*JSON](), reflect.TypeFor[[]JSON]():
		return nil, false
	}
	switch t.Kind() {
	case reflect.Pointer:
		return structBelow(t.Elem())
	case reflect.Slice:
		if elem, ok := mapElem(t); ok {
			return structBelow(elem)
		}
		return structBelow(t.Elem())
	case reflect.Struct:
		_, embeds := t.FieldByName("Source")
		return t, embeds
	}
	return nil, false
}

// mapElem is the type of the values of a Map.
func mapElem(t reflect.Type) (reflect.Type, bool) {
	if !reflect.PointerTo(t).Implements(reflect.TypeFor[ordered]()) {
		return nil, false
	}
	value, _ := t.Elem().FieldByName("Value")
	return value.Type, true
}

//go:embed config.go tool.go expect.go value.go
var sources embed.FS

// comments are those of the fields of the model, as Type.Field: the words for people stand
// once, where the key is declared, and are read from there.
var comments = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	files, err := sources.ReadDir(".")
	for _, file := range files {
		var text []byte
		if text, err = sources.ReadFile(file.Name()); err != nil {
			break
		}
		var parsed *ast.File
		if parsed, err = parser.ParseFile(token.NewFileSet(), file.Name(), text, parser.ParseComments); err != nil {
			break
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				fieldComments(spec, found)
			}
			return true
		})
	}
	if err != nil {
		panic(err) // the files are compiled into the program that reads them
	}
	return found
})

func fieldComments(spec *ast.TypeSpec, found map[string]string) {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
		}
	}
}
