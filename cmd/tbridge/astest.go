package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"

	"tbridge/bridge"
	"tbridge/config"
)

// asTest makes a real call and prints it as a test, ready to be put beside the tool. Secrets are masked in the answer
// and stand as their sources in the request.
func (p *program) asTest(ctx context.Context, b *bridge.Bridge, c *config.Catalog, t *config.Tool, arguments []byte) error {
	trial, _ := b.Try(ctx, t.Name, arguments)
	if trial.Response == nil && trial.Request != nil {
		fmt.Fprintln(p.stderr, trial.Result.Text())
		return &adviceError{"there was no answer to make a test of", "see that the API can be reached"}
	}
	test, err := recorded(trial, c, t)
	if err != nil {
		return err
	}
	tester, err := bridge.NewTester(c)
	if err != nil {
		return err
	}
	text, err := testYAML(c, t, written(test, tester.Run(t.Name, test).Right(test)))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, text)
	return err
}

// recorded makes a test of what passed, without what it expects.
func recorded(trial *bridge.Trial, c *config.Catalog, t *config.Tool) (*config.Test, error) {
	test := &config.Test{Name: unused(t, "refused")}
	if args, err := config.ParseJSON([]byte(trial.Arguments), config.MaxDepth); err == nil && len(args.Keys) > 0 {
		test.Arguments = &args
	}
	a := trial.Response
	if a == nil {
		return test, nil
	}
	if a.Truncated {
		return nil, &adviceError{"the answer is too long for a test", "ask for less"}
	}
	test.Name = unused(t, fmt.Sprintf("answered %d", a.Status))
	r := &config.TestResponse{Status: a.Status}
	read := headersRead(c, t)
	for _, f := range a.Header {
		if f.Name != "Content-Type" && slices.ContainsFunc(read, func(name string) bool { return strings.EqualFold(name, f.Name) }) {
			r.Headers = append(r.Headers, config.Entry[string]{Key: f.Name, Value: f.Value})
		}
	}
	usual := body(r, a)
	if a.MediaType != usual && a.Body != "" {
		r.Headers = append(r.Headers, config.Entry[string]{Key: "Content-Type", Value: a.MediaType})
	}
	test.Response = r
	return test, nil
}

// unused gives a name that no test of the tool has yet.
func unused(t *config.Tool, name string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(t.Tests, func(test *config.Test) bool { return test.Name == name })
	}
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s (%d)", name, n)
	}
	return free
}

// body gives the answer its body, and the media type that goes without saying.
func body(r *config.TestResponse, a *bridge.Answer) (usual string) {
	v, err := config.ParseJSON(a.Body, 10*config.MaxDepth)
	switch {
	case a.Body == "":
	case err == nil && (a.MediaType == "application/json" || strings.HasSuffix(a.MediaType, "+json")):
		r.JSON = &v
		return "application/json"
	case a.Text:
		r.Text = &a.Body
		return "text/plain"
	default:
		r.Base64 = new(base64.StdEncoding.EncodeToString([]byte(a.Body)))
		return "application/octet-stream"
	}
	return ""
}

// headersRead names the headers of an answer that a result may depend on.
func headersRead(c *config.Catalog, t *config.Tool) []string {
	names := []string{"Location", "Retry-After", "Content-Disposition"}
	add := func(ps config.Paths) {
		for _, p := range ps {
			if p.Root == config.RootHeaders {
				names = append(names, p.Expr)
			}
		}
	}
	for _, e := range []*config.Envelope{c.API(t.API).Envelope, t.Envelope} {
		if e != nil {
			for _, ps := range []config.Paths{e.Data, e.Error.Code, e.Error.Message, e.Error.Details, e.Error.RetryAfter, e.RequestID} {
				add(ps)
			}
		}
	}
	r := t.Response
	if r == nil {
		return names
	}
	if r.Projection != nil {
		add(r.Projection.Paths)
		for _, e := range r.Projection.Fields {
			add(e.Value)
		}
	}
	for _, text := range []*config.Template{r.Text, r.Each} {
		if text == nil {
			continue
		}
		for _, part := range text.Parts {
			if part.Hole != nil {
				add(config.Paths{part.Hole.Value})
			}
		}
	}
	return names
}

// written is a test as its file holds it.
func written(test *config.Test, right bridge.Expectation) config.JSON {
	v := config.JSON{Kind: config.KindObject}
	put := func(into *config.JSON, key string, value *config.JSON) {
		if value != nil {
			into.Put(key, *value)
		}
	}
	v.Put("name", config.StringJSON(test.Name))
	put(&v, "arguments", test.Arguments)
	put(&v, "request", right.Request)
	if r := test.Response; r != nil {
		answer := config.JSON{Kind: config.KindObject}
		answer.Put("status", config.JSON{Kind: config.KindNumber, Text: fmt.Sprint(r.Status)})
		headers := config.JSON{Kind: config.KindObject}
		for _, e := range r.Headers {
			headers.Put(e.Key, config.StringJSON(e.Value))
		}
		if len(headers.Keys) > 0 {
			answer.Put("headers", headers)
		}
		put(&answer, "json", r.JSON)
		if r.Text != nil {
			answer.Put("text", config.StringJSON(*r.Text))
		}
		if r.Base64 != nil {
			answer.Put("base64", config.StringJSON(*r.Base64))
		}
		v.Put("response", answer)
	}
	put(&v, "result", right.Result)
	put(&v, "error", right.Error)
	return v
}

// testYAML writes a test as it would stand in the file of its tool, with tests: above it where that is not there yet.
func testYAML(c *config.Catalog, t *config.Tool, test config.JSON) (string, error) {
	file := t.At().File
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	i := 0
	for _, other := range c.Tools {
		if other == t {
			break
		}
		if other.At().File == file {
			i++
		}
	}
	tests := []any{"tools", i, "tests"}
	path := append(tests, 0)
	changes := []config.Change{config.Insert(path, test)}
	if t.Has("tests") { // without those there are, so that their layout is not that of this one
		changes = append([]config.Change{config.Remove(tests)}, changes...)
	}
	after, err := config.Edit(file, before, changes...)
	if err != nil {
		return "", err
	}
	_, start, end, err := config.Locate(file, after, path)
	if err != nil {
		return "", err
	}
	text := string(after)
	line := strings.LastIndexByte(text[:start], '\n') + 1
	if strings.Trim(text[line:start], " -") != "" {
		return text[start:end] + "\n", nil // within brackets
	}
	if len(t.Tests) == 0 && line > 0 {
		line = strings.LastIndexByte(text[:line-1], '\n') + 1
	}
	return text[line:end] + "\n", nil
}
