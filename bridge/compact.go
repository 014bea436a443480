package bridge

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// stringEnd is the place of the quote that closes the string opened at i; the end of the text if none does.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return i
}

// appendCompact appends JSON, or a piece of it that ends between tokens, without the white space between its
// tokens. Digits stay as they are; letters that were escaped without need are written as themselves, and half of
// a surrogate pair, which is no letter, as U+FFFD. It never appends more than the text's length.
func appendCompact(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			end := min(stringEnd(text, i)+1, len(text))
			if quoted := text[i:end]; strings.IndexByte(quoted, '\\') >= 0 {
				b = appendString(append(b, text[start:i]...), quoted)
				start = end
			}
			i = end
		case ' ', '\t', '\n', '\r':
			b = append(b, text[start:i]...)
			i++
			start = i
		default:
			i++
		}
	}
	return append(b, text[start:]...)
}

// appendString appends a JSON string that has escapes, with only those that are needed.
func appendString(b []byte, quoted string) []byte {
	for i := 0; i < len(quoted); {
		if quoted[i] != '\\' || i+1 >= len(quoted) {
			b = append(b, quoted[i])
			i++
			continue
		}
		switch {
		case quoted[i+1] == '/':
			b = append(b, '/')
			i += 2
		case quoted[i+1] != 'u':
			b = append(b, quoted[i:i+2]...)
			i += 2
		default:
			r, n := escapedRune(quoted[i:])
			b = appendEscaped(b, r)
			i += n
		}
	}
	return b
}

// escapedRune reads \uXXXX, and the second half of a surrogate pair. The text is valid JSON.
func escapedRune(text string) (r rune, size int) {
	hex4 := func(at int) rune {
		n, _ := strconv.ParseUint(text[at:at+4], 16, 16)
		return rune(n)
	}
	r = hex4(2)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(8)); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// appendEscaped appends a letter as it stands in a JSON string.
func appendEscaped(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	switch {
	case r == '"' || r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, '\\', 'n')
	case r == '\r':
		return append(b, '\\', 'r')
	case r == '\t':
		return append(b, '\\', 't')
	case r < 0x20:
		return append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	}
	return utf8.AppendRune(b, r)
}
