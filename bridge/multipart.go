package bridge

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// encodeMultipart writes multipart/form-data (RFC 7578): texts as fields, files as files. Files are not read here.
func encodeMultipart(f *frame, root *node) ([]content, string) {
	e := emitter{f: f, d: inPart}
	e.root(root)
	var contents []content
	var b bytes.Buffer
	w := multipart.NewWriter(&b) // writing to memory does not fail
	flush := func() {
		contents = append(contents, inMemory(bytes.Clone(b.Bytes())))
		b.Reset()
	}
	for _, item := range e.items {
		item.checkName(f)
		part, _ := w.CreatePart(partHeader(item))
		if item.file == nil {
			_, _ = part.Write([]byte(item.value))
			continue
		}
		flush()
		contents = append(contents, item.file.content)
	}
	_ = w.Close()
	flush()
	return contents, "; boundary=" + w.Boundary()
}

// escapeName writes a name or filename between quotes (RFC 7578, section 4.2): as Go and curl do, and every parser reads.
var escapeName = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A")

// partHeader describes a part.
func partHeader(i item) textproto.MIMEHeader {
	disposition := `form-data; name="` + escapeName.Replace(i.name) + `"`
	h := textproto.MIMEHeader{}
	switch {
	case i.file != nil:
		disposition += `; filename="` + escapeName.Replace(i.file.name) + `"`
		h.Set("Content-Type", i.file.mediaType)
	case i.json:
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Disposition", disposition)
	return h
}

// checkName refuses names with control characters, which no header can hold. Line breaks are escaped.
func (i item) checkName(f *frame) {
	for _, name := range [...]string{i.name, i.filename()} {
		if c, found := control(strings.NewReplacer("\r", "", "\n", "").Replace(name)); found {
			f.refuse("the name of a part", "holds the control character U+%04X, which cannot stand there", c)
		}
	}
}

func (i item) filename() string {
	if i.file == nil {
		return ""
	}
	return i.file.name
}
