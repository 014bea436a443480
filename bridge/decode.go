package bridge

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

const (
	codeType = "upstream_unexpected_type"
	codeJSON = "upstream_invalid_json"
)

// A form is what a body is, as far as a result is concerned.
type form byte

const (
	formUnknown form = iota // no content type, or text/plain: found out by trying
	formJSON
	formHTML
	formText
	formImage
	formAudio
	formBinary
)

// A document is a body, told apart.
type document struct {
	media string // the media type in lower case; empty: none was given
	form  form
	raw   string    // the bytes as they came, unpacked
	text  string    // in UTF-8; empty for bytes that are no text
	json  string    // the body if it is JSON, without white space around it
	fault string    // why a body that should be JSON, or text, is none
	twice *repeated // it is JSON, but for a key that it repeats
}

// empty says whether there is nothing to read.
func (d *document) empty() bool { return d.raw == "" || d.form < formImage && trimmed(d.raw) == "" }

func trimmed(text string) string { return strings.Trim(text, " \t\r\n") }

// tellApart tells what a body is, by its content type, and by trying where that says nothing. asText asks for
// text whatever the type says.
func tellApart(h http.Header, raw string, asText bool) *document {
	media, label := mediaType(h.Get("Content-Type"))
	d := &document{media: media, form: formOf(media), raw: raw}
	if raw == "" || d.form >= formImage && !asText {
		return d
	}
	text, err := toUTF8(raw, label)
	if err != nil {
		d.form, d.fault = max(d.form, formJSON), err.Error()
		return d
	}
	if d.form == formJSON || d.form == formUnknown {
		err := checkJSON(trimmed(text))
		if err == nil {
			d.form, d.text, d.json = formJSON, text, trimmed(text)
			return d
		}
		d.fault = err.Error()
		if twice, ok := errors.AsType[*repeated](err); ok {
			d.form, d.twice = formJSON, twice
		}
	}
	if !utf8.ValidString(text) && (media == "" || d.form >= formImage) {
		d.form, d.fault = formBinary, errUTF8.Error()
		return d
	}
	d.text = legible(text, label)
	if d.form == formUnknown {
		d.form = found(d)
	}
	return d
}

// found is the form of a body of unknown type that is no JSON.
func found(d *document) form {
	if d.media == "" && strings.IndexByte(d.text, 0) >= 0 {
		d.text = ""
		return formBinary
	}
	return formText
}

// mediaType reads a Content-Type leniently: what stands before the parameters counts even if they are faulty.
func mediaType(value string) (media, label string) {
	switch value {
	case "application/json", "":
		return value, ""
	case "application/json; charset=utf-8":
		return "application/json", "utf-8"
	}
	media, params, err := mime.ParseMediaType(value)
	if media == "" || err != nil {
		media, _, _ = strings.Cut(value, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media, params["charset"]
}

// textual are the media types outside text/* whose bodies are text.
var textual = map[string]bool{
	"application/xml": true, "application/x-ndjson": true, "application/ndjson": true, "application/jsonl": true,
	"application/x-jsonlines": true, "application/json-seq": true, "application/x-www-form-urlencoded": true,
	"application/javascript": true, "application/x-javascript": true, "application/ecmascript": true,
	"application/yaml": true, "application/x-yaml": true, "application/toml": true, "application/csv": true,
	"application/sql": true, "application/graphql": true, "application/x-sh": true, "application/xml-dtd": true,
	"application/n-triples": true, "application/n-quads": true, "application/trig": true,
}

func formOf(media string) form {
	switch {
	case media == "" || media == "text/plain":
		return formUnknown
	case strings.HasPrefix(media, "image/"):
		return formImage
	case strings.HasPrefix(media, "audio/"):
		return formAudio
	case media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"):
		return formJSON
	case media == "text/html" || media == "application/xhtml+xml":
		return formHTML
	case strings.HasPrefix(media, "text/") || textual[media] ||
		strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml"):
		return formText
	}
	return formBinary
}

// toUTF8 reads text in the charset of that label. A byte order mark beats the label; US-ASCII is taken for the
// UTF-8 it is a part of.
func toUTF8(raw, label string) (string, error) {
	switch {
	case strings.HasPrefix(raw, "\xef\xbb\xbf"):
		return raw[3:], nil
	case strings.HasPrefix(raw, "\xff\xfe"):
		label = "utf-16le"
	case strings.HasPrefix(raw, "\xfe\xff"):
		label = "utf-16be"
	}
	switch strings.ToLower(label) {
	case "", "utf-8", "utf8":
		return raw, nil
	case "us-ascii", "ascii":
		if utf8.ValidString(raw) {
			return raw, nil
		}
	}
	encoding, name := charset.Lookup(label)
	if encoding == nil || name == "replacement" {
		return "", fmt.Errorf("in the charset %q, which cannot be read", label)
	}
	text, err := encoding.NewDecoder().String(raw)
	return strings.TrimPrefix(text, "\uFEFF"), err
}

// legible makes valid UTF-8 of text that claims to be text: without a charset it is read as the web does, and
// what is not UTF-8 though it says so becomes U+FFFD.
func legible(text, label string) string {
	if utf8.ValidString(text) {
		return text
	}
	if label == "" {
		latin, _ := charset.Lookup("windows-1252")
		if decoded, err := latin.NewDecoder().String(text); err == nil {
			return decoded
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
