package config

import "gopkg.in/yaml.v3"

// A Test is a call beside its tool, with what must come of it (without network).
// Without a Response nothing is answered: it ends with the request, or with the
// refusal of its arguments.
type Test struct {
	Source
	// What the test shows.
	Name string `yaml:"name,required,prose" example:"a free task is taken"`
	// The arguments of the call.
	Arguments *JSON `yaml:"arguments" example:"{task_id: TE-15}"`
	// The request that must be made. What is not given is not looked at.
	Request *TestRequest `yaml:"request" example:"{method: POST, target: /tasks/TE-15/take}"`
	// The answer it is given. Absent: the test ends with the request, or with the refusal of its arguments.
	Response *TestResponse `yaml:"response" example:"{status: 200, json: {ok: true}}"`
	// What the model must be given.
	Result *TestResult `yaml:"result" example:"{text: ✅ Task TE-15 taken}"`
	// What the error must hold at least. Absent: there must be none.
	Error *JSON `yaml:"error" example:"{kind: conflict}"`
}

// TestRequest is the request a test expects.
type TestRequest struct {
	Source
	// The method.
	Method string `yaml:"method" words:"GET HEAD POST PUT PATCH DELETE" example:"POST"`
	// The path and query below base_url.
	Target *string `yaml:"target,prose" example:"/tasks/TE-15/take"`
	// Headers it must have, among others.
	Headers Map[string] `yaml:"headers,prose" example:"{X-Client: tbridge}"`
	// The JSON body, exactly.
	JSON *JSON `yaml:"json" example:"{agent_slug: coder}"`
	// The form, exactly: texts, {filename: .., text: ..} for files, and lists of these.
	Form *JSON `yaml:"form" example:"{title: New, ids: [1, 2]}"`
	// The body as text, exactly.
	Text *string `yaml:"text,prose" example:"hello"`
	// There is no body.
	None bool `yaml:"none" example:"true"`
}

// TestResponse is the canned answer of a test.
type TestResponse struct {
	Source
	// The HTTP status. Default: 200.
	Status int `yaml:"status" example:"409"`
	// Headers of the answer.
	Headers Map[string] `yaml:"headers,prose" example:"{Retry-After: '3'}"`
	// The JSON body.
	JSON *JSON `yaml:"json" example:"{ok: true}"`
	// The body as text.
	Text *string `yaml:"text,prose" example:"hello"`
	// The body in base64.
	Base64 *string `yaml:"base64" example:"aGVsbG8="`
}

// TestResult is what the model must be given.
type TestResult struct {
	Source
	// The text, exactly.
	Text *string `yaml:"text,prose" example:"✅ Task TE-15 taken"`
	// The structured content, exactly.
	Structured *JSON `yaml:"structured" example:"{key: TE-15}"`
	// What the structured content holds at least.
	Like *JSON `yaml:"like" example:"{key: TE-15}"`
}

// supplied reads the arguments of a tool's tests: where a string is due, the characters count as typed. What does
// not fit is no fault here, because a test may be about just that.
func supplied(t *Tool) {
	for _, test := range t.Tests {
		if _, n := below(test.node, "arguments"); n != nil && n.Kind == yaml.MappingNode {
			v := members(n, t.Arguments)
			test.Arguments = &v
		}
	}
}

func members(n *yaml.Node, declared []*Argument) JSON {
	v := JSON{Kind: KindObject}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := deref(n.Content[i]).Value
		v.Keys = append(v.Keys, name)
		v.Items = append(v.Items, given(deref(n.Content[i+1]), named(declared, name)))
	}
	return v
}

// given reads one value of an argument; a is nil where nobody declared one.
func given(n *yaml.Node, a *Argument) JSON {
	switch {
	case a == nil:
	case n.Kind == yaml.MappingNode:
		return members(n, a.Properties)
	case n.Kind == yaml.SequenceNode:
		v := JSON{Kind: KindArray, Items: make([]JSON, len(n.Content))}
		for i, item := range n.Content {
			v.Items[i] = given(deref(item), a.Items)
		}
		return v
	case a.Type == "" || a.Type == "string" || a.Type == "file":
		if v, ok := plainLiteral(n); ok && v.Kind == KindNull {
			return v
		}
		return StringJSON(n.Value)
	}
	return literal(n)
}

func named(arguments []*Argument, name string) *Argument {
	for _, a := range arguments {
		if a.Name == name {
			return a
		}
	}
	return nil
}
