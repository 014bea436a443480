package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"tbridge/config"
)

// pageSize is how many tools one answer to tools/list holds at most.
const pageSize = 1000

// stateless is the first revision of MCP that knows no sessions; each of its requests names it in _meta.
const stateless = "2026-07-28"

// Server is the bridge as an MCP server, for any transport of the SDK. There is one for the life of the
// bridge; Replace changes its tools and tells its clients.
func (b *Bridge) Server() *mcp.Server {
	b.changing.Lock()
	defer b.changing.Unlock()
	if b.server == nil {
		b.server = b.newServer(b.current.Load())
	}
	return b.server
}

func (b *Bridge) newServer(g *generation) *mcp.Server {
	s := mcp.NewServer(g.identity, &mcp.ServerOptions{
		Instructions: g.instructions,
		Logger:       slog.New(sdkLog{b.options.Log.Handler()}),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.AddReceivingMiddleware(b.receive)
	return s
}

// announce tells the clients that the tools have changed. The SDK does so, once, when it is given a tool. What
// the clients see and call is the answer of receive, so that it needs to know no other.
func announce(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "any", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
}

// Replace compiles another catalogue and serves it from now on, all of it at once. Calls in flight end with
// the definitions they began with. An API that is written as before, and whose Values read as before, is the
// same: its limits, breaker, access token and connections stay. Clients are told, once, when what they are shown
// has changed. After an error the old catalogue is served as before.
func (b *Bridge) Replace(c *config.Catalog) (changed bool, err error) {
	b.changing.Lock()
	defer b.changing.Unlock()
	next, err := b.compile(c, newVars(c, b.options.Env))
	if err != nil {
		return false, err
	}
	changed = !slices.EqualFunc(b.current.Load().tools, next.tools, func(a, b *tool) bool { return bytes.Equal(a.listed, b.listed) })
	b.serve(next)
	if changed && b.server != nil {
		announce(b.server)
	}
	return changed, nil
}

// serve swaps the generation. The connections of an API that is gone end with the calls that use them.
func (b *Bridge) serve(next *generation) {
	old := b.current.Swap(next)
	b.metrics.served()
	for name, a := range old.apis {
		if next.apis[name] != a {
			a.retire()
		}
	}
}

// receive answers what concerns tools and leaves the rest of the protocol to the SDK. No panic passes it:
// the SDK would let it end the process.
func (b *Bridge) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				b.logPanic(p)
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		in := b.mailroom.collect(req)
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			return b.list(req, in.caller)
		case *mcp.CallToolRequest:
			return b.answer(ctx, req, in)
		}
		if result, err = next(ctx, method, req); err != nil {
			return nil, withCode(err)
		}
		g := b.current.Load()
		switch r := result.(type) {
		case *mcp.InitializeResult:
			r.ServerInfo, r.Instructions = g.identity, g.instructions
			if s, ok := req.GetSession().(*mcp.ServerSession); ok && in.opened != nil {
				in.opened(s)
			}
		case *mcp.DiscoverResult:
			r.Instructions = g.instructions
		}
		return result, nil
	}
}

// logPanic logs a panic and where it came from.
func (b *Bridge) logPanic(p any) {
	b.options.Log.Error("panic", "reason", p, "stack", string(debug.Stack()))
}

// list answers tools/list, in the catalogue's order. A cursor is the name of the last tool shown, so that it
// outlives a restart and most changes.
func (b *Bridge) list(req *mcp.ListToolsRequest, c *caller) (mcp.Result, error) {
	tools := b.current.Load().toolsOf(c)
	begin := 0
	if req.Params != nil && req.Params.Cursor != "" {
		name, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		last := slices.IndexFunc(tools, func(t *tool) bool { return t.name == string(name) })
		if err != nil || last < 0 {
			return nil, invalidParams("unknown cursor %s; begin the list anew, without one", b.masks.quote(req.Params.Cursor))
		}
		begin = last + 1
	}
	end := min(begin+pageSize, len(tools))
	l := &listResult{tools: tools[begin:end], stateless: isStateless(req)}
	if end < len(tools) {
		l.next = base64.RawURLEncoding.EncodeToString([]byte(tools[end-1].name))
	}
	return l, nil
}

// toolsOf gives the tools that are there for a caller.
func (g *generation) toolsOf(c *caller) []*tool {
	if c.local {
		return g.tools
	}
	var tools []*tool
	for _, t := range g.tools {
		if c.sees(t) {
			tools = append(tools, t)
		}
	}
	return tools
}

// answer answers tools/call.
func (b *Bridge) answer(ctx context.Context, req *mcp.CallToolRequest, in *inbound) (mcp.Result, error) {
	if t := traceOfMeta(req.Params.GetMeta()); t.parent != "" {
		own := *in
		own.trace, in = t, &own
	}
	if in.passed != nil {
		in.passed()
	}
	ctx, cancel := in.arrive(ctx)
	defer cancel()
	defer progressOf(ctx, req)()
	r, err := b.callResult(ctx, req.Params.Name, req.Params.Arguments, isStateless(req))
	if err != nil {
		return nil, err
	}
	return r, nil
}

// callResult calls a tool. The error is a *jsonrpc.Error.
func (b *Bridge) callResult(ctx context.Context, name string, arguments json.RawMessage, stateless bool) (*callResult, error) {
	r, found := b.Call(ctx, name, arguments)
	if !found {
		return nil, invalidParams("unknown tool %s", b.masks.quote(name))
	}
	if r.Structured != nil && !gjson.ValidBytes(r.Structured) {
		// The SDK cannot write it, and would leave the call without an answer.
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the result is not JSON"}
	}
	answer := &callResult{result: r, stateless: stateless}
	if stateless {
		answer.Meta = mcp.Meta{mcp.MetaKeyServerInfo: b.current.Load().identity}
	}
	return answer, nil
}

// withCode gives an error of the SDK a code, if it has none: it leaves that of a second initialize at 0.
func withCode(err error) error {
	if _, coded := errors.AsType[*jsonrpc.Error](err); coded {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// isStateless says whether a request speaks the revision without sessions. The SDK has checked the version.
func isStateless(req mcp.Request) bool {
	p := req.GetParams()
	if l, ok := p.(*mcp.ListToolsParams); ok && l == nil {
		return false
	}
	version, _ := p.GetMeta()[mcp.MetaKeyProtocolVersion].(string)
	return version >= stateless
}

// A listResult is one page of tools/list. The tools were written when they were compiled.
type listResult struct {
	mcp.ResultBase
	tools     []*tool
	next      string
	stateless bool
}

func (l *listResult) MarshalJSON() ([]byte, error) {
	b := []byte(`{"tools":[`)
	for i, t := range l.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.listed...)
	}
	b = append(b, ']')
	if l.next != "" {
		b = config.AppendQuoted(append(b, `,"nextCursor":`...), l.next)
	}
	if l.stateless {
		b = append(b, `,"ttlMs":0,"cacheScope":"private"`...)
	}
	return closeResult(b, l.stateless, l.Meta)
}

// A callResult is the answer to one tools/call.
type callResult struct {
	mcp.ResultBase
	result    *Result
	stateless bool
}

func (r *callResult) MarshalJSON() ([]byte, error) {
	return closeResult(r.result.appendOpen(nil), r.stateless, r.Meta)
}

// closeResult ends the object of a result with what every result of the stateless revision holds.
func closeResult(b []byte, stateless bool, meta mcp.Meta) ([]byte, error) {
	if stateless {
		b = append(b, `,"resultType":"complete"`...)
	}
	if len(meta) > 0 {
		m, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"_meta":`...), m...)
	}
	return append(b, '}'), nil
}

// identify gives what a server says of itself.
func identify(c *config.Catalog, version string) *mcp.Implementation {
	return &mcp.Implementation{
		Name:    cmp.Or(c.Server.Name, "tbridge"),
		Title:   c.Server.Title,
		Version: cmp.Or(c.Server.Version, version, "0"),
	}
}

// sdkLog passes on what the SDK logs, one level lower: it reports each session at Info, and each mistake of
// a client as an error.
type sdkLog struct{ slog.Handler }

const levelStep = slog.LevelError - slog.LevelWarn

func (h sdkLog) Enabled(ctx context.Context, level slog.Level) bool {
	return h.Handler.Enabled(ctx, level-levelStep)
}

func (h sdkLog) Handle(ctx context.Context, r slog.Record) error {
	r.Level -= levelStep
	return h.Handler.Handle(ctx, r)
}
