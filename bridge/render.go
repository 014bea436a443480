package bridge

import (
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// fill puts defaults where arguments are absent.
func (p *plan) fill(c *call, s *validate.Schema) *Error {
	if err := s.Fill(&c.args); err != nil {
		return variableError(err)
	}
	return nil
}

// render makes the request of a call. What it opened is closed with the request, or here when it fails.
func (p *plan) render(c *call) (*request, *Error) {
	if p.missing != nil {
		return nil, variableError(p.missing)
	}
	f := &frame{call: c, values: make([]*config.JSON, len(p.slots))}
	for i, name := range c.args.Keys {
		if slot, ok := p.slots[name]; ok {
			f.values[slot] = &c.args.Items[i]
		}
	}
	p.hold(f)
	r := p.request(f)
	if e := f.refused(); e != nil {
		f.close()
		return nil, e
	}
	return r, nil
}

func (p *plan) request(f *frame) *request {
	r := &request{method: p.method, exact: p.exact, path: renderPath(f, p.path), query: p.renderQuery(f),
		header: renderNamed(f, p.headers, renderHeader), cookies: renderNamed(f, p.cookies, renderCookie)}
	if p.query.open {
		r.free = f.call.args.Keys
	}
	if p.body != nil {
		r.body = p.body.render(f)
	}
	return r
}

func (p *plan) renderQuery(f *frame) []pair {
	e := emitter{f: f, d: inQuery}
	e.root(p.query)
	pairs := slices.Clip(p.pairs) // so that appending copies
	for _, item := range e.items {
		pairs = append(pairs, pair{name: inQuery.escaped(item.name), value: item.value})
	}
	return pairs
}

func renderNamed(f *frame, list []named, render func(*frame, string, *text) (string, bool)) (pairs []pair) {
	for _, n := range list {
		if s, ok := render(f, n.name, n.text); ok {
			pairs = append(pairs, pair{name: n.name, value: s})
		}
	}
	return pairs
}

func renderCookie(f *frame, _ string, t *text) (string, bool) { return t.render(f, inCookie) }

// renderHeader makes the value of a header. One that begins or ends with a blank would arrive without it.
func renderHeader(f *frame, name string, t *text) (string, bool) {
	s, ok := t.render(f, inHeader)
	if ok && strings.Trim(s, " ") != s {
		t.refuse(f, "header %s would begin or end with a blank, which is lost on the way", name)
	}
	return s, ok
}
