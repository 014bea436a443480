package bridge

import (
	"bytes"
	"encoding/json"
	"net/textproto"

	"tbridge/config"
)

// A TestReport is what came of one test.
type TestReport struct {
	Tool, Test  string
	Pos         config.Pos     // of the test
	Differences []Difference   // none: it passed
	Request     *TestedRequest // nil: none was made
	Result      *Result        // nil: the test ended with the request
}

// A Difference is one expectation that was not met. Both sides are texts of one or more lines, of JSON laid out
// alike, so that they can be compared by line.
type Difference struct {
	What string // tool, request, method, target, header NAME, body, text, structured, error or result
	Want string
	Got  string
}

// Passed says whether everything was as expected.
func (r *TestReport) Passed() bool { return len(r.Differences) == 0 }

func (r *TestReport) differ(what, want, got string) {
	r.Differences = append(r.Differences, Difference{what, want, got})
}

// judge compares what came with what the test expects.
func (r *TestReport) judge(test *config.Test) {
	expected := test.Request
	switch {
	case r.Request == nil && (expected != nil || test.Response != nil || test.Error == nil):
		r.differ("request", "a request", "none, because the call was refused: "+r.Result.Text())
		return
	case r.Request != nil && test.Response == nil && test.Error != nil:
		r.differ("request", "none, because the call is refused", r.Request.Method+" "+r.Request.Target)
	}
	if expected != nil {
		r.judgeRequest(expected)
	}
	if r.Result != nil {
		r.judgeResult(test)
	}
}

func (r *TestReport) judgeRequest(want *config.TestRequest) {
	got := r.Request
	if want.Method != "" && want.Method != got.Method {
		r.differ("method", want.Method, got.Method)
	}
	if want.Target != nil && !got.aims(*want.Target) {
		r.differ("target", readable(*want.Target), got.Target)
	}
	for _, e := range want.Headers {
		if value, _ := got.header(e.Key); value != e.Value {
			r.differ("header "+e.Key, e.Value, value)
		}
	}
	r.judgeBody(want)
}

func (r *TestReport) judgeBody(want *config.TestRequest) {
	got := r.Request
	switch {
	case want.JSON != nil:
		body, err := config.ParseJSON(got.text, maxTestedDepth)
		if err != nil {
			r.differ("body", laidOut(*want.JSON), got.described())
			return
		}
		r.compare("body", *want.JSON, body, exactly)
	case want.Form != nil && got.Kind == "form":
		r.compare("body", texts(*want.Form), got.Body, asForm)
	case want.Form != nil:
		r.differ("body", laidOut(*want.Form), got.described())
	case want.Text != nil && (got.Kind == "none" || *want.Text != got.text):
		r.differ("body", *want.Text, got.described())
	case want.None && got.Kind != "none":
		r.differ("body", "no body", got.described())
	}
}

// described is the body in words, or laid out.
func (t *TestedRequest) described() string {
	switch t.Kind {
	case "none":
		return "no body"
	case "json", "form":
		return laidOut(t.Body)
	case "bytes":
		return size(len(t.text)) + " that are no text"
	}
	return t.text
}

func (r *TestReport) judgeResult(test *config.Test) {
	got, structured := r.Result, r.structured()
	problem := memberOf(structured, "error")
	switch {
	case got.IsError && test.Error == nil:
		r.differ("result", "no error", laidOut(problem))
		return
	case got.IsError:
		r.compare("error", *test.Error, problem, atLeast)
		return
	case test.Error != nil:
		r.differ("error", laidOut(*test.Error), "no error, but the result: "+got.Text())
		return
	}
	want := test.Result
	if want == nil {
		return
	}
	if want.Text != nil && *want.Text != got.Text() {
		r.differ("text", *want.Text, got.Text())
	}
	due, e := want.Structured, exactly
	if due == nil {
		due, e = want.Like, atLeast
	}
	switch {
	case due == nil:
	case got.Structured == nil:
		r.differ("structured", laidOut(*due), "none")
	default:
		r.compare("structured", *due, structured, e)
	}
}

// structured is the structured value of the result, which the bridge wrote itself; null when it has none.
func (r *TestReport) structured() config.JSON {
	v, _ := config.ParseJSON([]byte(r.Result.Structured), maxStructuredDepth)
	return v
}

// maxStructuredDepth bounds how deep a result may be nested to be compared.
const maxStructuredDepth = 1000

// compare notes a difference between two values, laid out alike.
func (r *TestReport) compare(what string, want, got config.JSON, e extent) {
	if got = arranged(want, got, e); want.String() != got.String() {
		r.differ(what, laidOut(want), laidOut(got))
	}
}

// An extent says how much of a value is expected.
type extent byte

const (
	exactly extent = iota // all of it; the order of members does not count
	atLeast               // of each object these members; of each list all elements
	asForm                // all fields, of files these members
)

// arranged gives got with the members of its objects in the order of want, and without those that are not asked
// for. It is equal to want when want is met.
func arranged(want, got config.JSON, e extent) config.JSON {
	if want.Kind != got.Kind || want.Kind != config.KindArray && want.Kind != config.KindObject {
		return got
	}
	below := e
	if e == asForm {
		below = atLeast
	}
	v := config.JSON{Kind: got.Kind}
	if want.Kind == config.KindArray {
		v.Items = append(v.Items, got.Items...)
		for i := range min(len(want.Items), len(got.Items)) {
			v.Items[i] = arranged(want.Items[i], got.Items[i], below)
		}
		return v
	}
	for i, key := range want.Keys {
		if member, ok := got.Get(key); ok {
			v.Put(key, arranged(want.Items[i], member, below))
		}
	}
	for i, key := range got.Keys {
		if _, asked := want.Get(key); !asked && e != atLeast {
			v.Put(key, got.Items[i])
		}
	}
	return v
}

// laidOut is a value over several lines, a text as it is.
func laidOut(v config.JSON) string {
	if v.Kind == config.KindString {
		return v.Text
	}
	var b bytes.Buffer
	if json.Indent(&b, v.Append(nil), "", "  ") != nil {
		return v.String()
	}
	return b.String()
}

// aims says whether a target means that of the request, with or without what the API adds.
func (t *TestedRequest) aims(target string) bool {
	want := canonical(target)
	return want == canonical(t.Target) || want == canonical(t.whole)
}

// header gives the value of a header, case not counted.
func (t *TestedRequest) header(name string) (string, bool) {
	name = textproto.CanonicalMIMEHeaderKey(name)
	for _, f := range t.Header {
		if textproto.CanonicalMIMEHeaderKey(f.Name) == name {
			return f.Value, true
		}
	}
	return "", false
}

// texts makes texts of the scalars of a form, their characters as typed.
func texts(v config.JSON) config.JSON {
	switch v.Kind {
	case config.KindArray, config.KindObject:
		copied := v
		copied.Items = make([]config.JSON, len(v.Items))
		for i, item := range v.Items {
			copied.Items[i] = texts(item)
		}
		return copied
	}
	return config.StringJSON(v.Text)
}
