package bridge

import (
	"context"
	"fmt"
	"log/slog"
)

// A maskedLog is a log that no secret of a bridge gets into, whoever writes to it: the bridge, or the SDK, which quotes
// what clients say.
type maskedLog struct {
	slog.Handler
	masks *masks
}

// Handle implements slog.Handler.
func (l maskedLog) Handle(ctx context.Context, r slog.Record) error {
	own := slog.NewRecord(r.Time, r.Level, l.masks.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		own.AddAttrs(l.attr(a))
		return true
	})
	return l.Handler.Handle(ctx, own)
}

// WithAttrs implements slog.Handler.
func (l maskedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		own[i] = l.attr(a)
	}
	return maskedLog{l.Handler.WithAttrs(own), l.masks}
}

// WithGroup implements slog.Handler.
func (l maskedLog) WithGroup(name string) slog.Handler {
	return maskedLog{l.Handler.WithGroup(name), l.masks}
}

// attr masks the value of an attribute. One that is no text, number or time is logged as the text that it prints as.
func (l maskedLog) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(l.masks.text(v.String()))
	case slog.KindAny:
		a.Value = slog.StringValue(l.masks.text(fmt.Sprint(v.Any())))
	case slog.KindGroup:
		inner := make([]any, 0, len(v.Group()))
		for _, member := range v.Group() {
			inner = append(inner, l.attr(member))
		}
		a.Value = slog.Group(a.Key, inner...).Value
	}
	return a
}
