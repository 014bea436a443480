package workbench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tbridge/config"
)

type imported struct {
	Text  string   `json:"text"`
	Tool  int      `json:"tool"` // position in the list of the file
	Notes []string `json:"notes"`
}

// importCurl appends to a draft the tool that a curl command is a call of.
func (w *Workbench) importCurl(_ context.Context, q struct {
	draft
	Command string `json:"command"`
	Name    string `json:"name"`
}) (imported, error) {
	v, err := w.open(q.draft)
	if err != nil {
		return imported{}, err
	}
	c, err := parseCurl(q.Command)
	if err != nil {
		return imported{}, failf(http.StatusUnprocessableEntity, "curl", "the command cannot be read: %s", err).hinted("paste it as a POSIX shell would take it")
	}
	lookup := w.options.Bridge.Env
	if lookup == nil {
		lookup = os.LookupEnv
	}
	b := &builder{command: c, catalogue: v.c, env: lookup, taken: map[string]bool{}}
	tool, err := b.build(q.Name, headAPI(q.Text))
	if err != nil {
		return imported{}, failf(http.StatusUnprocessableEntity, "curl", "no tool can be made of the command: %s", err)
	}
	n, err := length(q.Text, []any{"tools"})
	if err != nil {
		return imported{}, refused(err)
	}
	text, err := config.Edit(q.Path, []byte(q.Text), config.Insert([]any{"tools", n}, tool))
	if err != nil {
		return imported{}, refused(err)
	}
	return imported{string(text), n, listOf(c.notes)}, nil
}

// headAPI is the API at the head of a tools file.
func headAPI(text string) string {
	head, _ := config.ParseValue(text)
	api, _ := head.Get("api")
	return api.Text
}

// A builder makes a tool of a curl command.
type builder struct {
	*command
	catalogue *config.Catalog
	env       config.Lookup
	api       *config.API // nil: none has such a URL
	apiName   string
	segments  []string        // of the path below base_url, as the tool has them
	arguments []config.JSON   // in order: path, query, body
	taken     map[string]bool // names of arguments
	tool      config.JSON
}

func str(s string) config.JSON { return config.StringJSON(s) }

func object(pairs ...any) config.JSON {
	v := config.JSON{Kind: config.KindObject}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Put(pairs[i].(string), pairs[i+1].(config.JSON))
	}
	return v
}

func list(items ...config.JSON) config.JSON {
	return config.JSON{Kind: config.KindArray, Items: items}
}

var truth = config.JSON{Kind: config.KindBool, Text: "true"}

// build makes the tool. head is the API that the file names already.
func (b *builder) build(name, head string) (config.JSON, error) {
	method := b.verb()
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, method) {
		return b.tool, fmt.Errorf("a tool's method is GET, HEAD, POST, PUT, PATCH or DELETE, not %q", method)
	}
	if !strings.Contains(b.url, "://") {
		b.url = "http://" + b.url
	}
	scheme, rest, _ := strings.Cut(b.url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
		b.note("the URL held a user name and a password, which are left out: write them in tbridge.yaml under auth: {basic: ..}")
	}
	path = b.match(scheme+"://"+host, path, head)
	b.path(path)
	b.pairs(query, method)
	for _, q := range b.command.query {
		b.pairs(q, method)
	}
	b.tool = object("name", str(b.name(name, method)))
	if b.apiName != head {
		b.tool.Put("api", str(b.apiName))
	}
	b.tool.Put("method", str(method))
	b.tool.Put("path", str("/"+strings.Join(b.segments, "/")))
	if err := b.body(method); err != nil {
		return b.tool, err
	}
	b.keepHeaders()
	if b.arguments == nil {
		b.arguments = []config.JSON{}
	}
	b.tool.Put("arguments", list(b.arguments...))
	return b.tool, nil
}

// match finds the API whose base URL the command's URL lies below, the longest one of several, and gives the rest of
// the path.
func (b *builder) match(origin, path, head string) string {
	best := -1
	for _, e := range b.catalogue.APIs {
		for _, base := range b.bases(e.Value) {
			n, ok := below(base, origin, path)
			if ok && (n > best || n == best && e.Key == head) {
				best, b.api, b.apiName = n, e.Value, e.Key
			}
		}
	}
	if b.api != nil {
		segments := strings.Split(path, "/")
		return strings.Join(segments[min(best, len(segments)):], "/")
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(origin[strings.Index(origin, "://")+3:], "www."), ":")
	words := strings.Split(host, ".")
	b.apiName = words[max(len(words)-2, 0)]
	if !nameStart.MatchString(b.apiName) {
		b.apiName = "api"
	}
	if shellVariable.MatchString(origin) && head != "" {
		b.apiName = head
		return path
	}
	b.note("no API of tbridge.yaml has the base_url %s; add one there: apis: {%s: {base_url: %q}}", origin, b.apiName, origin)
	return path
}

// bases are what an API's base_url says, as things are and by the defaults that stand in it.
func (b *builder) bases(a *config.API) (texts []string) {
	if got, err := a.BaseURL.Resolve(b.env); err == nil {
		texts = append(texts, got.Text)
	}
	if text, ok := a.BaseURL.Unset(); ok {
		texts = append(texts, text)
	}
	return texts
}

// below says whether a URL lies below a base URL, and how many segments of its path that takes. A {key} in the base
// stands for any segment.
func below(base, origin, path string) (int, bool) {
	u, err := url.Parse(strings.NewReplacer("{", "%7B", "}", "%7D").Replace(base))
	if err != nil || !strings.EqualFold(originOf(u.Scheme, u.Host), originOf(splitOrigin(origin))) {
		return 0, false
	}
	want := strings.Trim(u.Path, "/")
	if want == "" {
		return 0, true
	}
	segments, given := strings.Split(want, "/"), strings.Split(path, "/")
	if len(given) < len(segments) {
		return 0, false
	}
	for i, s := range segments {
		before, after, key := strings.Cut(s, "{")
		_, after, _ = strings.Cut(after, "}")
		if s != given[i] && !(key && strings.HasPrefix(given[i], before) && strings.HasSuffix(given[i], after)) {
			return 0, false
		}
	}
	return len(segments), true
}

// nameStart is a word that can be the name of an argument or an API.
var nameStart = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// path makes arguments of what looks like an id in the path.
func (b *builder) path(path string) {
	previous := ""
	for _, s := range strings.Split(strings.Trim(path, "/"), "/") {
		text, err := url.PathUnescape(s)
		if err != nil || !utf8.ValidString(text) {
			text = s
		}
		switch text {
		case "", ".":
			continue
		case "..":
			b.segments = b.segments[:max(len(b.segments)-1, 0)]
			continue
		}
		stem, extension := text, ""
		if i := strings.LastIndexByte(text, '.'); i > 0 && extensions.MatchString(text[i:]) {
			stem, extension = text[:i], text[i:]
		}
		name, isID := idName(stem, previous)
		if !isID {
			b.segments = append(b.segments, constant(s))
			previous = text
			continue
		}
		a := object("name", str(b.unique(name)), "type", str("string"), "required", truth)
		switch {
		case secretValue(stem):
			b.note("a part of the path looked like a secret and is left out of the examples of %q; if it is a credential, write it in tbridge.yaml under auth: {api_key: {in: path, ..}}", name)
		case !placeholder.MatchString(stem):
			a = withExample(a, stem)
		}
		b.arguments = append(b.arguments, a)
		b.segments = append(b.segments, "{"+a.Items[0].Text+"}"+extension)
		previous = ""
	}
}

// constant is a segment as it can stand in a path: what means something else there is percent-encoded.
func constant(segment string) string {
	if _, err := url.PathUnescape(segment); err != nil {
		segment = strings.ReplaceAll(segment, "%", "%25")
	}
	var b strings.Builder
	for _, c := range []byte(segment) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`\{}`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

var (
	extensions  = regexp.MustCompile(`^\.[a-z]{2,5}$`)
	placeholder = regexp.MustCompile(`^(?:\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?|\{([A-Za-z_][A-Za-z0-9_-]*)\}|<([A-Za-z_][A-Za-z0-9_-]*)>|:([A-Za-z_][A-Za-z0-9_-]*))$`)
	number      = regexp.MustCompile(`^-?(?:0|[1-9][0-9]{0,17})$`)
	uuid        = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	key         = regexp.MustCompile(`^[A-Z][A-Z0-9_]*-[0-9]+$`)
	random      = regexp.MustCompile(`^[A-Za-z0-9_~-]{8,}$`)
	prefixed    = regexp.MustCompile(`^[a-z]{2,12}_[A-Za-z0-9]{6,}$`)
)

// idName says whether a segment of a path stands for a thing, and what the argument may be called: by what comes before
// it, or as a placeholder calls it.
func idName(segment, previous string) (string, bool) {
	if m := placeholder.FindStringSubmatch(segment); m != nil {
		return strings.ToLower(m[1] + m[2] + m[3] + m[4]), true
	}
	digits := strings.ContainsAny(segment, "0123456789")
	if !number.MatchString(segment) && !uuid.MatchString(segment) && !key.MatchString(segment) && !strings.Contains(segment, "@") && !secretValue(segment) &&
		!(digits && random.MatchString(segment) && !strings.Contains(segment, "--")) && !(digits && prefixed.MatchString(segment)) {
		return "", false
	}
	if name := singular(previous) + "_id"; nameStart.MatchString(name) && previous != "" {
		return strings.ReplaceAll(name, "-", "_"), true
	}
	return "id", true
}

// singular is a guess: tasks → task, boxes → box, entries → entry.
func singular(word string) string {
	word = strings.ToLower(word)
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && len(word) > 2:
		return word[:len(word)-1]
	}
	return word
}

// unique gives a name that no argument has yet.
func (b *builder) unique(name string) string {
	name = strings.Trim(notInNames.ReplaceAllString(name, "_"), "_-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	name = name[:min(len(name), 60)]
	free := name
	for n := 2; b.taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	b.taken[free] = true
	return free
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// pairs makes arguments of a query.
func (b *builder) pairs(query, method string) {
	in := ""
	if method != "GET" && method != "HEAD" && method != "DELETE" {
		in = "query"
	}
	b.addPairs(query, in, "query")
}

// addPairs makes arguments of name=value&.. in the query or in a form. Names given several times are arrays.
func (b *builder) addPairs(text, in, place string) {
	values := map[string][]string{}
	var names []string
	for _, pair := range strings.Split(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescape(name), unescape(value)
		if values[name] == nil {
			names = append(names, name)
		}
		values[name] = append(values[name], value)
	}
	for _, name := range names {
		if place == "query" && (secretName(name) || secretValue(values[name][0])) {
			b.note("the query parameter %q held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: query, name: %s, value: \"${NAME}\"}}", name, name)
			continue
		}
		b.addPair(name, values[name], in)
	}
}

func (b *builder) addPair(name string, values []string, in string) {
	stem, isList := strings.CutSuffix(name, "[]")
	a := object("name", str(b.unique(stem)))
	scalar := textValue(values[0])
	switch {
	case len(values) > 1 || isList:
		a.Put("type", str("array"))
		a.Put("items", object("type", str(typeOf(scalar))))
	default:
		a.Put("type", str(typeOf(scalar)))
		if b.shows(name, values[0]) {
			a = withExampleOf(a, scalar)
		}
	}
	if a.Items[0].Text != name {
		a.Put("as", str(name))
	}
	if in != "" {
		a.Put("in", str(in))
	}
	b.arguments = append(b.arguments, a)
}

// shows says whether a value may stand in the file, as an example. What may not is noted.
func (b *builder) shows(name, value string) bool {
	if secretName(name) || secretValue(value) {
		b.note("%q held what looks like a secret; its value is left out", name)
		return false
	}
	return value != "" && len(value) <= 200 && !shellVariable.MatchString(value)
}

func unescape(s string) string {
	if text, err := url.QueryUnescape(s); err == nil && utf8.ValidString(text) {
		return text
	}
	return s
}

// textValue is what a text in a query or form says: a number or truth value that reads back as it was, or a text.
func textValue(s string) config.JSON {
	switch {
	case s == "true" || s == "false":
		return config.JSON{Kind: config.KindBool, Text: s}
	case number.MatchString(s), strings.Contains(s, ".") && config.IsNumber(s):
		return config.JSON{Kind: config.KindNumber, Text: s}
	}
	return str(s)
}

// typeOf is the type of an argument that takes such a value.
func typeOf(v config.JSON) string {
	switch v.Kind {
	case config.KindNumber:
		if number.MatchString(v.Text) {
			return "integer"
		}
		return "number"
	case config.KindNull:
		return "string"
	}
	return v.Kind.String()
}

func withExample(a config.JSON, text string) config.JSON { return withExampleOf(a, str(text)) }

// withExampleOf adds an example, unless something in it cannot be seen.
func withExampleOf(a, v config.JSON) config.JSON {
	if strings.ContainsFunc(v.Text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }) {
		return a
	}
	a.Put("examples", list(v))
	return a
}

func splitOrigin(origin string) (scheme, host string) {
	scheme, host, _ = strings.Cut(origin, "://")
	return scheme, host
}

// originOf is scheme and host, with the port where it is not the scheme's own.
func originOf(scheme, host string) string {
	scheme = strings.ToLower(scheme)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}
