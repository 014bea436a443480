package workbench

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// A call is a call of one tool of a draft.
type call struct {
	draft
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// prepared is a draft's tool, ready to be called, and what would be sent.
type prepared struct {
	bridge  *bridge.Bridge
	preview *bridge.Preview
	safe    bool // the tool is read-only
}

// prepare compiles the one tool of a draft. What has errors cannot be called.
func (w *Workbench) prepare(c call) (*prepared, error) {
	v, t, err := w.sound(c.draft, c.Tool)
	if err != nil {
		return nil, err
	}
	alone := *v.c
	alone.Tools = []*config.Tool{t}
	b, err := bridge.New(&alone, w.options.Bridge)
	if err != nil {
		return nil, err
	}
	p, err := b.Preview(t.Name, c.Arguments)
	if err != nil {
		b.Close()
		return nil, invalid(err)
	}
	return &prepared{b, p, validate.Describe(t).Annotations.ReadOnly}, nil
}

// faultless opens a draft that has no errors, in a directory whose tbridge.yaml has none.
func (w *Workbench) faultless(d draft) (*view, error) {
	v, err := w.open(d)
	if err != nil {
		return nil, err
	}
	if faulty := append(v.about(d.Path), v.about("tbridge.yaml")...); faulty.Count(config.Error) > 0 {
		return nil, failf(http.StatusUnprocessableEntity, "invalid", "what has errors cannot be called").hinted("mend what is marked").
			beside("diagnostics", v.shown(faulty))
	}
	return v, nil
}

// sound finds a tool of a draft that has no errors.
func (w *Workbench) sound(d draft, name string) (*view, *config.Tool, error) {
	v, err := w.faultless(d)
	if err != nil {
		return nil, nil, err
	}
	tools := v.tools(d.Path)
	i := slices.IndexFunc(tools, func(t *config.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, nil, failf(http.StatusNotFound, "not_found", "there is no tool %q in %q", name, d.Path)
	}
	return v, tools[i], nil
}

type problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// invalid is the answer to arguments that are refused.
func invalid(err error) error {
	f := failf(http.StatusUnprocessableEntity, "invalid_arguments", "the arguments are refused")
	e, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		e = &bridge.Error{Kind: f.Code, Message: err.Error()}
	}
	if e.Problems == nil {
		f.Code, f.Message, f.Hint = e.Kind, e.Message, e.Hint
	}
	problems := []problem{}
	for _, p := range e.Problems {
		problems = append(problems, problem(p))
	}
	return f.beside("problems", problems)
}

type request struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
}

type preview struct {
	Request request `json:"request"`
	Curl    string  `json:"curl"`
	Hash    string  `json:"hash"`
	Safe    bool    `json:"safe"`
}

func pairs(fields []bridge.Field) [][2]string {
	all := make([][2]string, len(fields))
	for i, f := range fields {
		all[i] = [2]string{f.Name, f.Value}
	}
	return all
}

func requestOf(p *bridge.Preview) request {
	r := request{p.Method, p.URL, pairs(p.Header), p.Body}
	var parts []string
	for _, part := range p.Parts {
		parts = append(parts, partText(part))
	}
	if parts != nil {
		r.Body = strings.Join(parts, "\n")
	}
	return r
}

// partText is a part of a multipart body on one line.
func partText(p bridge.Part) string {
	if p.Filename == "" {
		return p.Name + ": " + p.Text
	}
	return fmt.Sprintf("%s: %s, %s, %d bytes", p.Name, p.Filename, p.MediaType, p.Size)
}

// preview gives the request of a call. Nothing is sent.
func (w *Workbench) preview(_ context.Context, c call) (preview, error) {
	p, err := w.prepare(c)
	if err != nil {
		return preview{}, err
	}
	defer p.bridge.Close()
	command, _ := p.preview.Curl()
	return preview{requestOf(p.preview), command, p.preview.Digest(), p.safe}, nil
}

type tried struct {
	Arguments json.RawMessage `json:"arguments"` // without the secrets in them: what a test may keep
	Request   request         `json:"request"`
	Response  *answer         `json:"response"` // null: there was none
	Result    json.RawMessage `json:"result"`
	MS        int64           `json:"ms"`
}

// An answer is what the API answered. The body of bytes that are no text is base64.
type answer struct {
	Status    int         `json:"status"`
	Headers   [][2]string `json:"headers"`
	Body      string      `json:"body"`
	Base64    bool        `json:"base64,omitempty"`
	Truncated bool        `json:"truncated"`
	MediaType string      `json:"media_type"`
}

type result struct {
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured"`
	Content    json.RawMessage `json:"content"`
	IsError    bool            `json:"is_error"`
}

// try makes a call. What may change something is sent only when whoever asks has seen this very request.
func (w *Workbench) try(ctx context.Context, q struct {
	call
	Hash string `json:"hash"`
}) (tried, error) {
	p, err := w.prepare(q.call)
	if err != nil {
		return tried{}, err
	}
	defer p.bridge.Close()
	if hash := p.preview.Digest(); !p.safe && q.Hash != hash {
		return tried{}, failf(http.StatusConflict, "confirm", "this call may change something").hinted("look at the request and confirm it").
			beside("request", requestOf(p.preview)).beside("hash", hash)
	}
	if !w.tries.Allow() {
		return tried{}, failf(http.StatusTooManyRequests, "rate_limited", "more than %d calls in a minute", triesPerMinute).hinted("wait a moment")
	}
	begin := time.Now()
	t, _ := p.bridge.Try(ctx, q.Tool, q.Arguments)
	return show(t, p.preview, time.Since(begin))
}

func show(t *bridge.Trial, shown *bridge.Preview, took time.Duration) (tried, error) {
	whole, err := t.Result.MarshalJSON()
	if err != nil {
		return tried{}, err
	}
	var content struct{ Content json.RawMessage }
	if err := json.Unmarshal(whole, &content); err != nil {
		return tried{}, err
	}
	all, err := json.Marshal(result{t.Result.Text(), t.Result.Structured, content.Content, t.Result.IsError})
	if err != nil {
		return tried{}, err
	}
	out := tried{Arguments: t.Arguments, Request: requestOf(cmp.Or(t.Request, shown)), Result: all, MS: took.Milliseconds()}
	if r := t.Response; r != nil {
		out.Response = &answer{Status: r.Status, Headers: pairs(r.Header), Body: r.Body, Base64: !r.Text, Truncated: r.Truncated, MediaType: r.MediaType}
		if !r.Text {
			out.Response.Body = base64.StdEncoding.EncodeToString([]byte(r.Body))
		}
	}
	return out, nil
}
