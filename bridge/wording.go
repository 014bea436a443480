package bridge

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tbridge/config"
)

// A text is a compiled template of a result: literals and holes in turn.
type wording []segment

// A segment is a literal, or a hole when at or count is set.
type segment struct {
	literal string
	at      places
	count   bool
}

// compileWording gives nil for no template.
func compileWording(from *config.Template) wording {
	if from == nil {
		return nil
	}
	t := wording{}
	for _, part := range from.Parts {
		switch {
		case part.Hole == nil:
			t = append(t, segment{literal: part.Text})
		case part.Hole.Count:
			t = append(t, segment{count: true})
		default:
			t = append(t, segment{at: compilePaths(config.Paths{part.Hole.Value})})
		}
	}
	return t
}

// counts says whether the text tells the number of the list's elements.
func (t wording) counts() bool {
	for _, s := range t {
		if s.count {
			return true
		}
	}
	return false
}

// append appends the text with its holes filled. Values are data: nothing in them is expanded.
func (t wording) append(b []byte, s scope, count int) []byte {
	for i := range t {
		switch {
		case t[i].count:
			b = strconv.AppendInt(b, int64(count), 10)
		case t[i].at == nil:
			b = append(b, t[i].literal...)
		default:
			b = appendPlain(b, t[i].at.find(s))
		}
	}
	return b
}

// appendPlain appends a value as people read it: strings without quotes, null as nothing, the rest as JSON.
func appendPlain(b []byte, r gjson.Result) []byte {
	switch r.Type {
	case gjson.Null:
		return b
	case gjson.String:
		return append(b, r.Str...)
	}
	return appendCompact(b, r.Raw)
}

// clean removes what has no business in a text: control characters but line break and tab, escape sequences of
// terminals, and the characters that turn the direction of what follows. In quoted text, which is compact JSON,
// these may be written as escapes.
func clean(text string, quoted bool) string {
	i := 0
	for i < len(text) {
		if c := text[i]; c >= 0x20 && c < 0x7f && c != '\\' { // nearly all there is
			i++
			continue
		}
		_, size, keep := next(text[i:], quoted)
		if !keep {
			break
		}
		i += size
	}
	if i == len(text) {
		return text
	}
	b := append(make([]byte, 0, len(text)), text[:i]...)
	for i < len(text) {
		r, size, keep := next(text[i:], quoted)
		if keep {
			b = append(b, text[i:i+size]...)
		}
		i += size
		if r == 0x1b {
			i += sequence(text[i:])
		}
	}
	return string(b)
}

// cleanJSON is compact JSON whose strings are clean.
func cleanJSON(text string) []byte { return []byte(clean(string(appendCompact(nil, text)), true)) }

// next reads one character, or one escape of quoted text, and says whether it may stay.
func next(text string, quoted bool) (r rune, size int, keep bool) {
	switch c := text[0]; {
	case c == '\\' && quoted && len(text) > 1:
		switch text[1] {
		case 'u': // what is still escaped in compact JSON is a control character
			r, size = escapedRune(text)
			return r, size, false
		case 'b', 'f':
			return 0, 2, false
		}
		return 0, 2, true
	case c == '\r':
		return '\r', 1, strings.HasPrefix(text, "\r\n")
	case c < utf8.RuneSelf:
		return rune(c), 1, c >= 0x20 && c != 0x7f || c == '\n' || c == '\t'
	}
	r, size = utf8.DecodeRuneInString(text)
	return r, size, !(r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069)
}

// sequence is the length of the rest of a terminal's control sequence, after its escape character
// (ECMA-48, section 5.4): [, parameters, a final character.
func sequence(text string) int {
	if !strings.HasPrefix(text, "[") {
		return 0
	}
	i := 1
	for i < len(text) && text[i] >= '0' && text[i] <= '?' {
		i++
	}
	if i < len(text) && text[i] >= '@' && text[i] <= '~' && text[i] != '\\' {
		i++
	}
	return i
}
