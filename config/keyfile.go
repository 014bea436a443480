package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"
)

// readKey gives one key of a file. Errors never quote the file.
func (c choice) readKey(path, text string) (string, error) {
	value, found, err := lookupKey(path, text, c.key)
	switch {
	case err != nil:
		return "", err
	case !found || value == "":
		return "", &MissingError{Tried: []string{c.where(path)}}
	case strings.ContainsAny(value, "\r\n\x00"):
		return "", fmt.Errorf("%s holds a line break or NUL", c.where(path))
	}
	return value, nil
}

// lookupKey reads a key with the reader that the file's name asks for.
func lookupKey(path, text, key string) (value string, found bool, err error) {
	ext := filepath.Ext(path)
	if base := filepath.Base(path); ext == "" || base == ".env" || strings.HasPrefix(base, ".env.") {
		ext = ".env"
	}
	switch ext {
	case ".toml":
		var doc map[string]any
		if _, err := toml.Decode(text, &doc); err != nil {
			return "", false, fmt.Errorf("file %s is not TOML", path)
		}
		value, found = tomlKey(doc, strings.Split(key, "."))
	case ".yaml", ".yml":
		doc, err := decodeDocument(yaml.NewDecoder(strings.NewReader(text)))
		if err != nil {
			return "", false, fmt.Errorf("file %s is not YAML", path)
		}
		value, found = yamlKey(deref(doc.Content[0]), strings.Split(key, "."))
	case ".json":
		doc, err := ParseJSON(text, MaxDepth)
		if err != nil {
			return "", false, fmt.Errorf("file %s is not JSON", path)
		}
		value, found = jsonKey(doc, strings.Split(key, "."))
	case ".env":
		value, found, err = envKey(text, key)
		if err != nil {
			return "", false, fmt.Errorf("file %s, %w", path, err)
		}
	default:
		return "", false, fmt.Errorf("file %s is none of .toml, .yaml, .json and .env, so that it has no key", path)
	}
	return value, found, nil
}

func tomlKey(doc map[string]any, path []string) (string, bool) {
	for _, step := range path[:len(path)-1] {
		next, ok := doc[step].(map[string]any)
		if !ok {
			return "", false
		}
		doc = next
	}
	switch v := doc[path[len(path)-1]].(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

func yamlKey(n *yaml.Node, path []string) (string, bool) {
	for _, step := range path {
		if _, n = below(n, step); n == nil {
			return "", false
		}
	}
	return n.Value, n.Kind == yaml.ScalarNode
}

func jsonKey(v JSON, path []string) (string, bool) {
	for _, step := range path {
		next, ok := v.Get(step)
		if !ok {
			return "", false
		}
		v = next
	}
	return v.Text, v.Kind == KindString || v.Kind == KindNumber
}
