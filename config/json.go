package config

import "unicode/utf8"

// MaxDepth is how many levels of lists and mappings a file, or the arguments
// of a call, may have, the outermost counted.
const MaxDepth = 32

// Kind is the type of a JSON value.
type Kind byte

// The kinds of JSON values (RFC 8259).
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String is the kind's name as JSON Schema spells it.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// A JSON is one JSON value that keeps what encoding/json loses: the order of
// members and every digit of a number. The zero JSON is null.
type JSON struct {
	Kind  Kind
	Text  string   // number: the literal as written; string: its characters; boolean: true or false
	Keys  []string // object: the members' names, parallel to Items
	Items []JSON   // array: the elements; object: the members' values
}

// StringJSON is a JSON string.
func StringJSON(s string) JSON { return JSON{Kind: KindString, Text: s} }

// Get gives a member of an object.
func (v JSON) Get(key string) (JSON, bool) {
	for i, k := range v.Keys {
		if k == key {
			return v.Items[i], true
		}
	}
	return JSON{}, false
}

// Put appends a member to an object, or replaces the one of that name.
func (v *JSON) Put(key string, value JSON) {
	for i, k := range v.Keys {
		if k == key {
			v.Items[i] = value
			return
		}
	}
	v.Keys, v.Items = append(v.Keys, key), append(v.Items, value)
}

// String is compact JSON with non-ASCII letters as they are.
func (v JSON) String() string { return string(v.Append(nil)) }

// Append appends the value as compact JSON, digits as written, non-ASCII letters as they are.
func (v JSON) Append(b []byte) []byte {
	switch v.Kind {
	case KindNull:
		return append(b, "null"...)
	case KindBool, KindNumber:
		return append(b, v.Text...)
	case KindString:
		return AppendQuoted(b, v.Text)
	case KindArray:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.Append(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendQuoted(b, v.Keys[i]), ':')
		b = item.Append(b)
	}
	return append(b, '}')
}

// AppendQuoted appends s as a JSON string. Only what JSON demands is escaped; what is not UTF-8 becomes U+FFFD.
func AppendQuoted[S string | []byte](b []byte, s S) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}
