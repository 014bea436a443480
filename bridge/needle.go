package bridge

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// needles are the texts that secrets show as. They never change.
type needles struct {
	secrets []string     // as they were added
	texts   []string     // the secrets and their base64, sorted
	heads   [257]uint32  // where in texts those begin that begin with a byte
	starts  [1024]uint64 // a filter: one bit for each pair of bytes that a match can begin with
	escaped [256]bool    // the bytes that may follow backslashes within a match
}

// with gives needles that know these secrets too.
func (n *needles) with(secrets []string) *needles {
	more := *n
	more.secrets = append(slices.Clip(n.secrets), secrets...)
	var texts []string
	for _, s := range secrets {
		texts = append(append(texts, s), inBase64(s)...)
	}
	for _, s := range texts {
		more.mark(s)
	}
	more.texts = append(texts, n.texts...)
	slices.Sort(more.texts)
	more.texts = slices.Compact(more.texts)
	clear(more.heads[:])
	for _, s := range more.texts {
		more.heads[int(s[0])+1]++
	}
	for c := range 256 {
		more.heads[c+1] += more.heads[c]
	}
	return &more
}

// inBase64 is what a text shows as in base64: alone, and wherever it stands within a longer one. Of characters that
// hold bits of what is beside it nothing is known.
func inBase64(s string) (texts []string) {
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		texts = append(texts, e.EncodeToString([]byte(s)))
		for before := range 3 { // bytes, in the same group of three
			text := e.EncodeToString([]byte("\x00\x00"[:before] + s))
			texts = append(texts, text[(before*8+5)/6:(before+len(s))*8/6])
		}
	}
	return texts
}

// shortEscapes are the letters of JSON's escapes, and escapedAs what each stands for.
const shortEscapes, escapedAs = `"\/bfnrt`, "\"\\/\b\f\n\r\t"

// mark sets the filter for all ways in which a match of s can begin.
func (n *needles) mark(s string) {
	first, seconds := s[0], []byte{s[1], '%', '\\'}
	if s[1] == ' ' {
		seconds = append(seconds, '+')
	}
	for _, second := range seconds {
		n.set(first, second)
		if first == ' ' {
			n.set('+', second)
		}
	}
	const upper, lower = "0123456789ABCDEF", "0123456789abcdef"
	for _, digit := range []byte{upper[first>>4], lower[first>>4], '5'} { // %5C is a backslash
		n.set('%', digit)
	}
	for _, after := range []byte{'u', '%', '\\'} {
		n.set('\\', after)
	}
	n.escaped['u'], n.escaped['%'] = true, true
	if at := strings.IndexByte(escapedAs, first); at >= 0 {
		n.set('\\', shortEscapes[at])
	}
	for i := range len(escapedAs) {
		if strings.IndexByte(s, escapedAs[i]) >= 0 {
			n.escaped[shortEscapes[i]] = true
		}
	}
	if strings.Contains(s, `\`) {
		for c := range n.escaped {
			n.escaped[c] = true
		}
	}
}

func (n *needles) set(first, second byte) {
	pair := uint16(first)<<8 | uint16(second)
	n.starts[pair>>6] |= 1 << (pair & 63)
}

// begins says whether a match can begin with this pair of bytes.
func (n *needles) begins(pair uint16) bool { return n.starts[pair>>6]>>(pair&63)&1 != 0 }

// headed are the texts that begin as a character does.
func (n *needles) headed(c rune) []string {
	first := byte(c)
	if c >= utf8.RuneSelf {
		first = string(c)[0]
	}
	return n.texts[n.heads[first]:n.heads[int(first)+1]]
}

// find gives the place of the first secret at or after s[i]; start is -1 when there is none.
func find[T string | []byte](n *needles, s T, i int) (start, end int) {
	if len(n.texts) == 0 || i >= len(s) {
		return -1, 0
	}
	pair := uint16(s[i])
	for i++; i < len(s); i++ {
		if pair = pair<<8 | uint16(s[i]); !n.begins(pair) || s[i] == '\\' && !n.escaped[afterBackslashes(s, i)] {
			continue // most often, so without a call
		}
		if end := reach(n, s, i-1, false); end > 0 {
			return i - 1, end
		}
	}
	return -1, 0
}

// reach gives the end of the secrets that begin at s[i] or overlap with one that does; 0: there is none. Within a
// quoted string of JSON none goes beyond its end.
func reach[T string | []byte](n *needles, s T, i int, quoted bool) int {
	end := match(n, s, i, quoted)
	for at := i + 1; at < end; at++ {
		if further := match(n, s, at, false); further > end && !(quoted && opened(s[i:further])) {
			end = further
		}
	}
	return end
}

// match gives the end of the longest secret that begins at s[i], or 0.
func match[T string | []byte](n *needles, s T, i int, quoted bool) (end int) {
	if i+1 >= len(s) || !n.begins(uint16(s[i])<<8|uint16(s[i+1])) {
		return 0
	}
	end, encoded := plain(n, s, i)
	if quoted && end > 0 && opened(s[i:end]) {
		end = 0
	}
	if !encoded {
		return end
	}
	for _, w := range [...]way{{}, {code: percentCoded}, {code: formCoded}, {escapes: 1, within: percentCoded}, {escapes: 1, within: formCoded}} {
		for ; w.escapes <= maxEscapes; w.escapes++ {
			c, size := first(s, i, w)
			if size == 0 {
				break
			}
			candidates := n.headed(c)
			for _, text := range candidates {
				if e := endOf(text, s, i, w); e > end && !(quoted && opened(s[i:e])) {
					end = e
				}
			}
			if len(candidates) == 0 && c != '\\' {
				break // it reads the same with more escapes
			}
		}
	}
	return end
}

// plain gives the end of the longest text that stands at s[i] as it is, or 0. encoded says whether one may stand there
// in another way.
func plain[T string | []byte](n *needles, s T, i int) (end int, encoded bool) {
	if isCode(s[i]) {
		return 0, true
	}
	for _, text := range n.headed(rune(int8(s[i]))) {
		k := 1
		for k < len(text) && i+k < len(s) && s[i+k] == text[k] && !isCode(text[k]) {
			k++
		}
		switch {
		case k == len(text):
			end = max(end, i+k)
		case i+k < len(s) && isCode(s[i+k]):
			encoded = encoded || mayBe(text[k], s, i+k)
		}
	}
	return end, encoded
}

// isCode says whether a byte may stand for another, or begin what does.
func isCode(c byte) bool { return c == '\\' || c == '%' || c == '+' }

// mayBe says whether what begins with a code at s[i] may be, or begin, the byte c.
func mayBe[T string | []byte](c byte, s T, i int) bool {
	switch s[i] {
	case '+':
		return c == '+' || c == ' '
	case '%':
		decoded := hexNumber(s, i+1, 2)
		return c == '%' || decoded == rune(c) || decoded == '\\'
	}
	after := afterBackslashes(s, i)
	short := strings.IndexByte(shortEscapes, after)
	return c == '\\' || after == 'u' || after == '%' || short >= 0 && escapedAs[short] == c
}

// afterBackslashes is the byte after the backslashes at s[i]; a backslash, when there are so many, or no byte after them,
// that what begins there is one.
func afterBackslashes[T string | []byte](s T, i int) byte {
	for end := min(i+1<<maxEscapes, len(s)); i < end; i++ {
		if s[i] != '\\' {
			return s[i]
		}
	}
	return '\\'
}

// maxEscapes is in how many strings of JSON, one in the other, a secret is known: an answer that quotes a request that
// quotes a document.
const maxEscapes = 3

// A urlCode is how characters are written in URLs.
type urlCode byte

const (
	uncoded      urlCode = iota
	percentCoded         // any of them percent-encoded
	formCoded            // and spaces as +
)

// A way is how a text may be written: in a code, that escaped as in JSON so many times, and that again in a code.
type way struct {
	within  urlCode
	escapes int
	code    urlCode
}

// endOf gives the end of a text that is written at s[i] in this way, or 0. Any of its characters may stand as it is.
func endOf[T string | []byte](text string, s T, i int, w way) int {
	for len(text) > 0 {
		c, size := first(s, i, w)
		width := 1
		switch {
		case size == 0:
			return 0
		case c >= utf8.RuneSelf:
			var want rune
			if want, width = utf8.DecodeRuneInString(text); c != want {
				return 0
			}
		case byte(c) != text[0]:
			return 0
		}
		i, text = i+size, text[width:]
	}
	return i
}

// first reads the first character of a text that is written in this way at s[i], as char does.
func first[T string | []byte](s T, i int, w way) (c rune, size int) {
	c, size = char(s, i, w)
	switch {
	case w.within == uncoded || size == 0:
	case c == '+' && w.within == formCoded:
		c = ' '
	case c == '%':
		if decoded := hexNumber(s, i+size, 2); decoded >= 0 {
			c, size = rune(int8(decoded)), size+2
		}
	}
	return c, size
}

// char reads the character at s[i], and how long it is as it is written but for what is within; 0: it is none. A byte of a
// character beyond ASCII that is not escaped is read by itself, as a negative number that has its bits.
func char[T string | []byte](s T, i int, w way) (c rune, size int) {
	if w.escapes > 0 {
		return unescaped(s, i, way{escapes: w.escapes - 1, code: w.code})
	}
	if i >= len(s) {
		return 0, 0
	}
	c, size = rune(s[i]), 1
	switch {
	case w.code == formCoded && c == '+':
		c = ' '
	case w.code != uncoded && c == '%':
		if decoded := hexNumber(s, i+1, 2); decoded >= 0 {
			c, size = decoded, 3
		}
	}
	return rune(int8(c)), size
}

// unescaped reads a character of JSON that is itself written in that way.
func unescaped[T string | []byte](s T, i int, w way) (c rune, size int) {
	if c, size = char(s, i, w); c != '\\' || size == 0 {
		return c, size
	}
	letter, n := char(s, i+size, w)
	size += n
	if letter != 'u' || n == 0 {
		if at := strings.IndexRune(shortEscapes, letter); at >= 0 && n > 0 {
			return rune(escapedAs[at]), size
		}
		return 0, 0
	}
	c, size = hexNumber(s, i+size, 4), size+4
	if !utf16.IsSurrogate(c) {
		return c, known(c, size)
	}
	backslash, n := char(s, i+size, w)
	letter, m := char(s, i+size+n, w)
	if size += n + m; backslash != '\\' || letter != 'u' {
		return 0, 0
	}
	if c = utf16.DecodeRune(c, hexNumber(s, i+size, 4)); c == utf8.RuneError {
		return 0, 0
	}
	return c, size + 4
}

// known is the size of a character that could be read.
func known(c rune, size int) int {
	if c < 0 {
		return 0
	}
	return size
}

// hexNumber is the number of so many hexadecimal digits at s[i], or -1.
func hexNumber[T string | []byte](s T, i, digits int) (n rune) {
	if i+digits > len(s) {
		return -1
	}
	for _, c := range []byte(s[i : i+digits]) {
		digit := unhex(c)
		if digit < 0 {
			return -1
		}
		n = n<<4 | rune(digit)
	}
	return n
}

// opened says whether a piece of a JSON string goes beyond its end, or ends within an escape.
func opened[T string | []byte](piece T) bool {
	for i := 0; i < len(piece); i++ {
		switch piece[i] {
		case '"':
			return true
		case '\\':
			if i++; i >= len(piece) {
				return true
			}
		}
	}
	return false
}
