package validate

import (
	"net/http"
	"net/url"
	"strings"

	"tbridge/config"
)

// A wire is one part of a request in which a name stands for one value, and the names that are there.
type wire struct {
	what  string                // for messages: the query
	key   string                // the name of the API's credential, if that is here
	fold  func(string) string   // makes names that are one name the same
	names map[string]config.Pos // where each was given first
}

func (k *toolCheck) newWire(what, in string, fold func(string) string) *wire {
	w := &wire{what: what, fold: fold, names: map[string]config.Pos{}}
	if k.api != nil && k.api.Auth != nil && k.api.Auth.APIKey != nil && k.api.Auth.APIKey.In == in {
		w.key = k.api.Auth.APIKey.Name
	}
	return w
}

// write notes a name that is written in the tool. Whoever writes one twice means it.
func (w *wire) write(name string, at config.Pos) {
	if _, again := w.names[w.fold(name)]; !again {
		w.names[w.fold(name)] = at
	}
}

// asIs is for names in which case counts.
func asIs(name string) string { return name }

// wireNames finds arguments that would stand under a name that is there already, in the same part of the request.
func (k *toolCheck) wireNames() {
	query, body := k.newWire("the query", "query", asIs), k.newWire("the body", "", asIs)
	header, cookie := k.newWire("the headers", "", http.CanonicalHeaderKey), k.newWire("the cookies", "cookie", asIs)
	k.writtenNames(query, body, header, cookie)
	wires := map[string][]*wire{"query": {query}, "body": {body}, "header": {header}, "cookie": {cookie}}
	if isRest(k.t.Query) {
		wires["rest"] = append(wires["rest"], query)
	}
	if isRest(k.t.Body) {
		wires["rest"] = append(wires["rest"], body)
	}
	if wires["rest"] == nil {
		wires["rest"] = []*wire{k.newWire("{*}", "", asIs)}
	}
	for i, a := range k.t.Arguments {
		for _, w := range wires[k.placeOf(a)] {
			if argument(k.t.Arguments[:i], a.Name) == nil { // else that is reported
				k.wireName(w, a)
			}
		}
	}
}

// writtenNames notes the names that the tool itself writes, and finds the credential among them.
func (k *toolCheck) writtenNames(query, body, header, cookie *wire) {
	if k.t.Path != nil {
		_, constant, _ := strings.Cut(k.t.Path.Text, "?")
		for _, pair := range strings.Split(constant, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil && name != "" {
				query.write(decoded, k.t.At("path"))
			}
		}
	}
	for _, tree := range []struct {
		*wire
		*config.Tree
	}{{query, k.t.Query}, {body, k.t.Body}} {
		if tree.Tree != nil && !(k.lost && tree.wire == body) {
			for _, f := range tree.Fields {
				tree.write(f.Key, f.KeyPos)
			}
		}
	}
	for _, e := range k.t.Headers {
		header.write(e.Key, e.KeyPos)
	}
	if k.t.ContentType != nil {
		header.write("Content-Type", k.t.At("content_type"))
	}
	for _, e := range k.t.Cookies {
		cookie.write(e.Key, e.KeyPos)
	}
	for _, w := range []*wire{query, cookie} {
		if at, ok := w.names[w.key]; ok && w.key != "" {
			k.error(at, ruleWireName, "%s in %s carries the credential of api %s and cannot be set by a tool", quoted(w.key), w.what, k.t.API)
		}
	}
}

// wireName puts an argument under its name.
func (k *toolCheck) wireName(w *wire, a *config.Argument) {
	name, at := wireName(a)
	first, again := w.names[w.fold(name)]
	switch {
	case name == w.key && name != "":
		k.error(at, ruleWireName, "%s goes into %s as %s, which carries the credential of api %s", called(a), w.what, quoted(name), k.t.API)
	case again:
		d := k.error(at, ruleWireName, "%s goes into %s as %s, which is there already, in line %d", called(a), w.what, quoted(name), first.Line)
		d.Hint = "name the argument in a hole, or give it another name under as"
		d.Related = []config.Related{{Pos: first, Message: "the first of that name"}}
	default:
		w.names[w.fold(name)] = at
	}
}

// memberNames finds members of one object that have one name on the wire.
func (k *toolCheck) memberNames(members []*config.Argument) {
	names := map[string]config.Pos{}
	for i, a := range members {
		name, at := wireName(a)
		first, again := names[name]
		switch {
		case !again:
			names[name] = at
		case argument(members[:i], a.Name) == nil: // else that is reported
			d := k.error(at, ruleWireName, "%s is sent as %s, which is there already, in line %d", called(a), quoted(name), first.Line)
			d.Related = []config.Related{{Pos: first, Message: "the first of that name"}}
		}
	}
}

// wireName is what an argument is called on the wire, and where that is said.
func wireName(a *config.Argument) (name string, at config.Pos) {
	if a.As != "" {
		return a.As, a.At("as")
	}
	return a.Name, a.At("name")
}

// isRest says whether a tree is {*} and nothing else.
func isRest(t *config.Tree) bool {
	return t != nil && t.Template.Sole() != nil && t.Template.Sole().From == config.FromRest
}
