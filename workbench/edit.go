package workbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"tbridge/config"
)

// A formChange is what somebody did in the form. At leads on from the tool; its steps are keys and positions.
type formChange struct {
	Op    string          `json:"op"`
	Tool  *int            `json:"tool"` // position in the list of the file
	At    []any           `json:"at"`
	Value json.RawMessage `json:"value"`
	Raw   *string         `json:"raw"`   // YAML, for set, insert and add_tool
	Index *int            `json:"index"` // of insert and add_tool; absent: the end
	To    int             `json:"to"`    // of move
	Name  string          `json:"name"`  // of rename and duplicate_tool
}

type edited struct {
	Text  string  `json:"text"`
	Check checked `json:"check"`
}

// edit makes changes to a draft.
func (w *Workbench) edit(_ context.Context, q struct {
	draft
	Changes []formChange `json:"changes"`
}) (edited, error) {
	text := q.Text
	for _, c := range q.Changes {
		var err error
		if text, err = c.apply(q.Path, text); err != nil {
			return edited{}, refused(err)
		}
	}
	d := draft{q.Path, text}
	v, err := w.open(d)
	if err != nil {
		return edited{}, err
	}
	return edited{text, v.check(d)}, nil
}

// refused is an error of an edit as the API answers it.
func refused(err error) error {
	var e *config.EditError
	if !errors.As(err, &e) {
		return err
	}
	return failf(http.StatusUnprocessableEntity, "edit", "%s", e.Message).hinted(e.Hint)
}

// apply makes one change. What others share by an alias is made the tool's own, so that only the tool changes; what
// is set to what it is already stays shared.
func (c *formChange) apply(path, text string) (string, error) {
	changes, at, err := c.changes(path, text)
	if err != nil {
		return "", err
	}
	if c.Op == "set" && c.isSet(text, at) {
		return text, nil
	}
	src := []byte(text)
	out, err := config.Edit(path, src, changes...)
	if err == nil {
		return string(out), nil
	}
	if own, again := config.Edit(path, src, append([]config.Change{config.Unshare(at)}, changes...)...); again == nil {
		return string(own), nil
	}
	return "", err
}

// changes translates a change of the form. at is the place in the file that must be the tool's own.
func (c *formChange) changes(path, text string) (changes []config.Change, at []any, err error) {
	if at, err = c.place(); err != nil {
		return nil, nil, err
	}
	one := func(change config.Change) ([]config.Change, []any, error) { return []config.Change{change}, at, nil }
	switch c.Op {
	case "set":
		change, err := c.set(at)
		return []config.Change{change}, at, err
	case "insert", "add_tool":
		at, err := c.insertion(at, text)
		if err != nil {
			return nil, nil, err
		}
		change, err := c.insert(at)
		return []config.Change{change}, at[:len(at)-1], err
	case "remove", "remove_tool":
		return one(config.Remove(at))
	case "move":
		return one(config.Move(at, c.To))
	case "rename":
		return c.rename(at, path, text)
	case "duplicate_tool":
		change, err := c.duplicate(at, path, text)
		return change, at, err
	}
	return nil, nil, failf(http.StatusBadRequest, "bad_request", "there is no op %q", c.Op)
}

// place is the path from the root of the file.
func (c *formChange) place() ([]any, error) {
	if c.Tool == nil {
		if c.Op == "add_tool" {
			return []any{"tools"}, nil
		}
		return nil, failf(http.StatusBadRequest, "bad_request", "%s lacks %q", c.Op, "tool")
	}
	at := []any{"tools", *c.Tool}
	for _, step := range c.At {
		switch step := step.(type) {
		case string:
			at = append(at, step)
		case float64:
			at = append(at, int(step))
		default:
			return nil, failf(http.StatusBadRequest, "bad_request", "a step of %q is a key or a position", "at")
		}
	}
	return at, nil
}

// isSet says whether a place has the value already, of its own, through an alias or from the head of the file.
func (c *formChange) isSet(text string, at []any) bool {
	file, err := config.ParseValue(text)
	if err != nil {
		return false
	}
	now, ok := follow(file, at)
	if !ok {
		now, ok = follow(file, at[2:])
	}
	var v config.JSON
	if c.Raw != nil {
		v, err = config.ParseValue(*c.Raw)
	} else {
		v, err = c.value()
	}
	return ok && err == nil && now.String() == v.String()
}

// follow gives what stands at a path.
func follow(v config.JSON, at []any) (config.JSON, bool) {
	for _, step := range at {
		ok := false
		switch step := step.(type) {
		case string:
			v, ok = v.Get(step)
		case int:
			if ok = v.Kind == config.KindArray && step >= 0 && step < len(v.Items); ok {
				v = v.Items[step]
			}
		}
		if !ok {
			return config.JSON{}, false
		}
	}
	return v, true
}

func (c *formChange) value() (config.JSON, error) {
	v, err := config.ParseJSON([]byte(c.Value), config.MaxDepth)
	if err != nil {
		return v, failf(http.StatusBadRequest, "bad_request", "value: %s", err)
	}
	return v, nil
}

func (c *formChange) set(at []any) (config.Change, error) {
	if c.Raw != nil {
		return config.SetText(at, *c.Raw), nil
	}
	v, err := c.value()
	return config.Set(at, v), err
}

// insertion is the path of what is inserted: at itself if it ends in a position, else the end of the list at at.
func (c *formChange) insertion(at []any, text string) ([]any, error) {
	if c.Op == "add_tool" {
		at = at[:1]
	}
	if _, ok := at[len(at)-1].(int); ok {
		return at, nil
	}
	if c.Index != nil {
		return append(slices.Clip(at), *c.Index), nil
	}
	n, err := length(text, at)
	return append(slices.Clip(at), n), err
}

// length is the number of elements of a list, 0 for one that is not there.
func length(text string, at []any) (int, error) {
	file, err := config.ParseValue(text)
	v, _ := follow(file, at)
	return len(v.Items), err
}

func (c *formChange) insert(at []any) (config.Change, error) {
	if c.Raw != nil {
		return config.InsertText(at, *c.Raw), nil
	}
	v, err := c.value()
	return config.Insert(at, v), err
}

// duplicate puts a copy of a tool behind it, under another name. Its comments come along unless it shares something:
// then the copy is written out.
func (c *formChange) duplicate(at []any, path, text string) ([]config.Change, error) {
	_, start, end, err := config.Locate(path, []byte(text), at)
	if err != nil {
		return nil, err
	}
	next := []any{"tools", *c.Tool + 1}
	named := config.Set([]any{"tools", *c.Tool + 1, "name"}, config.StringJSON(c.Name))
	begin := strings.LastIndexByte(text[:start], '\n') + 1
	copied := strings.ReplaceAll(text[start:end], "\n"+strings.Repeat(" ", len([]rune(text[begin:start]))), "\n")
	changes := []config.Change{config.InsertText(next, copied), named}
	if _, err := config.Edit(path, []byte(text), changes...); err == nil {
		return changes, nil
	}
	all, err := config.ParseValue(text)
	tools, _ := all.Get("tools")
	if err != nil || *c.Tool >= len(tools.Items) {
		return nil, cmp.Or(err, error(failf(http.StatusBadRequest, "bad_request", "there is no tool %d", *c.Tool)))
	}
	return []config.Change{config.Insert(next, tools.Items[*c.Tool]), named}, nil
}

// rename gives a key another name. An argument, named by its position, is renamed with all holes that name it.
func (c *formChange) rename(at []any, path, text string) ([]config.Change, []any, error) {
	i, ok := at[len(at)-1].(int)
	if !ok {
		return []config.Change{config.Rename(at, c.Name)}, at, nil
	}
	changes := []config.Change{config.Set(append(at, "name"), config.StringJSON(c.Name))}
	parsed, _ := config.ParseTools(path, text)
	t := slices.IndexFunc(parsed.Tools, func(t *config.Tool) bool { return t.Index == *c.Tool })
	if len(at) != 4 || at[2] != "arguments" || t < 0 || i >= len(parsed.Tools[t].Arguments) {
		return changes, at, nil
	}
	r := renaming{from: parsed.Tools[t].Arguments[i].Name, to: c.Name}
	r.tool(parsed.Tools[t], at[:2])
	return append(changes, r.changes...), at, nil
}

// A renaming rewrites the holes of a tool that name an argument.
type renaming struct {
	from, to string
	changes  []config.Change
}

func (r *renaming) tool(t *config.Tool, at []any) {
	in := func(steps ...any) []any { return append(slices.Clip(at), steps...) }
	r.template(t.Path, in("path"))
	r.template(t.ContentType, in("content_type"))
	for _, e := range t.Headers {
		r.template(e.Value, in("headers", e.Key))
	}
	for _, e := range t.Cookies {
		r.template(e.Value, in("cookies", e.Key))
	}
	r.tree(t.Query, in("query"))
	r.tree(t.Body, in("body"))
	if i := slices.Index(t.OneOf, r.from); i >= 0 {
		r.changes = append(r.changes, config.Set(in("one_of", i), config.StringJSON(r.to)))
	}
}

func (r *renaming) tree(t *config.Tree, at []any) {
	if t == nil {
		return
	}
	in := func(step any) []any { return append(slices.Clip(at), step) }
	r.template(t.Template, at)
	for i, item := range t.Items {
		r.tree(item, in(i))
	}
	for _, f := range t.Fields {
		key := f.Key
		if f.Optional {
			key += "?"
		}
		r.tree(f.Value, in(key))
	}
}

func (r *renaming) template(t *config.Template, at []any) {
	named := func(p config.Part) bool {
		return p.Hole != nil && p.Hole.From == config.FromArgument && p.Hole.Name == r.from
	}
	if t == nil || !slices.ContainsFunc(t.Parts, named) {
		return
	}
	name := regexp.QuoteMeta(r.from)
	hole := regexp.MustCompile(`\{\{\+?` + name + `[.A-Za-z0-9_-]*\}\}|\{\+?` + name + `(?:\.[.A-Za-z0-9_-]*)?\}`)
	text := hole.ReplaceAllStringFunc(t.Text, func(found string) string {
		if strings.HasPrefix(found, "{{") { // the text {name}
			return found
		}
		return strings.Replace(found, r.from, r.to, 1)
	})
	r.changes = append(r.changes, config.Set(at, config.StringJSON(text)))
}
