package bridge

import (
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tbridge/config"
)

// A TestedRequest is the request that a test made, secrets as their sources.
type TestedRequest struct {
	Method string
	Target string  // path and query below base_url, without what the API adds; letters of all scripts as they are
	Header []Field // sorted by name
	Kind   string  // of the body, as a test names it: json, form, text or none; bytes: none of these
	Body   config.JSON

	whole string // Target with what the API adds
	text  string // the body as it is
}

// tested takes a request down.
func (s *stage) tested(req *http.Request) (*TestedRequest, error) {
	t := &TestedRequest{Method: req.Method}
	path := strings.TrimPrefix(req.URL.RawPath, strings.TrimRight(s.path, "/"))
	query := strings.TrimPrefix(strings.TrimPrefix(req.URL.RawQuery, s.query), "&")
	t.whole = readable(unmarked(target(path, query)))
	t.Target = readable(unmarked(target(path, s.own(query))))
	for name, values := range req.Header {
		t.Header = append(t.Header, Field{name, unmarked(strings.Join(values, ", "))})
	}
	slices.SortFunc(t.Header, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return t, t.read(req)
}

func unmarked(s string) string {
	return splice(s, plainly, func(source, _ string) string { return source })
}

func target(path, query string) string {
	if query != "" {
		path += "?" + query
	}
	return path
}

// own is a query without the pairs that the API adds, which all have a value.
func (s *stage) own(query string) string {
	added := append([]pair{s.key.query}, s.pairs...)
	var own []string
	for _, text := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(text, "=")
		if !slices.Contains(added, pair{name: name, value: value}) {
			own = append(own, text)
		}
	}
	return strings.Join(own, "&")
}

// readable decodes what is percent-encoded only because it is not ASCII.
func readable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i
		var run []byte
		for end+2 < len(s) && s[end] == '%' {
			c := hexNumber(s, end+1, 2)
			if c < utf8.RuneSelf {
				break
			}
			run, end = append(run, byte(c)), end+3
		}
		switch {
		case run == nil:
			b.WriteByte(s[i])
			i++
			continue
		case utf8.Valid(run) && !strings.ContainsFunc(string(run), func(r rune) bool { return !unicode.IsPrint(r) }):
			b.Write(run)
		default:
			b.WriteString(s[i:end])
		}
		i = end
	}
	return b.String()
}

// canonical gives two targets that mean the same the same text: that of their decoded pieces.
func canonical(target string) string {
	path, query, _ := strings.Cut(target, "?")
	pieces := func(text, by string) []string {
		list := strings.Split(text, by)
		for i, piece := range list {
			if decoded, err := url.PathUnescape(piece); err == nil {
				list[i] = decoded
			}
		}
		return list
	}
	var pairs []string
	for _, text := range strings.Split(query, "&") {
		name, value, found := strings.Cut(text, "=")
		if found {
			value = "\x02" + value
		}
		pairs = append(pairs, strings.Join(pieces(name+value, "\x02"), "\x02"))
	}
	return strings.Join(pieces(strings.TrimLeft(path, "/"), "/"), "\x00") + "\x01" + strings.Join(pairs, "\x00")
}

// read reads the body as the kind it is.
func (t *TestedRequest) read(req *http.Request) error {
	t.Kind = "none"
	if req.Body == nil {
		return nil
	}
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	t.text = string(text)
	media, params, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
		t.Kind = "form"
		t.Body, err = parts(string(text), params["boundary"])
		return err
	case "application/x-www-form-urlencoded":
		t.Kind, t.Body = "form", pairs(string(text))
		return nil
	}
	v, err := config.ParseJSON(text, maxTestedDepth)
	switch {
	case err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")):
		t.Kind, t.Body = "json", v
	case utf8.Valid(text):
		t.Kind, t.Body = "text", config.StringJSON(string(text))
	default:
		t.Kind, t.Body = "bytes", config.StringJSON(base64.StdEncoding.EncodeToString(text))
	}
	return nil
}

// maxTestedDepth bounds how deep a body may be nested to be compared as JSON. What the tool writes comes on top of
// the arguments.
const maxTestedDepth = 3 * config.MaxDepth

// put adds a field of a form, which there may be several of.
func put(form *config.JSON, name string, value config.JSON) {
	switch old, again := form.Get(name); {
	case !again:
		form.Put(name, value)
	case old.Kind == config.KindArray:
		old.Items = append(old.Items, value)
		form.Put(name, old)
	default:
		form.Put(name, config.JSON{Kind: config.KindArray, Items: []config.JSON{old, value}})
	}
}

// pairs reads a form. What cannot be decoded stays as it is.
func pairs(text string) config.JSON {
	form := config.JSON{Kind: config.KindObject}
	for _, text := range strings.Split(text, "&") {
		name, value, _ := strings.Cut(text, "=")
		for _, s := range []*string{&name, &value} {
			if decoded, err := url.QueryUnescape(*s); err == nil {
				*s = decoded
			}
		}
		if text != "" {
			put(&form, name, config.StringJSON(value))
		}
	}
	return form
}

// parts reads a multipart body: a field is its text, a file an object, its content as text, if it is that, and in base64.
func parts(text, boundary string) (config.JSON, error) {
	form := config.JSON{Kind: config.KindObject}
	r := multipart.NewReader(strings.NewReader(text), boundary)
	for {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return form, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return form, err
		}
		value := config.StringJSON(string(content))
		if part.FileName() != "" {
			value = config.JSON{Kind: config.KindObject}
			value.Put("filename", config.StringJSON(part.FileName()))
			value.Put("media_type", config.StringJSON(part.Header.Get("Content-Type")))
			if utf8.Valid(content) {
				value.Put("text", config.StringJSON(string(content)))
			}
			value.Put("base64", config.StringJSON(base64.StdEncoding.EncodeToString(content)))
		}
		put(&form, part.FormName(), value)
	}
}
