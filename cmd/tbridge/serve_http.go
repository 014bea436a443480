package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"tbridge/bridge"
)

const (
	headerTime = 5 * time.Second // for the header of a request

	drainTime = 15 * time.Second // for the requests in hand after a signal
	abortTime = time.Second      // for those that were cancelled then

	silentTime = 200 * time.Millisecond // for the first request of a connection, after a signal
)

// listeners are where a team's server is reached.
type listeners struct {
	mcp     net.Listener
	metrics net.Listener // nil: /metrics is served beside /mcp, or not at all
}

// listen takes the addresses of --http and --metrics.
func listen(o serveOptions) (l listeners, err error) {
	if l.mcp, err = net.Listen("tcp", o.http); err != nil {
		return l, &adviceError{fmt.Sprintf("--http %q: %s", o.http, err), "give an address that is free, such as 127.0.0.1:8080"}
	}
	if o.metrics == "" {
		return l, nil
	}
	if l.metrics, err = net.Listen("tcp", o.metrics); err != nil {
		l.close()
		return l, &adviceError{fmt.Sprintf("--metrics %q: %s", o.metrics, err), "give an address that is free, such as 127.0.0.1:9090"}
	}
	return l, nil
}

func (l listeners) close() {
	_ = l.mcp.Close()
	if l.metrics != nil {
		_ = l.metrics.Close()
	}
}

// addresses are for the log.
func (l listeners) addresses() []any {
	all := []any{"mcp", fmt.Sprintf("http://%s/mcp", l.mcp.Addr())}
	if l.metrics != nil {
		all = append(all, "metrics", fmt.Sprintf("http://%s/metrics", l.metrics.Addr()))
	}
	return all
}

// options are what the bridge has to know of where it is reached.
func (l listeners) options() *bridge.HTTPOptions {
	at, ok := l.mcp.Addr().(*net.TCPAddr)
	loopback := ok && at.IP.IsLoopback()
	return &bridge.HTTPOptions{Loopback: loopback, Metrics: loopback && l.metrics == nil}
}

// noAuth is what to do about a server that would admit everybody.
func noAuth(err error, address string) error {
	if !errors.Is(err, bridge.ErrNoAuth) {
		return err
	}
	return &adviceError{fmt.Sprintf("--http %q: %s", address, err),
		"list tokens under server: {http: {auth: {tokens: [..]}}} in tbridge.yaml, or name an OpenID issuer there, or listen on 127.0.0.1"}
}

// serveHTTP serves a team until a signal comes, and then until the requests in hand are answered, for a time. A
// second signal does not wait.
func (p *program) serveHTTP(ctx context.Context, b *bridge.Bridge, l listeners, log *slog.Logger) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	h := b.Handler()
	defer h.Close()
	if l.metrics != nil {
		defer serveMetrics(b, l.metrics, log)()
	}
	s := newTeamServer(ctx, h, log)
	defer s.abort()
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(netutil.LimitListener(l.mcp, h.Connections())) }()
	log.Info("serving", l.addresses()...)
	select {
	case err := <-failed:
		return err
	case <-signals:
	case <-ctx.Done():
	}
	log.Info("going down, requests in hand are answered first")
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.Drain()
		s.shutDown()
	}()
	select {
	case <-done:
		return nil
	case sig := <-signals:
		_ = s.Close()
		return exitCode(128 + int(sig.(syscall.Signal)))
	}
}

// newServer bounds what a client can hold up before its request is there. Handlers bound the rest.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    bridge.MaxRequestHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// A teamServer is a server that goes down in order.
type teamServer struct {
	*http.Server
	silent silentConns
	abort  func() // cancels all requests
}

func newTeamServer(ctx context.Context, h http.Handler, log *slog.Logger) *teamServer {
	requests, abort := context.WithCancel(context.WithoutCancel(ctx))
	s := &teamServer{Server: newServer(h, log), silent: silentConns{conns: map[net.Conn]bool{}}, abort: abort}
	s.ConnState = s.silent.note
	s.BaseContext = func(net.Listener) context.Context { return requests }
	return s
}

// shutDown ends the server: no connection more, and no request when they are answered or were cancelled.
func (s *teamServer) shutDown() {
	defer time.AfterFunc(silentTime, s.silent.close).Stop()
	within := func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return s.Shutdown(ctx)
	}
	if within(drainTime) == nil {
		return
	}
	s.abort()
	if within(abortTime) != nil {
		_ = s.Close()
	}
}

// silentConns are connections without a request yet. http.Server waits five seconds for one when it shuts down.
type silentConns struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (s *silentConns) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.conns[c] = true
	} else {
		delete(s.conns, c)
	}
}

func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// serveMetrics serves /metrics on an address of its own, until the function it gives is called.
func serveMetrics(b *bridge.Bridge, l net.Listener, log *slog.Logger) (stop func()) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", b.Metrics())
	s := newServer(mux, log)
	s.WriteTimeout = 30 * time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more: " + err.Error())
		}
	}()
	return func() {
		_ = s.Close()
		<-done
	}
}
