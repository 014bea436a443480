package bridge

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"

	"tbridge/validate"
)

// masked is what stands where a secret stood.
const masked = "***"

// masks know the secrets that were read from outside, and take them out of whatever leaves the bridge: as they
// are, in base64, percent-encoded and JSON-escaped, in any mixture of upper and lower case digits. All methods
// may be called at the same time.
type masks struct {
	mu      sync.Mutex // held by those who change needles
	needles atomic.Pointer[needles]
}

// needles is one state of masks. It never changes.
type needles struct {
	secrets []string      // as they were added
	texts   []string      // the secrets and their base64, longest first
	starts  [256][32]byte // a filter: one bit for each pair of bytes that a match can begin with
}

func newMasks() *masks {
	m := &masks{}
	m.needles.Store(&needles{})
	return m
}

// add makes these secrets known. What is too short, or known already, changes nothing.
func (m *masks) add(secrets ...string) {
	m.change(func(known []string) []string {
		for _, s := range secrets {
			if utf8.RuneCountInString(s) >= validate.MinSecret && !slices.Contains(known, s) {
				known = append(known, s)
			}
		}
		return known
	})
}

// knows says whether a text holds a secret.
func (m *masks) knows(text string) bool {
	start, _ := find(m.needles.Load(), text, 0)
	return start >= 0
}

// forget takes a secret back that is worth nothing any more.
func (m *masks) forget(secret string) {
	m.change(func(known []string) []string {
		return slices.DeleteFunc(known, func(s string) bool { return s == secret })
	})
}

func (m *masks) change(edit func([]string) []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.needles.Load().secrets
	if secrets := edit(slices.Clone(old)); !slices.Equal(secrets, old) {
		m.needles.Store(newNeedles(secrets))
	}
}

func newNeedles(secrets []string) *needles {
	n := &needles{secrets: secrets}
	for _, s := range secrets {
		n.texts = append(n.texts, s,
			base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)))
	}
	slices.SortFunc(n.texts, func(a, b string) int { return len(b) - len(a) })
	n.texts = slices.Compact(n.texts)
	for _, s := range n.texts {
		n.mark(s)
	}
	return n
}

// mark sets the filter for all ways in which a match of s can begin.
func (n *needles) mark(s string) {
	for _, second := range []byte{s[1], '%', '\\', '+'} {
		n.set(s[0], second)
	}
	const upper, lower = "0123456789ABCDEF", "0123456789abcdef"
	n.set('%', upper[s[0]>>4])
	n.set('%', lower[s[0]>>4])
	if s[0] == ' ' {
		for _, second := range []byte{s[1], '%', '\\', '+'} {
			n.set('+', second)
		}
	}
	n.set('\\', 'u')
	if c := strings.IndexByte("\"\\/\b\f\n\r\t", s[0]); c >= 0 {
		n.set('\\', `"\/bfnrt`[c])
	}
}

func (n *needles) set(first, second byte) { n.starts[first][second>>3] |= 1 << (second & 7) }

// match gives the end of the secret that begins at s[i], or 0.
func match[T string | []byte](n *needles, s T, i int) int {
	if i+1 >= len(s) || n.starts[s[i]][s[i+1]>>3]>>(s[i+1]&7)&1 == 0 {
		return 0
	}
	for _, needle := range n.texts {
		if end := encodedAt(needle, s, i); end > 0 {
			return end
		}
		if end := i + len(needle); end <= len(s) && string(s[i:end]) == needle { // one that itself looks encoded
			return end
		}
	}
	return 0
}

// encodedAt gives the end of needle at s[i], each of its characters as it is, percent-encoded or JSON-escaped; or 0.
func encodedAt[T string | []byte](needle string, s T, i int) int {
	for k := 0; k < len(needle); {
		if i >= len(s) {
			return 0
		}
		switch c := s[i]; {
		case c == '%' && hexNumber(s, i+1, 2) == rune(needle[k]):
			i, k = i+3, k+1
		case c == '\\':
			r, size := unescaped(s, i)
			want, width := utf8.DecodeRuneInString(needle[k:])
			if r != want {
				return 0
			}
			i, k = i+size, k+width
		case c == needle[k], c == '+' && needle[k] == ' ':
			i, k = i+1, k+1
		default:
			return 0
		}
	}
	return i
}

// unescaped is the character that the JSON escape at s[i] stands for, and the escape's size; -1: it is none.
func unescaped[T string | []byte](s T, i int) (rune, int) {
	if i+1 >= len(s) {
		return -1, 0
	}
	if s[i+1] != 'u' {
		c := strings.IndexByte(`"\/bfnrt`, s[i+1])
		if c < 0 {
			return -1, 0
		}
		return rune("\"\\/\b\f\n\r\t"[c]), 2
	}
	r := hexNumber(s, i+2, 4)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if i+7 >= len(s) || s[i+6] != '\\' || s[i+7] != 'u' {
		return -1, 0
	}
	return utf16.DecodeRune(r, hexNumber(s, i+8, 4)), 12
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

// find gives the place of the first secret at or after s[i]; start is -1 when there is none.
func find[T string | []byte](n *needles, s T, i int) (start, end int) {
	if len(n.texts) == 0 {
		return -1, 0
	}
	for ; i+1 < len(s); i++ {
		if second := s[i+1]; n.starts[s[i]][second>>3]>>(second&7)&1 == 0 {
			continue // most often, so without a call
		}
		if end := match(n, s, i); end > 0 {
			return i, end
		}
	}
	return -1, 0
}

// text gives s with *** in place of each secret.
func (m *masks) text(s string) string {
	n := m.needles.Load()
	start, end := find(n, s, 0)
	if start < 0 {
		return s
	}
	var b strings.Builder
	for from := 0; ; {
		if start < 0 {
			b.WriteString(s[from:])
			return b.String()
		}
		b.WriteString(s[from:start] + masked)
		from = end
		start, end = find(n, s, from)
	}
}

// json gives JSON with *** in place of each secret inside its strings, names of members included. Numbers stay,
// and it stays JSON. Without a secret in it, b itself is the answer.
func (m *masks) json(b []byte) []byte {
	n := m.needles.Load()
	if start, _ := find(n, b, 0); start < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	inside := false
	for i := 0; i < len(b); {
		if b[i] == '"' {
			inside = !inside
		} else if inside {
			if end := match(n, b, i); end > 0 && !opened(b[i:end]) {
				out, i = append(out, masked...), end
				continue
			}
			if n := escapeLength(b[i:]); n > 0 { // whole, so that \" does not end the string, and no secret begins within
				out, i = append(out, b[i:i+n]...), i+n
				continue
			}
		}
		out, i = append(out, b[i]), i+1
	}
	return out
}

// escapeLength is the length of the JSON escape at the start of b, or 0.
func escapeLength(b []byte) int {
	switch {
	case len(b) < 2 || b[0] != '\\':
		return 0
	case b[1] == 'u':
		return min(6, len(b))
	}
	return 2
}

// opened says whether a piece of a JSON string goes beyond its end, or ends within an escape.
func opened(piece []byte) bool {
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
