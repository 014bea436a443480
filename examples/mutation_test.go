package examples

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// A mutant is one mistake that can be made in a tools file, or in what tbridge.yaml says of an API.
type mutant struct {
	what   string
	tools  []*config.Tool // whose tests may find it
	change func() (undo func())
}

// A breeder makes mutants.
type breeder struct {
	of      string
	tools   []*config.Tool
	mutants []mutant
}

// swap makes a mutant: another value in one place of the model.
func swap[T any](b *breeder, at *T, value T, format string, args ...any) {
	b.mutants = append(b.mutants, mutant{b.of + ": " + fmt.Sprintf(format, args...), b.tools, func() func() {
		old := *at
		*at = value
		return func() { *at = old }
	}})
}

// without makes a mutant for each element of a list that is left out.
func without[T any](b *breeder, at *[]T, what string) {
	for i := range *at {
		swap(b, at, slices.Delete(slices.Clone(*at), i, i+1), "%s %d left out", what, i)
	}
}

// api breeds from what tbridge.yaml says of an API.
func (b *breeder) api(a *config.API) {
	b.rows(a.Errors)
	without(b, &a.Errors, "error row")
	b.envelope(a.Envelope)
	for i := range a.Headers {
		swap(b, &a.Headers[i].Key, "X-"+a.Headers[i].Key, "header %s", a.Headers[i].Key)
	}
}

func (b *breeder) tool(t *config.Tool) {
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		if method != t.Method {
			swap(b, &t.Method, method, "method %s", method)
		}
	}
	b.template(t.Path, t, "path")
	for _, encoding := range []string{"", "form", "multipart"} {
		if encoding != t.Encoding && t.Method != "GET" {
			swap(b, &t.Encoding, encoding, "encoding %q", encoding)
		}
	}
	b.arguments(t)
	b.tree(t.Body, t, "body")
	b.tree(t.Query, t, "query")
	for i := range t.Headers {
		swap(b, &t.Headers[i].Key, "X-"+t.Headers[i].Key, "header %s", t.Headers[i].Key)
		b.template(t.Headers[i].Value, t, "header "+t.Headers[i].Key)
	}
	b.rows(t.Errors)
	without(b, &t.Errors, "error row")
	b.envelope(t.Envelope)
	b.response(t.Response)
}

func (b *breeder) arguments(t *config.Tool) {
	for _, a := range t.Arguments {
		place := placeOf(t, a)
		for _, other := range []string{"query", "header", "body", "none"} {
			if place != "path" && other != place {
				swap(b, &a.In, other, "%s in: %s", a.Name, other)
			}
		}
		if place != "path" && place != "none" {
			swap(b, &a.As, a.As+"_x", "%s as: %s_x", a.Name, a.As)
		}
		for _, style := range []string{"comma", "repeat", "brackets", "json"} {
			if a.Type == "array" && style != cmp.Or(a.Style, "repeat") && (place == "query" || t.Encoding == "form") {
				swap(b, &a.Style, style, "%s style: %s", a.Name, style)
			}
		}
		if a.Default != nil {
			swap(b, &a.Default, nil, "%s without default", a.Name)
			swap(b, &a.Default, &config.JSON{Kind: a.Default.Kind, Text: a.Default.Text + "1"}, "another default of %s", a.Name)
		}
		if a.DefaultVar != "" {
			swap(b, &a.DefaultVar, "", "%s without default", a.Name)
		}
	}
	without(b, &t.Arguments, "argument")
}

// placeOf is where an argument goes: into the path, where in says, or by the method.
func placeOf(t *config.Tool, a *config.Argument) string {
	switch {
	case t.Path != nil && strings.Contains(t.Path.Text, "{"+a.Name+"}"):
		return "path"
	case a.In != "":
		return a.In
	case t.Method == "GET" || t.Method == "DELETE":
		return "query"
	}
	return "body"
}

// template breeds from the pieces of a template: other text, another hole or none.
func (b *breeder) template(from *config.Template, t *config.Tool, what string) {
	if from == nil {
		return
	}
	for i := range from.Parts {
		p := &from.Parts[i]
		switch {
		case p.Hole == nil:
			swap(b, &p.Text, p.Text+"x", "%s: %q", what, p.Text+"x")
			continue
		case p.Hole.From == config.FromResult && !p.Hole.Count:
			swap(b, &p.Hole.Value.Expr, p.Hole.Value.Expr+"x", "%s: {%sx}", what, p.Hole.Value.Expr)
		case p.Hole.From == config.FromArgument && t != nil:
			for _, a := range t.Arguments {
				if a.Name != p.Hole.Name {
					swap(b, &p.Hole.Name, a.Name, "%s: {%s}", what, a.Name)
				}
			}
		}
		swap(b, p, config.Part{Text: "x"}, "%s: x for %s", what, p.Text)
	}
}

func (b *breeder) tree(from *config.Tree, t *config.Tool, what string) {
	if from == nil {
		return
	}
	b.template(from.Template, t, what)
	switch from.Literal.Kind {
	case config.KindBool:
		swap(b, &from.Literal.Text, map[string]string{"true": "false", "false": "true"}[from.Literal.Text], "%s: not %s", what, from.Literal.Text)
	case config.KindNumber:
		swap(b, &from.Literal.Text, from.Literal.Text+"1", "%s: %s1", what, from.Literal.Text)
	}
	for i := range from.Fields {
		f := &from.Fields[i]
		swap(b, &f.Key, f.Key+"x", "%s: key %sx", what, f.Key)
		b.tree(f.Value, t, what+"."+f.Key)
	}
	without(b, &from.Fields, what+" field")
	for i, item := range from.Items {
		b.tree(item, t, fmt.Sprintf("%s[%d]", what, i))
	}
}

func (b *breeder) rows(rows []*config.ErrorRow) {
	for i, r := range rows {
		row := fmt.Sprintf("error row %d", i)
		if !r.OK {
			swap(b, &r.Kind, "other", "%s: kind", row)
		}
		swap(b, &r.OK, !r.OK, "%s: ok: %v", row, !r.OK)
		if r.Hint != "" {
			swap(b, &r.Hint, "", "%s: no hint", row)
		}
		if r.Retryable != nil {
			swap(b, &r.Retryable, new(!*r.Retryable), "%s: retryable", row)
		}
		for k := range r.Status {
			swap(b, &r.Status[k], 418, "%s: status 418 for %d", row, r.Status[k])
		}
		for k := range r.Code {
			swap(b, &r.Code[k], "zzz", "%s: code zzz for %s", row, r.Code[k])
		}
	}
}

func (b *breeder) paths(ps config.Paths, what string) {
	for i := range ps {
		swap(b, &ps[i].Expr, ps[i].Expr+"x", "%s: %sx", what, ps[i].Expr)
	}
}

func (b *breeder) envelope(e *config.Envelope) {
	if e == nil {
		return
	}
	if e.OK != nil {
		b.paths(e.OK.Path, "ok")
		b.paths(e.OK.Absent, "ok absent")
		for i := range e.OK.Equals {
			swap(b, &e.OK.Equals[i], "zzz", "ok equals zzz")
		}
	}
	b.paths(e.Data, "data")
	b.paths(e.Error.Code, "error.code")
	b.paths(e.Error.Message, "error.message")
	b.paths(e.Error.Details, "error.details")
	b.paths(e.RequestID, "request_id")
}

func (b *breeder) response(r *config.Response) {
	if r == nil {
		return
	}
	if p := r.Projection; p != nil {
		b.paths(p.Paths, "projection")
		for i := range p.Fields {
			swap(b, &p.Fields[i].Key, p.Fields[i].Key+"x", "projection: %sx", p.Fields[i].Key)
			b.paths(p.Fields[i].Value, "projection of "+p.Fields[i].Key)
		}
		without(b, (*[]config.Entry[config.Paths])(&p.Fields), "projected field")
	}
	b.paths(r.List, "list")
	b.template(r.Text, nil, "text")
	b.template(r.Each, nil, "each")
	if r.Each != nil {
		swap(b, &r.Each, nil, "no each")
	}
	if r.Content != "" {
		swap(b, &r.Content, "", "content auto")
	}
}

// Of the mistakes that can be made in the shipped tools, their own tests find nine in ten.
func TestMutationsAreFound(t *testing.T) {
	files, err := filepath.Glob("*/tbridge.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found, survivors := 0, []string{}
	for _, file := range append(files, "../tbridge.yaml") {
		c, _, err := validate.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range breed(c) {
			switch caught, valid := m.caught(c); {
			case caught:
				found++
			case valid:
				survivors = append(survivors, file+": "+m.what)
			}
		}
	}
	all := found + len(survivors)
	t.Logf("%d of %d mutants found; these survive:\n%s", found, all, strings.Join(survivors, "\n"))
	if all < 200 || found*10 < all*9 {
		t.Errorf("%d of %d mutants found, too few", found, all)
	}
}

func breed(c *config.Catalog) []mutant {
	b := &breeder{}
	for _, e := range c.APIs {
		b.of, b.tools = "api "+e.Key, nil
		for _, tool := range c.Tools {
			if tool.API == e.Key {
				b.tools = append(b.tools, tool)
			}
		}
		b.api(e.Value)
	}
	for _, tool := range c.Tools {
		b.of, b.tools = tool.Name, []*config.Tool{tool}
		b.tool(tool)
	}
	return b.mutants
}

// caught says whether a test finds the mutant. One that cannot be served, or is refused by validate, is not valid.
func (m mutant) caught(c *config.Catalog) (caught, valid bool) {
	defer m.change()()
	part := *c
	part.Tools = m.tools
	if validate.Catalog(&part).Count(config.Error) > 0 {
		return false, false
	}
	tester, err := bridge.NewTester(&part)
	if err != nil {
		return false, false
	}
	for _, tool := range m.tools {
		for _, test := range tool.Tests {
			if !tester.Run(tool.Name, test).Passed() {
				return true, true
			}
		}
	}
	return false, true
}
