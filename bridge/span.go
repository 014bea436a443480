package bridge

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// A Span is one call in a distributed trace, when it has ended. It holds neither arguments nor secrets.
type Span struct {
	TraceID, SpanID string // hexadecimal
	ParentID        string // empty: the call is the root
	Tool            string
	Principal       string
	Outcome         string // ok, or the kind of failure
	Status          int    // of the HTTP answer; 0: there was none
	Began, Ended    time.Time
}

const sampledFlag = 1

// newSpan begins the span of a call, and gives the trace as the API is told of it: below this span. It is nil
// when nobody wants it, or whoever began the trace decided so.
func (a *account) newSpan(t trace) (*Span, trace) {
	if a.bridge.options.Span == nil {
		return nil, t
	}
	s := &Span{Tool: a.tool, Principal: a.in.caller.name, Began: a.began, SpanID: randomHex(8)}
	if t.parent == "" {
		s.TraceID = randomHex(16)
		t.state = ""
	} else {
		flags, err := hex.DecodeString(t.parent[53:55])
		if err != nil || flags[0]&sampledFlag == 0 {
			return nil, t
		}
		s.TraceID, s.ParentID = t.parent[3:35], t.parent[36:52]
	}
	t.parent = "00-" + s.TraceID + "-" + s.SpanID + "-01"
	return s, t
}

// end gives a span to who wants it.
func (a *account) end(s *Span, outcome string, status int) {
	if s == nil {
		return
	}
	s.Outcome, s.Status, s.Ended = outcome, status, time.Now()
	a.bridge.options.Span(*s)
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program rather than give weak bytes
	return hex.EncodeToString(b)
}
