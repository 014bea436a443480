package bridge

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"tbridge/config"
)

// A Tester runs the tests that stand beside the tools. Nothing in it reaches the
// network, the environment or a file of secrets: requests are made and answers
// read by the code that serves, and only the connection is missing.
//
//   - A Value that comes from outside has its default, or else stands as its
//     source: Authorization is Bearer ${TRACKER_TOKEN}. So do {vars.NAME}.
//   - {call.id} is 00000000-0000-0000-0000-000000000000.
//   - Files by path are read below the bridge directory, and nowhere else.
//   - Nothing is tried again, delayed by a limit, stopped by a breaker or out of
//     time, however slow the machine is.
//
// It is safe for concurrent use.
type Tester struct{ bridge *Bridge }

// NewTester compiles a catalogue for its tests. As New it accepts whatever validate.Catalog passed without an error.
func NewTester(c *config.Catalog) (*Tester, error) {
	nothing := func(string) (string, bool) { return "", false }
	b := &Bridge{options: Options{Log: slog.New(slog.DiscardHandler), Env: nothing}, masks: newMasks()}
	v := &vars{texts: make(map[string]variable, len(c.Vars)), roots: roots{filepath.Dir(c.File)}}
	for _, e := range c.Vars {
		text, _ := e.Value.Unset()
		v.texts[e.Key] = variable{text: text}
	}
	g, err := b.compile(once(c), v)
	if err != nil {
		return nil, err
	}
	for _, a := range g.apis {
		if ep, e := a.shown(unset); e == nil { // else calls fail as they would when served
			ep.transport = &stage{ep}
			a.ready.Store(ep)
		}
	}
	b.current.Store(g)
	return &Tester{b}, nil
}

// once gives the catalogue without all that makes calls wait, ends their waits or repeats them.
func once(c *config.Catalog) *config.Catalog {
	copied := *c
	copied.APIs, copied.Tools = nil, nil
	for _, e := range c.APIs {
		a := *e.Value
		a.Retry, a.Breaker, a.Limits = nil, nil, unhurried(a.Limits)
		e.Value = &a
		copied.APIs = append(copied.APIs, e)
	}
	for _, def := range c.Tools {
		t := *def
		t.Retry, t.Limits, t.Timeout = nil, unhurried(t.Limits), time.Hour
		copied.Tools = append(copied.Tools, &t)
	}
	return &copied
}

func unhurried(l *config.Limits) *config.Limits {
	if l == nil {
		return nil
	}
	copied := *l
	copied.Concurrency, copied.Rate = 0, config.Rate{}
	return &copied
}

// unset reads a Value where nothing comes from outside.
func unset(v *config.Value, _ bool) (string, error) {
	text, known := v.Unset()
	if !known {
		text = mark(text, "")
	}
	return text, nil
}

// A stage stands where the connections of an API are. It answers what the test of the call says.
type stage struct{ *endpoint }

// A scene is what one test sends and is answered.
type scene struct {
	answer  *config.TestResponse // nil: none
	request *TestedRequest       // the first that was sent
}

type sceneKey struct{}

var errNoAnswer = errors.New("the test has no response")

// RoundTrip takes the request down and gives the answer of the test.
func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	now := req.Context().Value(sceneKey{}).(*scene)
	if req.Body != nil {
		defer req.Body.Close()
	}
	if now.request == nil {
		var err error
		if now.request, err = s.tested(req); err != nil {
			return nil, err
		}
	}
	if now.answer == nil {
		return nil, errNoAnswer
	}
	return answerOf(now.answer, req)
}

// answerOf makes an answer as net/http gives it.
func answerOf(from *config.TestResponse, req *http.Request) (*http.Response, error) {
	var body []byte
	header := http.Header{}
	switch {
	case from.JSON != nil:
		body = from.JSON.Append(nil)
		header.Set("Content-Type", "application/json")
	case from.Text != nil:
		body = []byte(*from.Text)
		header.Set("Content-Type", "text/plain; charset=utf-8")
	case from.Base64 != nil:
		var err error
		if body, err = base64.StdEncoding.DecodeString(*from.Base64); err != nil {
			return nil, err
		}
		header.Set("Content-Type", "application/octet-stream")
	}
	for _, e := range from.Headers {
		header.Set(e.Key, e.Value)
	}
	status := from.Status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
}

const testedID = "00000000-0000-0000-0000-000000000000"

// Run runs one test of a tool. A tool that is not there is a difference like any other.
func (t *Tester) Run(tool string, test *config.Test) *TestReport {
	r := &TestReport{Tool: tool, Test: test.Name, Pos: test.At()}
	now := &scene{answer: test.Response}
	var arguments []byte
	if test.Arguments != nil {
		arguments = test.Arguments.Append(nil)
	}
	ctx := context.WithValue(context.Background(), sceneKey{}, now)
	result, found := t.bridge.call(ctx, tool, &call{id: testedID}, arguments)
	if !found {
		r.differ("tool", tool, "there is no such tool")
		return r
	}
	r.Request, r.Result = now.request, result
	if r.Request != nil && test.Response == nil { // the failure to answer is none of the tool's
		r.Result = nil
	}
	r.judge(test)
	return r
}
