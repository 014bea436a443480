package bridge

// present makes the result of the projected value, s.data: its list cut to fit, as a structured object and in
// words. missed names the paths that found nothing; empty: none.
func (g *reading) present(s scope, missed string) (*Result, *Error) {
	l, count := g.listOf(s), 0
	if g.counts {
		count = l.count()
	}
	words := g.text.append(nil, s, count)
	value, p := g.cut(s, l, len(words), count)
	if p.cut() && p.shown == 0 {
		return nil, g.tooLarge(len(s.data))
	}
	if words = append(words, p.lines...); g.text == nil && len(words) > 0 {
		words = words[1:] // the break before the first line
	}
	structured := wrap(value)
	if p.cut() {
		structured = appendNotice(structured, &p)
	}
	switch n := max(len(structured), len(words)); {
	case s.fault != "":
		return nil, errorf(kindBadResponse, "the path %q cannot be followed in this answer", s.fault).coded(codeProjection)
	case n > g.resultLimit:
		return nil, g.tooLarge(n)
	}
	if s.body != "" {
		if e := g.check(structured); e != nil {
			return nil, e
		}
	}
	text := g.masks.text(clean(string(words), false))
	if g.text == nil && len(words) == 0 {
		text = g.jsonText(value)
	}
	switch {
	case missed != "" && g.text == nil:
		text += " (no match for " + missed + ")"
	case missed != "":
		text += "\n(no match for " + missed + ")"
	}
	if p.cut() {
		text += "\n" + p.notice()
	}
	return &Result{Content: []Content{{Type: "text", Text: text}}, Structured: g.masks.json(structured)}, nil
}

// cut makes the value compact, and takes of its list what is asked for and fits beside a text of so many bytes.
func (g *reading) cut(s scope, l listing, said, count int) ([]byte, portion) {
	whole := g.each == nil && g.maxItems == 0 && len(s.data)+len(`{"items":}`) <= g.resultLimit
	if whole || l.raw == "" {
		return appendCompact(make([]byte, 0, len(s.data)), s.data), portion{}
	}
	if !l.inPlace {
		return appendCompact(nil, s.data), g.take(s, l, g.resultLimit, g.resultLimit-said, count)
	}
	value := appendCompact(nil, s.data[:l.at])
	after := appendCompact(nil, s.data[l.at+len(l.raw):])
	room := g.resultLimit - len(value) - len(after) - len(`{"items":[]}`)
	p := g.take(s, l, room, g.resultLimit-said, count)
	value = append(append(append(value, '['), p.items...), ']')
	return append(value, after...), p
}

// wrap makes an object of any value: structuredContent must be one.
func wrap(value []byte) []byte {
	name := `{"value":`
	switch value[0] {
	case '{':
		return value
	case '[':
		name = `{"items":`
	}
	b := append(make([]byte, 0, len(name)+len(value)+1), name...)
	return append(append(b, value...), '}')
}

// jsonText is a compact JSON value as text. It is masked again when cleaning has joined what stood apart.
func (g *reading) jsonText(value []byte) string {
	masked := string(g.masks.json(value))
	if text := clean(masked, true); len(text) < len(masked) {
		return string(g.masks.json([]byte(text)))
	}
	return masked
}
