package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNumber bounds a number literal and its exponent: a reader that computes
// exactly would otherwise need gigabytes for the ten characters of 1e99999999.
const maxNumber = 1000

// A JSONError says why a text is not acceptable JSON, and where in the value.
type JSONError struct {
	Path    string // of the value, as stops[1].place; empty: the whole
	Message string
}

func (e *JSONError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// deepest bounds the levels that ParseJSON follows at all: each of them costs stack.
const deepest = 10_000

// ParseJSON reads one JSON value. It is stricter than RFC 8259 asks for, where
// readers disagree: a repeated member, text that is no Unicode, a number beyond
// 1,000 digits, and more levels than depth (0: 10,000) are errors
// of type *JSONError.
func ParseJSON[S string | []byte](text S, depth int) (JSON, error) {
	if depth == 0 {
		depth = deepest
	}
	p := jsonParser{text: string(text), depth: depth}
	if !utf8.ValidString(p.text) {
		return JSON{}, &JSONError{Message: "not valid UTF-8"}
	}
	v, err := p.value()
	if err != nil {
		return JSON{}, err
	}
	if p.space(); p.at < len(p.text) {
		return JSON{}, p.errorf("unexpected %s after the value", p.found())
	}
	return v, nil
}

type jsonParser struct {
	text  string
	at    int
	depth int
	path  []step
}

// A step is one level of a path: a member's name, or an index when name is empty and indexed.
type step struct {
	name  string
	index int
	isKey bool
}

func (p *jsonParser) errorf(format string, args ...any) error {
	var path strings.Builder
	for _, s := range p.path {
		if !s.isKey {
			fmt.Fprintf(&path, "[%d]", s.index)
			continue
		}
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(s.name)
	}
	return &JSONError{Path: path.String(), Message: fmt.Sprintf(format, args...)}
}

func (p *jsonParser) found() string {
	if p.at >= len(p.text) {
		return "end"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.QuoteRune(r)
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonParser) value() (JSON, error) {
	p.space()
	if p.at >= len(p.text) {
		return JSON{}, p.errorf("unexpected end of JSON")
	}
	switch c := p.text[p.at]; {
	case c == '{' || c == '[':
		if len(p.path) >= p.depth {
			return JSON{}, p.errorf("nested deeper than %d levels", p.depth)
		}
		if c == '{' {
			return p.object()
		}
		return p.array()
	case c == '"':
		s, err := p.str()
		return JSON{Kind: KindString, Text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, word := range [...]struct {
		text string
		kind Kind
	}{{"true", KindBool}, {"false", KindBool}, {"null", KindNull}} {
		if strings.HasPrefix(p.text[p.at:], word.text) {
			p.at += len(word.text)
			v := JSON{Kind: word.kind}
			if word.kind == KindBool {
				v.Text = word.text
			}
			return v, nil
		}
	}
	return JSON{}, p.errorf("unexpected %s, want a JSON value", p.found())
}

func (p *jsonParser) object() (JSON, error) {
	v := JSON{Kind: KindObject}
	var seen map[string]bool // only once a scan of Keys would be slow
	p.at++
	for first := true; ; first = false {
		p.space()
		if done, err := p.next(first, '}'); done || err != nil {
			return v, err
		}
		if p.at >= len(p.text) || p.text[p.at] != '"' {
			return v, p.errorf("unexpected %s, want a member's name", p.found())
		}
		key, err := p.str()
		if err != nil {
			return v, err
		}
		p.path = append(p.path, step{name: key, isKey: true})
		if seen == nil && len(v.Keys) == 16 {
			seen = make(map[string]bool)
			for _, k := range v.Keys {
				seen[k] = true
			}
		}
		if seen[key] || seen == nil && slices.Contains(v.Keys, key) {
			return v, p.errorf("%q is given twice", key)
		}
		if seen != nil {
			seen[key] = true
		}
		if p.space(); p.at >= len(p.text) || p.text[p.at] != ':' {
			return v, p.errorf("unexpected %s, want a colon", p.found())
		}
		p.at++
		item, err := p.value()
		if err != nil {
			return v, err
		}
		p.path = p.path[:len(p.path)-1]
		v.Keys, v.Items = append(v.Keys, key), append(v.Items, item)
	}
}

func (p *jsonParser) array() (JSON, error) {
	v := JSON{Kind: KindArray}
	p.at++
	for first := true; ; first = false {
		p.space()
		if done, err := p.next(first, ']'); done || err != nil {
			return v, err
		}
		p.path = append(p.path, step{index: len(v.Items)})
		item, err := p.value()
		if err != nil {
			return v, err
		}
		p.path = p.path[:len(p.path)-1]
		v.Items = append(v.Items, item)
	}
}

// next steps over the comma before the next element, or over the closing bracket.
func (p *jsonParser) next(first bool, end byte) (done bool, err error) {
	if p.at < len(p.text) && p.text[p.at] == end {
		p.at++
		return true, nil
	}
	if first {
		return false, nil
	}
	if p.at >= len(p.text) || p.text[p.at] != ',' {
		return false, p.errorf("unexpected %s, want a comma or %q", p.found(), string(end))
	}
	p.at++
	p.space()
	return false, nil
}

func (p *jsonParser) number() (JSON, error) {
	n := numberPrefix(p.text[p.at:])
	if n == 0 {
		return JSON{}, p.errorf("unexpected %s, want a JSON number", p.found())
	}
	text := p.text[p.at : p.at+n]
	if !sane(text) {
		return JSON{}, p.errorf("number with more than %d digits", maxNumber)
	}
	p.at += n
	return JSON{Kind: KindNumber, Text: text}, nil
}

// sane says whether a number literal can be computed with at a bearable cost.
func sane(number string) bool {
	if len(number) > maxNumber {
		return false
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[i+1:])
	return err == nil && exponent <= maxNumber && exponent >= -maxNumber
}

// numberPrefix is the length of the JSON number at the start of s, or 0.
func numberPrefix(s string) int {
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case digits(i) > i:
		i = digits(i)
	default:
		return 0
	}
	if i+1 < len(s) && s[i] == '.' && digits(i+1) > i+1 {
		i = digits(i + 1)
	} else if i < len(s) && s[i] == '.' {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if digits(j) == j {
			return 0
		}
		i = digits(j)
	}
	if i < len(s) && s[i] >= '0' && s[i] <= '9' { // 010
		return 0
	}
	return i
}

// IsNumber says whether s is one JSON number.
func IsNumber(s string) bool { return s != "" && numberPrefix(s) == len(s) && sane(s) }

// str reads a string. Without escapes it is a piece of the text, not a copy.
func (p *jsonParser) str() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.errorf("control character %s in a string", p.found())
		}
		p.at++
	}
	return "", p.errorf("unexpected end of JSON in a string")
}

// escaped reads the rest of a string that has a backslash at p.at.
func (p *jsonParser) escaped(start int) (string, error) {
	b := []byte(p.text[start:p.at])
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(b), nil
		case c < 0x20:
			return "", p.errorf("control character %s in a string", p.found())
		case c != '\\':
			b = append(b, c)
			p.at++
			continue
		}
		if p.at++; p.at >= len(p.text) {
			break
		}
		if c := p.text[p.at]; c == 'u' {
			r, ok := p.unicode()
			if !ok {
				return "", p.errorf("bad \\u escape, or half of a surrogate pair")
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		i := strings.IndexByte(`"\/bfnrt`, p.text[p.at])
		if i < 0 {
			return "", p.errorf("bad escape \\%c", p.text[p.at])
		}
		b = append(b, "\"\\/\b\f\n\r\t"[i])
		p.at++
	}
	return "", p.errorf("unexpected end of JSON in a string")
}

// unicode reads uXXXX at p.at, and the second half of a surrogate pair.
func (p *jsonParser) unicode() (rune, bool) {
	hex4 := func(at int) (rune, bool) {
		if at+4 > len(p.text) {
			return 0, false
		}
		n, err := strconv.ParseUint(p.text[at:at+4], 16, 32)
		return rune(n), err == nil
	}
	r, ok := hex4(p.at + 1)
	if !ok {
		return 0, false
	}
	p.at += 5
	if !utf16.IsSurrogate(r) {
		return r, true
	}
	if !strings.HasPrefix(p.text[p.at:], `\u`) {
		return 0, false
	}
	low, ok := hex4(p.at + 2)
	p.at += 6
	r = utf16.DecodeRune(r, low)
	return r, ok && r != utf8.RuneError
}
