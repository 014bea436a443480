package workbench

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// A place is a span of a file, as config.Pos.
type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

type diagnostic struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	place
	Related []related `json:"related,omitempty"`
}

type related struct {
	place
	Message string `json:"message"`
}

func (v *view) place(p config.Pos) place {
	return place{v.relative(p.File), p.Line, p.Column, p.EndLine, p.EndColumn}
}

// shown gives findings as the page knows them.
func (v *view) shown(ds config.Diagnostics) []diagnostic {
	all := make([]diagnostic, len(ds))
	names := v.names()
	for i, d := range ds {
		all[i] = diagnostic{Severity: d.Severity.String(), Rule: d.Rule, Message: names.Replace(d.Message), Hint: names.Replace(d.Hint), place: v.place(d.Pos)}
		for _, r := range d.Related {
			all[i].Related = append(all[i].Related, related{v.place(r.Pos), r.Message})
		}
	}
	return all
}

// names replaces paths in messages by what the page calls the files.
func (v *view) names() *strings.Replacer {
	if v.c.Directory() == "." {
		return strings.NewReplacer(v.c.File, "tbridge.yaml")
	}
	return strings.NewReplacer(v.c.File, "tbridge.yaml", v.c.Directory()+string(filepath.Separator), "")
}

// about gives the findings in one file.
func (v *view) about(path string) config.Diagnostics {
	return slices.DeleteFunc(slices.Clone(v.ds), func(d config.Diagnostic) bool { return v.relative(d.File) != path })
}

func (v *view) in(path string) []diagnostic { return v.shown(v.about(path)) }

// tools gives the tools of one file.
func (v *view) tools(path string) []*config.Tool {
	return slices.DeleteFunc(slices.Clone(v.c.Tools), func(t *config.Tool) bool { return v.relative(t.At().File) != path })
}

// A summary is a tool in a list.
type summary struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	API         string   `json:"api"`
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Tags        []string `json:"tags"`
	File        string   `json:"file"`
	Line        int      `json:"line"`
	ReadOnly    bool     `json:"read_only"`
	Destructive bool     `json:"destructive"`
	Tokens      int      `json:"tokens"`
	Deprecated  bool     `json:"deprecated"`
	Errors      int      `json:"errors"`
	Warnings    int      `json:"warnings"`
	Notes       int      `json:"notes"`
	Tests       int      `json:"tests"`
}

// summarize sums up a tool and what was found in its file. ds are in the order of their lines.
func (v *view) summarize(t *config.Tool, d *validate.Definition, ds config.Diagnostics) summary {
	at := t.At()
	s := summary{Name: t.Name, Title: t.Title, Description: t.Description, API: t.API, Method: t.Method, Path: pathText(t), Tags: listOf(t.Tags),
		File: v.relative(at.File), Line: at.Line, ReadOnly: d.Annotations.ReadOnly, Tokens: d.Tokens(), Deprecated: t.Deprecated != "", Tests: len(t.Tests)}
	s.Destructive = d.Annotations.Destructive != nil && *d.Annotations.Destructive
	first, _ := slices.BinarySearchFunc(ds, at.Line, func(d config.Diagnostic, line int) int { return cmp.Compare(d.Line, line) })
	for _, d := range ds[first:] {
		if d.Line > at.EndLine {
			break
		}
		switch d.Severity {
		case config.Error:
			s.Errors++
		case config.Warning:
			s.Warnings++
		case config.Note:
			s.Notes++
		}
	}
	return s
}

func pathText(t *config.Tool) string {
	if t.Path == nil {
		return ""
	}
	return t.Path.Text
}

// listOf gives an empty list for none, which in JSON is [] and not null.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// A draft is a tools file as it would be saved.
type draft struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// open reads the directory with the draft in it, whose path need not be there yet.
func (w *Workbench) open(d draft) (*view, error) {
	if err := local(d.Path); err != nil {
		return nil, err
	}
	return w.view(d.Path, d.Text)
}

type checked struct {
	Diagnostics []diagnostic  `json:"diagnostics"`
	Tools       []checkedTool `json:"tools"`
	Parses      bool          `json:"parses"` // the text is YAML, whatever else it is
}

type checkedTool struct {
	Summary    summary              `json:"summary"`
	Form       form                 `json:"form"`
	Definition *validate.Definition `json:"definition"`
	Tokens     int                  `json:"tokens"`
}

// check holds a draft against every rule, together with the rest of the directory.
func (w *Workbench) check(_ context.Context, d draft) (checked, error) {
	v, err := w.open(d)
	if err != nil {
		return checked{}, err
	}
	return v.check(d), nil
}

func (v *view) check(d draft) checked {
	ds := v.about(d.Path)
	all := checked{Diagnostics: v.shown(ds), Tools: []checkedTool{}, Parses: parses(ds)}
	for _, t := range v.tools(d.Path) {
		definition := validate.Describe(t)
		all.Tools = append(all.Tools, checkedTool{v.summarize(t, definition, ds), makeForm(t), definition, definition.Tokens()})
	}
	return all
}

// unparsed are the rules whose errors keep a text from being read at all, and so from being edited by the form.
var unparsed = []string{"syntax", "encoding", "second-document", "too-deep", "alias"}

// parses says whether a text with these findings is one document of YAML.
func parses(ds config.Diagnostics) bool {
	return !slices.ContainsFunc(ds, func(d config.Diagnostic) bool { return d.Severity == config.Error && slices.Contains(unparsed, d.Rule) })
}

type catalogue struct {
	Name        string       `json:"name"`
	Version     string       `json:"version"`
	APIs        []apiInfo    `json:"apis"`
	Config      configText   `json:"config"`
	Files       []fileInfo   `json:"files"`
	Tools       []summary    `json:"tools"`
	Diagnostics []diagnostic `json:"diagnostics"`
	Keys        []config.Key `json:"keys"`
}

type apiInfo struct {
	Name    string  `json:"name"`
	BaseURL string  `json:"base_url"` // as it is written
	Auth    *string `json:"auth"`
}

type configText struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type fileInfo struct {
	Path     string `json:"path"`
	ETag     string `json:"etag"`
	Tools    int    `json:"tools"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
}

// catalogue gives all that the page lists.
func (w *Workbench) catalogue(*http.Request) (*catalogue, error) {
	v, err := w.view("", "")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(w.options.Config)
	if err != nil {
		return nil, err
	}
	all := &catalogue{Name: cmp.Or(v.c.Server.Name, "tbridge"), Version: w.options.Bridge.Version, APIs: []apiInfo{},
		Config: configText{w.options.Config, withoutLiterals(string(text), v.about("tbridge.yaml"))}, Files: []fileInfo{}, Tools: []summary{},
		Diagnostics: v.shown(v.ds), Keys: config.Keys()}
	for _, e := range v.c.APIs {
		all.APIs = append(all.APIs, apiInfo{e.Key, e.Value.BaseURL.String(), credential(e.Value.Auth)})
	}
	files := map[string]int{}
	found := map[string]config.Diagnostics{}
	for _, name := range v.c.ToolsFiles {
		path := v.relative(name)
		text, err := w.files.read(path)
		if err != nil {
			continue // its finding says so
		}
		files[name] = len(all.Files)
		all.Files = append(all.Files, fileInfo{Path: path, ETag: etag(text)})
	}
	for _, d := range v.ds {
		found[d.File] = append(found[d.File], d)
		if i, ok := files[d.File]; ok {
			switch d.Severity {
			case config.Error:
				all.Files[i].Errors++
			case config.Warning:
				all.Files[i].Warnings++
			}
		}
	}
	for _, t := range v.c.Tools {
		name := t.At().File
		if i, ok := files[name]; ok {
			all.Files[i].Tools++
		}
		all.Tools = append(all.Tools, v.summarize(t, validate.Describe(t), found[name]))
	}
	return all, nil
}

// credential says which credential an API is shown, by its source.
func credential(a *config.Auth) *string {
	text := ""
	switch {
	case a == nil:
		return nil
	case a.Bearer != nil:
		text = "bearer " + sourceOf(a.Bearer)
	case a.Basic != nil:
		text = "basic " + a.Basic.Username.String() + ":" + sourceOf(a.Basic.Password)
	case a.APIKey != nil:
		text = "api_key " + a.APIKey.Name + " in " + a.APIKey.In + " " + sourceOf(a.APIKey.Value)
	case a.OAuth2 != nil:
		text = "oauth2 " + a.OAuth2.TokenURL.String()
	}
	return &text
}

// sourceOf is where a secret comes from. One that is written out comes from nowhere, and is not shown.
func sourceOf(v *config.Value) string {
	if v == nil || !v.External() {
		return "***"
	}
	return v.String()
}

// withoutLiterals is the text of tbridge.yaml with *** in the place of each secret that is written out in it, as the
// findings in that file say.
func withoutLiterals(text string, ds config.Diagnostics) string {
	lines := strings.SplitAfter(strings.TrimPrefix(text, "\uFEFF"), "\n")
	for _, d := range slices.Backward(ds) {
		if d.Rule != config.RuleLiteralSecret || d.Line < 1 || d.EndLine > len(lines) {
			continue
		}
		first, last := []rune(lines[d.Line-1]), []rune(lines[d.EndLine-1])
		start, end := min(d.Column-1, len(first)), min(d.EndColumn-1, len(last))
		lines[d.Line-1] = string(first[:start]) + "***" + string(last[end:])
		for i := d.Line; i < d.EndLine; i++ {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}
