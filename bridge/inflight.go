package bridge

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"
)

// requests are those of one client that are accepted and not answered yet.
type requests struct {
	mu      sync.Mutex
	states  map[jsonrpc.ID]*state
	open    int           // those whose client waits for an answer
	settled chan struct{} // has a token after open has become less
}

// A state is what becomes of one request.
type state struct {
	listens bool // it ends only when it is cancelled
	silent  bool // it was cancelled or abandoned: what still comes is no answer
	claimed bool // its answer is being written

	opens  era                // by its answer
	cancel context.CancelFunc // nil: the SDK has it
}

// begin accepts a request. It is false when another with its id is not answered yet.
func (r *requests) begin(req *jsonrpc.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states[req.ID] != nil {
		return false
	}
	r.states[req.ID] = &state{listens: req.Method == "subscriptions/listen"}
	r.open++
	return true
}

// own takes note of who has the request, when it is not the SDK.
func (r *requests) own(id jsonrpc.ID, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states[id].cancel = cancel
}

// expect takes note of the era that the answer will open.
func (r *requests) expect(id jsonrpc.ID, opens era) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.states[id]; s != nil {
		s.opens = opens
	}
}

// cancel takes note of a cancellation: the answer will not be written, if it is not written yet.
func (r *requests) cancel(params json.RawMessage) {
	id, ok := parseID(gjson.GetBytes(params, "requestId"))
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.states[id]; s != nil && !s.silent && !s.claimed {
		s.silent = true
		r.close()
		if s.cancel != nil {
			s.cancel()
		}
	}
}

// claim is for the one who has the answer. It is not ok when there must be none.
func (r *requests) claim(id jsonrpc.ID) (opens era, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[id]
	if s == nil || s.silent {
		delete(r.states, id)
		return noEra, false
	}
	s.claimed = true
	return s.opens, true
}

// settle is for the one who has written the answer.
func (r *requests) settle(id jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.states, id)
	r.close()
}

// close counts one request less.
func (r *requests) close() {
	r.open--
	select {
	case r.settled <- struct{}{}:
	default:
	}
}

// waiting says whether the client waits for an answer.
func (r *requests) waiting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open > 0
}

// nextListener gives a request that ends only when it is cancelled, each of them once.
func (r *requests) nextListener() (jsonrpc.ID, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, s := range r.states {
		if s.listens && !s.silent {
			s.listens = false
			return id, true
		}
	}
	return jsonrpc.ID{}, false
}

// abandon gives all requests whose answer has not come, and lets none come any more.
func (r *requests) abandon() (ids []jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, s := range r.states {
		if !s.silent && !s.claimed {
			s.silent = true
			r.close()
			ids = append(ids, id)
		}
	}
	return ids
}
