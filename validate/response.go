package validate

import (
	"strings"
	"time"

	"tbridge/config"
)

// maxTimeout is how long a call may take.
const maxTimeout = 300 * time.Second

// errorKeys are the members of the error object, in the order a failure shows them.
var errorKeys = []string{"code", "message", "http_status", "request_id", "kind", "hint", "retryable", "retry_after_s", "details"}

// response checks how the answer is read.
func (k *toolCheck) response() {
	k.envelope(k.t.Envelope, k.t.Arguments)
	k.errorText(k.t.ErrorText)
	r := k.t.Response
	if r == nil {
		return
	}
	if r.Projection != nil {
		k.paths(r.Projection.Paths, "projection", k.t.Arguments)
		for _, e := range r.Projection.Fields {
			k.paths(e.Value, "projection "+e.Key, k.t.Arguments)
		}
	}
	k.paths(r.List, "list", k.t.Arguments)
	k.resultText(r.Text, "text")
	k.resultText(r.Each, "each")
	k.content(r)
	if r.Check != "" && r.Output == nil {
		k.warn(r.At("check"), ruleContent, "check says what to do with a result that output does not describe, and there is no output")
	}
}

// content finds keys that read JSON in a result that is none.
func (k *toolCheck) content(r *config.Response) {
	if r.Content != "text" && r.Content != "file" {
		return
	}
	for _, key := range []string{"projection", "list", "text", "each", "output", "max_items"} {
		if r.Has(key) {
			k.error(r.KeyAt(key), ruleContent, "%s reads JSON, and content: %s passes the body on as it is", key, r.Content).Hint = "leave out one of the two"
		}
	}
}

// resultText checks the paths in the text of a result.
func (k *toolCheck) resultText(t *config.Template, what string) {
	if t == nil {
		return
	}
	for _, p := range t.Parts {
		if p.Hole != nil && !p.Hole.Count {
			v := p.Hole.Value
			v.Pos = p.Pos
			k.onePath(v, what, k.t.Arguments)
		}
	}
}

// paths checks the paths of one place. args are those that $args may name; nil: any.
func (k *checker) paths(list config.Paths, what string, args []*config.Argument) {
	for _, p := range list {
		k.onePath(p, what, args)
	}
}

func (k *checker) onePath(p config.Path, what string, args []*config.Argument) {
	fault := ""
	switch p.Root {
	case config.RootData, config.RootBody:
		if p.Root == config.RootData && strings.HasPrefix(p.Text, "$") {
			fault = `a path begins with a name, or with $body, $status, $headers or $args; write \$ for the character`
		} else if p.Root == config.RootData || p.Expr != "" || strings.HasSuffix(p.Text, ".") {
			fault = checkPath(p.Expr)
		}
	case config.RootStatus:
		if p.Text != "$status" {
			fault = "$status is a number and has no members"
		}
	case config.RootHeaders:
		if !token.MatchString(p.Expr) {
			fault = "want $headers.NAME with the name of one header"
		}
	case config.RootArgs:
		k.argsPath(p, what, args)
		return
	}
	if fault != "" {
		k.error(p.Pos, rulePathSyntax, "the path %s in %s: %s", quoted(p.Text), what, fault)
	}
}

// argsPath checks a path into the arguments of the call.
func (k *checker) argsPath(p config.Path, what string, args []*config.Argument) {
	if p.Expr == "" && !strings.HasSuffix(p.Text, ".") {
		return
	}
	if fault := checkPath(p.Expr); fault != "" {
		k.error(p.Pos, rulePathSyntax, "the path %s in %s: %s", quoted(p.Text), what, fault)
		return
	}
	name := p.Expr
	if i := strings.IndexAny(name, ".|"); i >= 0 {
		name = name[:i]
	}
	if args == nil || !argumentName.MatchString(name) || argument(args, name) != nil {
		return
	}
	k.error(p.Pos, ruleUnknownHole, "the path %s in %s names %s, which is no argument", quoted(p.Text), what, quoted(name)).Hint = near(name, argumentNames(args))
}

// envelope checks the paths that say yes or no, and what is said.
func (k *checker) envelope(e *config.Envelope, args []*config.Argument) {
	if e == nil {
		return
	}
	if v := e.OK; v != nil {
		k.paths(v.Path, "envelope ok", args)
		k.paths(v.Absent, "envelope ok", args)
		switch {
		case v.Path == nil && v.Absent == nil:
			k.error(v.At(), ruleEnvelope, "ok names no path; write path, or absent")
		case v.Path != nil && v.Absent != nil:
			k.error(v.At(), ruleEnvelope, "ok has path and absent; use one of them")
		case v.Equals != nil && v.Absent != nil:
			k.error(v.KeyAt("equals"), ruleEnvelope, "equals goes with path, not with absent")
		case v.Equals != nil && len(v.Equals) == 0:
			k.error(v.At("equals"), ruleEnvelope, "equals lists no value, so that no answer is a yes")
		}
	}
	k.paths(e.Data, "envelope data", args)
	k.paths(e.RequestID, "envelope request_id", args)
	k.paths(e.Error.Code, "envelope error.code", args)
	k.paths(e.Error.Message, "envelope error.message", args)
	k.paths(e.Error.Details, "envelope error.details", args)
	k.paths(e.Error.RetryAfter, "envelope error.retry_after", args)
}

// errorText checks that the holes of error_text are members of the error object.
func (k *checker) errorText(t *config.Template) {
	if t == nil {
		return
	}
	for _, p := range t.Parts {
		if p.Hole == nil {
			continue
		}
		name := p.Hole.Value.Text
		if i := strings.IndexAny(name, ".|"); i >= 0 {
			name = name[:i]
		}
		known := false
		for _, key := range errorKeys {
			known = known || key == name
		}
		if !known {
			k.error(p.Pos, ruleUnknownHole, "error_text names %s, which the error object does not have; use %s", quoted(p.Text), strings.Join(errorKeys, ", ")).Hint = meant(name, errorKeys)
			continue
		}
		if fault := checkPath(p.Hole.Value.Text); fault != "" {
			k.error(p.Pos, rulePathSyntax, "the path %s in error_text: %s", quoted(p.Hole.Value.Text), fault)
		}
	}
}

// errors checks rows of errors: that each can match, and says something.
func (k *checker) errors(rows []*config.ErrorRow) {
	for i, r := range rows {
		k.statuses(r.Source, r.Status)
		if r.Has("status") && len(r.Status) == 0 || r.Has("code") && len(r.Code) == 0 {
			k.error(r.At(), ruleErrorRow, "the row can never match: its list of statuses or codes is empty")
		}
		switch says := r.Kind != "" || r.Hint != "" || r.Retryable != nil; {
		case r.OK && says:
			k.error(r.At(), ruleErrorRow, "a row with ok: true is no error and has no kind, hint or retryable")
		case r.OK && r.Status == nil && r.Code == nil:
			k.error(r.At(), ruleErrorRow, "the row makes a yes of every answer; give it a status or a code")
		case !r.OK && !says:
			k.error(r.At(), ruleErrorRow, "the row says nothing; give it a kind, hint, retryable or ok: true")
		}
		for _, first := range rows[:i] {
			if first.OK && first.Status == nil && first.Code == nil {
				continue // an error already
			}
			if covers(first.Status, r.Status) && covers(first.Code, r.Code) {
				d := k.warn(r.At(), ruleErrorRow, "the row can never match: the one in line %d matches first", first.At().Line)
				d.Related = []config.Related{{Pos: first.At(), Message: "matches first"}}
				break
			}
		}
	}
}

// covers says whether the first row's condition holds wherever the second's does.
func covers[T comparable](first, second []T) bool {
	if first == nil {
		return true
	}
	if len(second) == 0 {
		return false
	}
	for _, v := range second {
		found := false
		for _, w := range first {
			found = found || v == w
		}
		if !found {
			return false
		}
	}
	return true
}

// statuses checks HTTP statuses of a row or of retry.
func (k *checker) statuses(s config.Source, list []int) {
	for i, status := range list {
		if status < 100 || status > 599 {
			at := s.At("status", i)
			if s.Has("statuses") {
				at = s.At("statuses", i)
			}
			k.error(at, ruleStatus, "%d is no HTTP status; want 100 to 599", status)
		}
	}
}

// limits checks how long a call may take and how often it is tried.
func (k *checker) limits(s config.Source, timeout time.Duration, r *config.Retry) {
	if timeout > maxTimeout {
		k.error(s.At("timeout"), ruleLimit, "a timeout of %s; at most %s are allowed", timeout, maxTimeout)
	}
	if r == nil {
		return
	}
	if r.Attempts > 10 {
		k.error(r.At("attempts"), ruleLimit, "%d attempts; want 1 to 10, the first try counted", r.Attempts)
	}
	k.statuses(r.Source, r.Statuses)
}
