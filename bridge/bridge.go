// Package bridge is the engine: it turns the arguments of a tool call into an
// HTTP request, and the answer into the result that a model is given.
//
// # A call becomes a result
//
//	raw arguments → check → fill defaults → render (path, query, headers, body)
//	→ send → read → outcome (envelope, status, error rows) → project → text → Result
//
// One function each, in this order, in files named after them. Everything that
// can be known from the configuration is compiled by New, so that a call does no
// parsing of configuration and no lookup that could have been done before.
//
// # Secrets
//
// What a Value read from outside is masked in every Result, error, Preview and
// line of the log (mask.go). The engine never logs arguments, bodies or header values.
package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tbridge/config"
	"tbridge/validate"
)

// Options are what a bridge is told beside its catalogue. The zero Options are usable.
type Options struct {
	Log     *slog.Logger  // nil: nothing is logged
	Env     config.Lookup // nil: os.LookupEnv
	Version string        // of tbridge, shown to clients and sent as User-Agent

	// Only these tools are served. Empty: all.
	Tags     []string // that have any of these tags
	Only     []string // whose name matches any of these patterns (path.Match)
	ReadOnly bool     // that are annotated read-only

	Span func(Span)   // told of each call that ended; nil: nobody is. It must not wait
	HTTP *HTTPOptions // nil: not served over HTTP, and server.http of the catalogue means nothing
}

// serves says whether the tool is among those asked for.
func (o Options) serves(t *config.Tool) bool {
	tagged := func(tag string) bool { return slices.Contains(t.Tags, tag) }
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, t.Name)
		return ok && err == nil
	}
	return (len(o.Tags) == 0 || slices.ContainsFunc(o.Tags, tagged)) &&
		(len(o.Only) == 0 || slices.ContainsFunc(o.Only, matches)) &&
		(!o.ReadOnly || validate.Describe(t).Annotations.ReadOnly)
}

// A Bridge is a compiled catalogue being served. It is safe for concurrent use.
type Bridge struct {
	options Options
	masks   *masks
	current atomic.Pointer[generation]

	changing sync.Mutex  // held while current and server are made to agree
	server   *mcp.Server // made by the first Server

	mailroom mailroom
	metrics  *metrics                 // nil: nothing is counted
	faulty   atomic.Pointer[[]string] // see Degraded
}

// A generation is everything compiled from one catalogue. It never changes; Replace swaps it whole.
type generation struct {
	apis   map[string]*api
	tools  []*tool // in the order of the catalogue
	byName map[string]*tool

	identity     *mcp.Implementation
	instructions string
	access       *access // nil: not served over HTTP
}

// A tool is one compiled tool. It holds nothing of the catalogue it came from.
type tool struct {
	name    string
	listed  json.RawMessage // as tools/list shows it
	api     *api
	schema  *validate.Schema
	plan    *plan    // how its request is made
	reading *reading // how its answer is read
	coerce  bool
	timeout time.Duration
	retry   *retry // nil: never
	limit   limit  // besides the API's
	scopes  []string
}

// A call is one tool call on its way through the house.
type call struct {
	in    *inbound
	trace trace       // as the API is told of it
	id    string      // the UUID of {call.id}; made by the first hole that asks, see callID
	args  config.JSON // checked, defaults filled in: an object
	trial *Trial      // nil: nobody looks on
}

// New compiles a catalogue. It accepts whatever validate.Catalog passed without an error. A Value that is
// absent is no error: calls that need it fail.
func New(c *config.Catalog, o Options) (*Bridge, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	b := &Bridge{options: o, masks: newMasks()}
	b.options.Log = slog.New(maskedLog{o.Log.Handler(), b.masks})
	if o.HTTP != nil {
		b.metrics = newMetrics(b)
	}
	g, err := b.compile(c, newVars(c, o.Env))
	if err != nil {
		return nil, err
	}
	b.current.Store(g)
	b.metrics.served()
	return b, nil
}

// compile makes a generation of a catalogue. What has not changed since the one that is served goes on as it is.
func (b *Bridge) compile(c *config.Catalog, v *vars) (*generation, error) {
	g := &generation{apis: map[string]*api{}, byName: map[string]*tool{},
		identity: identify(c, b.options.Version), instructions: c.Server.Instructions}
	served := b.current.Load()
	if served == nil {
		served = &generation{}
	}
	for _, e := range c.APIs {
		a, err := newAPI(e.Value, b.options, b.masks, b.metrics)
		if err != nil {
			return nil, fmt.Errorf("api %s: %w", e.Key, err)
		}
		g.apis[e.Key] = a.carryOn(served.apis[e.Key])
	}
	for _, def := range c.Tools {
		if !b.options.serves(def) {
			continue
		}
		t, err := compileTool(def, c, g.apis[def.API], v)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", def.Name, err)
		}
		if old := served.byName[t.name]; old != nil && old.api == t.api {
			t.limit = t.limit.carryOn(old.limit)
		}
		g.tools, g.byName[t.name] = append(g.tools, t), t
	}
	if b.options.HTTP != nil {
		var err error
		if g.access, err = b.newAccess(c.Server.HTTP); err != nil {
			return nil, err
		}
	}
	return g, nil
}

const defaultTimeout = 30 * time.Second

func compileTool(def *config.Tool, c *config.Catalog, a *api, v *vars) (*tool, error) {
	if a == nil {
		return nil, fmt.Errorf("unknown api %q", def.API)
	}
	t := &tool{name: def.Name, api: a, schema: validate.For(def), coerce: c.Server.Coerce, timeout: defaultTimeout, scopes: def.Scopes}
	if d := c.API(def.API).Timeout; d > 0 {
		t.timeout = d
	}
	if def.Timeout > 0 {
		t.timeout = def.Timeout
	}
	t.schema.Resolve(v.text)
	t.retry, t.limit = compileRetry(def, c.API(def.API)), newLimit(def.Limits, 0)
	t.listed = validate.Describe(def).JSON()
	var err error
	if t.plan, err = compilePlan(def, v); err != nil {
		return nil, err
	}
	t.reading, err = compileReading(def, c, a)
	return t, err
}

// Call calls a tool with raw JSON arguments (nil or null: none). What goes wrong is in the Result; found is
// false, and the Result nil, when there is no such tool for the caller. ctx cancels the request upstream.
// Each call leaves one line in the log, at Info.
func (b *Bridge) Call(ctx context.Context, name string, arguments json.RawMessage) (r *Result, found bool) {
	return b.call(ctx, name, &call{}, arguments)
}

// call makes the call c, which is not rendered yet.
func (b *Bridge) call(ctx context.Context, name string, c *call, arguments json.RawMessage) (r *Result, found bool) {
	in := inboundOf(ctx)
	c.in, c.trace = in, in.trace
	t := b.current.Load().byName[name]
	a := account{bridge: b, in: in, tool: name, began: time.Now()}
	if t == nil || !in.caller.sees(t) {
		a.refused(ctx)
		return nil, false
	}
	a.span, c.trace = a.newSpan(c.trace)
	defer func() {
		if p := recover(); p != nil {
			b.logPanic(p)
			r, found = t.reading.failure(errorf(kindInternal, "the bridge failed while it answered; its log says more")), true
		}
		a.close(ctx, c, r)
	}()
	return t.call(ctx, c, arguments), true
}

// errTimeout is the cause of a context that ended with the call's own time.
var errTimeout = errors.New("timeout")

func (t *tool) call(ctx context.Context, c *call, arguments json.RawMessage) *Result {
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout, errTimeout)
	defer cancel()
	extra, e := t.api.forwarded(c.in)
	if e != nil {
		return t.reading.failure(e)
	}
	reading := t.reading.hiding(extra)
	r, e := t.prepare(c, arguments, reading.masks)
	if e != nil {
		return reading.failure(e)
	}
	defer r.close()
	r.forwarded, r.trace = extra, c.trace
	c.trial.sends(t.api, c, r)
	resp, e := t.api.send(ctx, t, r)
	if e != nil {
		return reading.failure(e)
	}
	defer resp.Body.Close()
	return reading.read(ctx, c, resp)
}

// Close gives back the connections that are kept for further calls. Calls in flight end as they would.
func (b *Bridge) Close() {
	for _, a := range b.current.Load().apis {
		a.retire()
	}
}

// prepare checks the arguments and renders the request. What it says of them hides what m knows.
func (t *tool) prepare(c *call, arguments json.RawMessage, m *masks) (*request, *Error) {
	args, err := t.schema.Check(arguments, t.coerce)
	if err != nil {
		return nil, t.refuse(arguments, err, m)
	}
	c.args = args
	if err := t.plan.fill(c, t.schema); err != nil {
		return nil, err
	}
	return t.plan.render(c)
}

// refuse makes the Error of arguments that do not pass. It quotes pieces of them, and a piece of a secret would not be
// known as one: where they hold a secret, they are masked and checked again.
func (t *tool) refuse(arguments json.RawMessage, err error, m *masks) *Error {
	masked := m.json(arguments)
	if !m.knows(string(masked)) { // else in a number, or in what is no JSON
		if bytes.Equal(masked, arguments) {
			return invalidArguments(err)
		}
		if _, again := t.schema.Check(masked, t.coerce); again != nil {
			return invalidArguments(again)
		}
	}
	return errorf(kindInvalidArguments, "an argument that holds a secret of this bridge is not valid")
}

// Preview gives the request that a call would send, with secrets shown as their sources. Nothing is sent.
func (b *Bridge) Preview(name string, arguments json.RawMessage) (*Preview, error) {
	t := b.current.Load().byName[name]
	if t == nil {
		return nil, fmt.Errorf("unknown tool %q", name)
	}
	c := &call{}
	r, e := t.prepare(c, arguments, b.masks)
	if e != nil {
		return nil, e
	}
	defer r.close()
	return t.api.preview(c, r)
}
