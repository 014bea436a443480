package bridge

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// resource makes an embedded resource of the bytes of a document.
func (g *reading) resource(resp *http.Response, d *document) Content {
	data := d.raw
	if shown := g.masks.document(d); shown != d.text && shown != d.raw { // else the bytes are given as they came, in their charset
		data = shown
	}
	name := strings.ReplaceAll(url.PathEscape(g.masks.fileName(resp)), "%2A", "*") // as a mask is written everywhere
	return Content{Type: "resource", Data: []byte(data), MediaType: d.media, URI: "file:///" + name}
}

// fileName is the name an answer gives its body (RFC 6266), else that of what was asked for. It is never a path.
func (m *masks) fileName(resp *http.Response) string {
	if name := m.baseName(disposed(resp.Header.Get("Content-Disposition"))); name != "" {
		return name
	}
	if resp.Request != nil {
		if name := m.baseName(resp.Request.URL.Path); name != "" {
			return name
		}
	}
	return "attachment"
}

// disposed is the file name of a Content-Disposition; empty when it has none. What browsers understand is
// understood: a name in the form of RFC 8187 beats the plain one, encoded words, and white space without quotes.
func disposed(value string) string {
	_, params, err := mime.ParseMediaType(value)
	name := params["filename"]
	if err != nil {
		_, name, _ = strings.Cut(value, "filename=")
		name, _, _ = strings.Cut(name, ";")
		name = strings.Trim(strings.TrimSpace(name), `"`)
	}
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		name = decoded
	}
	return name
}

const maxName = 200 // bytes of a file name

// baseName is the last part of a path as a file may be called; empty when nothing of it is left.
func (m *masks) baseName(name string) string {
	if !utf8.ValidString(name) {
		return ""
	}
	name = m.text(clean(name, false)) // before it is cut
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Trim(strings.NewReplacer("\n", " ", "\t", " ").Replace(name), " .")
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[len(name)-maxName:], "")
	}
	return name
}
