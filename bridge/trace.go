package bridge

import (
	"net/http"
	"regexp"
)

// A trace is the place of a call in a distributed trace (W3C Trace Context). Empty: there is none.
type trace struct{ parent, state string }

var (
	traceParent = regexp.MustCompile(`^(?:0[0-9a-f]|[1-9a-e][0-9a-f]|f[0-9a-e])-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
	traceState  = regexp.MustCompile(`^[a-z0-9][ -~]{2,511}$`)
)

const (
	noTraceID = "00000000000000000000000000000000"
	noSpanID  = "0000000000000000"
)

// newTrace checks what came from outside. What is not well-formed counts as absent.
func newTrace(parent, state string) trace {
	if !traceParent.MatchString(parent) || parent[3:35] == noTraceID || parent[36:52] == noSpanID {
		return trace{}
	}
	if !traceState.MatchString(state) {
		state = ""
	}
	return trace{parent, state}
}

func traceOfHeader(h http.Header) trace { return newTrace(h.Get("Traceparent"), h.Get("Tracestate")) }

// traceOfMeta reads the _meta of a request.
func traceOfMeta(meta map[string]any) trace {
	parent, _ := meta["traceparent"].(string)
	state, _ := meta["tracestate"].(string)
	return newTrace(parent, state)
}

// tell passes the trace on, unless the request has one of its own.
func (t trace) tell(h http.Header) {
	if t.parent == "" || h["Traceparent"] != nil {
		return
	}
	h["Traceparent"] = []string{t.parent}
	if t.state != "" {
		h["Tracestate"] = []string{t.state}
	}
}
