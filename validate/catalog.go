package validate

import (
	"slices"

	"tbridge/config"
)

// Catalog finds what is wrong with a catalogue beyond what reading it found.
// It needs no secrets and no network. What it passes without an error, the
// bridge can build and serve.
//
// A catalogue without a File has tools alone: what they refer to in tbridge.yaml
// is not checked then.
func Catalog(c *config.Catalog) config.Diagnostics {
	k := &checker{c: c, used: map[string]bool{}, schemas: map[string]*Schema{}}
	if c.File != "" {
		k.configuration()
	}
	k.toolNames()
	for _, t := range c.Tools {
		k.tool(t)
	}
	k.unused()
	k.catalogueTokens()
	k.ds.Sort()
	return k.ds
}

// Load reads a bridge directory, given its tbridge.yaml, and checks it: what
// config.Load and Catalog find, sorted. The error says that a file or directory
// cannot be read.
func Load(path string) (*config.Catalog, config.Diagnostics, error) {
	c, ds, err := config.Load(path)
	if err != nil {
		return nil, ds, err
	}
	ds = append(ds, Catalog(c)...)
	ds.Sort()
	return c, ds, nil
}

// ToolsFile reads one tools file by itself and checks it, under the name given. What it refers to in a
// tbridge.yaml is not checked, and a Note says so.
func ToolsFile(name, text string) (*config.Catalog, config.Diagnostics) {
	c, ds := config.ParseTools(name, text)
	ds = append(ds, Catalog(c)...)
	ds.Add(config.Note, config.Pos{File: name}, ruleNoConfig, "there is no tbridge.yaml above this file; what it refers to there is not checked")
	ds.Sort()
	return c, ds
}

// ConfigFile reads one tbridge.yaml by itself and checks it, under the name given.
func ConfigFile(name, text string) (*config.Catalog, config.Diagnostics) {
	c, ds := config.ParseConfig(name, text)
	ds = append(ds, Catalog(c)...)
	ds.Sort()
	return c, ds
}

// Servable gives the catalogue without the tools of files that have an Error,
// and names these files in order. c itself is not changed. An Error in
// tbridge.yaml is not its business: nothing can be served then.
func Servable(c *config.Catalog, ds config.Diagnostics) (kept *config.Catalog, left []string) {
	faulty := map[string]bool{}
	for _, d := range ds {
		if d.Severity == config.Error && d.File != c.File {
			faulty[d.File] = true
		}
	}
	copied := *c
	copied.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t *config.Tool) bool { return faulty[t.At().File] })
	for file := range faulty {
		left = append(left, file)
	}
	slices.Sort(left)
	return &copied, left
}

// A checker gathers what the rules find.
type checker struct {
	c      *config.Catalog
	ds     config.Diagnostics
	used   map[string]bool // variables that tools name
	tokens int             // what all tools cost a model, about

	schemas map[string]*Schema // of values of arguments, by their texts
}

func (k *checker) error(at config.Pos, rule, format string, args ...any) *config.Diagnostic {
	return k.ds.Add(config.Error, at, rule, format, args...)
}

func (k *checker) warn(at config.Pos, rule, format string, args ...any) *config.Diagnostic {
	return k.ds.Add(config.Warning, at, rule, format, args...)
}

func (k *checker) note(at config.Pos, rule, format string, args ...any) *config.Diagnostic {
	return k.ds.Add(config.Note, at, rule, format, args...)
}

// near is the hint that names what was probably meant, or otherwise what there is.
func near(name string, known []string) string {
	if hint := meant(name, known); hint != "" || len(known) == 0 {
		return hint
	}
	return "there is " + listed(known)
}

// meant is the hint that names what was probably meant, for a message that lists what there is.
func meant(name string, known []string) string {
	if n := config.Nearest(name, known); n != "" {
		return "did you mean " + quoted(n) + "?"
	}
	return ""
}

func quoted(s string) string { return `"` + excerpt(s) + `"` }

// A toolCheck is the check of one tool.
type toolCheck struct {
	*checker
	t     *config.Tool
	api   *config.API     // nil: unknown
	named map[string]bool // arguments that a hole of the request names
	rest  []slot          // where {*} stands in it
	lost  bool            // the body is faulty: what goes there is not looked at
}

// tool applies all rules for one tool.
func (k *checker) tool(t *config.Tool) {
	tc := &toolCheck{checker: k, t: t, api: k.c.API(t.API), named: map[string]bool{}}
	tc.identity()
	tc.reserved()
	tc.method()
	tc.annotations()
	tc.arguments()
	tc.path()
	tc.query()
	tc.headers()
	tc.cookies()
	tc.constants()
	tc.body()
	tc.placement()
	tc.oneOf()
	tc.response()
	tc.errors(t.Errors)
	tc.limits(t.Source, t.Timeout, t.Retry)
	tc.texts()
	tc.ambiguous(t.Arguments)
	tc.sharing()
	tc.cost()
	tc.scopes()
	tc.tests()
}

// sendsBody says whether a request of the tool's method has a body.
func (k *toolCheck) sendsBody() bool { return k.t.Method != "GET" && k.t.Method != "HEAD" }
