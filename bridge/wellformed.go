package bridge

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 100  // levels of lists and objects in an answer
	maxNested = 1000 // brackets in a row in an answer whose strings are read as JSON
)

var (
	errDeep = errors.New("nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	errUTF8 = errors.New("not valid UTF-8")
	errJSON = errors.New("not valid JSON")
)

// What may come next in a JSON text.
type expectation byte

const (
	aValue      expectation = iota
	aValueOrEnd             // after [
	aKey
	aKeyOrEnd // after {
	aComma    // or the end of what is open
)

// checkJSON says why a text is no JSON (RFC 8259) that we take. It reads the text once and does not recurse,
// which is why it stands in for gjson.Valid: an answer of many megabytes is mostly the time this takes.
func checkJSON(text string) error {
	var open [maxDepth]byte // the brackets that close what is open
	names := namesPool.Get().(*names)
	defer names.release()
	level, next := 0, aValue
	for i := 0; ; {
		if i = skipSpace(text, i); i == len(text) {
			break
		}
		c := text[i]
		switch {
		case next == aComma:
			i++
			switch {
			case level > 0 && c == open[level-1]:
				level--
				names.close(level)
			case level > 0 && c == ',':
				next = aValue
				if open[level-1] == '}' {
					next = aKey
				}
			default:
				return errJSON
			}
			continue
		case next == aKeyOrEnd && c == '}' || next == aValueOrEnd && c == ']':
			i, level, next = i+1, level-1, aComma
			names.close(level)
			continue
		case next == aKey || next == aKeyOrEnd:
			end, escaped := i, false
			if c == '"' {
				end, escaped = afterString(text, i)
			}
			after := skipSpace(text, end)
			if end == i || after == len(text) || text[after] != ':' {
				return errJSON
			}
			names.add(level-1, text[i:end], escaped)
			i, next = after+1, aValue
			continue
		case c == '{' || c == '[':
			if level == maxDepth {
				return errDeep
			}
			open[level], next = ']', aValueOrEnd
			if c == '{' {
				open[level], next = '}', aKeyOrEnd
			}
			names.open(level)
			i, level = i+1, level+1
			continue
		}
		after := afterScalar(text, i)
		if after == i {
			return errJSON
		}
		i, next = after, aComma
	}
	switch {
	case level > 0 || next != aComma:
		return errJSON
	case !utf8.ValidString(text):
		return errUTF8
	case names.twice != nil:
		return names.twice
	}
	return nil
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// afterScalar is the place after the string, number or literal at i; i when there is none.
func afterScalar(text string, i int) int {
	literal := ""
	switch text[i] {
	case '"':
		after, _ := afterString(text, i)
		return after
	case 't':
		literal = "true"
	case 'f':
		literal = "false"
	case 'n':
		literal = "null"
	default:
		return afterNumber(text, i)
	}
	if strings.HasPrefix(text[i:], literal) {
		return i + len(literal)
	}
	return i
}

// afterString is the place after the string that opens at i; i when it is none.
func afterString(text string, i int) (after int, escaped bool) {
	for at := i + 1; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			return at + 1, escaped
		case c < 0x20:
			return i, false
		case c != '\\':
			continue
		}
		escaped = true
		at++
		switch {
		case at == len(text):
			return i, false
		case text[at] == 'u' && at+4 < len(text):
			if _, err := strconv.ParseUint(text[at+1:at+5], 16, 16); err != nil {
				return i, false
			}
			at += 4
		case strings.IndexByte(`"\/bfnrt`, text[at]) < 0:
			return i, false
		}
	}
	return i, false
}

// afterNumber is the place after the number at i; i when there is none.
func afterNumber(text string, i int) int {
	digits := func(at int) int {
		for at < len(text) && text[at] >= '0' && text[at] <= '9' {
			at++
		}
		return at
	}
	at := i
	if text[at] == '-' {
		at++
	}
	whole := digits(at)
	if whole == at || whole > at+1 && text[at] == '0' {
		return i
	}
	at = whole
	if at < len(text) && text[at] == '.' {
		if at = digits(at + 1); at == whole+1 {
			return i
		}
	}
	if at == len(text) || text[at]|0x20 != 'e' {
		return at
	}
	if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
		at++
	}
	if end := digits(at); end > at {
		return end
	}
	return i
}

// deeper says whether more brackets than limit are open at once, those in strings counted.
func deeper(text string, limit int) bool {
	level := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if level++; level > limit {
				return true
			}
		case ']', '}':
			level = max(level-1, 0)
		}
	}
	return false
}
