package workbench

import (
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tbridge/config"
)

// body makes arguments of the body.
func (b *builder) body(method string) error {
	text := strings.Join(b.data, "&")
	if b.kind == "json" {
		text = strings.Join(b.data, "")
	}
	media, _, _ := mime.ParseMediaType(b.headerValue("Content-Type"))
	switch {
	case len(b.form) > 0:
		b.multipart()
	case text == "":
		return nil
	case b.get:
		b.pairs(text, method)
		return nil
	case method == "GET" || method == "HEAD":
		b.note("a %s sends no body here; what it held is left out", method)
		return nil
	case b.kind == "json" || isJSON(media) || (media == "" || media == formMedia) && strings.HasPrefix(strings.TrimSpace(text), "{"):
		return b.json(text, media, method)
	case media == "" || media == formMedia:
		b.tool.Put("encoding", str("form"))
		b.addPairs(text, b.inBody(method), "body")
	default:
		b.text(text, media)
	}
	return nil
}

const formMedia = "application/x-www-form-urlencoded"

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// inBody is what an argument must say to go into the body.
func (b *builder) inBody(method string) string {
	if method == "DELETE" {
		return "body"
	}
	return ""
}

func (b *builder) json(text, media, method string) error {
	v, err := config.ParseJSON(text, config.MaxDepth)
	if err != nil {
		return fmt.Errorf("the body is no JSON: %w", err)
	}
	if media == formMedia {
		b.note("the body is JSON though the command calls it a form; it is sent as JSON")
	}
	if media != "" && media != "application/json" && media != formMedia {
		b.tool.Put("content_type", str(media))
	}
	if v.Kind == config.KindObject {
		if len(v.Keys) == 0 {
			b.tool.Put("body", object())
		}
		for i, name := range v.Keys {
			a := b.describe(name, v.Items[i], b.unique)
			if in := b.inBody(method); in != "" {
				a.Put("in", str(in))
			}
			b.arguments = append(b.arguments, a)
		}
		return nil
	}
	name := "value"
	if v.Kind == config.KindArray {
		name = "items"
	}
	a := b.describe(name, v, b.unique)
	a.Put("required", truth)
	b.arguments = append(b.arguments, a)
	b.tool.Put("body", str("{"+a.Items[0].Text+"}"))
	return nil
}

// describe makes an argument that takes such a value. names gives it a name that is free.
func (b *builder) describe(name string, v config.JSON, names func(string) string) config.JSON {
	a := config.JSON{Kind: config.KindObject}
	if names != nil {
		a.Put("name", str(names(name)))
	}
	a.Put("type", str(typeOf(v)))
	switch v.Kind {
	case config.KindNull:
		a.Put("nullable", truth)
	case config.KindArray:
		element := str("")
		if len(v.Items) > 0 {
			element = v.Items[0]
		}
		a.Put("items", b.describe(name, element, nil))
	case config.KindObject:
		if len(v.Keys) == 0 {
			break
		}
		inner := &builder{command: b.command, taken: map[string]bool{}}
		var members []config.JSON
		for i, key := range v.Keys {
			members = append(members, inner.describe(key, v.Items[i], inner.unique))
		}
		a.Put("properties", list(members...))
	default:
		if b.shows(name, v.Text) {
			a = withExampleOf(a, v)
		}
	}
	return renamed(a, name, names != nil)
}

// renamed says what an argument is called on the wire, when that cannot be its name.
func renamed(a config.JSON, name string, named bool) config.JSON {
	if named && a.Items[0].Text != name {
		a.Put("as", str(name))
	}
	return a
}

func (b *builder) multipart() {
	b.tool.Put("encoding", str("multipart"))
	parts := map[string][]formPart{}
	for _, p := range b.form {
		parts[p.name] = append(parts[p.name], p)
	}
	for _, p := range b.form {
		same := parts[p.name]
		delete(parts, p.name)
		switch isFile := func(p formPart) bool { return p.file }; {
		case same == nil:
			continue // it went with the first of its name
		case !slices.ContainsFunc(same, isFile):
			var values []string
			for _, p := range same {
				values = append(values, p.value)
			}
			b.addPair(p.name, values, "")
			continue
		case len(same) > 1:
			b.note("the form has several parts named %q, and a file among them; only one is kept, as a file", p.name)
			p = same[slices.IndexFunc(same, isFile)]
		}
		a := object("name", str(b.unique(p.name)), "type", str("file"), "required", truth)
		if name := p.value[strings.LastIndexAny(p.value, `/\`)+1:]; name != "" && name != "-" && !strings.Contains(name, "{") {
			a.Put("filename", str(name))
		}
		if p.media != "" {
			a.Put("media_type", str(p.media))
		}
		b.arguments = append(b.arguments, renamed(a, p.name, true))
	}
}

// text takes a body that is neither JSON nor a form as one text.
func (b *builder) text(text, media string) {
	a := object("name", str(b.unique("body")), "type", str("string"), "required", truth)
	if b.shows("body", text) {
		a = withExample(a, text)
	}
	b.arguments = append(b.arguments, a)
	b.tool.Put("encoding", str("text"))
	b.tool.Put("content_type", str(media))
	b.tool.Put("body", str("{"+a.Items[0].Text+"}"))
}

func (b *builder) headerValue(name string) string {
	for _, h := range b.headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// ordinary are headers that a browser or curl sends by itself, or that the bridge makes.
var ordinary = []string{"accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length", "content-type", "dnt", "expect", "host",
	"if-modified-since", "if-none-match", "keep-alive", "origin", "pragma", "priority", "proxy-connection", "referer", "te", "trailer", "transfer-encoding", "upgrade",
	"upgrade-insecure-requests", "user-agent", "x-requested-with"}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, section 5.6.2

// keepHeaders keeps the headers that are neither secret nor what any client sends.
func (b *builder) keepHeaders() {
	kept := config.JSON{Kind: config.KindObject}
	for _, h := range b.headers {
		name, value := h[0], h[1]
		lower := strings.ToLower(name)
		switch {
		case lower == "authorization":
			b.credential(value)
		case lower == "cookie":
			b.note("the cookies are left out: if the API needs one, write it in tbridge.yaml under auth: {api_key: {in: cookie, name: .., value: \"${NAME}\"}}")
		case lower == "accept" && value != "*/*" && value != "" && !strings.Contains(value, ",") && !isJSON(value):
			b.putHeader(&kept, name, value)
		case lower == "" || value == "" || slices.Contains(ordinary, lower) || strings.HasPrefix(lower, "sec-") || strings.HasPrefix(lower, "proxy-"):
		case !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl):
			b.note("the header %q cannot be sent and is left out", name)
		case secretName(name) || secretValue(value) || shellVariable.MatchString(value):
			b.note("the header %s held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: header, name: %s, value: \"${NAME}\"}}", name, name)
		case !b.sendsAnyway(name, value):
			b.putHeader(&kept, name, value)
		}
	}
	if len(kept.Keys) > 0 {
		b.tool.Put("headers", kept)
	}
}

// credential notes what became of an Authorization header.
func (b *builder) credential(value string) {
	remedy := `auth: {bearer: "${NAME}"}`
	if strings.HasPrefix(strings.ToLower(value), "basic ") {
		remedy = `auth: {basic: {username: "${NAME}", password: "${PASSWORD}"}}`
	}
	if b.api != nil && b.api.Auth != nil {
		b.note("the header Authorization held a secret and is left out: the API %q sends a credential of its own", b.apiName)
		return
	}
	b.note("the header Authorization held a secret and is left out: write it in tbridge.yaml under apis.%s, %s", b.apiName, remedy)
}

// sendsAnyway says whether the API sends the header with each request.
func (b *builder) sendsAnyway(name, value string) bool {
	if b.api == nil {
		return false
	}
	return slices.ContainsFunc(b.api.Headers, func(e config.Entry[*config.Value]) bool {
		text, literal := e.Value.Literal()
		return strings.EqualFold(e.Key, name) && (!literal || text == value)
	})
}

// putHeader writes a header whose value is a text, whatever braces are in it.
func (b *builder) putHeader(kept *config.JSON, name, value string) {
	if text, ok := unfilled(value); ok {
		kept.Put(name, str(text))
		return
	}
	b.note("the header %s is left out: in a tools file a brace before a name opens a hole; write it in tbridge.yaml under apis.%s.headers", name, b.apiName)
}

// unfilled is the template that stands for a text: what would be a hole of it has its braces doubled. A hole that is
// not closed cannot be written.
func unfilled(text string) (template string, ok bool) {
	t, err := config.ParseRequest(text)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range t.Parts {
		switch {
		case p.Hole != nil:
			b.WriteString("{" + p.Text + "}")
		case p.Doubled:
			b.WriteString("{{" + p.Text + "}}")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String(), true
}

// name gives the tool a name that no other has: get_task, list_tasks, take_task.
func (b *builder) name(wanted, method string) string {
	if wanted == "" {
		wanted = b.suggest(method)
	}
	taken := map[string]bool{}
	for _, t := range b.catalogue.Tools {
		taken[t.Name] = true
	}
	free := wanted
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", wanted, n)
	}
	return free
}

func (b *builder) suggest(method string) string {
	var words []string // of the path, without what stands for a thing
	last := ""
	for _, s := range b.segments {
		if last = s; !strings.HasPrefix(s, "{") {
			word := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(strings.TrimSuffix(s, ".json")), "_"), "_-")
			words = append(words, strings.ReplaceAll(word, "-", "_"))
		}
	}
	one := strings.HasPrefix(last, "{")
	if len(words) == 0 {
		words = []string{b.apiName}
	}
	thing := words[len(words)-1]
	verb := map[string]string{"GET": "get", "HEAD": "check", "POST": "create", "PUT": "replace", "PATCH": "update", "DELETE": "delete"}[method]
	plural := singular(thing) != thing
	switch {
	case method == "POST" && len(words) > 1 && !one && !plural: // POST /tasks/{id}/take
		return thing + "_" + singular(words[len(words)-2])
	case method == "GET" && !one && plural:
		return "list_" + thing
	}
	return verb + "_" + singular(thing)
}
