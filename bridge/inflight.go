package bridge

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// requests are those of one client that are accepted and not answered yet.
type requests struct {
	mu      sync.Mutex
	states  map[jsonrpc.ID]*state // until the answer is there
	open    int                   // those whose client waits for an answer
	settled chan struct{}         // has a token after open has become less
}

// A state is what becomes of one request.
type state struct {
	listens bool // it ends only when it is cancelled
	ended   bool // it was cancelled for the end of the input
	silent  bool // it was cancelled or abandoned: what still comes is no answer

	batch  *batch             // nil: it came by itself
	opens  era                // by its answer
	cancel context.CancelFunc // nil: the SDK has it
}

// begin accepts a request. It is false when another with its id is not answered yet.
func (r *requests) begin(req *jsonrpc.Request, b *batch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states[req.ID] != nil {
		return false
	}
	r.states[req.ID] = &state{listens: req.Method == methodListen, batch: b}
	r.open++
	return true
}

// own takes note of who has the request, when it is not the SDK.
func (r *requests) own(id jsonrpc.ID, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[id]
	s.cancel = cancel
	if s.silent {
		cancel()
	}
}

// expect takes note of the era that the answer will open.
func (r *requests) expect(id jsonrpc.ID, opens era) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.states[id]; s != nil {
		s.opens = opens
	}
}

// cancel takes note of a cancellation: the answer will not be written, if it is not written yet. It gives the
// batch that waits for that answer.
func (r *requests) cancel(id jsonrpc.ID) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[id]
	if s == nil || s.silent {
		return nil
	}
	s.silent = true
	r.close()
	if s.cancel != nil {
		s.cancel()
	}
	return s.batch
}

// claim is for the one who has the answer. It is nil when there must be none. From now on the id is free: the
// client may use it again as soon as it can read the answer.
func (r *requests) claim(id jsonrpc.ID) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[id]
	delete(r.states, id)
	if s == nil || s.silent {
		return nil
	}
	return s
}

// settle is for the one who has written the answer.
func (r *requests) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
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
		if s.listens && !s.ended && !s.silent {
			s.ended = true
			return id, true
		}
	}
	return jsonrpc.ID{}, false
}

// abandon gives all requests whose answer has not come, with their batches, and lets none come any more.
func (r *requests) abandon() map[jsonrpc.ID]*batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := map[jsonrpc.ID]*batch{}
	for id, s := range r.states {
		if !s.silent {
			s.silent = true
			r.close()
			open[id] = s.batch
		}
	}
	return open
}
