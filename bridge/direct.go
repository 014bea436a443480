package bridge

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Over HTTP too, calls are answered here where the SDK would answer just the same: as in shortcut, what it does with
// one message costs more than all the bridge does. What is unusual is the SDK's: progress, a first request of a
// client without sessions, headers that do not agree with the message.

const (
	maxEra  = 1 << 10 // bytes of what a client says of itself, to be remembered
	maxEras = 1000
)

// eras are what clients without sessions said of themselves, and the SDK found good.
type eras struct {
	mu    sync.RWMutex
	known map[era]bool
}

func (e *eras) knows(x era) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.known[x]
}

func (e *eras) add(x era) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[era]bool{}
	}
	if len(x) <= maxEra && len(e.known) < maxEras {
		e.known[x] = true
	}
}

// bySessionRevisions are the revisions that have sessions; a client need not name its own with each request.
var bySessionRevisions = []string{"", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// answer answers a call, or a cancellation of one, unless the SDK must.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, m *message, in *inbound) (answered bool) {
	if !h.direct || m == nil || len(r.Header["Last-Event-Id"]) > 0 {
		return false
	}
	if m.Method == methodCancelled {
		return h.cancelled(w, r, m, in)
	}
	call := m.toolCall()
	if call == nil || !acceptsJSON(r.Header["Accept"]) {
		return false
	}
	if call.trace.parent != "" {
		in.trace = call.trace
	}
	switch call.era {
	case noEra:
		return false
	case bySession:
		return h.answerInSession(w, r, m, in, call)
	}
	if r.Header.Get(versionHeader) != stateless || r.Header.Get("Mcp-Method") != methodCall || r.Header.Get("Mcp-Name") != call.name {
		return false
	}
	if !h.eras.knows(call.era) {
		in.passed = func() { h.eras.add(call.era) }
		return false
	}
	result, bad := h.bridge.callJSON(withInbound(r.Context(), in), call)
	if bad != nil && bad.code == jsonrpc.CodeInvalidParams {
		bad.id = appendID(nil, m.ID)
		h.refuse(w, http.StatusBadRequest, bad) // as this revision wants it
		return true
	}
	h.writeAnswer(w, m.ID, result, bad)
	return true
}

func (h *Handler) answerInSession(w http.ResponseWriter, r *http.Request, m *message, in *inbound, call *toolCall) (answered bool) {
	if !slices.Contains(bySessionRevisions, r.Header.Get(versionHeader)) {
		return false
	}
	s, done := h.sessions.use(r.Header.Get(sessionHeader), in.caller.key)
	if s == nil {
		return false
	}
	defer done()
	ctx, cancel := context.WithCancel(withInbound(r.Context(), in))
	defer cancel()
	if !s.begin(m.ID, cancel) {
		h.refuse(w, http.StatusBadRequest, &fault{id: appendID(nil, m.ID), code: jsonrpc.CodeInvalidRequest, message: "this id is in use by a call that is not answered yet"})
		return true
	}
	result, bad := h.bridge.callJSON(ctx, call)
	if s.finish(m.ID) {
		h.writeAnswer(w, m.ID, result, bad)
		return true
	}
	w.Header().Set("Content-Type", "text/event-stream") // of no events: nobody waits for an answer
	w.WriteHeader(http.StatusOK)
	return true
}

// cancelled ends a call that is in hand here.
func (h *Handler) cancelled(w http.ResponseWriter, r *http.Request, m *message, in *inbound) (answered bool) {
	id, ok := readID(m.params["requestId"])
	s, done := h.sessions.use(r.Header.Get(sessionHeader), in.caller.key)
	if s == nil {
		return false
	}
	defer done()
	if !ok || !s.cancel(id) {
		return false
	}
	w.WriteHeader(http.StatusAccepted)
	return true
}

// callJSON calls a tool, and gives its result as JSON or the error instead of it. No panic passes it.
func (b *Bridge) callJSON(ctx context.Context, call *toolCall) (result []byte, bad *fault) {
	defer func() {
		if p := recover(); p != nil {
			b.logPanic(p)
			result, bad = nil, &fault{code: jsonrpc.CodeInternalError, message: "internal error"}
		}
	}()
	r, err := b.callResult(ctx, call.name, call.arguments, call.era != bySession)
	if err == nil {
		result, err = r.MarshalJSON()
	}
	if err == nil {
		return result, nil
	}
	bad = &fault{code: jsonrpc.CodeInternalError, message: "%s", theirs: err.Error()}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		bad.code, bad.theirs = e.Code, e.Message
	}
	return nil, bad
}

// writeAnswer writes the answer to a request.
func (h *Handler) writeAnswer(w http.ResponseWriter, id jsonrpc.ID, result []byte, bad *fault) {
	head := w.Header()
	head["Content-Type"] = []string{"application/json"}
	head["Cache-Control"] = []string{"no-cache, no-transform"}
	if bad != nil {
		bad.id = appendID(nil, id)
		_, _ = w.Write(bad.append(nil, h.bridge.masks))
		return
	}
	b := make([]byte, 0, len(result)+64)
	b = append(appendID(append(b, `{"jsonrpc":"2.0","id":`...), id), `,"result":`...)
	_, _ = w.Write(append(append(b, result...), '}'))
}

// acceptsJSON says whether a client takes JSON (RFC 9110, section 12.5.1), or takes all.
func acceptsJSON(accept []string) bool {
	for _, list := range accept {
		for media := range strings.SplitSeq(list, ",") {
			media, _, _ = strings.Cut(media, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "application/json", "application/*", "*/*":
				return true
			}
		}
	}
	return false
}
