// Package diff says what a change of a bridge directory means for the models
// that use its tools: what they see that is new, and what of what they do now
// will fail.
//
// # What is breaking
//
// An argument may be asked for less, and a result may promise more: whatever a
// client does and reads today works on. The other way round it does not, and is
// [Breaking]. What a model does not see, such as the path of a request, is told
// beside it as [Request].
package diff

import (
	"cmp"
	"slices"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// Level says what a change means for who calls a tool.
type Level byte

const (
	Breaking Level = iota // calls that were right are refused, or results cannot be read as before
	Safe                  // the model sees something else, and whatever it does works on
	Request               // the model sees nothing: another request is made
)

// String is breaking, safe or request.
func (l Level) String() string { return [...]string{"breaking", "safe", "request"}[l] }

// A Change is one thing that is different.
type Change struct {
	Level  Level
	Tool   string // by its new name; empty: of the whole server
	What   string // two or three words: argument removed, type changed
	Path   string // of the argument (stops[].place), or the key of tbridge.yaml or the tool; empty: the tool as a whole
	Old    string // as JSON or text, in short; empty: there was nothing
	New    string
	Reason string     // why the change has its level
	Pos    config.Pos // in the new directory; where the tool is removed, in the old one
}

// Catalogs gives all that is different, in the order of the new catalogue's tools, with those that are gone at the end.
func Catalogs(before, after *config.Catalog) []Change {
	d := &differ{}
	d.server(before, after)
	gone := map[string]*config.Tool{}
	for _, t := range before.Tools {
		gone[t.Name] = t
	}
	var added []*config.Tool
	pairs := map[*config.Tool]*config.Tool{}
	for _, t := range after.Tools {
		if old := gone[t.Name]; old != nil {
			pairs[t] = old
			delete(gone, t.Name)
		} else {
			added = append(added, t)
		}
	}
	for _, t := range added {
		if old := renamed(t, before.Tools, gone); old != nil {
			pairs[t] = old
			delete(gone, old.Name)
		}
	}
	for _, t := range after.Tools {
		d.tool(pairs[t], t, before.API(t.API), after.API(t.API))
	}
	for _, t := range before.Tools {
		if gone[t.Name] == t {
			d.at(t.Name, t.At("name"))
			d.add(Breaking, "tool removed", "", t.Name, "", "agents that call it get an unknown tool")
		}
	}
	return d.changes
}

// A differ collects what is different.
type differ struct {
	changes []Change
	name    string // of the tool at hand
	pos     config.Pos
}

func (d *differ) at(tool string, pos config.Pos) { d.name, d.pos = tool, pos }

func (d *differ) add(l Level, what, path, before, after, reason string) {
	d.changes = append(d.changes, Change{l, d.name, what, path, excerpt(before), excerpt(after), reason, d.pos})
}

// excerpt is the beginning of a long text, on one line.
func excerpt(s string) string {
	const most = 100
	text := []rune(strings.Join(strings.Fields(s), " "))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}

// server compares what all tools share.
func (d *differ) server(before, after *config.Catalog) {
	d.at("", after.At("server"))
	if a, b := before.Server.Instructions, after.Server.Instructions; a != b {
		d.add(Safe, "instructions changed", "server.instructions", a, b, "the model reads other instructions")
	}
	if a, b := before.Server.Coerce, after.Server.Coerce; a != b {
		l, reason := Safe, "more is accepted"
		if a {
			l, reason = Breaking, "arguments that were repaired are refused"
		}
		d.add(l, "repair of arguments changed", "server.coerce", word(a), word(b), reason)
	}
	for _, e := range before.Vars {
		if v, ok := after.Vars.Get(e.Key); ok && v.String() != e.Value.String() {
			d.add(Request, "variable changed", "vars."+e.Key, e.Value.String(), v.String(), "")
		}
	}
	for _, e := range after.APIs {
		if old := before.API(e.Key); old != nil {
			d.at("", e.Value.At())
			d.requests(apiParts(old), apiParts(e.Value), "apis."+e.Key+".")
		}
	}
}

func word(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// renamed finds the tool that another one was: it makes the same request, and at least half of the arguments of either are the same.
func renamed(t *config.Tool, candidates []*config.Tool, gone map[string]*config.Tool) *config.Tool {
	var best *config.Tool
	most := -1
	for _, old := range candidates {
		if gone[old.Name] != old || old.API != t.API || old.Method != t.Method || pathText(old) != pathText(t) {
			continue
		}
		same := 0
		for _, a := range old.Arguments {
			if slices.ContainsFunc(t.Arguments, func(b *config.Argument) bool { return a.Name == b.Name }) {
				same++
			}
		}
		if 2*same >= max(len(old.Arguments), len(t.Arguments)) && same > most {
			best, most = old, same
		}
	}
	return best
}

// tool compares two versions of a tool; before is nil when it is new.
func (d *differ) tool(before, after *config.Tool, oldAPI, newAPI *config.API) {
	d.at(after.Name, after.At("name"))
	if before == nil {
		d.add(Safe, "tool added", "", "", after.Name, "nothing used it before")
		return
	}
	if before.Name != after.Name {
		d.add(Breaking, "tool renamed", "", before.Name, after.Name, "agents that call it by its old name get an unknown tool")
	}
	a, b := validate.Describe(before), validate.Describe(after)
	d.words("title", a.Title, b.Title)
	d.words("description", before.Description, after.Description)
	d.deprecated(before.Deprecated, after.Deprecated)
	d.annotations(a.Annotations, b.Annotations)
	d.oneOf(before.OneOf, after.OneOf)
	d.schema("", parse(a.InputSchema), parse(b.InputSchema), wires(before), wires(after), arguments)
	d.result(before, after, a, b)
	d.failures(before, after, oldAPI, newAPI)
	d.scopes(before.Scopes, after.Scopes)
	d.requests(toolParts(before, after), toolParts(after, before), "")
}

// words compares a text for the model.
func (d *differ) words(what, before, after string) {
	if strings.TrimSpace(before) != strings.TrimSpace(after) {
		d.add(Safe, what+" changed", what, before, after, "the model reads other words")
	}
}

func (d *differ) deprecated(before, after string) {
	switch {
	case before == after:
	case after == "":
		d.add(Safe, "no longer deprecated", "deprecated", before, "", "the model is not told to avoid it any more")
	default:
		d.add(Safe, "deprecated", "deprecated", before, after, "it works on, and the model is told to avoid it")
	}
}

// annotations compares the hints by which clients decide whether to ask their user.
func (d *differ) annotations(a, b validate.Annotations) {
	destroys := func(x validate.Annotations) bool { return x.Destructive != nil && *x.Destructive }
	for _, h := range []struct {
		key         string
		old, new    bool
		worse       bool // the value that makes clients more careful
		loss, grace string
	}{
		{"read_only", a.ReadOnly, b.ReadOnly, false, "clients that call read-only tools without asking ask now, or refuse", "clients may call it without asking"},
		{"destructive", destroys(a), destroys(b), true, "clients may ask before each call, or refuse", "clients may ask less"},
		{"idempotent", a.Idempotent, b.Idempotent, false, "clients that repeat a failed call must not any more", "clients may repeat a failed call"},
	} {
		switch {
		case h.old == h.new:
		case h.new == h.worse:
			d.add(Breaking, "annotation changed", "annotations."+h.key, word(h.old), word(h.new), h.loss)
		default:
			d.add(Safe, "annotation changed", "annotations."+h.key, word(h.old), word(h.new), h.grace)
		}
	}
	if a.OpenWorld != b.OpenWorld {
		d.add(Safe, "annotation changed", "annotations.open_world", word(a.OpenWorld), word(b.OpenWorld), "it says nothing of how the tool is called")
	}
}

// oneOf compares which arguments exclude each other.
func (d *differ) oneOf(before, after []string) {
	a, b := strings.Join(before, ", "), strings.Join(after, ", ")
	within := func(list, all []string) bool {
		return !slices.ContainsFunc(list, func(name string) bool { return !slices.Contains(all, name) })
	}
	switch {
	case within(before, after) && within(after, before):
	case len(after) == 0:
		d.add(Safe, "one_of removed", "one_of", a, b, "more calls are accepted")
	case len(before) == 0:
		d.add(Breaking, "one_of added", "one_of", a, b, "calls that give none of them, or several, are refused")
	default:
		d.add(Breaking, "one_of changed", "one_of", a, b, "calls that gave exactly one may give none or several now")
	}
}

// scopes compares what a caller over HTTP must hold.
func (d *differ) scopes(before, after []string) {
	a, b := slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))
	more := slices.ContainsFunc(after, func(s string) bool { return !slices.Contains(before, s) })
	switch {
	case slices.Equal(a, b):
	case more:
		d.add(Breaking, "scopes changed", "scopes", strings.Join(a, ", "), strings.Join(b, ", "), "callers without the new scope do not see the tool any more")
	default:
		d.add(Safe, "scopes changed", "scopes", strings.Join(a, ", "), strings.Join(b, ", "), "more callers see the tool")
	}
}

// Count counts the changes of a level.
func Count(changes []Change, l Level) (n int) {
	for _, c := range changes {
		if c.Level == l {
			n++
		}
	}
	return n
}

// Sort puts what is breaking first, and keeps the order otherwise.
func Sort(changes []Change) {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Level, b.Level) })
}
