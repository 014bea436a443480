package bridge

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"tbridge/config"
)

// A Preview is the request that a call would send. Each secret in it is shown as its source, ${TRACKER_TOKEN}; nothing
// in it came out of the environment or a file of secrets.
type Preview struct {
	Method string  `json:"method"`
	URL    string  `json:"url"`
	Header []Field `json:"header"`          // sorted by name
	Body   string  `json:"body,omitempty"`  // of text; of other types what it is: 12 bytes of image/png
	Parts  []Part  `json:"parts,omitempty"` // of a multipart body, instead of Body

	callID string // what stands for {call.id} in it; empty: nothing
	url    string // with its marks
	header []pair
	text   bool // Body is the body itself
}

// A Field is a header of a request. There may be several of one name.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Part is one part of a multipart body: a field with its text, or a file.
type Part struct {
	Name      string `json:"name"`
	Filename  string `json:"filename,omitempty"` // empty: it is no file
	MediaType string `json:"media_type,omitempty"`
	Size      int64  `json:"size"` // bytes
	Text      string `json:"text,omitempty"`

	text bool // Text is the field's text, which a shell can hold
}

// maxShown is how many bytes of a body a preview shows.
const maxShown = 256 << 10

// A mark stands where a secret would, in text that is joined and encoded like that of a real request: its source,
// and the shell's word for it. Marks stand in the URL and in headers alone, where nothing else can hold a NUL: paths and headers
// refuse it, and a query encodes it.
func mark(source, shell string) string { return "\x00" + source + "\x01" + shell + "\x00" }

// beside changes a text beside its marks.
func beside(s string, change func(string) string) string {
	if !strings.Contains(s, "\x00") {
		return change(s)
	}
	return splice(s, change, func(source, shell string) string { return mark(source, shell) })
}

// splice puts a marked text together from its plain pieces and its marks.
func splice(s string, plain func(string) string, marked func(source, shell string) string) string {
	var b strings.Builder
	for i, piece := range strings.Split(s, "\x00") {
		if i%2 == 0 {
			b.WriteString(plain(piece))
			continue
		}
		source, shell, _ := strings.Cut(piece, "\x01")
		b.WriteString(marked(source, shell))
	}
	return b.String()
}

// unmarked shows the marks of a text as their sources, and masks the rest.
func (m *masks) unmarked(s string) string {
	return splice(s, m.text, func(source, _ string) string { return source })
}

// source reads a Value for a preview: a secret is marked, anything else is what it is. What is absent is marked too.
func (a *api) source(v *config.Value, secret bool) (string, error) {
	got, err := v.Resolve(a.options.Env)
	switch {
	case secret && len(got.Secrets) > 0, err != nil:
		return mark(v.String(), v.Shell(a.options.Env)), nil
	}
	if _, found := control(got.Text); found {
		return "", errControl
	}
	return got.Text, nil
}

// basic is the value of the header of RFC 7617, in UTF-8.
func (s *settler) basic(user, password string) string {
	pair := user + ":" + password
	if strings.Contains(pair, "\x00") {
		show := splice(pair, plainly, func(source, _ string) string { return source })
		shell := splice(pair, quotedInShell, func(_, shell string) string { return shell })
		return "Basic " + mark("<base64 of "+show+">", "$(printf %s \""+shell+"\" | base64 | tr -d '\\n')")
	}
	s.pairUp(user, password)
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
}

func plainly(s string) string { return s }

// shown gives an endpoint that nothing can be sent to. What read gives may hold marks.
func (a *api) shown(read func(v *config.Value, secret bool) (string, error)) (*endpoint, *Error) {
	s := &settler{api: a, read: read, shown: true}
	return s.endpoint()
}

// preview gives the request of a call as send would send it.
func (a *api) preview(c *call, r *request) (*Preview, error) {
	ep, e := a.shown(a.source)
	if e != nil {
		return nil, e
	}
	o, e := ep.compose(a, r)
	if e != nil {
		return nil, e
	}
	p := &Preview{callID: c.id, Method: o.method, url: ep.scheme + "://" + ep.host + o.path}
	if ep.scheme == "" { // base_url is not known: its source stands for it
		p.url = ep.host + o.path
	}
	if o.query != "" {
		p.url += "?" + o.query
	}
	p.URL, p.url = a.masks.unmarked(p.url), beside(p.url, a.masks.text)
	p.fields(a, o.header)
	if err := p.show(a, o.body); err != nil {
		return nil, unreadableBody(err)
	}
	return p, nil
}

func (p *Preview) fields(a *api, h http.Header) {
	for name, values := range h {
		for _, v := range values {
			p.header = append(p.header, pair{name: name, value: beside(v, a.masks.text)})
		}
	}
	slices.SortStableFunc(p.header, func(a, b pair) int { return cmp.Compare(a.name, b.name) })
	for _, f := range p.header {
		p.Header = append(p.Header, Field{f.name, a.masks.unmarked(f.value)})
	}
}

// show reads the body. Of a text it shows the text, of a form its parts, of anything else its size.
func (p *Preview) show(a *api, b *body) error {
	if b == nil {
		return nil
	}
	r, err := b.open()
	if err != nil {
		return err
	}
	defer r.Close()
	media, params, _ := mime.ParseMediaType(b.contentType)
	if media == "multipart/form-data" {
		return p.showParts(a, multipart.NewReader(r, params["boundary"]))
	}
	start, size, err := shown(r)
	if err != nil {
		return err
	}
	if p.text = utf8.Valid(start) && size == int64(len(start)) && bytes.IndexByte(start, 0) < 0; p.text {
		p.Body = a.masks.text(string(start))
		return nil
	}
	p.Body = fmt.Sprintf("%d bytes of %s", size, cmp.Or(media, "no type"))
	return nil
}

func (p *Preview) showParts(a *api, r *multipart.Reader) error {
	for {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		show := Part{Name: a.masks.text(part.FormName()), Filename: a.masks.text(part.FileName()), MediaType: a.masks.text(part.Header.Get("Content-Type"))}
		var text strings.Builder
		var to io.Writer = io.Discard
		if show.Filename == "" { // a field, which is no longer than the arguments
			to = &text
		}
		if show.Size, err = io.Copy(to, part); err != nil {
			return err
		}
		if utf8.ValidString(text.String()) {
			show.Text, show.text = a.masks.text(text.String()), !strings.Contains(text.String(), "\x00")
		}
		p.Parts = append(p.Parts, show)
	}
}

// shown reads all, and gives the start of it and the size of the whole.
func shown(r io.Reader) (start []byte, size int64, err error) {
	start, err = io.ReadAll(io.LimitReader(r, maxShown))
	if err != nil {
		return nil, 0, err
	}
	rest, err := io.Copy(io.Discard, r)
	return start, int64(len(start)) + rest, err
}
