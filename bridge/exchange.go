package bridge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const maxRedirects = 3

// An exchange is one call on the wire: its tries, and the redirects that each follows.
type exchange struct {
	*api
	*endpoint
	*outgoing
	tool      *tool
	token     string // the access token that was sent; empty: none is due
	refreshed bool   // after a 401
	keyless   bool   // no access token could be had: says nothing of the API
}

// run tries until there is an answer to give, and gives it.
func (x *exchange) run(ctx context.Context) (*http.Response, *Error) {
	x.budget.earn()
	if e := x.authorize(ctx); e != nil {
		return nil, e
	}
	for try := 1; ; try++ {
		resp, e := x.try(ctx)
		x.debug(ctx, try, resp, e)
		wait, again := x.tool.retry.next(try, resp, e)
		if !again || x.keyless || !within(ctx, wait) || !x.budget.spend() {
			return resp, e
		}
		slot, undo := turn(x.tool.limit, x.api.limit)
		if wait = max(wait, slot); !within(ctx, wait) {
			undo()
			return resp, e
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, x.unanswered(ctx, err)
		}
	}
}

// try sends the request once, and once more with a new access token after a 401.
func (x *exchange) try(ctx context.Context) (*http.Response, *Error) {
	resp, e := x.follow(ctx)
	if e != nil || resp.StatusCode != http.StatusUnauthorized || x.token == "" || x.refreshed {
		return resp, e
	}
	x.refreshed = true
	_ = resp.Body.Close()
	if e := x.authorize(ctx); e != nil {
		return nil, e
	}
	return x.follow(ctx)
}

// authorize puts an access token into the request, another than the one that is there.
func (x *exchange) authorize(ctx context.Context) *Error {
	if x.key.tokens == nil {
		return nil
	}
	token, e := x.key.tokens.get(ctx, x.token)
	if e != nil {
		x.keyless = true
		return e
	}
	x.token = token
	x.header = x.header.Clone() // the transport may still be reading the old one
	x.header["Authorization"] = []string{"Bearer " + token}
	return nil
}

// follow sends the request and follows its redirects as far as they may be followed.
func (x *exchange) follow(ctx context.Context) (*http.Response, *Error) {
	at := x.url(x.outgoing)
	for hops := 0; ; hops++ {
		resp, e := x.roundTrip(ctx, at)
		if e != nil {
			return nil, e
		}
		next, e := x.redirect(ctx, resp, at)
		if e == nil && next == nil {
			return resp, nil
		}
		_ = resp.Body.Close()
		if e == nil && hops == maxRedirects {
			e = refused("%s sent more than %d redirects for one request", x.called(ctx, x.host), maxRedirects)
		}
		if e != nil {
			return nil, e
		}
		at = next
	}
}

// roundTrip sends one request to that URL.
func (x *exchange) roundTrip(ctx context.Context, at *url.URL) (*http.Response, *Error) {
	req := &http.Request{Method: x.method, URL: at, Host: at.Host, Header: x.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if x.body != nil {
		var err error
		if req.Body, err = x.open(); err != nil {
			return nil, unreadableBody(err)
		}
		req.GetBody, req.ContentLength = x.open, x.body.length
	}
	began := time.Now()
	resp, err := x.transport.RoundTrip(req.WithContext(ctx))
	x.metrics.answered(x.def.Name, time.Since(began))
	if err != nil {
		return nil, x.unanswered(ctx, err)
	}
	return resp, nil
}

// open opens the body for one more try.
func (x *exchange) open() (io.ReadCloser, error) {
	if x.body.length == 0 {
		return http.NoBody, nil
	}
	r, err := x.body.open()
	if err != nil {
		return nil, err
	}
	return &sentBody{r}, nil
}

// A sentBody tells a fault of reading the body from one of the connection it is written to.
type sentBody struct{ io.ReadCloser }

type bodyError struct{ error }

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = bodyError{err}
	}
	return n, err
}

// redirect gives where an answer sends the request; nil, when it is no redirect.
func (x *exchange) redirect(ctx context.Context, resp *http.Response, from *url.URL) (*url.URL, *Error) {
	location := resp.Header.Get("Location")
	if x.def.Redirects == "none" || location == "" {
		return nil, nil
	}
	keeps := false // method and body
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		keeps = true
	default:
		return nil, nil
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, refused("%s sent a redirect to what is no URL", x.called(ctx, x.host))
	}
	to.Fragment, to.RawFragment = "", ""
	shown := originAsWritten(location, to)
	switch {
	case origin(to) != origin(from) || to.User != nil:
		return nil, refused("%s sent a redirect to %s, another origin, which is never followed", x.called(ctx, x.host), shown)
	case !keeps && x.method != http.MethodGet && x.method != http.MethodHead:
		return nil, refused("%s answered %s with a %d redirect to %s, which is only followed for GET and HEAD", x.called(ctx, x.host), x.method, resp.StatusCode, shown)
	}
	return to, nil
}

// originAsWritten is the origin of a URL as it was written: a secret in small letters would not be known as one.
func originAsWritten(location string, u *url.URL) string {
	scheme, _, _ := strings.Cut(location, ":")
	if !strings.EqualFold(scheme, u.Scheme) {
		scheme = u.Scheme // that of where it was sent from
	}
	return scheme + "://" + u.Host
}

func refused(format string, args ...any) *Error {
	return errorf(kindBadResponse, format, args...).coded("redirect_refused")
}

// origin is scheme, host and port, the port left out where it is the scheme's own.
func origin(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// outcome is what an error of this exchange tells of the API.
func (x *exchange) outcome(e *Error) outcome {
	switch {
	case x.keyless, e.Kind == kindCancelled, e.Kind == kindInternal:
		return unknown
	case e.Kind == kindUnreachable, e.Kind == kindTimeout:
		return failed
	}
	return answered
}

// debug logs a try, without anything that came from arguments or holds a secret.
func (x *exchange) debug(ctx context.Context, try int, resp *http.Response, e *Error) {
	var result slog.Attr
	if e != nil {
		result = slog.String("failure", e.Kind)
	} else {
		result = slog.Int("status", resp.StatusCode)
	}
	x.options.Log.LogAttrs(ctx, slog.LevelDebug, "upstream", slog.String("tool", x.tool.name), slog.String("host", x.host), slog.Int("try", try), result)
}

// A heldBody is the body of an answer. The call is in hand until it is closed.
type heldBody struct {
	io.ReadCloser
	ctx   context.Context
	api   *api
	leave func()
	pass  pass
	once  sync.Once
	fault error // that reading ended with
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.fault = err
	}
	return n, err
}

func (b *heldBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() {
		b.leave()
		o := answered
		if b.fault != nil && ended(b.ctx) != nil {
			if o = unknown; errors.Is(ended(b.ctx), errTimeout) {
				o = failed
			}
		}
		b.pass.leave(o)
		b.api.sent()
	})
	return err
}

// ended is the cause of a context that has ended; nil: it has not.
func ended(ctx context.Context) error {
	// The network sees the same deadline as ctx, and may be first to notice.
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return context.Cause(ctx)
}
