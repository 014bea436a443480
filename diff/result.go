package diff

import (
	"fmt"
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// result compares what a successful call gives.
func (d *differ) result(before, after *config.Tool, a, b *validate.Definition) {
	switch {
	case a.OutputSchema != nil && b.OutputSchema != nil:
		d.schema("output", parse(a.OutputSchema), parse(b.OutputSchema), nil, nil, results)
	case b.OutputSchema != nil:
		d.add(Safe, "output schema added", "output", "", "", "results are described")
	case a.OutputSchema != nil:
		d.add(Breaking, "output schema removed", "output", "", "", "clients that rely on it lose the promise")
	}
	was, is := responseOf(before), responseOf(after)
	d.projection(was.Projection, is.Projection)
	d.text("text", was.Text, is.Text)
	d.text("each", was.Each, is.Each)
	if x, y := content(was), content(is); x != y {
		d.add(Breaking, "content changed", "response.content", x, y, "results are of another sort")
	}
	if x, y := was.MaxItems, is.MaxItems; x != y {
		d.add(Safe, "max_items changed", "response.max_items", count(x), count(y), "the result says when its list is cut")
	}
	if x, y := pathsText(was.List), pathsText(is.List); x != y {
		d.add(Safe, "list changed", "response.list", x, y, "it decides what is cut, and what each writes")
	}
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func responseOf(t *config.Tool) *config.Response {
	if t.Response == nil {
		return &config.Response{}
	}
	return t.Response
}

func content(r *config.Response) string {
	if r.Content == "" {
		return "auto"
	}
	return r.Content
}

func (d *differ) text(key string, before, after *config.Template) {
	if a, b := templateText(before), templateText(after); a != b {
		d.add(Safe, key+" changed", "response."+key, a, b, "the text of results reads differently; their structure is as before")
	}
}

// projection compares the shape of results; where a value is read from is the request's business.
func (d *differ) projection(before, after *config.Projection) {
	const at = "response.projection"
	a, b := projectionText(before), projectionText(after)
	switch {
	case a == b:
		return
	case before == nil || after == nil || before.Fields == nil || after.Fields == nil:
		d.add(Breaking, "projection changed", at, a, b, "results may have another shape")
		return
	}
	for _, e := range before.Fields {
		switch value, ok := after.Fields.Get(e.Key); {
		case !ok:
			d.add(Breaking, "field removed", at+"."+e.Key, pathsText(e.Value), "", "who reads it finds nothing")
		case pathsText(value) != pathsText(e.Value):
			d.add(Request, "field read elsewhere", at+"."+e.Key, pathsText(e.Value), pathsText(value), "")
		}
	}
	for _, e := range after.Fields {
		if _, ok := before.Fields.Get(e.Key); !ok {
			d.add(Safe, "field added", at+"."+e.Key, "", pathsText(e.Value), "results hold more than before")
		}
	}
}

func projectionText(p *config.Projection) string {
	if p == nil {
		return ""
	}
	texts := []string{}
	for _, e := range p.Fields {
		texts = append(texts, e.Key+": "+pathsText(e.Value))
	}
	return strings.Join(append(texts, pathsText(p.Paths)), ", ")
}

// failures compares how failed calls are told.
func (d *differ) failures(before, after *config.Tool, oldAPI, newAPI *config.API) {
	was, is := rowsOf(before, oldAPI), rowsOf(after, newAPI)
	for _, key := range slices.Sorted(keysOf(was, is)) {
		a, b := was[key], is[key]
		if a.verdict != b.verdict {
			d.add(Breaking, "failure changed", "errors", strings.TrimSpace(key+" "+a.verdict), strings.TrimSpace(key+" "+b.verdict), "who decides by kind or success meets another one")
		} else if a.advice != b.advice {
			d.add(Safe, "advice changed", "errors", a.advice, b.advice, "the model reads other words")
		}
	}
	if a, b := errorText(before, oldAPI), errorText(after, newAPI); a != b {
		d.add(Safe, "error_text changed", "error_text", a, b, "the text of failures reads differently; their structure is as before")
	}
}

// A judgement is what a row of errors makes of an answer.
type judgement struct{ verdict, advice string }

// rowsOf gives the judgements of a tool, by what they are about. Of two about the same the first counts.
func rowsOf(t *config.Tool, a *config.API) map[string]judgement {
	rows := t.Errors
	if a != nil {
		rows = slices.Concat(rows, a.Errors)
	}
	all := map[string]judgement{}
	for _, r := range rows {
		j := judgement{"kind " + r.Kind, r.Hint}
		if r.OK {
			j.verdict = "ok"
		}
		if r.Retryable != nil {
			j.advice += " retryable: " + word(*r.Retryable)
		}
		for _, key := range about(r) {
			if _, decided := all[key]; !decided {
				all[key] = j
			}
		}
	}
	return all
}

// about names the answers that a row is about, each status with each code.
func about(r *config.ErrorRow) (keys []string) {
	statuses, codes := []string{""}, []string{""}
	for i, s := range r.Status {
		statuses = append(statuses[:i], fmt.Sprintf("status %d", s))
	}
	for i, c := range r.Code {
		codes = append(codes[:i], "code "+c)
	}
	for _, s := range statuses {
		for _, c := range codes {
			keys = append(keys, strings.TrimSpace(s+" "+c))
		}
	}
	return keys
}

func keysOf(maps ...map[string]judgement) func(yield func(string) bool) {
	all := map[string]bool{}
	for _, m := range maps {
		for key := range m {
			all[key] = true
		}
	}
	return func(yield func(string) bool) {
		for key := range all {
			if !yield(key) {
				return
			}
		}
	}
}

func errorText(t *config.Tool, a *config.API) string {
	if t.ErrorText == nil && a != nil {
		return templateText(a.ErrorText)
	}
	return templateText(t.ErrorText)
}
