package validate

import (
	"slices"
	"strings"

	"tbridge/config"
)

// A form is what a hole's value becomes where it stands.
type form byte

const (
	inTree  form = iota // a JSON value, when the hole stands alone
	inPairs             // a pair, or several: the query, a form
	inFlat              // one piece of text: a segment of the path, a header, a cookie
	inText              // part of a text
)

// A slot is a part of a request in which templates stand.
type slot struct {
	what   string // for messages: path, header X-Trace
	form   form
	places bool // an argument that a hole names goes here
	rest   bool // {*} may stand here
	slash  bool // {+name} may stand here
	files  bool // a file may stand here, alone
}

// tree checks the templates of a tree, and its optional keys.
func (k *toolCheck) tree(t *config.Tree, s slot) {
	switch t.Kind {
	case config.TreeText:
		k.template(t.Template, s)
	case config.TreeList:
		for _, item := range t.Items {
			k.tree(item, s)
		}
	case config.TreeMapping:
		for _, f := range t.Fields {
			if f.Optional && !namesArgument(f.Value) {
				k.error(f.KeyPos, ruleOptionalKey, "%s goes when no argument below it has a value, and no hole below names one", quoted(f.Key+"?")).Hint = "write " + quoted(f.Key)
			}
			k.tree(f.Value, s)
		}
	}
}

// namesArgument says whether a hole of the tree takes an argument.
func namesArgument(t *config.Tree) bool {
	switch t.Kind {
	case config.TreeText:
		return slices.ContainsFunc(t.Template.Parts, func(p config.Part) bool {
			return p.Hole != nil && (p.Hole.From == config.FromArgument || p.Hole.From == config.FromRest)
		})
	case config.TreeList:
		return slices.ContainsFunc(t.Items, namesArgument)
	case config.TreeMapping:
		return slices.ContainsFunc(t.Fields, func(f config.Field) bool { return namesArgument(f.Value) })
	}
	return false
}

// template checks the holes of a template.
func (k *toolCheck) template(t *config.Template, s slot) {
	if t == nil {
		return
	}
	for i, p := range t.Parts {
		if p.Hole != nil {
			k.hole(p, s, alone(t, i, s))
		}
	}
}

// alone says whether the hole is all of its text; in a path, all of its segment.
func alone(t *config.Template, i int, s slot) bool {
	if !s.slash {
		return len(t.Parts) == 1
	}
	before := i == 0 || t.Parts[i-1].Hole == nil && strings.HasSuffix(t.Parts[i-1].Text, "/")
	after := i == len(t.Parts)-1 || t.Parts[i+1].Hole == nil && strings.ContainsAny(t.Parts[i+1].Text[:1], "/?")
	return before && after
}

func (k *toolCheck) hole(p config.Part, s slot, alone bool) {
	h := p.Hole
	if h.Slash && !s.slash {
		k.error(p.Pos, ruleHole, "%s stands in a path only; in %s write {%s}", p.Text, s.what, h.Name)
	}
	switch h.From {
	case config.FromVars:
		k.variable(h.Name, p.Pos, s.what)
	case config.FromCall:
		if h.Name != "id" {
			k.error(p.Pos, ruleUnknownHole, "%s: a call has an id and nothing else", p.Text).Hint = "write {call.id}"
		}
	case config.FromRest:
		if s.rest {
			k.rest = append(k.rest, s)
		} else {
			k.error(p.Pos, ruleHole, "{*} is an object, and stands in body and query only")
		}
		if s.rest && !alone {
			k.error(p.Pos, ruleHole, "{*} is an object, and stands alone in its text")
		}
	case config.FromArgument:
		if a := k.resolve(p, s); a != nil {
			k.holeType(a, p, s, alone)
		}
	}
}

// variable checks the name of a variable of tbridge.yaml.
func (k *checker) variable(name string, at config.Pos, what string) {
	k.used[name] = true
	if k.c.File == "" {
		return
	}
	var names []string
	for _, e := range k.c.Vars {
		if e.Key == name {
			return
		}
		names = append(names, e.Key)
	}
	k.error(at, ruleUnknownHole, "%s names the variable %s, which is not under vars in %s", what, quoted(name), k.c.File).Hint = near(name, names)
}

// resolve finds what a hole names; nil when that is reported, or not declared any further.
func (k *toolCheck) resolve(p config.Part, s slot) *config.Argument {
	h := p.Hole
	a := argument(k.t.Arguments, h.Name)
	if a == nil {
		d := k.error(p.Pos, ruleUnknownHole, "%s names %s, which is no argument", s.what, quoted(h.Name))
		if d.Hint = near(h.Name, argumentNames(k.t.Arguments)); k.t.Arguments == nil {
			d.Hint = "list the arguments: the tool has none that a hole could name"
		}
		return nil
	}
	if s.places {
		k.named[h.Name] = true
	}
	for _, name := range h.Path {
		if a.Type != "object" {
			k.error(p.Pos, ruleUnknownHole, "%s names %s, but %s is of type %s and has no members", s.what, quoted(strings.Trim(p.Text, "{+}")), called(a), kindOf(a))
			return nil
		}
		if a.Properties == nil {
			return nil
		}
		inner := argument(a.Properties, name)
		if inner == nil {
			k.error(p.Pos, ruleUnknownHole, "%s names %s, which is no property of %s", s.what, quoted(name), called(a)).Hint = near(name, argumentNames(a.Properties))
			return nil
		}
		a = inner
	}
	return a
}

// holeType checks that a value of the argument's type can stand in the place.
func (k *toolCheck) holeType(a *config.Argument, p config.Part, s slot, alone bool) {
	switch {
	case !s.files && holdsFile(a):
		k.error(p.Pos, ruleHoleType, "%s %s and cannot stand in %s; a file goes into a body in json, ndjson, multipart or bytes", called(a), fileWords(a), s.what)
	case a.Type == "file" && !alone && s.form != inTree:
		k.error(p.Pos, ruleHoleType, "%s is a file and stands alone in its text", called(a))
	case !composite(a):
	case !alone:
		k.error(p.Pos, ruleHoleType, "%s is of type %s; in longer text only a string, number, integer or boolean can stand", called(a), a.Type)
	case s.form == inText:
		k.error(p.Pos, ruleHoleType, "%s is of type %s; in %s only a string, number, integer or boolean can stand", called(a), a.Type, s.what)
	case p.Hole.Slash:
		k.error(p.Pos, ruleHoleType, "%s is of type %s; %s takes a string", called(a), a.Type, p.Text)
	case s.form != inTree:
		k.style(a, s)
	}
}

func fileWords(a *config.Argument) string {
	if a.Type == "file" {
		return "is a file"
	}
	return "holds a file"
}

// holdsFile says whether a file is the argument or a part of it.
func holdsFile(a *config.Argument) bool {
	return a.Type == "file" || a.Items != nil && holdsFile(a.Items) || slices.ContainsFunc(a.Properties, holdsFile)
}

// style checks that an array or object can be written in its style outside a JSON body.
func (k *toolCheck) style(a *config.Argument, s slot) {
	at := a.At("type")
	if a.Style != "" {
		at = a.At("style")
	}
	style := styleOf(a, s.form)
	switch {
	case style == "json":
	case s.form == inFlat && (style == "repeat" || style == "brackets"):
		k.error(at, ruleStyle, "%s in %s: style %s makes several pairs; use comma, space, pipe or json", called(a), s.what, style)
	case style == "brackets":
	case style == "repeat" && a.Type == "object":
		k.error(at, ruleStyle, "%s is an object, and style repeat is for arrays; use brackets, comma or json", called(a))
	default:
		if inner := nested(a); inner != "" {
			k.error(at, ruleStyle, "%s holds %s, which style %s cannot write; use brackets or json", called(a), inner, style)
		}
	}
}

// styleOf is the style of an array or object, or its default.
func styleOf(a *config.Argument, f form) string {
	switch {
	case a.Style != "":
		return a.Style
	case f == inFlat:
		return "comma"
	case a.Type == "object":
		return "brackets"
	}
	return "repeat"
}

// nested names what an array or object holds beside scalars, or nothing.
func nested(a *config.Argument) string {
	parts := a.Properties
	if a.Items != nil {
		parts = []*config.Argument{a.Items}
	}
	for _, p := range parts {
		if composite(p) {
			return p.Type + "s"
		}
	}
	return ""
}
