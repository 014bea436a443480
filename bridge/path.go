package bridge

import (
	"strings"

	"tbridge/config"
)

// compilePath splits a path template into segments and the pairs of its constant query.
func (k *compiler) compilePath(t *config.Template) (segments []*text, query []pair) {
	if t == nil {
		return nil, nil
	}
	current := &text{}
	leading := true // slashes at the start join with the base URL
	for i, p := range t.Parts {
		if p.Hole != nil {
			current.parts = append(current.parts, textPart{ref: k.ref(p.Hole)})
			leading = false
			continue
		}
		literal, rest, found := strings.Cut(p.Text, "?")
		if leading {
			literal = strings.TrimLeft(literal, "/")
			leading = literal == ""
		}
		for j, piece := range strings.Split(literal, "/") {
			if j > 0 {
				segments = append(segments, current)
				current = &text{}
			}
			if piece != "" {
				current.parts = append(current.parts, textPart{literal: string(appendWritten(nil, piece, safeInPath))})
				current.size += len(piece)
			}
		}
		if found {
			query = writtenQuery(rest + k.constant(t.Parts[i+1:]))
			break
		}
	}
	return append(segments, current), query
}

// constant is the text of parts that may hold no hole: those of the query of a path.
func (k *compiler) constant(parts []config.Part) string {
	text := ""
	for _, p := range parts {
		if p.Hole != nil {
			k.failf("the query of a path is constant; put %s under query", p.Text)
		}
		text += p.Text
	}
	return text
}

// writtenQuery reads the constant query of a path.
func writtenQuery(s string) (pairs []pair) {
	for _, piece := range strings.Split(s, "&") {
		if piece == "" {
			continue
		}
		name, value, found := strings.Cut(piece, "=")
		pairs = append(pairs, pair{
			name:  string(appendWritten(nil, name, safeInRaw)),
			value: string(appendWritten(nil, strings.ReplaceAll(value, "=", "%3D"), safeInRaw)),
			bare:  !found,
		})
	}
	return pairs
}

// renderPath fills the holes of a path. A list or object can only be a whole segment.
func renderPath(f *frame, segments []*text) string {
	var b []byte
	for i, s := range segments {
		if i > 0 {
			b = append(b, '/')
		}
		start := len(b)
		for _, p := range s.parts {
			if p.ref == nil {
				b = append(b, p.literal...)
				continue
			}
			d := inPath
			if p.ref.slash {
				d = inSlash
			}
			var ok bool
			if b, ok = p.ref.append(b, f, d, len(s.parts) == 1); !ok {
				p.ref.refuse(f, "has no value, and the path needs one")
			}
		}
		if len(s.parts) > 1 && hasDotSegment(string(b[start:])) {
			s.refuse(f, "makes a path segment that is . or .., which is refused")
		}
	}
	return string(b)
}

// checkSegment refuses what must not be one segment of a path: a server, or somebody on the way, may read a
// dot segment in any disguise as a step up, and an empty one as the collection.
func checkSegment(s string) string {
	if s == "" {
		return "is empty, and a path segment must not be"
	}
	if complaint := checkControls(s); complaint != "" {
		return complaint
	}
	if hasDotSegment(s) {
		return "holds a path segment . or .. (as it stands, or percent-decoded), which is refused"
	}
	return ""
}

// checkSegments checks a value whose slashes separate segments.
func checkSegments(s string) string {
	if complaint := checkSegment(s); complaint != "" {
		return complaint
	}
	if strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") || strings.Contains(s, "//") {
		return "holds an empty path segment; slashes may only stand between names"
	}
	return ""
}

// maxDecodings is how often a value is percent-decoded in search of dot segments. What changes even then is
// refused: nobody encodes a name so often with good intent, and each round costs time.
const maxDecodings = 8

// hasDotSegment says whether s, split at slashes and backslashes, has a segment . or .., as it stands or
// after repeated percent-decoding.
func hasDotSegment(s string) bool {
	for range maxDecodings {
		for segment := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
			if segment == "." || segment == ".." {
				return true
			}
		}
		decoded := percentDecode(s)
		if decoded == s {
			return false
		}
		s = decoded
	}
	return true
}

// percentDecode undoes percent-encoding once; what is not well-formed stays.
func percentDecode(s string) string {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		if isEncoded(s[i:]) {
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}
