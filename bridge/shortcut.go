package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// A shortcut answers tools/call in the transport. On its way through the SDK a message is decoded three times and
// its result encoded twice, which costs more than all the bridge does. It takes only what the SDK
// would answer in just the same way: a call of a known tool, its parameters as they should be, in an
// era that the SDK has opened by an answer of its own. All else is the SDK's.
type shortcut struct {
	bridge  *Bridge
	ctx     context.Context // of all its calls
	end     context.CancelFunc
	running sync.WaitGroup

	greeted atomic.Bool         // initialize was answered
	known   atomic.Pointer[era] // the last era of a request without session that was answered
}

// An era is how a request says which revision it speaks: by the session it belongs to, or in its _meta. It is what
// the _meta says of the client then, which the SDK has to find good once.
type era string

const (
	noEra     era = ""
	bySession era = "session"
)

func newShortcut(b *Bridge) *shortcut {
	ctx, end := context.WithCancel(context.Background())
	return &shortcut{bridge: b, ctx: ctx, end: end}
}

// opens gives the era that an answer to the request opens.
func (c *shortcut) opens(m *message) era {
	if m.Method == methodInitialize {
		return bySession
	}
	if meta := m.params["_meta"]; meta.IsObject() {
		if e := eraOf(meta); e != bySession {
			return e
		}
	}
	return noEra
}

// open takes note that the SDK has answered a request.
func (c *shortcut) open(e era) {
	switch e {
	case noEra:
	case bySession:
		c.greeted.Store(true)
	default:
		c.known.Store(&e)
	}
}

func (c *shortcut) isOpen(e era) bool {
	if e == bySession {
		return c.greeted.Load()
	}
	known := c.known.Load()
	return known != nil && *known == e
}

// A toolCall is the inside of a tools/call that is as it should be.
type toolCall struct {
	name      string
	arguments json.RawMessage
	era       era
	trace     trace
}

// read reads a request. It is nil when the SDK must answer.
func (c *shortcut) read(m *message) *toolCall {
	call := m.toolCall()
	if call == nil || !c.isOpen(call.era) || c.bridge.current.Load().byName[call.name] == nil {
		return nil
	}
	return call
}

// toolCall gives the call that a message is; nil, when it is none, or not quite as it should be, or asks for
// progress.
func (m *message) toolCall() *toolCall {
	if m.Method != methodCall || !m.IsCall() {
		return nil
	}
	call := &toolCall{era: bySession}
	for key, value := range m.params {
		switch {
		case key == "name" && value.Type == gjson.String:
			call.name = value.Str
		case key == "arguments":
			call.arguments = json.RawMessage(value.Raw)
		case key == "_meta" && value.IsObject() && !value.Get("progressToken").Exists():
			call.era = eraOf(value)
			call.trace = newTrace(value.Get("traceparent").Str, value.Get("tracestate").Str)
		default:
			return nil
		}
	}
	return call
}

// eraOf gives the era that a _meta stands for, if there is one.
func eraOf(meta gjson.Result) era {
	m, bad := members(meta, "_meta")
	if bad != nil {
		return noEra
	}
	version, named := m[mcp.MetaKeyProtocolVersion]
	switch {
	case !named:
		return bySession
	case version.Str != stateless:
		return noEra
	}
	return era(m[mcp.MetaKeyClientCapabilities].Raw + " " + m[mcp.MetaKeyClientInfo].Raw)
}

// take answers a request, unless the SDK must.
func (c *shortcut) take(s *stdio, m *message) (taken bool) {
	call := c.read(m)
	if call == nil {
		s.requests.expect(m.ID, c.opens(m))
		return false
	}
	ctx, cancel := context.WithCancel(c.ctx)
	s.requests.own(m.ID, cancel)
	c.running.Go(func() {
		defer cancel()
		r := &jsonrpc.Response{ID: m.ID}
		r.Result, r.Error = c.call(ctx, call)
		_ = s.Write(ctx, r) // a failure ends the session by itself
	})
	return true
}

// call calls the tool and writes its result. No panic passes it.
func (c *shortcut) call(ctx context.Context, call *toolCall) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.bridge.logPanic(p)
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
		}
	}()
	if call.trace.parent != "" {
		ctx = withInbound(ctx, &inbound{caller: local, trace: call.trace})
	}
	r, err := c.bridge.callResult(ctx, call.name, call.arguments, call.era != bySession)
	if err != nil {
		return nil, err
	}
	text, err := r.MarshalJSON()
	if err != nil || bytes.IndexByte(text, '\n') < 0 {
		return text, err
	}
	var line bytes.Buffer
	err = json.Compact(&line, text) // a message is one line
	return line.Bytes(), err
}
