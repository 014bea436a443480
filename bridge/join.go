package bridge

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

var (
	safeInCookie = safe("!#$%&'()*+/:<=>?@[]^`{|}") // RFC 6265, section 4.1.1
	safeInPrefix = safe("!$&'()*+,;=:@/[]")         // of a path, as operators write and servers take it
	safeInPairs  = safe("!$&'()*+,;=:@/?[]")        // of a query, the same
)

// encoded percent-encodes a whole value. As all functions here it leaves marks alone, see preview.
func encoded(s string) string {
	return beside(s, func(s string) string { return string(escapeQuery(nil, s)) })
}

// written encodes only what cannot stand there as it was written.
func written(s string, set *safeSet) string {
	return beside(s, func(s string) string { return string(appendWritten(nil, s, set)) })
}

func encodedPath(s string) string  { return written(s, safeInPrefix) }
func encodedQuery(s string) string { return written(s, safeInPairs) }

// An outgoing is a request with all that its API adds.
type outgoing struct {
	method string
	path   string // percent-encoded, from the first slash
	query  string // percent-encoded, without the question mark
	header http.Header
	body   *body
}

// compose joins a request with the API's part of it. Of a header, pair or cookie that both have, the tool's is
// sent; but nothing stands in for the credential, and what the caller of an open tool chose for nothing at all.
func (ep *endpoint) compose(a *api, r *request) (*outgoing, *Error) {
	if e := ep.hold(r.free); e != nil {
		return nil, e
	}
	return &outgoing{method: r.method, path: ep.joinPath(r), query: ep.joinQuery(r), header: ep.joinHeader(a, r), body: r.body}, nil
}

// hold refuses names of the query that the API fixes, be it in base_url.
func (ep *endpoint) hold(free []string) *Error {
	if free == nil {
		return nil
	}
	held := fixed{}
	for _, p := range append(writtenQuery(ep.query), ep.key.query) {
		held.addEncoded(p.name)
	}
	for _, p := range ep.pairs {
		held.addEncoded(p.name)
	}
	f := &frame{}
	for _, name := range free {
		if held.has(name) {
			f.refuse(name, "is fixed by the operator of this API, and cannot be sent")
		}
	}
	return f.refused()
}

// fixed are names that the callers of an open tool cannot send. Readers of a query, a form and even of JSON differ
// in how exactly they take names: case does not count, nor what follows a bracket.
type fixed map[string]bool

func (fx fixed) add(name string) { fx[fixedName(name)] = true }

// addEncoded adds a percent-encoded name.
func (fx fixed) addEncoded(name string) {
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	fx.add(name)
}

func (fx fixed) has(name string) bool { return fx[fixedName(name)] }

func fixedName(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return strings.ToLower(name)
}

func (ep *endpoint) joinPath(r *request) string {
	if !r.exact {
		return strings.TrimRight(ep.path, "/") + "/" + encodedPath(strings.TrimLeft(r.path, "/"))
	}
	if ep.path == "" {
		return "/"
	}
	return ep.path
}

// joinQuery gives the pairs in their order: base_url, the API's, the tool's, the key.
func (ep *endpoint) joinQuery(r *request) string {
	b := []byte(ep.query)
	add := func(p pair) {
		if len(b) > 0 {
			b = append(b, '&')
		}
		if b = append(b, p.name...); !p.bare {
			b = append(append(b, '='), p.value...)
		}
	}
	for _, p := range ep.pairs {
		if !hasPair(r.query, p.name) && !samePair(p.name, ep.key.query.name) {
			add(p)
		}
	}
	for _, p := range r.query {
		if !samePair(p.name, ep.key.query.name) {
			add(pair{name: encodedQuery(p.name), value: encodedQuery(p.value), bare: p.bare})
		}
	}
	if ep.key.query.name != "" {
		add(ep.key.query)
	}
	return string(b)
}

func hasPair(pairs []pair, name string) bool {
	for _, p := range pairs {
		if samePair(p.name, name) {
			return true
		}
	}
	return false
}

// samePair compares two percent-encoded names.
func samePair(a, b string) bool {
	if a == b || b == "" {
		return a == b
	}
	decodedA, errA := url.QueryUnescape(a)
	decodedB, errB := url.QueryUnescape(b)
	return errA == nil && errB == nil && decodedA == decodedB
}

func (ep *endpoint) joinHeader(a *api, r *request) http.Header {
	h := make(http.Header, len(ep.constants)+len(r.header)+5)
	for _, p := range r.header {
		h[p.name] = append(h[p.name], p.value)
	}
	constants := append(ep.constants[:len(ep.constants):len(ep.constants)],
		pair{name: "Accept", value: "application/json, */*;q=0.8"}, pair{name: "Accept-Encoding", value: "gzip, deflate"}, pair{name: "User-Agent", value: a.options.userAgent()})
	if r.body != nil && r.body.contentType != "" {
		constants = append([]pair{{name: "Content-Type", value: r.body.contentType}}, constants...)
	}
	for _, p := range constants {
		if _, given := h[p.name]; !given {
			h[p.name] = []string{p.value}
		}
	}
	if cookies := ep.joinCookies(h, r); cookies != "" {
		h["Cookie"] = []string{cookies}
	}
	if key := ep.key.header; key.name != "" {
		h[textproto.CanonicalMIMEHeaderKey(key.name)] = []string{key.value}
	}
	return h
}

// joinCookies gives all cookies in one header, as RFC 6265 wants it.
func (ep *endpoint) joinCookies(h http.Header, r *request) string {
	all := h["Cookie"]
	for _, p := range r.cookies {
		if p.name != ep.key.cookie.name {
			all = append(all, p.name+"="+p.value)
		}
	}
	if key := ep.key.cookie; key.name != "" {
		all = append(all, key.name+"="+key.value)
	}
	return strings.Join(all, "; ")
}

func (o Options) userAgent() string {
	if o.Version == "" {
		return "tbridge"
	}
	return "tbridge/" + o.Version
}

// url gives the URL that net/http puts on the wire byte by byte as it was rendered.
func (ep *endpoint) url(o *outgoing) *url.URL {
	path, _ := url.PathUnescape(o.path) // all that is not percent-encoded was encoded
	return &url.URL{Scheme: ep.scheme, Host: ep.host, Path: path, RawPath: o.path, RawQuery: o.query}
}
