// Package demo is a small, real issue tracker that runs inside the process: the
// API that the shipped catalogue describes, and that the demo, the
// documentation and the tests talk to over real HTTP.
//
// It is strict, so that a bridge cannot get away with a request that is merely
// close: parameters and fields it does not know are refused with 400, values of
// the wrong type with 422, and all that is not there is 404. Whatever it
// answers, except for a file, is one envelope:
//
//	{"ok": true, "data": .., "meta": {"request_id": ".."}}
//	{"ok": false, "error": {"code", "message", "details"}, "meta": {"request_id": ".."}}
//
// It starts with the same data every time, keeps everything in memory, and its
// clock moves one minute with each change, so that what it says is the same on
// every run.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
)

// BasePath is what the path of each endpoint begins with.
const BasePath = "/api/v1"

// Token is the bearer token of a tracker that Start started. It opens nothing
// but data that lives as long as the process.
const Token = "demo-tracker-token"

// A Server is a tracker that listens on a loopback port.
type Server struct {
	URL   string // the base URL, with BasePath
	Token string // the bearer token it asks for

	http  *http.Server
	watch atomic.Pointer[func(line string)]
	done  chan struct{} // closed when it no longer serves
}

// Start starts a tracker on a free port of 127.0.0.1. It ends with ctx, or by Close.
func Start(ctx context.Context) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the demo tracker: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String() + BasePath, Token: Token, done: make(chan struct{})}
	tracker := Handler(Token)
	s.http = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if watch := s.watch.Load(); watch != nil {
			(*watch)(r.Method + " " + r.RequestURI)
		}
		tracker.ServeHTTP(w, r)
	})}
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	go func() {
		defer close(s.done)
		defer stop()
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Watch has f told of the method and target of every request from now on, before it is answered. f may be
// called by several goroutines at once.
func (s *Server) Watch(f func(line string)) { s.watch.Store(&f) }

// Close ends the server and drops the requests in flight.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
