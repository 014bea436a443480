package bridge

import (
	"encoding/xml"
	"fmt"
	"strings"

	"tbridge/config"
)

// A dialect is how text is written in one part of a request.
type dialect struct {
	style  string                            // of a list or object that declares none; empty: none can stand there as one text
	escape func(b []byte, s string) []byte   // nil: text stands as it is
	check  func(s string) (complaint string) // nil: any text can stand there
}

var (
	inPath   = &dialect{style: "comma", escape: escapePath, check: checkSegment}
	inSlash  = &dialect{escape: escapeSegments, check: checkSegments}
	inQuery  = &dialect{escape: escapeQuery}
	inForm   = &dialect{escape: escapeForm}
	inPart   = &dialect{}
	inHeader = &dialect{style: "comma", check: checkControls}
	inCookie = &dialect{style: "comma", escape: escapeQuery, check: checkControls}
	inText   = &dialect{}
	inXML    = &dialect{escape: escapeXML, check: checkXML}
)

// append appends one text; false when it is refused. r is the hole it stands in for.
func (d *dialect) append(b []byte, f *frame, r *ref, s string) ([]byte, bool) {
	if d.check != nil {
		if complaint := d.check(s); complaint != "" {
			r.refuse(f, "%s", complaint)
			return b, false
		}
	}
	return d.appendEscaped(b, s), true
}

func (d *dialect) appendEscaped(b []byte, s string) []byte {
	if d.escape == nil {
		return append(b, s...)
	}
	return d.escape(b, s)
}

// escaped is text of the file, or a name, as it goes on the wire.
func (d *dialect) escaped(s string) string {
	if d.escape == nil {
		return s
	}
	return string(d.escape(nil, s))
}

// styleOf is the style of a list or object that is written as one text.
func (d *dialect) styleOf(s *shape) string {
	if s == nil || s.style == "" {
		return d.style
	}
	return s.style
}

var delimiters = map[string]string{"comma": ",", "space": " ", "pipe": "|"}

// join appends a list, or an object as name, value, name, value, as one text; false when it is empty or refused.
func (d *dialect) join(b []byte, f *frame, r *ref, v config.JSON, style string) ([]byte, bool) {
	if style == "json" {
		return d.append(b, f, r, v.String())
	}
	j := joiner{f: f, d: d, r: r, delimiter: delimiters[style], b: b}
	j.written, j.strict = j.delimiter, style == "pipe" || d.escape == nil
	if style != "comma" { // a comma may stand in a URL as it is, and so differs from one in an element
		j.written = d.escaped(j.delimiter)
	}
	for i, item := range v.Items {
		switch item.Kind {
		case config.KindNull:
			continue
		case config.KindArray, config.KindObject:
			r.refuse(f, "holds an %s, which style %s cannot write", item.Kind, style)
			return b, false
		}
		if v.Kind == config.KindObject && !j.add(v.Keys[i]) || !j.add(item.Text) {
			return b, false
		}
	}
	return j.b, j.n > 0
}

// A joiner writes the elements of one list or object as one text.
type joiner struct {
	f         *frame
	d         *dialect
	r         *ref
	delimiter string // as it reads
	written   string // as it goes on the wire
	strict    bool   // no element may hold the delimiter
	b         []byte
	n         int // elements written
}

// add appends one element; false when it is refused.
func (j *joiner) add(s string) (ok bool) {
	if j.strict && strings.Contains(s, j.delimiter) {
		j.r.refuse(j.f, "an element holds %q, which separates elements here", j.delimiter)
		return false
	}
	if j.n++; j.n > 1 {
		j.b = append(j.b, j.written...)
	}
	j.b, ok = j.d.append(j.b, j.f, j.r, s)
	return ok
}

// A safeSet says which bytes stand in a URL as they are.
type safeSet [256]bool

func safe(more string) *safeSet {
	var set safeSet
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~" // RFC 3986, section 2.3
	for _, c := range []byte(unreserved + more) {
		set[c] = true
	}
	return &set
}

var (
	safeInQuery   = safe("")
	safeInSegment = safe("$&+=:@")
	safeInPath    = safe("!$&'()*+,;=:@/") // of the file itself: RFC 3986, section 3.3
	safeInRaw     = safe("!$'()*+,;:@/?")  // the same, in a name or value of its query
)

// appendPercent appends s, all bytes that are not safe percent-encoded.
func appendPercent(b []byte, s string, set *safeSet) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		if c := s[i]; set[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}

func escapePath(b []byte, s string) []byte  { return appendPercent(b, s, safeInSegment) }
func escapeQuery(b []byte, s string) []byte { return appendPercent(b, s, safeInQuery) }

func escapeSegments(b []byte, s string) []byte {
	for i, segment := range strings.Split(s, "/") {
		if i > 0 {
			b = append(b, '/')
		}
		b = escapePath(b, segment)
	}
	return b
}

// escapeForm writes as HTML forms do: a space is a plus sign.
func escapeForm(b []byte, s string) []byte {
	for i, word := range strings.Split(s, " ") {
		if i > 0 {
			b = append(b, '+')
		}
		b = appendPercent(b, word, safeInQuery)
	}
	return b
}

// appendWritten appends text of the file that is already part of a URL: what is percent-encoded stays so.
func appendWritten(b []byte, s string, set *safeSet) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && isEncoded(s[i:]) {
			b = append(b, s[i:i+3]...)
			i += 2
			continue
		}
		b = appendPercent(b, s[i:i+1], set)
	}
	return b
}

// isEncoded says whether s begins with a percent-encoded byte.
func isEncoded(s string) bool {
	return len(s) >= 3 && s[0] == '%' && unhex(s[1]) >= 0 && unhex(s[2]) >= 0
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// escapeXML escapes markup, quotes and the white space that XML would normalise.
func escapeXML(b []byte, s string) []byte {
	w := appender(b)
	_ = xml.EscapeText(&w, []byte(s)) // writing to memory does not fail
	return w
}

type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// control finds a control character: C0 or DEL.
func control(s string) (c byte, found bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return s[i], true
		}
	}
	return 0, false
}

func checkControls(s string) string {
	if c, found := control(s); found {
		return fmt.Sprintf("holds the control character U+%04X, which cannot stand there", c)
	}
	return ""
}

// checkXML refuses what no XML 1.0 document can hold, escaped or not (section 2.2).
func checkXML(s string) string {
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return fmt.Sprintf("holds the character U+%04X, which XML cannot hold", r)
		}
	}
	return ""
}
