package bridge

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"tbridge/config"
)

// maxInline bounds a file that is read into memory because its body is text. Others are streamed.
const maxInline = 16 << 20

// A fileRule is what was declared of a file argument.
type fileRule struct {
	source    string // base64, text or path
	name      *text  // nil: the base name of the path, or the argument's name
	mediaType *text
	fallback  string // the argument's name
	max       int64  // bytes; 0: no limit of its own
	roots     roots
}

// A content is bytes in memory, or in an open file.
type content struct {
	data []byte
	file *os.File // nil: data
	size int64
}

// reader reads the content from its start; each reader has a place of its own.
func (c content) reader() io.Reader {
	if c.file != nil {
		return io.NewSectionReader(c.file, 0, c.size)
	}
	return bytes.NewReader(c.data)
}

// inMemory is a content of bytes.
func inMemory(data []byte) content { return content{data: data, size: int64(len(data))} }

// An openFile is a file argument, ready to be sent.
type openFile struct {
	content
	name      string
	mediaType string
}

// fileRule compiles what was declared of a file. The holes of its templates place nothing.
func (k *compiler) fileRule(a *config.Argument, label string) *fileRule {
	r := &fileRule{source: a.FileSource, fallback: a.Name, max: int64(a.MaxBytes), roots: k.vars.roots}
	if r.source == "" {
		r.source = "base64"
	}
	if r.fallback == "" {
		r.fallback = strings.TrimRight(label, "[]")
	}
	k.later = append(k.later, func() {
		if a.Filename != nil {
			r.name = k.text(a.Filename, asWritten)
		}
		if a.MediaType != nil {
			r.mediaType = k.text(a.MediaType, asWritten)
		}
	})
	return r
}

// open gives the file that a value stands for; false when it is refused. An open file is closed with the frame.
func (r *fileRule) open(f *frame, label, value string) (*openFile, bool) {
	c, ok := r.content(f, label, value)
	if !ok {
		return nil, false
	}
	file := &openFile{content: c, name: r.fallback, mediaType: "application/octet-stream"}
	switch r.source {
	case "path":
		file.name = filepath.Base(value)
	case "text":
		file.mediaType = "text/plain; charset=utf-8"
	}
	for _, t := range [...]struct {
		text *text
		into *string
	}{{r.name, &file.name}, {r.mediaType, &file.mediaType}} {
		if t.text == nil {
			continue
		}
		if s, ok := t.text.render(f, inHeader); ok && s != "" {
			*t.into = s
		}
	}
	return file, true
}

// content gives the bytes that a value stands for; false when it is refused.
func (r *fileRule) content(f *frame, label, value string) (content, bool) {
	var c content
	switch r.source {
	case "text":
		c = inMemory([]byte(value))
	case "path":
		file, size := r.roots.open(value)
		if file == nil {
			f.refuse(label, "no regular file of that path below a folder that files.roots permits (%s)", r.roots)
			return c, false
		}
		f.files = append(f.files, file)
		c = content{file: file, size: size}
	default:
		data, err := decodeBase64(value)
		if err != nil {
			f.refuse(label, "not valid base64 (RFC 4648, section 4); encode the file's bytes")
			return c, false
		}
		c = inMemory(data)
	}
	if r.max > 0 && c.size > r.max {
		f.refuse(label, "%d bytes, more than the %d allowed", c.size, r.max)
		return c, false
	}
	return c, true
}

// decodeBase64 reads standard base64, with or without padding, and nothing else between.
func decodeBase64(s string) ([]byte, error) {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 { // which the decoder would skip
		return nil, base64.CorruptInputError(i)
	}
	if len(s)%4 == 0 {
		return base64.StdEncoding.Strict().DecodeString(s)
	}
	return base64.RawStdEncoding.Strict().DecodeString(s)
}

// base64 gives the file as base64 text, for bodies that are text.
func (r *fileRule) base64(f *frame, label, value string) string {
	c, ok := r.content(f, label, value)
	if !ok {
		return ""
	}
	if c.size > maxInline {
		f.refuse(label, "%d bytes, more than the %d that fit into a body of text", c.size, maxInline)
		return ""
	}
	if c.file != nil {
		defer c.file.Close() // at once, whatever becomes of the request
		c.data = make([]byte, c.size)
		if _, err := io.ReadFull(c.reader(), c.data); err != nil {
			f.refuse(label, "the file cannot be read, or changed while it was")
			return ""
		}
	}
	return base64.StdEncoding.EncodeToString(c.data)
}

// roots are the folders below which files may be read.
type roots []string

// String names the folders without saying where they are.
func (rs roots) String() string {
	if len(rs) == 0 {
		return "none"
	}
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = filepath.Base(r)
	}
	return strings.Join(names, ", ")
}

// open opens a regular file below one of the roots; nil when there is none. A relative path is tried below
// each. What is outside and what does not exist look alike, so that nothing can be learnt of other folders.
func (rs roots) open(path string) (*os.File, int64) {
	for _, root := range rs {
		if file, size := openBelow(root, path); file != nil {
			return file, size
		}
	}
	return nil, 0
}

// openBelow resolves all symbolic links first, and then opens through an os.Root, which follows none that
// was put in their way in the meantime.
func openBelow(root, path string) (*os.File, int64) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, 0
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, 0
	}
	name, err := filepath.Rel(realRoot, realPath)
	if err != nil || !filepath.IsLocal(name) {
		return nil, 0
	}
	dir, err := os.OpenRoot(realRoot)
	if err != nil {
		return nil, 0
	}
	defer dir.Close()
	// Looked at before it is opened, because opening a device may do something, and after, because it may
	// have been exchanged; without blocking, because a pipe would wait for its other end.
	if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, 0
	}
	return file, info.Size()
}
