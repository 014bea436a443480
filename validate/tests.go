package validate

import (
	"encoding/base64"
	"slices"

	"tbridge/config"
)

// tests checks the tests of a tool: that they can be read one way only, and that they can match.
func (k *toolCheck) tests() {
	if len(k.t.Tests) == 0 {
		k.note(k.t.At("name"), ruleUntested, "tool %s has no tests", quoted(k.t.Name)).Hint = "write what it sends and gives under tests; tbridge call --as-test prints one"
	}
	seen := map[string]config.Pos{}
	for _, test := range k.t.Tests {
		at := test.At("name")
		if first, again := seen[test.Name]; again {
			d := k.warn(at, ruleTest, "test %s is there already, in line %d", quoted(test.Name), first.Line)
			d.Related = []config.Related{{Pos: first, Message: "the first of that name"}}
		}
		seen[test.Name] = at
		k.testAnswer(test)
		k.testOutcome(test)
		k.testArguments(test)
		if test.Request != nil {
			k.testRequest(test.Request)
			k.testBody(test.Request)
		}
	}
}

// only says which keys of a mapping exclude each other.
func (k *toolCheck) only(s config.Source, keys ...string) {
	var given []string
	for _, key := range keys {
		if s.Has(key) {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		k.error(s.KeyAt(given[1]), ruleTest, "%s and %s exclude each other; give one of %s", given[0], given[1], listed(keys))
	}
}

// testAnswer checks the answer that a test is given.
func (k *toolCheck) testAnswer(test *config.Test) {
	r := test.Response
	if r == nil {
		return
	}
	k.only(r.Source, "json", "text", "base64")
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		k.error(r.At("status"), ruleTest, "status %d; the status of an answer is 200 to 599", r.Status)
	}
	for _, e := range r.Headers {
		if !token.MatchString(e.Key) {
			k.error(e.KeyPos, ruleTest, "header name %s; want letters, digits and - (RFC 9110)", quoted(e.Key))
		}
	}
	if r.Base64 != nil {
		if _, err := base64.StdEncoding.DecodeString(*r.Base64); err != nil {
			k.error(r.At("base64"), ruleTest, "base64 is not valid (RFC 4648, section 4)")
		}
	}
}

// testOutcome checks what a test expects to come of the call.
func (k *toolCheck) testOutcome(test *config.Test) {
	k.only(test.Source, "result", "error")
	if r := test.Result; r != nil {
		k.only(r.Source, "structured", "like")
		for _, e := range []struct {
			key   string
			value *config.JSON
		}{{"structured", r.Structured}, {"like", r.Like}} {
			if e.value != nil && e.value.Kind != config.KindObject {
				k.error(r.At(e.key), ruleTest, "%s is an object, not %s; a list is {items: [..]}, a scalar {value: ..}", e.key, article(e.value.Kind))
			}
		}
	}
	if test.Error != nil && test.Error.Kind != config.KindObject {
		k.error(test.At("error"), ruleTest, "error is an object such as {kind: conflict}, not %s", article(test.Error.Kind))
	}
	switch {
	case test.Response != nil:
	case test.Result != nil:
		k.warn(test.KeyAt("result"), ruleTestMatch, "there is no result without a response").Hint = "write response, what the API answers"
	case test.Error != nil && test.Request != nil:
		k.warn(test.KeyAt("request"), ruleTestMatch, "an error without a response is a refusal, and then no request is made").Hint = "write response, or leave out request"
	}
}

func article(kind config.Kind) string {
	switch kind {
	case config.KindNull:
		return "null"
	case config.KindArray:
		return "an array"
	}
	return "a " + kind.String()
}

// testArguments finds arguments that are refused where that is not expected.
func (k *toolCheck) testArguments(test *config.Test) {
	args := config.JSON{Kind: config.KindObject}
	if test.Arguments != nil {
		args = *test.Arguments
	}
	switch {
	case args.Kind != config.KindObject:
		k.error(test.At("arguments"), ruleTest, "arguments are an object, not %s", article(args.Kind))
		return
	case test.Error != nil && test.Response == nil, k.t.Arguments == nil:
		return // refusal is what the test is about, or the tool takes anything
	}
	for _, name := range args.Keys {
		if argument(k.t.Arguments, name) == nil {
			var names []string
			for _, a := range k.t.Arguments {
				names = append(names, a.Name)
			}
			k.warn(test.KeyAt("arguments", name), ruleTestMatch, "tool %s has no argument %s, so that the call is refused", quoted(k.t.Name), quoted(name)).Hint = near(name, names)
		}
	}
	for _, a := range k.t.Arguments {
		if _, given := args.Get(a.Name); !given && k.demanded(a) {
			k.warn(test.At("name"), ruleTestMatch, "the argument %s is required and not given, so that the call is refused", quoted(a.Name)).Hint = "give it, or expect error: {kind: invalid_arguments} without a response"
		}
	}
}

// demanded says whether a call without the argument is refused.
func (k *toolCheck) demanded(a *config.Argument) bool {
	inPath := slices.ContainsFunc(pathHoles(k.t.Path), func(names []string) bool { return names[0] == a.Name })
	return (a.Required || inPath) && a.Default == nil && a.DefaultVar == ""
}

// testRequest checks the head of the request that a test expects.
func (k *toolCheck) testRequest(r *config.TestRequest) {
	if r.Method != "" && r.Method != k.t.Method {
		k.warn(r.At("method"), ruleTestMatch, "method %s; the tool's is %s", quoted(r.Method), k.t.Method)
	}
	if r.Target != nil && scheme.MatchString(*r.Target) {
		k.error(r.At("target"), ruleTest, "target %s is a URL; a target is what follows base_url", quoted(*r.Target))
	}
	for _, e := range r.Headers {
		if !token.MatchString(e.Key) {
			k.error(e.KeyPos, ruleTest, "header name %s; want letters, digits and - (RFC 9110)", quoted(e.Key))
		}
	}
}

// testBody checks the body that a test expects, and that the tool can send such a one.
func (k *toolCheck) testBody(r *config.TestRequest) {
	k.only(r.Source, "json", "form", "text", "none")
	if r.Has("none") && !r.None {
		k.error(r.At("none"), ruleTest, "none is true or left out")
	}
	if r.Form != nil {
		k.testForm(r)
	}
	encoding := k.encoding()
	forms := encoding == "form" || encoding == "multipart"
	for _, key := range []string{"json", "form", "text"} {
		switch {
		case !r.Has(key):
		case !k.sendsBody():
			k.warn(r.KeyAt(key), ruleTestMatch, "a %s sends no body", k.t.Method).Hint = "the query is part of target"
		case key == "json" && encoding != "json" && encoding != "text" && encoding != "bytes",
			key == "form" && !forms:
			k.warn(r.KeyAt(key), ruleTestMatch, "%s is expected, and the encoding of the body is %s", key, encoding)
		}
	}
	if r.None && k.sendsBody() && k.t.Body != nil {
		k.warn(r.KeyAt("none"), ruleTestMatch, "the tool always sends a body")
	}
}

// testForm checks that a form is one: texts, files, and lists of these.
func (k *toolCheck) testForm(r *config.TestRequest) {
	if r.Form.Kind != config.KindObject {
		k.error(r.At("form"), ruleTest, "form is an object of texts, not %s", article(r.Form.Kind))
		return
	}
	for i, name := range r.Form.Keys {
		values := []config.JSON{r.Form.Items[i]}
		if values[0].Kind == config.KindArray {
			values = values[0].Items
		}
		for _, v := range values {
			k.testField(r.At("form", name), name, v)
		}
	}
}

// fileKeys are what a test may say of a file in a form.
var fileKeys = []string{"filename", "media_type", "text", "base64"}

func (k *toolCheck) testField(at config.Pos, name string, v config.JSON) {
	if v.Kind == config.KindArray {
		k.error(at, ruleTest, "%s is a list in a list; a form has texts, files, and lists of these", quoted(name))
	}
	for _, key := range v.Keys {
		if !slices.Contains(fileKeys, key) {
			k.error(at, ruleTest, "a file in a form has no key %s; its keys are %s", quoted(key), listed(fileKeys)).Hint = meant(key, fileKeys)
		}
	}
}
