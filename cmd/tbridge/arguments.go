package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tbridge/bridge"
	"tbridge/config"
)

// readArguments reads the arguments of tbridge call: one JSON object, - for one on stdin, or key=value pairs.
func readArguments(t *config.Tool, words []string, stdin io.Reader) ([]byte, error) {
	if len(words) == 1 && words[0] == "-" {
		return io.ReadAll(stdin)
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		return []byte(words[0]), nil
	}
	args := config.JSON{Kind: config.KindObject}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, &adviceError{fmt.Sprintf("%q is no argument", word), `write key=value, or all arguments as one '{"key": "value"}'`}
		}
		path := strings.Split(key, ".")
		a, err := argument(t, path)
		if err != nil {
			return nil, err
		}
		if err := put(&args, path, a, value); err != nil {
			return nil, err
		}
	}
	return args.Append(nil), nil
}

// argument finds the declaration of a.b.c; nil where anything may be given.
func argument(t *config.Tool, path []string) (*config.Argument, error) {
	known := t.Arguments
	var a *config.Argument
	for i, name := range path {
		if known == nil {
			return nil, nil
		}
		a = nil
		for _, candidate := range known {
			if candidate.Name == name {
				a = candidate
			}
		}
		if a == nil {
			names := argumentNames(known)
			for j := range names {
				names[j] = strings.Join(append(slices.Clone(path[:i]), names[j]), ".")
			}
			return nil, unknown("argument", strings.Join(path[:i+1], "."), names, fmt.Sprintf(`"tbridge show %s" lists the arguments`, t.Name))
		}
		if known = a.Properties; known == nil && i < len(path)-1 && a.Type != "object" {
			return nil, fmt.Errorf("argument %q is no object, it has no %q", strings.Join(path[:i+1], "."), path[i+1])
		}
	}
	return a, nil
}

// put puts a value at its path below an object. A list that is given again grows.
func put(object *config.JSON, path []string, a *config.Argument, text string) error {
	name := path[0]
	old, given := object.Get(name)
	if len(path) > 1 {
		if !given {
			old = config.JSON{Kind: config.KindObject}
		}
		if old.Kind != config.KindObject {
			return fmt.Errorf("argument %q is given as a whole and in part", name)
		}
		if err := put(&old, path[1:], a, text); err != nil {
			return err
		}
		object.Put(name, old)
		return nil
	}
	value := read(a, text)
	element := a != nil && a.Type == "array" && value.Kind != config.KindArray
	switch {
	case given && !element:
		return fmt.Errorf("argument %q is given twice", name)
	case !element:
		object.Put(name, value)
		return nil
	case !given:
		old = config.JSON{Kind: config.KindArray}
	}
	old.Items = append(old.Items, read(a.Items, text))
	object.Put(name, old)
	return nil
}

// read gives the value that a text stands for where the argument a is due. What is no value of its type stays
// text, for the check of the call to refuse.
func read(a *config.Argument, text string) config.JSON {
	if a != nil && bridge.TypeName(a) == "string" {
		return config.StringJSON(text)
	}
	if v, err := config.ParseJSON(text, config.MaxDepth); err == nil {
		return v
	}
	return config.StringJSON(text)
}
