package bridge

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"tbridge/config"
	"tbridge/validate"
)

// masked is what stands where a secret stood.
const masked = "***"

// masks know the secrets that were read from outside, and take them out of whatever leaves the bridge: as they are, in
// base64, percent-encoded, and escaped in strings of JSON, also where one holds another (needle.go). All methods may be
// called at the same time.
type masks struct {
	mu      sync.Mutex // held by those who change needles
	needles atomic.Pointer[needles]
}

func newMasks() *masks {
	m := &masks{}
	m.needles.Store(&needles{})
	return m
}

// add makes these secrets known. What is too short, or known already, changes nothing.
func (m *masks) add(secrets ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.needles.Load()
	var fresh []string
	for _, s := range secrets {
		if utf8.RuneCountInString(s) >= validate.MinSecret && !slices.Contains(known.secrets, s) && !slices.Contains(fresh, s) {
			fresh = append(fresh, s)
		}
	}
	if fresh != nil {
		m.needles.Store(known.with(fresh))
	}
}

// forget takes a secret back that is worth nothing any more.
func (m *masks) forget(secret string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.needles.Load().secrets; slices.Contains(known, secret) {
		left := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == secret })
		m.needles.Store((&needles{}).with(left))
	}
}

// knows says whether a text holds a secret.
func (m *masks) knows(text string) bool {
	start, _ := find(m.needles.Load(), text, 0)
	return start >= 0
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
	from, inside := 0, false
	for i := 0; i < len(b); {
		if b[i] == '"' {
			inside = !inside
		} else if inside {
			if end := reach(n, b, i, true); end > 0 {
				out = append(append(out, b[from:i]...), masked...)
				i, from = end, end
				continue
			}
			i += escapeLength(b, i) // \" does not end the string, and no secret begins within
		}
		i++
	}
	return append(out, b[from:]...)
}

// escapeLength is how many bytes belong to the one at b[i] when it begins an escape of JSON.
func escapeLength(b []byte, i int) int {
	switch {
	case b[i] != '\\' || i+1 == len(b):
		return 0
	case b[i+1] == 'u':
		return min(5, len(b)-1-i)
	}
	return 1
}

// blank gives bytes with * in place of each byte of a secret: all others stay where they were.
func (m *masks) blank(bytes string) string {
	n := m.needles.Load()
	start, end := find(n, bytes, 0)
	if start < 0 {
		return bytes
	}
	b := []byte(bytes)
	for start >= 0 {
		for i := start; i < end; i++ {
			b[i] = '*'
		}
		start, end = find(n, bytes, end)
	}
	return string(b)
}

// document masks a document as what it is: JSON stays JSON, and bytes that are no text keep their places.
func (m *masks) document(d *document) string {
	switch {
	case d.text == "":
		return m.blank(d.raw)
	case d.json != "" && m.knows(d.text):
		return string(m.json([]byte(d.text)))
	case d.json != "":
		return d.text
	}
	return m.text(d.text)
}

// header masks the values of a header, before any of them is split, decoded or written in small letters. Without a
// secret in them, h itself is the answer.
func (m *masks) header(h http.Header) http.Header {
	own := false
	for name, values := range h {
		for i, v := range values {
			text := m.text(v)
			if text == v {
				continue
			}
			if !own {
				h, own = h.Clone(), true
			}
			h[name][i] = text
		}
	}
	return h
}

const (
	maxMessage = 2 << 10 // bytes of a text from outside that stands as a message
	maxQuoted  = 128     // of one that a message or a line of the log quotes
)

// excerpt is the beginning of a text from outside, cleaned, then masked, and then cut: the other way round a piece of a
// secret could stay, or be put together. Nothing else cuts such a text.
func (m *masks) excerpt(text string, length int) string {
	text = strings.TrimSpace(m.text(clean(strings.ToValidUTF8(text, "\uFFFD"), false)))
	if len(text) <= length {
		return text
	}
	for !utf8.RuneStart(text[length]) {
		length--
	}
	return text[:length] + "…"
}

// quote is the beginning of a text from outside, in quotes.
func (m *masks) quote(text string) string {
	return quoted(m.excerpt(text, maxQuoted))
}

// quoted is a text in quotes, as JSON has it.
func quoted(text string) string { return string(config.AppendQuoted(nil, text)) }
