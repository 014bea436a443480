package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"tbridge/bridge"
	"tbridge/config"
)

type tested struct {
	Tests []testReport `json:"tests"`
}

type testReport struct {
	Tool   string     `json:"tool"`
	Name   string     `json:"name"`
	Passed bool       `json:"passed"`
	Diff   []mismatch `json:"diff"`
	Line   int        `json:"line"`
}

// A mismatch is one expectation that was not met.
type mismatch struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// test runs the tests beside the tools of a draft, or of one of them. Nothing is sent.
func (w *Workbench) test(_ context.Context, q struct {
	draft
	Tool string `json:"tool"` // empty: all
}) (tested, error) {
	v, err := w.faultless(q.draft)
	if err != nil {
		return tested{}, err
	}
	tools := v.tools(q.Path)
	tester, err := v.tester(tools)
	if err != nil {
		return tested{}, err
	}
	all := tested{[]testReport{}}
	for _, t := range tools {
		if q.Tool != "" && t.Name != q.Tool {
			continue
		}
		for _, test := range t.Tests {
			r := tester.Run(t.Name, test)
			shown := testReport{Tool: t.Name, Name: test.Name, Passed: r.Passed(), Diff: []mismatch{}, Line: test.At().Line}
			for _, d := range r.Differences {
				shown.Diff = append(shown.Diff, mismatch{d.What, d.Want, d.Got})
			}
			all.Tests = append(all.Tests, shown)
		}
	}
	return all, nil
}

// tester runs tests of these tools alone.
func (v *view) tester(tools []*config.Tool) (*bridge.Tester, error) {
	alone := *v.c
	alone.Tools = tools
	return bridge.NewTester(&alone)
}

// keepTest adds to a tool the test that a try was: its answer, and what the tool makes of that.
func (w *Workbench) keepTest(_ context.Context, q struct {
	call
	Response *answer         `json:"response"`
	Result   json.RawMessage `json:"result"` // as it was shown; the test expects what comes of the answer without network
}) (exported, error) {
	v, t, err := w.sound(q.draft, q.Tool)
	if err != nil {
		return exported{}, err
	}
	test, err := recorded(q.call, q.Response)
	if err != nil {
		return exported{}, err
	}
	tester, err := v.tester([]*config.Tool{t})
	if err != nil {
		return exported{}, err
	}
	r := tester.Run(t.Name, test)
	at := []any{"tools", t.Index, "tests", len(t.Tests)}
	text, err := config.Edit(q.Path, []byte(q.Text), config.Insert(at, expecting(test, r)))
	if err != nil {
		return exported{}, refused(err)
	}
	return exported{string(text)}, nil
}

// recorded is the test of a call and its answer, without expectations.
func recorded(c call, a *answer) (*config.Test, error) {
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	args, err := config.ParseJSON([]byte(c.Arguments), config.MaxDepth)
	if err != nil {
		return nil, failf(http.StatusBadRequest, "bad_request", "arguments: %s", err)
	}
	test := &config.Test{Arguments: &args}
	if a == nil {
		return test, nil
	}
	if a.Truncated {
		return nil, failf(http.StatusUnprocessableEntity, "too_large", "the answer is too long to be kept whole").hinted("write a shorter one by hand")
	}
	response := &config.TestResponse{Status: a.Status}
	media := a.MediaType
	switch v, err := config.ParseJSON(a.Body, config.MaxDepth-6); {
	case a.Body == "":
		media = ""
	case a.Base64:
		response.Base64 = &a.Body
	case err == nil && (media == "" || isJSON(media)):
		response.JSON = &v
		if media == "application/json" {
			media = ""
		}
	default:
		response.Text = &a.Body
	}
	if media != "" && !(response.Text != nil && media == "text/plain") {
		response.Headers = config.Map[string]{{Key: "Content-Type", Value: media}}
	}
	test.Response = response
	return test, nil
}

// expecting is a test as it is written, with what came of it as what it expects.
func expecting(t *config.Test, r *bridge.TestReport) config.JSON {
	v := object("name", str(called(r)), "arguments", *t.Arguments)
	if q := r.Request; q != nil {
		request := object("method", str(q.Method), "target", str(q.Target))
		switch q.Kind {
		case "json", "form":
			request.Put(q.Kind, q.Body)
		case "none":
			request.Put("none", truth)
		}
		v.Put("request", request)
	}
	if a := t.Response; a != nil {
		response := object("status", config.JSON{Kind: config.KindNumber, Text: fmt.Sprint(a.Status)})
		for _, e := range a.Headers {
			response.Put("headers", object(e.Key, str(e.Value)))
		}
		switch {
		case a.JSON != nil:
			response.Put("json", *a.JSON)
		case a.Text != nil:
			response.Put("text", str(*a.Text))
		case a.Base64 != nil:
			response.Put("base64", str(*a.Base64))
		}
		v.Put("response", response)
	}
	if r.Result != nil {
		putResult(&v, r.Result)
	}
	return v
}

// putResult adds what is expected of a result: of an error its kind and code, else the text and the structure.
func putResult(v *config.JSON, r *bridge.Result) {
	structured, err := config.ParseJSON([]byte(r.Structured), config.MaxDepth-6)
	if r.IsError {
		e, _ := structured.Get("error")
		expected := config.JSON{Kind: config.KindObject}
		for _, key := range []string{"kind", "code"} {
			if part, ok := e.Get(key); ok {
				expected.Put(key, part)
			}
		}
		v.Put("error", expected)
		return
	}
	result := config.JSON{Kind: config.KindObject}
	if text := r.Text(); text != string(r.Structured) {
		result.Put("text", str(text))
	}
	if err == nil {
		result.Put("structured", structured)
	}
	v.Put("result", result)
}

// called is a name for what a test shows.
func called(r *bridge.TestReport) string {
	switch {
	case r.Result == nil:
		return "the request is made"
	case r.Result.IsError && r.Request == nil:
		return "the arguments are refused"
	case r.Result.IsError:
		return fmt.Sprintf("%d is answered as %s", r.Result.Status, r.Result.Kind)
	}
	return fmt.Sprintf("%d is answered", r.Result.Status)
}
