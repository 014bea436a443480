package validate

import (
	"regexp"
	"strings"

	"tbridge/config"
)

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// toolNames compares the names of all tools. Of two with one name the later is the wrong one.
func (k *checker) toolNames() {
	same, alike := map[string]*config.Tool{}, map[string]*config.Tool{}
	for _, t := range k.c.Tools {
		at := t.At("name")
		folded := strings.ReplaceAll(strings.ToLower(t.Name), "-", "_")
		switch first, again := same[t.Name], alike[folded]; {
		case t.Name == "":
		case first != nil:
			d := k.error(at, ruleDuplicateTool, "tool %s is there already, at %s", quoted(t.Name), first.At("name"))
			d.Hint = "each name stands once over all files"
			d.Related = []config.Related{{Pos: first.At("name"), Message: "the first of that name"}}
		case again != nil:
			d := k.warn(at, ruleAlikeTools, "tool %s differs from %s at %s only in case, - or _", quoted(t.Name), quoted(again.Name), again.At("name"))
			d.Hint = "models mix them up: rename one"
			d.Related = []config.Related{{Pos: again.At("name"), Message: "the other one"}}
		}
		if same[t.Name] == nil {
			same[t.Name] = t
		}
		if alike[folded] == nil {
			alike[folded] = t
		}
	}
}

// identity checks the name, the description and the API of a tool.
func (k *toolCheck) identity() {
	t := k.t
	switch {
	case !toolName.MatchString(t.Name):
		if t.Has("name") {
			k.error(t.At("name"), ruleToolName, "tool name %s; want 1 to 128 of A-Z a-z 0-9 _ . -", quoted(t.Name))
		}
	case len(t.Name) > 64:
		k.warn(t.At("name"), ruleToolNameHidden, "tool name %s has %d characters; many clients hide those with more than 64", quoted(t.Name), len(t.Name))
	case strings.Contains(t.Name, "."):
		k.warn(t.At("name"), ruleToolNameHidden, "tool name %s holds a dot; many clients hide such tools", quoted(t.Name)).Hint = "use _ instead"
	}
	if strings.TrimSpace(t.Description) == "" {
		k.warn(t.At("name"), ruleNoDescription, "tool %s has no description; a model chooses tools by it", quoted(t.Name))
	}
	switch {
	case k.c.File == "" || k.api != nil:
	case t.API == "":
		k.error(t.At("name"), ruleUnknownAPI, "tool %s names no api", quoted(t.Name)).Hint = near("", apiNames(k.c))
	default:
		k.error(t.At("api"), ruleUnknownAPI, "unknown api %s; it must stand under apis in %s", quoted(t.API), k.c.File).Hint = near(t.API, apiNames(k.c))
	}
}

func apiNames(c *config.Catalog) (names []string) {
	for _, e := range c.APIs {
		names = append(names, e.Key)
	}
	return names
}

func (k *toolCheck) method() {
	m := k.t.Method
	for _, known := range methods {
		if m == known {
			return
		}
	}
	if m == "" {
		k.error(k.t.At("name"), ruleMethod, "tool %s has no method; use %s", quoted(k.t.Name), strings.Join(methods, ", "))
		return
	}
	k.error(k.t.At("method"), ruleMethod, "unknown method %s; use %s", quoted(m), strings.Join(methods, ", ")).Hint = meant(m, methods)
}

// annotations finds hints to the client that the method belies.
func (k *toolCheck) annotations() {
	a := k.t.Annotations
	if a == nil || a.ReadOnly == nil || !*a.ReadOnly {
		return
	}
	at := a.At("read_only")
	switch k.t.Method {
	case "DELETE":
		k.error(at, ruleReadOnly, "read_only: true on a DELETE; clients call such tools without asking")
	case "PUT", "PATCH":
		k.warn(at, ruleReadOnly, "read_only: true on a %s, which changes something", k.t.Method)
	}
	if a.Destructive != nil && *a.Destructive {
		k.error(a.At("destructive"), ruleReadOnly, "a tool is read_only or destructive, not both")
	}
}

// oneOf checks the names of one_of: each must be an argument that may be left out.
func (k *toolCheck) oneOf() {
	t := k.t
	if t.OneOf == nil {
		return
	}
	if len(t.OneOf) < 2 {
		k.error(t.At("one_of"), ruleOneOf, "one_of has %s; want at least two", plural(len(t.OneOf), "name"))
	}
	inPath := pathHoles(t.Path)
	seen := map[string]config.Pos{}
	for i, name := range t.OneOf {
		at := t.At("one_of", i)
		a := argument(t.Arguments, name)
		_, needed := deriver{inPath: inPath}.below(name)
		switch {
		case seen[name].Line > 0:
			k.error(at, ruleOneOf, "one_of names %s twice", quoted(name)).Related = []config.Related{{Pos: seen[name], Message: "the first time"}}
		case a == nil:
			k.error(at, ruleOneOf, "one_of names %s, which is no argument", quoted(name)).Hint = near(name, argumentNames(t.Arguments))
		case a.Required || needed:
			k.error(at, ruleOneOf, "one_of names %s, which is required; of these all but one must be left out", quoted(name))
		case a.Default != nil || a.DefaultVar != "":
			k.error(at, ruleOneOf, "one_of names %s, which has a default and so is always given", quoted(name))
		}
		seen[name] = at
	}
}

// argument gives the argument of that name, or nil.
func argument(args []*config.Argument, name string) *config.Argument {
	for _, a := range args {
		if a.Name == name {
			return a
		}
	}
	return nil
}

func argumentNames(args []*config.Argument) (names []string) {
	for _, a := range args {
		names = append(names, a.Name)
	}
	return names
}
