package bridge

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"tbridge/config"
	"tbridge/validate"
)

const (
	defaultResponseLimit = 16 << 20
	defaultResultLimit   = 256 << 10
)

const codeProjection = "projection_failed"

// A reading is how the answers of one tool are read, compiled. It is safe for concurrent use.
type reading struct {
	tool  string
	api   *api
	masks *masks
	log   *slog.Logger

	responseLimit int64
	resultLimit   int

	envelope  envelope
	rows      []row
	errorText wording

	content    string // auto, json, text or file
	due        bool   // the answer should be JSON
	projection projection
	list       places // nil: the projected value itself
	maxItems   int    // 0: all
	text, each wording
	counts     bool // one of them tells how long the list is
	output     *validate.Schema
	strict     bool // what does not fit output is a failure
}

// compileReading compiles how a tool's answers are read. It keeps nothing of def and c.
func compileReading(def *config.Tool, c *config.Catalog, a *api) (*reading, error) {
	own := c.API(def.API)
	g := &reading{
		tool: def.Name, api: a, masks: a.masks, log: a.options.Log,
		responseLimit: defaultResponseLimit, resultLimit: defaultResultLimit,
		envelope: compileEnvelope(own.Envelope, def.Envelope),
		rows:     compileRows(def.Errors, own.Errors),
		content:  "auto",
	}
	for _, l := range []*config.Limits{own.Limits, def.Limits} {
		if l != nil && l.Response > 0 {
			g.responseLimit = int64(l.Response)
		}
		if l != nil && l.Result > 0 {
			g.resultLimit = int(l.Result)
		}
	}
	g.errorText = compileWording(own.ErrorText)
	if def.ErrorText != nil {
		g.errorText = compileWording(def.ErrorText)
	}
	if def.Response != nil {
		g.compileResponse(def)
	}
	g.due = g.content == "json" || g.content == "auto" && (g.due || g.envelope.given)
	return g, nil
}

func (g *reading) compileResponse(def *config.Tool) {
	r := def.Response
	if r.Content != "" {
		g.content = r.Content
	}
	g.projection = compileProjection(r.Projection)
	g.list, g.maxItems = compilePaths(r.List), r.MaxItems
	g.text, g.each = compileWording(r.Text), compileWording(r.Each)
	g.counts = g.text.counts() || g.each.counts()
	if r.Output != nil {
		g.output, g.strict = validate.Output(def), r.Check == "strict"
	}
	g.due = r.Projection != nil || r.Text != nil || r.Each != nil || r.Output != nil
}

// read makes the result of an answer. It reads the body at most to the limit and leaves closing it to the caller.
func (g *reading) read(ctx context.Context, c *call, resp *http.Response) *Result {
	resp.Header = g.masks.header(resp.Header)
	s := scope{answer: &answer{status: resp.StatusCode, header: resp.Header, call: c}}
	raw, e := g.receive(ctx, resp)
	c.trial.receives(g.masks, resp, raw, e != nil)
	if e != nil && (resp.StatusCode/100 == 2 || ctx.Err() != nil) {
		return g.fail(s, e)
	}
	d := tellApart(resp.Header, raw, g.content == "text")
	s.body, s.data = d.json, d.json
	if e := g.outcome(s, d); e != nil {
		return g.fail(s, e)
	}
	r, e := g.result(s, d, resp)
	if e != nil {
		return g.fail(s, e)
	}
	r.Status = s.status
	return r
}

// result makes the result of an answer that says yes.
func (g *reading) result(s scope, d *document, resp *http.Response) (*Result, *Error) {
	said := s.status/100 == 2 // else a row made it a yes, and its body need not be what a yes brings
	switch {
	case d.empty(), !said && g.due && d.json == "":
		return g.nothing(s)
	case g.content == "file":
		return g.bytes(g.resource(resp, d))
	case g.content == "text":
		return g.plain(d)
	case d.json != "":
		return g.value(s)
	case d.twice != nil:
		return nil, errorf(kindBadResponse, "the answer repeats the key %s in an object, and which one counts cannot be known", g.masks.quote(d.twice.name)).coded(codeJSON)
	case d.form == formJSON && d.fault != "":
		return nil, errorf(kindBadResponse, "the answer is no JSON that can be read: %s", g.excerpt(d.fault)).coded(codeJSON)
	case g.content == "json", g.due && d.form < formImage:
		return nil, errorf(kindBadResponse, "expected JSON, got %s", g.called(d)).coded(codeType)
	case d.form == formImage:
		return g.bytes(Content{Type: "image", MediaType: d.media, Data: []byte(g.masks.document(d))})
	case d.form == formAudio:
		return g.bytes(Content{Type: "audio", MediaType: d.media, Data: []byte(g.masks.document(d))})
	case d.form == formBinary:
		return g.bytes(g.resource(resp, d))
	}
	return g.plain(d)
}

// called is a document's type in words.
func (g *reading) called(d *document) string {
	if d.media == "" {
		return "an answer without a content type"
	}
	return g.masks.excerpt(d.media, maxQuoted)
}

// nothing is the result of an answer without a body: its status. What projections build is built over that. It is
// not what output describes, and need not be.
func (g *reading) nothing(s scope) (*Result, *Error) {
	s.data = `{"status":` + strconv.Itoa(s.status) + `}`
	if g.projection.fields != nil {
		s.data = g.projection.build(s)
	}
	return g.present(s, "")
}

// plain is the result of a text that is no JSON, as it is.
func (g *reading) plain(d *document) (*Result, *Error) {
	if d.text == "" {
		return nil, errorf(kindBadResponse, "expected text, got %s: %s", g.called(d), g.excerpt(d.fault)).coded(codeType)
	}
	text := g.masks.text(clean(d.text, false))
	if len(text) > g.resultLimit {
		return nil, g.tooLarge(len(text))
	}
	return g.bytes(Content{Type: "text", Text: text})
}

// bytes is a result without a structured value.
func (g *reading) bytes(c Content) (*Result, *Error) {
	c.MediaType, c.URI = g.masks.text(clean(c.MediaType, false)), g.masks.text(c.URI)
	if e := g.check(nil); e != nil {
		return nil, e
	}
	return &Result{Content: []Content{c}}, nil
}

// value is the result of an answer that is JSON.
func (g *reading) value(s scope) (*Result, *Error) {
	if r := g.envelope.data.find(s); r.Raw != "" {
		s.data = r.Raw
	}
	missed := ""
	switch p := &g.projection; {
	case p.fields != nil:
		s.data = p.build(s)
	case p.paths != nil:
		r := p.paths.find(s)
		if r.Raw == "" {
			r.Raw, missed = "null", p.paths.String()
		}
		s.data = r.Raw
	}
	return g.present(s, missed)
}

// check compares a structured value with what output promises.
func (g *reading) check(structured []byte) *Error {
	if g.output == nil {
		return nil
	}
	problem := "no value"
	if structured != nil {
		err := g.output.Fits(structured)
		if err == nil {
			return nil
		}
		problem = whereWrong(err)
	}
	if g.strict {
		return errorf(kindBadResponse, "the result is not what output promises: %s", problem).coded("output")
	}
	g.log.Warn("result does not fit output", "tool", g.tool, "at", g.masks.text(problem))
	return nil
}

// whereWrong names where a result is wrong, never what was there.
func whereWrong(err error) string {
	invalid, ok := err.(*validate.Invalid)
	if !ok {
		return "the value"
	}
	var b []byte
	for i, p := range invalid.Problems {
		if i > 0 {
			b = append(b, ", "...)
		}
		if p.Path == "" {
			p.Path = "the value"
		}
		b = append(b, p.Path...)
	}
	return string(b)
}

func (g *reading) tooLarge(n int) *Error {
	e := errorf(kindResultTooLarge, "the result has %s, over the limit of %s", size(n), size(g.resultLimit))
	e.Hint = "ask for less, or give the tool a projection (response.projection), or the path of the list that may be cut (response.list)"
	return e
}

// failure makes the result of a call that failed without an answer.
func (g *reading) failure(e *Error) *Result { return g.fail(scope{answer: &answer{}}, e) }

// fail makes the result of a failed call.
func (g *reading) fail(s scope, e *Error) *Result {
	if e.HTTPStatus == 0 {
		e.HTTPStatus = s.status
	}
	if e.RequestID == "" {
		e.RequestID = g.excerpt(scalar(g.envelope.requestID.find(s)))
	}
	g.judge(e)
	object := g.masks.json(e.append(nil))
	if len(object) > g.resultLimit && e.Details != nil {
		e.Details = nil
		object = g.masks.json(e.append(nil))
	}
	text := string(object)
	if g.errorText != nil {
		s.data = gjson.Get(text, "error").Raw
		text = g.masks.text(clean(string(g.errorText.append(nil, s, 0)), false))
	}
	return &Result{
		Content:    []Content{{Type: "text", Text: text}},
		Structured: object,
		IsError:    true,
		Kind:       e.Kind,
		Status:     s.status,
		RequestID:  e.RequestID,
	}
}
