package bridge

import (
	"html"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tbridge/config"
)

// An envelope is compiled from an API's and a tool's: where a response says yes or no, and its parts.
type envelope struct {
	given      bool // there is one: JSON is due
	ok         places
	equals     []string // nil: the value must be true
	absent     places
	data       places
	code       places
	message    places
	details    places
	retryAfter places
	requestID  places
}

// compileEnvelope joins an API's envelope with a tool's, whose keys replace the API's. Both may be nil.
func compileEnvelope(api, tool *config.Envelope) envelope {
	v := envelope{given: api != nil || tool != nil}
	for _, e := range []*config.Envelope{api, tool} {
		if e == nil {
			continue
		}
		if e.OK != nil {
			v.ok, v.absent = compilePaths(e.OK.Path), compilePaths(e.OK.Absent)
			v.equals = slices.Clone(e.OK.Equals)
		}
		for _, part := range []struct {
			to   *places
			from config.Paths
		}{
			{&v.data, e.Data}, {&v.code, e.Error.Code}, {&v.message, e.Error.Message}, {&v.details, e.Error.Details},
			{&v.retryAfter, e.Error.RetryAfter}, {&v.requestID, e.RequestID},
		} {
			if part.from != nil {
				*part.to = compilePaths(part.from)
			}
		}
	}
	return v
}

// says is the envelope's verdict. A flag that is not there says yes.
func (v *envelope) says(s scope) bool {
	if v.absent != nil {
		return v.absent.find(s).Type == gjson.Null
	}
	flag := v.ok.find(s)
	switch {
	case flag.Raw == "":
		return true
	case v.equals == nil:
		return flag.Type == gjson.True
	case flag.Type == gjson.Null:
		return slices.Contains(v.equals, "null")
	}
	return flag.Type != gjson.JSON && slices.Contains(v.equals, scalar(flag))
}

// A row says what kind of failure a status or code is, or that it is none.
type row struct {
	status    []int
	code      []string
	kind      string
	hint      string
	retryable *bool
	ok        bool
}

// compileRows puts a tool's rows before its API's.
func compileRows(lists ...[]*config.ErrorRow) []row {
	var rows []row
	for _, list := range lists {
		for _, r := range list {
			rows = append(rows, row{status: slices.Clone(r.Status), code: slices.Clone(r.Code),
				kind: r.Kind, hint: r.Hint, retryable: r.Retryable, ok: r.OK})
		}
	}
	return rows
}

// matches says whether all keys given match. Without an answer there is no status, and only a row with a code can match.
func (r *row) matches(e *Error) bool {
	if e.HTTPStatus == 0 && (r.code == nil || r.ok) {
		return false
	}
	return (r.status == nil || slices.Contains(r.status, e.HTTPStatus)) && (r.code == nil || slices.Contains(r.code, e.Code))
}

// outcome says why an answer is a failure; nil when it is none. The verdict of the envelope beats the status when
// it says no, a status outside 2xx is a failure whatever the body says, and a row may make either a yes.
func (g *reading) outcome(s scope, d *document) *Error {
	if s.status/100 == 2 && g.envelope.says(s) {
		return nil
	}
	e := g.reason(s, d)
	if r := g.row(e); r != nil && r.ok {
		return nil
	}
	return e
}

// row is the first that matches; nil: none.
func (g *reading) row(e *Error) *row {
	for i := range g.rows {
		if g.rows[i].matches(e) {
			return &g.rows[i]
		}
	}
	return nil
}

// judge fills in what the rows know of a failure, and what can be known without them.
func (g *reading) judge(e *Error) {
	if r := g.row(e); r != nil && !r.ok {
		if r.retryable != nil {
			e.Retryable = r.retryable
		}
		if r.kind != "" {
			e.Kind = r.kind
		}
		if r.hint != "" {
			e.Hint = r.hint
		}
	}
	if e.Kind == "" {
		e.Kind = kindOf(e.HTTPStatus)
	}
	if e.Retryable == nil && passing(e) {
		e.Retryable = new(true)
	}
}

// kindOf is the built-in row of a status.
func kindOf(status int) string {
	switch status {
	case 400, 422:
		return kindValidation
	case 401:
		return kindToken
	case 403:
		return kindForbidden
	case 404, 410:
		return kindNotFound
	case 409, 412:
		return kindConflict
	case 429:
		return kindRateLimited
	case 408, 504:
		return kindTimeout
	}
	return kindUpstream
}

// passing says whether a failure is of the sort that passes by itself.
func passing(e *Error) bool {
	switch e.Kind {
	case kindRateLimited, kindTimeout:
		return true
	case kindUnreachable:
		return e.Code != "tls"
	}
	return e.HTTPStatus == 429 || e.HTTPStatus >= 502 && e.HTTPStatus <= 504
}

// reason gathers what an answer says of its failure: from where the envelope says, else from the shapes that are
// common, so that whatever reason there is arrives.
func (g *reading) reason(s scope, d *document) *Error {
	v := &g.envelope
	e := &Error{
		HTTPStatus:  s.status,
		RequestID:   g.excerpt(scalar(v.requestID.find(s))),
		Code:        g.excerpt(scalar(v.code.find(s))),
		Message:     g.said(v.message.find(s)),
		RetryAfterS: g.retryAfter(s),
	}
	if r := v.details.find(s); r.Type != gjson.Null {
		e.Details = cleanJSON(r.Raw)
	}
	switch {
	case d.json != "":
		g.guess(e, s)
	case e.Message != "":
	case d.form == formHTML:
		e.Message = g.excerpt(title(d.text))
	default:
		e.Message = g.excerpt(d.text)
	}
	if e.Message == "" {
		e.Message = statusLine(s.status)
	}
	return e
}

// said is a value as the text of a message.
func (g *reading) said(r gjson.Result) string { return g.excerpt(string(appendPlain(nil, r))) }

// excerpt is the beginning of what an API says, for a message.
func (g *reading) excerpt(text string) string { return g.masks.excerpt(text, maxMessage) }

// The places where APIs put their reasons, the best first.
var (
	commonMessages = everywhere("error.message", "error_description", "error.description", "error.detail", "detail",
		"message", "error", "errors.0.message", "errors.0.detail", "errors.0", "errorMessages.0", "description",
		"title", "reason", "msg", "error_message", "errorMessage", "fault.faultstring", "Message", "0.message", "@this")
	commonCodes = everywhere("error.code", "code", "error_code", "errors.0.code", "error.type", "error")
)

func everywhere(exprs ...string) places {
	var ps places
	for _, e := range exprs {
		ps = append(ps, place{text: e, expr: e, plain: e[0] != '@'})
	}
	return ps
}

// maxGuessed bounds the body that stands as details because nobody said where they are.
const maxGuessed = 2 << 10

// guess finds what the envelope does not say in a body of a common shape.
func (g *reading) guess(e *Error, s scope) {
	if g.envelope.code == nil {
		e.Code = g.excerpt(firstText(commonCodes, s, isWord))
	}
	if e.Message != "" {
		return
	}
	e.Message = g.excerpt(firstText(commonMessages, s, func(string) bool { return true }))
	if e.Details != nil || g.envelope.details != nil || s.data[0] != '{' && s.data[0] != '[' {
		return
	}
	switch all := cleanJSON(s.data); {
	case len(all) <= maxGuessed && !only(all, e.Message):
		e.Details = all
	case len(all) > maxGuessed && e.Message == "":
		e.Message = statusLine(e.HTTPStatus) + ": " + g.excerpt(string(all))
	}
}

// firstText is the first scalar of ps that is a text of use.
func firstText(ps places, s scope, use func(string) bool) string {
	for i := range ps {
		r := ps[i].find(s)
		if text := scalar(r); text != "" && (r.Type == gjson.String || r.Type == gjson.Number) && use(text) {
			return text
		}
	}
	return ""
}

// isWord says whether a text can be a code.
func isWord(text string) bool {
	return len(text) <= 64 && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// only says whether an object says nothing but the message.
func only(object []byte, message string) bool {
	count, same := 0, false
	gjson.ParseBytes(object).ForEach(func(_, value gjson.Result) bool {
		count++
		same = message != "" && scalar(value) == message
		return true
	})
	return count == 0 || count == 1 && same
}

// statusLine is what a status says by itself.
func statusLine(status int) string {
	switch text := http.StatusText(status); {
	case status/100 == 2:
		return "the API answered " + strconv.Itoa(status) + ", but its envelope says that the call failed"
	case text != "":
		return strconv.Itoa(status) + " " + text
	}
	return "status " + strconv.Itoa(status)
}

var titleElement = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)

// title is the title of a page of HTML, empty when it has none.
func title(page string) string {
	m := titleElement.FindStringSubmatch(page[:min(len(page), 64<<10)])
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(m[1])), " ")
}

// retryAfter is how long to wait: where the envelope says, else as the header says (RFC 9110, section 10.2.3).
func (g *reading) retryAfter(s scope) *int {
	text := scalar(g.envelope.retryAfter.find(s))
	if text == "" {
		text = s.header.Get("Retry-After")
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		at, err := http.ParseTime(text)
		if err != nil {
			return nil
		}
		seconds = time.Until(at).Seconds()
	}
	if math.IsNaN(seconds) {
		return nil
	}
	whole := int(math.Ceil(min(max(seconds, 0), math.MaxInt32)))
	return &whole
}
