package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions are those of clients of the revisions that have them. The SDK has its own table, which has no limit,
// and a session in it belongs to nobody in particular.
type sessions struct {
	mu      sync.Mutex
	byID    map[string]*session
	opening int // requests that may add one
}

// A session is one client's, until it has been idle for a time.
type session struct {
	all   *sessions
	mcp   *mcp.ServerSession
	owner string // the key of its caller
	idle  time.Duration
	uses  int // requests in hand
	timer *time.Timer
	calls map[jsonrpc.ID]context.CancelFunc // in hand here, not at the SDK
}

// reserve makes room for a request that may open a session, until release. It is false when there are too many.
func (all *sessions) reserve(limit int) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.byID)+all.opening >= limit {
		return false
	}
	all.opening++
	return true
}

func (all *sessions) release() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.opening--
}

// add takes a session in.
func (all *sessions) add(conn *mcp.ServerSession, owner string, idle time.Duration) {
	s := &session{all: all, mcp: conn, owner: owner, idle: idle, calls: map[jsonrpc.ID]context.CancelFunc{}}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.byID[conn.ID()] = s
	s.timer = time.AfterFunc(idle, s.expire)
}

// use finds the session of a request, which is in hand until done is called; nil: the caller has none of that ID.
func (all *sessions) use(id, owner string) (s *session, done func()) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s = all.byID[id]
	if s == nil || s.owner != owner {
		return nil, nil
	}
	s.uses++
	s.timer.Stop()
	return s, s.rest
}

// rest ends one request. The session is idle when it was the last.
func (s *session) rest() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if s.uses--; s.uses == 0 {
		s.timer.Reset(s.idle)
	}
}

// begin takes a call in hand. It is false when another with its id is not answered yet.
func (s *session) begin(id jsonrpc.ID, cancel context.CancelFunc) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if s.calls[id] != nil {
		return false
	}
	s.calls[id] = cancel
	return true
}

// finish is for the one who has the answer. It is false when the client has cancelled the call.
func (s *session) finish(id jsonrpc.ID) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	_, wanted := s.calls[id]
	delete(s.calls, id)
	return wanted
}

// cancel ends a call that its client gives up. It is false when it is not in hand here.
func (s *session) cancel(id jsonrpc.ID) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	cancel := s.calls[id]
	if cancel == nil {
		return false
	}
	delete(s.calls, id)
	cancel()
	return true
}

func (s *session) expire() {
	s.all.mu.Lock()
	idle := s.uses == 0
	if idle {
		s.drop()
	}
	s.all.mu.Unlock()
	if idle {
		_ = s.mcp.Close()
	}
}

// drop takes the session out of the table. The table is locked.
func (s *session) drop() {
	if id := s.mcp.ID(); s.all.byID[id] == s {
		delete(s.all.byID, id)
	}
}

// end ends a session that its client gives up.
func (s *session) end() {
	s.all.mu.Lock()
	s.timer.Stop()
	s.drop()
	s.all.mu.Unlock()
	_ = s.mcp.Close()
}

// endAll ends all sessions.
func (all *sessions) endAll() {
	all.mu.Lock()
	var ending []*session
	for _, s := range all.byID {
		ending = append(ending, s)
	}
	all.mu.Unlock()
	for _, s := range ending {
		s.end()
	}
}

func (all *sessions) count() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.byID)
}
