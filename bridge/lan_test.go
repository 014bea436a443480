package bridge

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
)

// A lan is a network in memory. In a bubble of synctest time passes when all wait for one another over it, as it would
// not over the system's: so every wait is exact, and over at once.
type lan struct {
	mu    sync.Mutex
	hosts map[string]*lanHost
}

// A lanHost accepts connections on a lan.
type lanHost struct {
	name   string
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

// system is the network of the system.
var system *lan

func newLAN() *lan { return &lan{hosts: map[string]*lanHost{}} }

// listen gives a listener, whose address is host:port.
func (n *lan) listen(t testing.TB) net.Listener {
	t.Helper()
	if n == nil {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	h := &lanHost{name: fmt.Sprintf("127.0.0.1:%d", len(n.hosts)+1), conns: make(chan net.Conn), closed: make(chan struct{})}
	h.close = sync.OnceFunc(func() { close(h.closed) })
	n.hosts[h.name] = h
	return h
}

// dial connects to a host of the lan.
func (n *lan) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	h := n.hosts[address]
	n.mu.Unlock()
	if h == nil {
		return nil, syscall.ECONNREFUSED
	}
	here, there := net.Pipe()
	select {
	case h.conns <- there:
		return here, nil
	case <-h.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (h *lanHost) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *lanHost) Close() error {
	h.close()
	return nil
}

// Addr implements net.Listener, and net.Addr by what follows.
func (h *lanHost) Addr() net.Addr { return h }

// Network implements net.Addr.
func (h *lanHost) Network() string { return "tcp" }

// String implements net.Addr.
func (h *lanHost) String() string { return h.name }

// unstarted gives a server of a handler, to be started.
func (n *lan) unstarted(t testing.TB, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	if n != nil {
		_ = s.Listener.Close()
		s.Listener = n.listen(t)
	}
	return s
}

// serve serves a handler.
func (n *lan) serve(t testing.TB, h http.Handler) *httptest.Server {
	s := n.unstarted(t, h)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// client gives a client of the servers.
func (n *lan) client(t testing.TB) *http.Client {
	if n == nil {
		return http.DefaultClient
	}
	c := &http.Client{Transport: &http.Transport{DialContext: n.dial}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// carry has an API be called over the lan.
func (n *lan) carry(apis ...*api) {
	if n == nil {
		return
	}
	for _, a := range apis {
		a.ready.Load().transport.(*http.Transport).DialContext = n.dial
	}
}

// rig is rigOf, called over the lan.
func (n *lan) rig(t testing.TB, env map[string]string, apiKeys, toolKeys string) *rig {
	t.Helper()
	x := rigOf(t, env, apiKeys, toolKeys)
	n.carry(x.api)
	return x
}

// probe makes a bridge with probeTools, whose upstream takes a wait before the answer of /soon.
func (n *lan) probe(t *testing.T, wait func()) *Bridge {
	t.Helper()
	s := n.serve(t, probeAPI(wait))
	b, err := New(loadTools(t, s.URL, probeTools), Options{Version: "1.2.3", HTTP: &HTTPOptions{Loopback: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range b.current.Load().apis {
		n.carry(a)
	}
	t.Cleanup(b.Close)
	return b
}

// eachWayInTime runs a test over both ways to answer tools/call, each in a bubble of its own.
func eachWayInTime(t *testing.T, test func(*testing.T, *lan, dialer)) {
	eachWay(t, func(t *testing.T, dial dialer) {
		synctest.Test(t, func(t *testing.T) { test(t, newLAN(), dial.waited) })
	})
}

// waited dials, and waits at the end of the test until all has ended: a bubble must not leave anything.
func (dial dialer) waited(t *testing.T, b *Bridge) (w *wire) {
	t.Cleanup(func() { w.serving.Wait() }) // after the cleanup of dial
	w = dial(t, b)
	return w
}
