package bridge

import "tbridge/config"

// An Expectation is what a test says must come, as its keys request, result and
// error hold it. What is nil is not there.
type Expectation struct{ Request, Result, Error *config.JSON }

// Right gives what the test would have to expect so that it passes: what it
// expects already where that came, what came where it did not, in the keys that
// it has. A test that expects nothing of one side is given what tells most of it.
func (r *TestReport) Right(test *config.Test) Expectation {
	var x Expectation
	if r.Request != nil {
		x.Request = r.rightRequest(test)
	}
	switch {
	case r.Result == nil:
	case r.Result.IsError:
		x.Error = r.rightError(test)
	default:
		x.Result = r.rightResult(test)
	}
	return x
}

func (r *TestReport) rightRequest(test *config.Test) *config.JSON {
	got, want := r.Request, test.Request
	v := &config.JSON{Kind: config.KindObject}
	if want == nil {
		if test.Response != nil && (test.Result != nil || test.Error != nil) {
			return nil // it is about the answer alone
		}
		v.Put("method", config.StringJSON(got.Method))
		v.Put("target", config.StringJSON(got.Target))
		got.putBody(v)
		return v
	}
	if want.Method != "" {
		v.Put("method", config.StringJSON(got.Method))
	}
	if want.Target != nil {
		target := *want.Target
		if !got.aims(target) {
			target = got.Target
		}
		v.Put("target", config.StringJSON(target))
	}
	if want.Headers != nil {
		headers := config.JSON{Kind: config.KindObject}
		for _, e := range want.Headers {
			if value, sent := got.header(e.Key); sent {
				headers.Put(e.Key, config.StringJSON(value))
			}
		}
		v.Put("headers", headers)
	}
	r.rightBody(v, want)
	return v
}

// rightBody puts the body into a request: as it is expected, if it came so.
func (r *TestReport) rightBody(v *config.JSON, want *config.TestRequest) {
	body := TestReport{Request: r.Request}
	body.judgeBody(want)
	switch {
	case !body.Passed():
		r.Request.putBody(v)
	case want.JSON != nil:
		v.Put("json", *want.JSON)
	case want.Form != nil:
		v.Put("form", *want.Form)
	case want.Text != nil:
		v.Put("text", config.StringJSON(*want.Text))
	case want.None:
		v.Put("none", config.JSON{Kind: config.KindBool, Text: "true"})
	}
}

// putBody puts the body into a request, as the kind it is. Bytes that are no text cannot be expected.
func (t *TestedRequest) putBody(v *config.JSON) {
	switch {
	case t.Kind == "form":
		form := config.JSON{Kind: config.KindObject, Keys: t.Body.Keys}
		for _, value := range t.Body.Items {
			form.Items = append(form.Items, brief(value))
		}
		v.Put("form", form)
	case t.Kind == "json" || t.Kind == "text":
		v.Put(t.Kind, t.Body)
	case t.Kind == "none" && t.Method != "GET" && t.Method != "HEAD":
		v.Put("none", config.JSON{Kind: config.KindBool, Text: "true"})
	}
}

// brief is a field of a form, without the base64 of a file that is text.
func brief(field config.JSON) config.JSON {
	v := config.JSON{Kind: field.Kind, Text: field.Text}
	_, isText := field.Get("text")
	for i, item := range field.Items {
		switch {
		case field.Kind == config.KindArray:
			v.Items = append(v.Items, brief(item))
		case field.Keys[i] != "base64" || !isText:
			v.Put(field.Keys[i], item)
		}
	}
	return v
}

func (r *TestReport) rightError(test *config.Test) *config.JSON {
	got := memberOf(r.structured(), "error")
	v := config.JSON{Kind: config.KindObject}
	if test.Error != nil {
		v = arranged(*test.Error, got, atLeast)
		return &v
	}
	for _, key := range []string{"kind", "code"} {
		if value, ok := got.Get(key); ok {
			v.Put(key, value)
		}
	}
	return &v
}

func (r *TestReport) rightResult(test *config.Test) *config.JSON {
	v := &config.JSON{Kind: config.KindObject}
	want, structured := test.Result, r.structured()
	if want == nil {
		if test.Response == nil {
			return nil
		}
		if text := r.Result.Text(); r.Result.Structured == nil || !tells(structured, text) {
			v.Put("text", config.StringJSON(text))
		}
		if r.Result.Structured != nil {
			v.Put("structured", structured)
		}
		return v
	}
	if want.Text != nil {
		v.Put("text", config.StringJSON(r.Result.Text()))
	}
	switch {
	case r.Result.Structured == nil:
	case want.Structured != nil:
		v.Put("structured", arranged(*want.Structured, structured, exactly))
	case want.Like != nil:
		v.Put("like", arranged(*want.Like, structured, atLeast))
	}
	return v
}

// tells says whether a text is nothing but the structured value as JSON.
func tells(structured config.JSON, text string) bool {
	for _, v := range []config.JSON{structured, memberOf(structured, "items"), memberOf(structured, "value")} {
		if v.String() == text {
			return true
		}
	}
	return false
}

func memberOf(v config.JSON, key string) config.JSON {
	value, _ := v.Get(key)
	return value
}
