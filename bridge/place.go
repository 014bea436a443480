package bridge

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tbridge/config"
)

// A scope is where the paths of an answer lead: a document for each root. It
// is passed by value; only data differs from one place to the next.
type scope struct {
	*answer
	data string // JSON; empty: none
}

// An answer is what all paths of one call share.
type answer struct {
	status int
	header http.Header
	body   string // JSON; empty: none, or no JSON
	call   *call  // nil: the arguments are not known
	args   string // the call's arguments as JSON, made when first asked for
	fault  string // the path that could not be followed, as written; empty: none
}

// arguments are the call's arguments as JSON.
func (a *answer) arguments() string {
	if a.args == "" && a.call != nil {
		a.args = a.call.args.String()
	}
	return a.args
}

// A place is one compiled path.
type place struct {
	text  string // as written
	root  config.Root
	expr  string
	plain bool // leads to a piece of the document itself: nothing in it computes
	deep  bool // may read JSON out of a string
}

// places are paths of which the first that is there and not null counts.
type places []place

func compilePaths(from config.Paths) places {
	var ps places
	for _, p := range from {
		c := place{text: p.Text, root: p.Root, expr: p.Expr}
		c.plain = !strings.ContainsAny(p.Expr, "@!{[|")
		c.deep = strings.Contains(p.Expr, "@fromstr")
		if p.Root == config.RootHeaders {
			c.expr = http.CanonicalHeaderKey(p.Expr)
		}
		ps = append(ps, c)
	}
	return ps
}

// find gives the first value that is there and not null, else a null that is there, else nothing.
func (ps places) find(s scope) gjson.Result {
	var null gjson.Result
	for i := range ps {
		r := ps[i].find(s)
		if r.Type != gjson.Null {
			return r
		}
		if r.Raw != "" {
			null = r
		}
	}
	return null
}

// String names the places for people.
func (ps places) String() string {
	var b []byte
	for i, p := range ps {
		if i > 0 {
			b = append(b, " or "...)
		}
		b = append(b, p.text...)
	}
	return string(b)
}

// find follows the path. The Raw of what it gives is JSON as checkJSON wants it, and empty when nothing is there.
func (p *place) find(s scope) gjson.Result {
	switch p.root {
	case config.RootData:
		return p.in(s.answer, s.data)
	case config.RootBody:
		return p.in(s.answer, s.body)
	case config.RootArgs:
		return p.in(s.answer, s.arguments())
	case config.RootStatus:
		if p.expr != "" || s.status == 0 {
			return gjson.Result{}
		}
		return gjson.Parse(strconv.Itoa(s.status))
	}
	return p.header(s.header)
}

// header gives the value of a header, those of a repeated one joined (RFC 9110, section 5.3).
func (p *place) header(h http.Header) gjson.Result {
	values := h[p.expr]
	if len(values) == 0 {
		return gjson.Result{}
	}
	return gjson.Parse(string(config.AppendQuoted(nil, strings.Join(values, ", "))))
}

// in follows the path in a document. What cannot be followed is noted in the answer.
func (p *place) in(a *answer, doc string) (r gjson.Result) {
	if p.expr == "" || doc == "" {
		return gjson.Parse(doc)
	}
	// gjson looks for the first bracket, be it inside a string.
	if c := doc[0]; c != '{' && c != '[' && p.expr[0] != '@' && p.expr[0] != '!' {
		return gjson.Result{}
	}
	defer func() { // gjson indexes freely; what is odd enough to trip it is a failed projection, not the end of the process
		if recover() != nil {
			a.fault, r = p.text, gjson.Result{}
		}
	}()
	if p.deep && deeper(doc, maxNested) {
		a.fault = p.text
		return gjson.Result{}
	}
	r = gjson.Get(doc, p.expr)
	if p.plain && (r.Index > 0 || r.Type != gjson.JSON) {
		return r
	}
	if r.Raw != "" && checkJSON(r.Raw) != nil {
		a.fault = p.text
		return gjson.Result{}
	}
	return r
}

// scalar is the text of a scalar: a string's characters, other literals as in JSON. Empty for the rest.
func scalar(r gjson.Result) string {
	switch r.Type {
	case gjson.String:
		return r.Str
	case gjson.Number, gjson.True, gjson.False:
		return r.Raw
	}
	return ""
}
