package bridge

import (
	"io"

	"tbridge/config"
)

// A bodyPlan is how the body of a tool is made.
type bodyPlan struct {
	root        *node
	encode      encoder
	contentType *text  // nil: fallback
	fallback    string // the content type of the encoding
}

// An encoder makes the contents of a body, one after the other. A content type, if not empty, beats the plan's.
type encoder func(f *frame, root *node) (contents []content, contentType string)

// An encoding is one way to write a body, and the dialect of its text.
type encoding struct {
	encode      encoder
	contentType string
	dialect     *dialect
}

var encodings = map[string]encoding{
	"":          {encodeJSON, "application/json", inText},
	"json":      {encodeJSON, "application/json", inText},
	"form":      {encodeForm, "application/x-www-form-urlencoded", inForm},
	"multipart": {encodeMultipart, "multipart/form-data", inPart},
	"text":      {encodeText, "text/plain; charset=utf-8", inText},
	"xml":       {encodeXML, "application/xml; charset=utf-8", inXML},
	"ndjson":    {encodeLines, "application/x-ndjson", inText},
	"bytes":     {encodeBytes, "application/octet-stream", inText},
}

// render makes the body. It may be opened several times, each reader beginning at its start.
func (p *bodyPlan) render(f *frame) *body {
	contents, contentType := p.encode(f, p.root)
	b := &body{contentType: p.fallback, files: f.files}
	if p.contentType != nil {
		if s, ok := renderHeader(f, "Content-Type", p.contentType); ok && s != "" {
			b.contentType = s
		}
	}
	b.contentType += contentType
	for _, c := range contents {
		b.length += c.size
	}
	b.open = func() (io.ReadCloser, error) {
		readers := make([]io.Reader, len(contents))
		for i, c := range contents {
			readers[i] = c.reader()
		}
		if len(readers) == 1 {
			return io.NopCloser(readers[0]), nil
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}
	return b
}

func encodeJSON(f *frame, root *node) ([]content, string) {
	v, ok := root.build(f)
	if !ok {
		v = config.JSON{Kind: config.KindObject}
	}
	return []content{inMemory(v.Append(make([]byte, 0, 512)))}, ""
}

// encodeLines writes one JSON value a line: each element of a list, or the value itself.
func encodeLines(f *frame, root *node) ([]content, string) {
	v, ok := root.build(f)
	var b []byte
	lines := []config.JSON{v}
	if v.Kind == config.KindArray {
		lines = v.Items
	}
	for _, line := range lines {
		if ok {
			b = append(line.Append(b), '\n')
		}
	}
	return []content{inMemory(b)}, ""
}

func encodeForm(f *frame, root *node) ([]content, string) {
	e := emitter{f: f, d: inForm}
	e.root(root)
	var b []byte
	for i, item := range e.items {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(escapeForm(b, item.name), '=')
		b = append(b, item.value...)
	}
	return []content{inMemory(b)}, ""
}

func encodeText(f *frame, root *node) ([]content, string) { return encodeAs(f, root, inText), "" }
func encodeXML(f *frame, root *node) ([]content, string)  { return encodeAs(f, root, inXML), "" }

func encodeAs(f *frame, root *node, d *dialect) []content {
	var b []byte
	switch root.kind {
	case nodeConstant:
		b = []byte(root.typed)
	case nodeHole:
		b, _ = root.hole.append(nil, f, d, true)
	case nodeText:
		if s, ok := root.text.render(f, d); ok {
			b = []byte(s)
		}
	}
	return []content{inMemory(b)}
}

// encodeBytes sends a file's bytes as they are; anything else as its text.
func encodeBytes(f *frame, root *node) ([]content, string) {
	if root.kind != nodeHole || !root.hole.shape.isFile() {
		return encodeAs(f, root, inText), ""
	}
	v, ok := root.hole.value(f)
	if !ok || v.Kind == config.KindNull {
		return []content{inMemory(nil)}, ""
	}
	c, _ := root.hole.shape.file.content(f, root.hole.label, v.Text)
	return []content{c}, ""
}
