package bridge

import (
	"context"
	"log/slog"
	"time"
)

// An account is what is kept of a call when it has ended: a line in the log, and the metrics. It never holds
// arguments, results or secrets.
type account struct {
	bridge *Bridge
	in     *inbound
	tool   string
	began  time.Time
	span   *Span // nil: nobody wants it
}

const (
	outcomeOK      = "ok"
	outcomeUnknown = "unknown_tool" // for the caller
)

// close accounts for a call with that result.
func (a *account) close(ctx context.Context, c *call, r *Result) {
	took := time.Since(a.began)
	outcome := outcomeOK
	if r.IsError {
		outcome = r.Kind
	}
	a.bridge.metrics.observe(a.tool, outcome, took)
	a.end(a.span, outcome, r.Status)
	if !a.bridge.options.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs, slog.String("principal", a.in.caller.name), slog.String("tool", a.tool), slog.String("outcome", outcome),
		slog.Int("status", r.Status), slog.Int64("ms", took.Milliseconds()), slog.String("call_id", c.callID()))
	if r.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", r.RequestID))
	}
	if c.trace.parent != "" {
		attrs = append(attrs, slog.String("trace_id", c.trace.parent[3:35]))
	}
	a.bridge.options.Log.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
}

// refused accounts for a call of a tool that is not there for its caller.
func (a *account) refused(ctx context.Context) {
	a.bridge.metrics.observe("", outcomeUnknown, 0)
	a.bridge.options.Log.LogAttrs(ctx, slog.LevelInfo, "call", slog.String("principal", a.in.caller.name),
		slog.String("tool", a.bridge.masks.excerpt(a.tool, maxQuoted)), slog.String("outcome", outcomeUnknown))
}
