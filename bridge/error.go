package bridge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tbridge/config"
	"tbridge/validate"
)

// The kinds of failure. An error row may give any other word.
const (
	kindInvalidArguments = "invalid_arguments"
	kindToken            = "token"
	kindScope            = "scope"
	kindForbidden        = "forbidden"
	kindNotFound         = "not_found"
	kindConflict         = "conflict"
	kindValidation       = "validation"
	kindRateLimited      = "rate_limited"
	kindUpstream         = "upstream"
	kindUnreachable      = "unreachable"
	kindTimeout          = "timeout"
	kindBadResponse      = "bad_response"
	kindResponseTooLarge = "response_too_large"
	kindResultTooLarge   = "result_too_large"
	kindCancelled        = "cancelled"
	kindInternal         = "internal"
)

// An Error is what the agent sees when a call fails.
type Error struct {
	Code        string
	Message     string
	HTTPStatus  int // 0: there was no answer
	RequestID   string
	Kind        string
	Hint        string
	Retryable   *bool
	RetryAfterS *int
	Details     json.RawMessage
	Problems    []validate.Problem // with the arguments, one by one, where they do not pass; Message has all of them
}

func (e *Error) Error() string { return e.Kind + ": " + e.Message }

// errorf makes an Error of a kind.
func errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// coded gives the error a code.
func (e *Error) coded(code string) *Error {
	e.Code = code
	return e
}

// append appends {"error":{..}}, its keys in the documented order, absent ones left out.
func (e *Error) append(b []byte) []byte {
	b = append(b, `{"error":{`...)
	first := true
	key := func(name string) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(config.AppendQuoted(b, name), ':')
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			b = config.AppendQuoted(b, value)
		}
	}
	text("code", e.Code)
	text("message", e.Message)
	if e.HTTPStatus != 0 {
		key("http_status")
		b = strconv.AppendInt(b, int64(e.HTTPStatus), 10)
	}
	text("request_id", e.RequestID)
	text("kind", e.Kind)
	text("hint", e.Hint)
	if e.Retryable != nil {
		key("retryable")
		b = strconv.AppendBool(b, *e.Retryable)
	}
	if e.RetryAfterS != nil {
		key("retry_after_s")
		b = strconv.AppendInt(b, int64(*e.RetryAfterS), 10)
	}
	if len(e.Details) > 0 {
		key("details")
		b = append(b, e.Details...)
	}
	return append(b, "}}"...)
}

// invalidArguments makes the Error of arguments that do not pass.
func invalidArguments(err error) *Error {
	e := errorf(kindInvalidArguments, "%s", err)
	if invalid, ok := err.(*validate.Invalid); ok {
		e.Problems = invalid.Problems
		var hints []string
		for _, p := range invalid.Problems {
			if p.Hint != "" {
				hints = append(hints, p.Hint)
			}
		}
		e.Hint = strings.Join(hints, "; ")
	}
	return e
}
