package bridge

import (
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// fill puts defaults where arguments are absent.
func (p *plan) fill(c *call, s *validate.Schema) *Error {
	if err := s.Fill(&c.args, p.vars.text); err != nil {
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
	r, err := p.request(f)
	if err != nil {
		f.close()
		return nil, err
	}
	return r, nil
}

func (p *plan) request(f *frame) (r *request, err *Error) {
	r = &request{method: p.method, exact: p.exact}
	if r.path, err = renderPath(f, p.path); err != nil {
		return nil, err
	}
	if r.query, err = p.renderQuery(f); err != nil {
		return nil, err
	}
	if r.header, err = renderNamed(f, p.headers, renderHeader); err != nil {
		return nil, err
	}
	if r.cookies, err = renderNamed(f, p.cookies, renderCookie); err != nil {
		return nil, err
	}
	if p.body != nil {
		r.body, err = p.body.render(f)
	}
	return r, err
}

func (p *plan) renderQuery(f *frame) ([]pair, *Error) {
	e := emitter{f: f, d: inQuery}
	if err := e.root(p.query); err != nil {
		return nil, err
	}
	pairs := slices.Clip(p.pairs) // so that appending copies
	for _, item := range e.items {
		pairs = append(pairs, pair{inQuery.escaped(item.name), item.value})
	}
	return pairs, nil
}

func renderNamed(f *frame, list []named, render func(*frame, string, *text) (string, bool, *Error)) (pairs []pair, err *Error) {
	for _, n := range list {
		s, ok, err := render(f, n.name, n.text)
		if err != nil {
			return nil, err
		}
		if ok { // an argument replaces what is written
			pairs = slices.DeleteFunc(pairs, func(p pair) bool { return p.name == n.name })
			pairs = append(pairs, pair{n.name, s})
		}
	}
	return pairs, nil
}

func renderCookie(f *frame, _ string, t *text) (string, bool, *Error) { return t.render(f, inCookie) }

// renderHeader makes the value of a header. One that begins or ends with a blank would arrive without it.
func renderHeader(f *frame, name string, t *text) (string, bool, *Error) {
	s, ok, err := t.render(f, inHeader)
	if err == nil && strings.Trim(s, " ") != s {
		err = t.refuse("header %s would begin or end with a blank, which is lost on the way", name)
	}
	return s, ok, err
}
