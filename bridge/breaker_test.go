package bridge

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tbridge/config"
)

// A trip is one call against a breaker: whether it was let through, and what became of it.
func (b *breaker) trip(t *testing.T, through bool, o outcome) {
	t.Helper()
	p, e := b.enter("h")
	if (e == nil) != through {
		t.Fatalf("let through: %v, want %v", e == nil, through)
	}
	if e != nil {
		e.check(t, kindUnreachable, "breaker_open", "calls to h in a row")
		return
	}
	p.leave(o)
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(&config.Breaker{Failures: 3, Open: 2 * time.Second})
		b.trip(t, true, failed)
		b.trip(t, true, failed)
		b.trip(t, true, answered) // a row ends with any answer
		b.trip(t, true, failed)
		b.trip(t, true, failed)
		b.trip(t, true, unknown) // but not with a call that was cancelled
		late, _ := b.enter("h")
		b.trip(t, true, failed)
		b.trip(t, false, 0)
		time.Sleep(time.Second)
		late.leave(failed) // one that was on its way does not keep it open longer
		time.Sleep(time.Second)

		probe, e := b.enter("h")
		if e != nil {
			t.Fatal(e)
		}
		for range 50 {
			b.trip(t, false, 0)
		}
		probe.leave(unknown) // a cancelled probe gives its place to the next call
		b.trip(t, true, failed)
		b.trip(t, false, 0)
		time.Sleep(1999 * time.Millisecond)
		_, e = b.enter("h")
		if e == nil || *e.RetryAfterS != 1 || !*e.Retryable {
			t.Fatalf("got %+v", e)
		}
		time.Sleep(time.Millisecond)
		b.trip(t, true, answered)
		b.trip(t, true, failed)
		b.trip(t, true, failed)
		b.trip(t, true, answered)
	})
	if b := newBreaker(&config.Breaker{}); b.failures != 5 || b.open != 10*time.Second {
		t.Errorf("defaults are %d and %v", b.failures, b.open)
	}
	var none *breaker
	none.trip(t, true, failed)
}

// Calls count, not tries, and a body that does not come to its end counts too.
func TestBreakerOfAnAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		var accepted atomic.Int32
		host := n.accept(t, func(c net.Conn) {
			accepted.Add(1)
			head(bufio.NewReader(c))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
			io.Copy(io.Discard, c)
		})
		x := n.rig(t, nil, "base_url: http://"+host+"\ntimeout: 1s\nbreaker: {failures: 2, open: 1m}", "")
		x.fails(t, kindTimeout, "")
		x.fails(t, kindTimeout, "")
		x.fails(t, kindUnreachable, "breaker_open", host)
		if n := accepted.Load(); n != 2 {
			t.Errorf("%d connections", n)
		}

		rec := n.record(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			if hijacker, ok := w.(http.Hijacker); ok {
				c, _, _ := hijacker.Hijack()
				c.Close()
			}
		})
		x = n.rig(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3}\nbreaker: {failures: 2, open: 1m}", "")
		x.fails(t, kindUnreachable, "")
		x.fails(t, kindUnreachable, "")
		if n := len(rec.seen()); n != 6 {
			t.Errorf("%d tries", n)
		}
		x.fails(t, kindUnreachable, "breaker_open")
	})
}

// A call that was cancelled while it read tells nothing of its API.
func TestBreakerAndCancelledReaders(t *testing.T) {
	host := listen(t, func(c net.Conn) {
		head(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
		io.Copy(io.Discard, c)
	})
	x := rigOf(t, nil, "base_url: http://"+host+"\nbreaker: {failures: 1, open: 1m}", "")
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		resp, e := x.api.send(ctx, x.tool, &request{method: "GET"})
		if e != nil {
			t.Fatal(e)
		}
		cancel()
		_, err := io.ReadAll(resp.Body)
		x.api.interrupted(ctx, err).check(t, kindCancelled, "")
		resp.Body.Close()
	}
}
