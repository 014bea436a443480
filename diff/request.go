package diff

import (
	"fmt"
	"slices"
	"strings"

	"tbridge/config"
)

// A part is one key of a tool or an API that the model does not see, as text.
type part struct{ key, text string }

// requests compares what the model does not see. Both lists have the same keys.
func (d *differ) requests(before, after []part, prefix string) {
	old := map[string]string{}
	for _, p := range before {
		old[p.key] = p.text
	}
	for _, p := range after {
		if old[p.key] != p.text {
			d.add(Request, "changed", prefix+p.key, old[p.key], p.text, "")
		}
		delete(old, p.key)
	}
	for _, p := range before {
		if text, left := old[p.key]; left && text != "" {
			d.add(Request, "changed", prefix+p.key, text, "", "")
		}
	}
}

// toolParts are what makes the request of a tool. Of its arguments those count that the other version has too.
func toolParts(t, other *config.Tool) []part {
	parts := []part{
		{"api", t.API}, {"method", t.Method}, {"path", pathText(t)}, {"query", treeText(t.Query)}, {"headers", mapText(t.Headers)},
		{"cookies", mapText(t.Cookies)}, {"body", treeText(t.Body)}, {"encoding", t.Encoding}, {"content_type", templateText(t.ContentType)},
		{"envelope", envelopeText(t.Envelope)}, {"timeout", t.Timeout.String()}, {"retry", retryText(t.Retry)}, {"limits", limitsText(t.Limits)},
	}
	for _, a := range t.Arguments {
		if slices.ContainsFunc(other.Arguments, func(b *config.Argument) bool { return a.Name == b.Name }) {
			parts = append(parts, argumentParts(a.Name, a)...)
		}
	}
	return parts
}

// argumentParts are how an argument goes on the wire.
func argumentParts(path string, a *config.Argument) []part {
	var words []string
	for _, w := range []part{{"in", a.In}, {"as", a.As}, {"style", a.Style}, {"source", a.FileSource}, {"filename", templateText(a.Filename)},
		{"media_type", templateText(a.MediaType)}, {"default", a.DefaultVar}} {
		if w.text != "" {
			words = append(words, w.key+": "+w.text)
		}
	}
	if a.MaxBytes > 0 {
		words = append(words, fmt.Sprintf("max_bytes: %d", a.MaxBytes))
	}
	var parts []part
	if words != nil {
		parts = append(parts, part{"arguments." + path, strings.Join(words, ", ")})
	}
	for _, p := range a.Properties {
		parts = append(parts, argumentParts(path+"."+p.Name, p)...)
	}
	if a.Items != nil {
		parts = append(parts, argumentParts(path+"[]", a.Items)...)
	}
	return parts
}

// apiParts are what an API adds to all requests, and how its answers are told apart.
func apiParts(a *config.API) []part {
	return []part{
		{"base_url", a.BaseURL.String()}, {"auth", authText(a.Auth)}, {"headers", valuesText(a.Headers)}, {"query", valuesText(a.Query)},
		{"envelope", envelopeText(a.Envelope)}, {"timeout", a.Timeout.String()}, {"retry", retryText(a.Retry)}, {"limits", limitsText(a.Limits)},
		{"redirects", a.Redirects}, {"forward", forwardText(a.Forward)},
	}
}

func pathText(t *config.Tool) string { return strings.TrimLeft(templateText(t.Path), "/") }

func templateText(t *config.Template) string {
	if t == nil {
		return ""
	}
	return t.Text
}

// treeText writes a body or query as JSON with its holes as they are.
func treeText(t *config.Tree) string {
	if t == nil {
		return ""
	}
	var texts []string
	switch t.Kind {
	case config.TreeText:
		return config.StringJSON(templateText(t.Template)).String()
	case config.TreeLiteral:
		return t.Typed
	case config.TreeList:
		for _, item := range t.Items {
			texts = append(texts, treeText(item))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	for _, f := range t.Fields {
		key := f.Key
		if f.Optional {
			key += "?"
		}
		texts = append(texts, key+": "+treeText(f.Value))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

func mapText(m config.Map[*config.Template]) string {
	var texts []string
	for _, e := range m {
		texts = append(texts, e.Key+": "+templateText(e.Value))
	}
	return strings.Join(texts, ", ")
}

func valuesText(m config.Map[*config.Value]) string {
	var texts []string
	for _, e := range m {
		texts = append(texts, e.Key+": "+e.Value.String())
	}
	return strings.Join(texts, ", ")
}

func forwardText(m config.Map[string]) string {
	var texts []string
	for _, e := range m {
		texts = append(texts, e.Key+": "+e.Value)
	}
	return strings.Join(texts, ", ")
}

// authText says where a credential comes from and goes to. Values print as their sources; one that is written out is
// not shown.
func authText(a *config.Auth) string {
	source := func(v *config.Value) string {
		if v != nil && !v.External() {
			return "(written out)"
		}
		return v.String()
	}
	switch {
	case a == nil:
		return ""
	case a.Bearer != nil:
		return "bearer " + source(a.Bearer)
	case a.Basic != nil:
		return "basic " + source(a.Basic.Username) + " " + source(a.Basic.Password)
	case a.APIKey != nil:
		return "api_key in " + a.APIKey.In + " " + a.APIKey.Name + " " + source(a.APIKey.Value)
	case a.OAuth2 != nil:
		return "oauth2 " + a.OAuth2.TokenURL.String() + " " + source(a.OAuth2.ClientID) + " " + source(a.OAuth2.ClientSecret) + " " + strings.Join(a.OAuth2.Scopes, " ")
	}
	return ""
}

func pathsText(ps config.Paths) string {
	var texts []string
	for _, p := range ps {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, " or ")
}

func envelopeText(e *config.Envelope) string {
	if e == nil {
		return ""
	}
	var texts []string
	if e.OK != nil {
		texts = append(texts, "ok: "+pathsText(e.OK.Path)+strings.Join(e.OK.Equals, "|"))
		if e.OK.Absent != nil {
			texts = append(texts, "absent: "+pathsText(e.OK.Absent))
		}
	}
	for _, p := range []struct {
		key   string
		paths config.Paths
	}{{"data", e.Data}, {"code", e.Error.Code}, {"message", e.Error.Message}, {"details", e.Error.Details},
		{"retry_after", e.Error.RetryAfter}, {"request_id", e.RequestID}} {
		if p.paths != nil {
			texts = append(texts, p.key+": "+pathsText(p.paths))
		}
	}
	return strings.Join(texts, ", ")
}

func retryText(r *config.Retry) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("attempts: %d, statuses: %v", r.Attempts, r.Statuses)
}

func limitsText(l *config.Limits) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("response: %d, result: %d, concurrency: %d, rate: %v", l.Response, l.Result, l.Concurrency, l.Rate)
}
