package validate

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tbridge/config"
)

var (
	token   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, section 5.6.2
	scheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	percent = regexp.MustCompile(`%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)
)

// framing are the headers that belong to the HTTP library.
var framing = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Expect", "Keep-Alive"}

// path checks the template of the path. Before ? a hole is a value, behind it all is constant.
func (k *toolCheck) path() {
	t := k.t.Path
	if t == nil {
		return
	}
	at := k.t.At("path")
	if scheme.MatchString(t.Text) {
		k.error(at, rulePath, "path %s is a URL; a path is relative to base_url, which alone says the host", quoted(t.Text))
		return
	}
	k.template(t, slot{what: "path", form: inFlat, places: true, slash: true})
	k.nullInPath()
	query := false
	for _, p := range t.Parts {
		if p.Hole != nil {
			if query {
				k.error(p.Pos, rulePath, "%s stands in the query of the path, which is constant; write it under query", p.Text)
			}
			continue
		}
		if p.Doubled { // the text {name}, which is encoded
			continue
		}
		before, after, found := strings.Cut(p.Text, "?")
		if query {
			before, after = "", p.Text
		}
		query = query || found
		k.pathText(before, after, at)
	}
	k.pathSegments(t, at)
}

// nullInPath finds arguments of the path that can be null or are said to be optional, which a path has no
// segment for.
func (k *toolCheck) nullInPath() {
	for _, names := range pathHoles(k.t.Path) {
		a := argument(k.t.Arguments, names[0])
		switch {
		case a == nil:
		case a.Default != nil && a.Default.Kind == config.KindNull:
			k.error(a.At("default"), rulePath, "%s stands in the path, which cannot hold null", called(a))
		case a.Nullable:
			k.warn(a.At("nullable"), rulePath, "%s stands in the path, which cannot hold null; nullable has no effect", called(a))
		case !a.Required && a.Has("required") && a.Default == nil && a.DefaultVar == "":
			k.warn(a.At("required"), ruleOptionalInPath, "%s stands in the path, which has no place for its absence: it is required all the same", called(a)).Hint = "write required: true, or give it a default"
		}
	}
}

// pathText checks a constant piece of a path and of its query.
func (k *toolCheck) pathText(path, query string, at config.Pos) {
	if strings.ContainsAny(path+query, "{}") {
		k.error(at, rulePath, "a brace in the path %s; only a {name} or {{name}} can stand there", quoted(k.t.Path.Text)).Hint = "write %7B and %7D for braces"
	}
	if strings.Contains(path+query, " ") {
		k.error(at, rulePath, "a space in the path %s", quoted(k.t.Path.Text)).Hint = "write %20"
	}
	if strings.Contains(path+query, "#") {
		k.error(at, rulePath, "a # in the path %s; a fragment is never sent", quoted(k.t.Path.Text)).Hint = "write %23 for the character"
	}
	if strings.ContainsFunc(path+query, isControl) {
		k.error(at, rulePath, "a control character in the path %s", quoted(k.t.Path.Text))
	}
	if strings.Contains(path, `\`) {
		k.error(at, rulePath, `a \ in the path %s; segments are separated by /`, quoted(k.t.Path.Text)).Hint = "write %5C for the character"
	}
	if percent.MatchString(path) || percent.MatchString(query) {
		k.error(at, rulePath, "a %% in the path %s without two hexadecimal digits behind it", quoted(k.t.Path.Text)).Hint = "write %25 for the character"
	}
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// pathSegments finds segments that mean this folder or the one above.
func (k *toolCheck) pathSegments(t *config.Template, at config.Pos) {
	var text strings.Builder
	for _, p := range t.Parts {
		if p.Hole == nil {
			text.WriteString(p.Text)
		} else {
			text.WriteString("x")
		}
	}
	path, _, _ := strings.Cut(text.String(), "?")
	for _, segment := range strings.Split(path, "/") {
		if decoded, err := url.PathUnescape(segment); err == nil && (decoded == "." || decoded == "..") {
			k.error(at, rulePath, "the segment %s in the path %s; write the path that is meant", quoted(segment), quoted(t.Text))
		}
	}
}

func (k *toolCheck) query() {
	if k.t.Query != nil {
		k.tree(k.t.Query, slot{what: "query", form: inPairs, places: true, rest: true})
	}
}

func (k *toolCheck) headers() {
	seen := map[string]config.Pos{}
	for _, e := range k.t.Headers {
		k.header(e.Key, e.KeyPos)
		name := http.CanonicalHeaderKey(e.Key)
		if first, again := seen[name]; again {
			k.error(e.KeyPos, ruleHeader, "header %s is there already, in line %d; case does not count", quoted(e.Key), first.Line).Related =
				[]config.Related{{Pos: first, Message: "the first of that name"}}
		}
		seen[name] = e.KeyPos
		k.headerValue(e.Value, "header "+e.Key)
	}
	if t := k.t.ContentType; t != nil {
		k.template(t, slot{what: "content_type", form: inText, places: true})
		k.constantText(t, "content_type")
	}
}

func (k *toolCheck) headerValue(t *config.Template, what string) {
	k.template(t, slot{what: what, form: inFlat, places: true})
	k.constantText(t, what)
}

// constantText refuses control characters in what stands in a header.
func (k *toolCheck) constantText(t *config.Template, what string) {
	if t != nil && slices.ContainsFunc(t.Parts, func(p config.Part) bool { return p.Hole == nil && strings.ContainsFunc(p.Text, isControl) }) {
		k.error(t.Pos, ruleHeader, "a control character in %s", what)
	}
}

// header checks the name of a header that the tool sets.
func (k *toolCheck) header(name string, at config.Pos) {
	if !k.headerName(name, at) || k.api == nil || k.api.Auth == nil {
		return
	}
	if auth := authHeader(k.api.Auth); auth != "" && strings.EqualFold(auth, name) {
		k.error(at, ruleHeader, "header %s carries the credential of api %s and cannot be set by a tool", quoted(name), k.t.API)
	}
}

// headerName checks that a name is one, and none that frames the message.
func (k *checker) headerName(name string, at config.Pos) bool {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !token.MatchString(name):
		k.error(at, ruleHeader, "header name %s; want letters, digits and - (RFC 9110)", quoted(name))
	case slices.Contains(framing, canonical) || strings.HasPrefix(canonical, "Proxy-"):
		k.error(at, ruleHeader, "header %s frames the message or belongs to the connection and cannot be set", quoted(name))
	default:
		return true
	}
	return false
}

// authHeader is the header that a credential is sent in, or nothing.
func authHeader(a *config.Auth) string {
	switch {
	case a.APIKey == nil:
		return "Authorization"
	case a.APIKey.In == "header":
		return a.APIKey.Name
	}
	return ""
}

func (k *toolCheck) cookies() {
	for _, e := range k.t.Cookies {
		k.cookieName(e.Key, e.KeyPos)
		k.headerValue(e.Value, "cookie "+e.Key)
	}
}

func (k *checker) cookieName(name string, at config.Pos) {
	if !token.MatchString(name) {
		k.error(at, ruleHeader, "cookie name %s; want letters, digits and - (RFC 6265)", quoted(name))
	}
}

// encoding is that of the body.
func (k *toolCheck) encoding() string {
	if k.t.Encoding == "" {
		return "json"
	}
	return k.t.Encoding
}

// body checks the templates of the body, and that its encoding can write its shape.
func (k *toolCheck) body() {
	b := k.t.Body
	if !k.sendsBody() {
		if b != nil {
			k.error(k.t.KeyAt("body"), ruleBody, "a %s sends no body", k.t.Method).Hint = "write the values under query"
		}
		return
	}
	encoding := k.encoding()
	if b == nil {
		if slices.Contains([]string{"text", "xml", "ndjson", "bytes"}, encoding) {
			k.error(k.t.At("encoding"), ruleBody, "encoding %s writes what stands in body, and there is none", encoding)
		}
		return
	}
	s := slot{what: "body", places: true, rest: true, files: true}
	switch encoding {
	case "form":
		s.form, s.files = inPairs, false
	case "multipart":
		s.form = inPairs
	case "text", "xml":
		s.form, s.rest, s.files = inText, false, false
	}
	k.lost = !k.bodyShape(b, encoding)
	if !k.lost {
		k.tree(b, s)
	}
}

// bodyShape checks that the body is what its encoding writes.
func (k *toolCheck) bodyShape(b *config.Tree, encoding string) bool {
	var sole *config.Argument
	rest := false
	if h := b.Template.Sole(); b.Kind == config.TreeText && h != nil {
		rest = h.From == config.FromRest
		if h.From == config.FromArgument && len(h.Path) == 0 {
			if sole = argument(k.t.Arguments, h.Name); sole == nil {
				return true // the hole says more
			}
		}
	}
	kind := ""
	if sole != nil {
		kind = sole.Type
	}
	due := ""
	switch encoding {
	case "form", "multipart":
		if b.Kind != config.TreeMapping && !rest && kind != "object" {
			due = "a mapping, {*} or one hole of an object"
		}
	case "text", "xml":
		if b.Kind != config.TreeText && b.Kind != config.TreeLiteral {
			due = "text"
		}
	case "ndjson":
		if b.Kind != config.TreeList && kind != "array" {
			due = "a list, or one hole of an array"
		}
	case "bytes":
		if sole == nil || kind != "file" && kindOf(sole) != "string" {
			due = "one hole of a file or a string"
		}
	}
	if due != "" {
		k.error(k.t.At("body"), ruleBody, "encoding %s wants %s as body", encoding, due)
	}
	return due == ""
}

// placement finds where each argument goes, and those that go nowhere or twice.
func (k *toolCheck) placement() {
	if b := k.t.Body; k.t.Arguments == nil && k.rest == nil && b != nil && b.Kind != config.TreeMapping && k.byMethod() == "body" {
		k.error(k.t.At("body"), rulePlace, "the tool lists no arguments, so that what is sent is added to the body, which is no mapping").Hint = "list the arguments"
	}
	for _, a := range k.t.Arguments {
		switch k.placeOf(a) {
		case "hole":
			k.statedPlace(a)
		case "rest":
			for _, s := range k.rest {
				k.valueIn(a, s, a.At("name"))
			}
		default:
			k.place(a)
		}
	}
	k.wireNames()
}

// placeOf is where an argument goes: hole, rest for {*}, or what in can say.
func (k *toolCheck) placeOf(a *config.Argument) string {
	switch {
	case k.named[a.Name]:
		return "hole"
	case a.In != "":
		return a.In
	case k.rest != nil:
		return "rest"
	}
	return k.byMethod()
}

// statedPlace finds an in that the holes contradict.
func (k *toolCheck) statedPlace(a *config.Argument) {
	if a.In == "" || a.In == "none" || a.In == "body" && k.t.Body != nil || a.In == "query" && k.t.Query != nil ||
		a.In == "header" && k.t.Headers != nil || a.In == "cookie" && k.t.Cookies != nil {
		return
	}
	if a.In == "path" && slices.ContainsFunc(pathHoles(k.t.Path), func(names []string) bool { return names[0] == a.Name }) {
		return
	}
	k.warn(a.At("in"), rulePlace, "%s goes where a hole names it, not into %s", called(a), a.In).Hint = "leave out in"
}

// place checks an argument that no hole names.
func (k *toolCheck) place(a *config.Argument) {
	at := a.At("in")
	name, _ := wireName(a)
	if a.In == "" {
		at = a.At("name")
	}
	switch k.placeOf(a) {
	case "path":
		k.error(at, rulePlace, "%s goes into the path, but the path has no {%s}", called(a), a.Name)
	case "query":
		k.valueIn(a, slot{what: "the query", form: inPairs}, at)
	case "header":
		if a.As != "" {
			at = a.At("as")
		}
		k.header(name, at)
		k.valueIn(a, slot{what: "a header", form: inFlat}, at)
	case "cookie":
		k.cookieName(name, at)
		k.valueIn(a, slot{what: "a cookie", form: inFlat}, at)
	case "body":
		k.placeInBody(a, at)
	}
}

// byMethod is where arguments go that nothing else places.
func (k *toolCheck) byMethod() string {
	if !k.sendsBody() || k.t.Method == "DELETE" {
		return "query"
	}
	return "body"
}

func (k *toolCheck) placeInBody(a *config.Argument, at config.Pos) {
	encoding, b := k.encoding(), k.t.Body
	keyed := encoding == "json" || encoding == "form" || encoding == "multipart"
	switch {
	case k.lost:
	case !k.sendsBody():
		k.error(at, rulePlace, "%s goes into the body, and a %s sends none", called(a), k.t.Method)
	case !keyed:
		k.error(at, rulePlace, "%s goes nowhere: a body in %s takes what its holes name", called(a), encoding).Hint = fmt.Sprintf("write {%s} into the body, or in: query, or in: none", a.Name)
	case b != nil && b.Kind != config.TreeMapping && !isRest(b):
		k.error(at, rulePlace, "%s goes nowhere: the body is no mapping, which it could be added to", called(a)).Hint = fmt.Sprintf("write {%s} into the body, or in: query, or in: none", a.Name)
	case encoding == "json":
	default:
		k.valueIn(a, slot{what: "a form", form: inPairs, files: encoding == "multipart"}, at)
	}
}

// valueIn checks that a value of the argument's type can stand in the place.
func (k *toolCheck) valueIn(a *config.Argument, s slot, at config.Pos) {
	k.holeType(a, config.Part{Pos: at, Hole: &config.Hole{Name: a.Name}}, s, true)
}
