package bridge

import (
	"encoding/base64"
	"encoding/json"

	"tbridge/config"
)

// A Result is what the model is given: a CallToolResult of MCP, ready to be written.
type Result struct {
	Content    []Content
	Structured json.RawMessage // a JSON object; nil: none
	IsError    bool
	Kind       string // of the failure; empty: success
	Status     int    // of the HTTP answer; 0: there was none
	RequestID  string // the API's, of a failure; empty: it gave none
}

// Content is one item of a result.
type Content struct {
	Type      string // text, image, audio or resource
	Text      string // of text
	Data      []byte // of the others: the bytes themselves
	MediaType string
	URI       string // of a resource
}

// Text is the text of the result: its text items, a line break between them.
func (r *Result) Text() string {
	var text []byte
	for _, c := range r.Content {
		if c.Type != "text" {
			continue
		}
		if text != nil {
			text = append(text, '\n')
		}
		text = append(text, c.Text...)
	}
	return string(text)
}

// Append appends the CallToolResult as JSON, without the closing brace, so that a transport may add to it.
func (r *Result) appendOpen(b []byte) []byte {
	b = append(b, `{"content":[`...)
	for i, c := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.append(b)
	}
	b = append(b, ']')
	if r.Structured != nil {
		b = append(b, `,"structuredContent":`...)
		b = append(b, r.Structured...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}
	return b
}

// MarshalJSON gives the CallToolResult of MCP.
func (r *Result) MarshalJSON() ([]byte, error) { return append(r.appendOpen(nil), '}'), nil }

func (c Content) append(b []byte) []byte {
	switch c.Type {
	case "text":
		b = append(b, `{"type":"text","text":`...)
		b = config.AppendQuoted(b, c.Text)
	case "resource":
		b = append(b, `{"type":"resource","resource":{"uri":`...)
		b = config.AppendQuoted(b, c.URI)
		if c.MediaType != "" {
			b = append(b, `,"mimeType":`...)
			b = config.AppendQuoted(b, c.MediaType)
		}
		b = append(b, `,"blob":"`...)
		b = base64.StdEncoding.AppendEncode(b, c.Data)
		b = append(b, `"}`...)
	default:
		b = append(b, `{"type":`...)
		b = config.AppendQuoted(b, c.Type)
		b = append(b, `,"mimeType":`...)
		b = config.AppendQuoted(b, c.MediaType)
		b = append(b, `,"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, c.Data)
		b = append(b, '"')
	}
	return append(b, '}')
}
