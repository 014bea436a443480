package bridge

import "io"

// A request is what a plan renders from the arguments: all that the tool says.
// What the API adds (base URL, constants, credential) is joined by api.send.
type request struct {
	method  string
	exact   bool     // the tool has no path: base_url exactly as written
	path    string   // relative to base_url, without a leading slash, percent-encoded
	query   []pair   // in order: of the path, of query, of arguments; percent-encoded
	free    []string // names of the query that the caller of an open tool chose
	header  []pair   // canonical names, as they go on the wire
	cookies []pair   // encoded
	body    *body    // nil: none, and no content type

	forwarded []pair // headers of the caller's that go on
	trace     trace
}

// A pair is a name and a value, as they go on the wire.
type pair struct {
	name, value string
	bare        bool // of a query: without an equals sign
}

// A body can be opened again for another try.
type body struct {
	contentType string
	length      int64 // -1: not known
	open        func() (io.ReadCloser, error)
	files       []io.Closer // opened while rendering, closed with the request
}

// close gives back what rendering opened.
func (r *request) close() {
	if r.body == nil {
		return
	}
	for _, f := range r.body.files {
		_ = f.Close()
	}
}
