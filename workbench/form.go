package workbench

import (
	"encoding/json"
	"strconv"

	"tbridge/bridge"
	"tbridge/config"
)

// A form is a tool as the page's form shows it. Keys whose shape is free are the YAML text they are written as.
type form struct {
	Index       int         `json:"index"` // in the list of its file
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	API         string      `json:"api"`
	Tags        []string    `json:"tags"`      // its own
	FileTags    []string    `json:"file_tags"` // those of its file, which count too
	Method      string      `json:"method"`
	Path        string      `json:"path"`
	Encoding    string      `json:"encoding"`
	Arguments   []*argument `json:"arguments"` // null: open
	Response    *response   `json:"response"`
	Deprecated  string      `json:"deprecated"`
	OneOf       []string    `json:"one_of"`
	Scopes      []string    `json:"scopes"`
	written
	FromHead []string          `json:"from_head"`
	Lines    map[string][4]int `json:"lines"` // line, column, end line, end column by path: arguments.0.type
}

// written are the keys that a form shows as text; null: not given.
type written struct {
	Query       *string `json:"query"`
	Headers     *string `json:"headers"`
	Cookies     *string `json:"cookies"`
	Body        *string `json:"body"`
	ContentType *string `json:"content_type"`
	Envelope    *string `json:"envelope"`
	Errors      *string `json:"errors"`
	ErrorText   *string `json:"error_text"`
	Timeout     *string `json:"timeout"`
	Retry       *string `json:"retry"`
	Limits      *string `json:"limits"`
	Annotations *string `json:"annotations"`
	Tests       *string `json:"tests"`
}

// A response is what becomes of the answer, each key as it is written.
type response struct {
	Projection *string `json:"projection"`
	List       *string `json:"list"`
	Text       *string `json:"text"`
	Each       *string `json:"each"`
	Content    *string `json:"content"`
	MaxItems   *string `json:"max_items"`
	Output     *string `json:"output"`
	Check      *string `json:"check"`
}

// An argument is one row of the table of arguments.
type argument struct {
	Name        string            `json:"name"`
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Required    bool              `json:"required"`
	Nullable    bool              `json:"nullable"`
	Default     json.RawMessage   `json:"default,omitempty"`
	Enum        []json.RawMessage `json:"enum,omitempty"`
	Examples    []json.RawMessage `json:"examples,omitempty"`
	In          string            `json:"in,omitempty"`
	As          string            `json:"as,omitempty"`
	Style       string            `json:"style,omitempty"`
	Items       *argument         `json:"items,omitempty"`
	Properties  []*argument       `json:"properties,omitempty"`
	Constraints map[string]string `json:"constraints"`
	Source      string            `json:"source,omitempty"`
	Filename    string            `json:"filename,omitempty"`
	MediaType   string            `json:"media_type,omitempty"`
	MaxBytes    string            `json:"max_bytes,omitempty"`
	Place       string            `json:"place,omitempty"` // where it really goes; only of the tool's own arguments
	Line        int               `json:"line"`
}

func makeForm(t *config.Tool) form {
	f := form{Index: t.Index, Name: t.Name, Title: t.Title, Description: t.Description, API: t.API, Tags: listOf(t.Tags[len(t.FileTags()):]), FileTags: listOf(t.FileTags()), Method: t.Method,
		Path: pathText(t), Encoding: t.Encoding, Deprecated: t.Deprecated, OneOf: listOf(t.OneOf), Scopes: listOf(t.Scopes),
		FromHead: listOf(t.FromHead()), Lines: map[string][4]int{}}
	if t.Arguments != nil {
		f.Arguments = makeArguments(t.Arguments)
		for i, place := range bridge.Destinations(t) {
			f.Arguments[i].Place = place
		}
	}
	f.written = written{
		Query: textOf(t.Source, "query"), Headers: textOf(t.Source, "headers"), Cookies: textOf(t.Source, "cookies"), Body: textOf(t.Source, "body"),
		ContentType: textOf(t.Source, "content_type"), Envelope: textOf(t.Source, "envelope"), Errors: textOf(t.Source, "errors"),
		ErrorText: valueOf(t.ErrorText), Timeout: textOf(t.Source, "timeout"), Retry: textOf(t.Source, "retry"),
		Limits: textOf(t.Source, "limits"), Annotations: textOf(t.Source, "annotations"), Tests: textOf(t.Source, "tests"),
	}
	if r := t.Response; r != nil {
		f.Response = &response{Projection: textOf(r.Source, "projection"), List: textOf(r.Source, "list"), Text: valueOf(r.Text), Each: valueOf(r.Each),
			Content: textOf(r.Source, "content"), MaxItems: textOf(r.Source, "max_items"), Output: textOf(r.Source, "output"), Check: textOf(r.Source, "check")}
	}
	for path, p := range t.Places() {
		f.Lines[path] = [4]int{p.Line, p.Column, p.EndLine, p.EndColumn}
	}
	return f
}

// textOf is the YAML that a key is written as; nil: it is not given.
func textOf(s config.Source, key string) *string {
	if text, ok := s.TextAt(key); ok {
		return &text
	}
	return nil
}

// valueOf is what a template says; nil: it is not given.
func valueOf(t *config.Template) *string {
	if t == nil {
		return nil
	}
	return &t.Text
}

func makeArguments(args []*config.Argument) []*argument {
	if args == nil {
		return nil
	}
	all := make([]*argument, len(args))
	for i, a := range args {
		all[i] = makeArgument(a)
	}
	return all
}

func makeArgument(a *config.Argument) *argument {
	f := &argument{Name: a.Name, Type: a.Type, Description: a.Description, Required: a.Required, Nullable: a.Nullable, Enum: rawAll(a.Enum),
		Examples: rawAll(a.Examples), In: a.In, As: a.As, Style: a.Style, Properties: makeArguments(a.Properties), Constraints: constraints(a),
		Source: a.FileSource, Line: a.At().Line}
	switch {
	case a.Default != nil:
		f.Default = a.Default.Append(nil)
	case a.DefaultVar != "":
		f.Default = config.AppendQuoted(nil, "{vars."+a.DefaultVar+"}")
	}
	if a.Items != nil {
		f.Items = makeArgument(a.Items)
	}
	if a.Filename != nil {
		f.Filename = a.Filename.Text
	}
	if a.MediaType != nil {
		f.MediaType = a.MediaType.Text
	}
	if text := textOf(a.Source, "max_bytes"); text != nil {
		f.MaxBytes = *text
	}
	return f
}

func rawAll(values []config.JSON) (all []json.RawMessage) {
	for _, v := range values {
		all = append(all, v.Append(nil))
	}
	return all
}

// constraints are the rules for an argument's value, by JSON Schema's names, each as text.
func constraints(a *config.Argument) map[string]string {
	rules := map[string]string{}
	for key, text := range map[string]string{"format": a.Format, "pattern": a.Pattern} {
		if text != "" {
			rules[key] = text
		}
	}
	for key, n := range map[string]*int{"minLength": a.MinLength, "maxLength": a.MaxLength, "minItems": a.MinItems, "maxItems": a.MaxItems} {
		if n != nil {
			rules[key] = strconv.Itoa(*n)
		}
	}
	for key, n := range map[string]*config.Number{"minimum": a.Minimum, "maximum": a.Maximum, "exclusiveMinimum": a.ExclusiveMinimum,
		"exclusiveMaximum": a.ExclusiveMaximum, "multipleOf": a.MultipleOf} {
		if n != nil {
			rules[key] = string(*n)
		}
	}
	if a.UniqueItems {
		rules["uniqueItems"] = "true"
	}
	return rules
}
