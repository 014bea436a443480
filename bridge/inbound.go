package bridge

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A caller is somebody who calls tools.
type caller struct {
	name   string          // in the log
	key    string          // tells callers apart; sessions belong to it
	scopes map[string]bool // that the caller holds
	local  bool            // it started the bridge itself: no scope is asked of it
}

var (
	local     = &caller{name: "local", local: true}
	anonymous = &caller{name: "anonymous"}
)

// sees says whether a tool is there for the caller.
func (c *caller) sees(t *tool) bool {
	return c.local || c.holds(t.scopes)
}

func (c *caller) holds(scopes []string) bool {
	for _, scope := range scopes {
		if !c.scopes[scope] {
			return false
		}
	}
	return true
}

// An inbound is what a call brings along beside its name and arguments.
type inbound struct {
	ctx    context.Context // ends when nobody waits for the answer any more; nil: that of the call does
	caller *caller
	header http.Header // of the HTTP request; nil: there is none
	trace  trace
	opened func(*mcp.ServerSession) // told of a session that this request begins
	passed func()                   // told that the SDK has found nothing wrong with a call; nil: nobody is
}

type inboundKey struct{}

func withInbound(ctx context.Context, in *inbound) context.Context {
	return context.WithValue(ctx, inboundKey{}, in)
}

var localInbound = &inbound{caller: local}

// inboundOf gives what was said of a call; without it, the call is that of who started the bridge.
func inboundOf(ctx context.Context) *inbound {
	if in, ok := ctx.Value(inboundKey{}).(*inbound); ok {
		return in
	}
	return localInbound
}

// A mailroom hands what an HTTP request brings along to the SDK's middleware, which sees of a request no more
// than its header: the context of a session is that of its first request.
type mailroom struct {
	next  atomic.Uint64
	items sync.Map // string → *inbound
}

// ticketHeader is no name that a header can have when it comes over the wire: net/http makes them canonical.
const ticketHeader = "tbridge ticket"

// deposit marks a request, until the function it gives is called.
func (m *mailroom) deposit(r *http.Request, in *inbound) (release func()) {
	ticket := strconv.FormatUint(m.next.Add(1), 36)
	m.items.Store(ticket, in)
	r.Header[ticketHeader] = []string{ticket}
	return func() { m.items.Delete(ticket) }
}

// collect gives what came with a request of the protocol.
func (m *mailroom) collect(req mcp.Request) *inbound {
	extra := req.GetExtra()
	if extra == nil || extra.Header == nil {
		return localInbound
	}
	if ticket := extra.Header[ticketHeader]; len(ticket) > 0 {
		if in, ok := m.items.Load(ticket[0]); ok {
			return in.(*inbound)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	return &inbound{ctx: gone, caller: anonymous}
}

// arrive joins the context of a call with what came along: the call ends with the request that asked for it.
func (in *inbound) arrive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(withInbound(ctx, in))
	if in.ctx == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(in.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
