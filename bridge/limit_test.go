package bridge

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tbridge/config"
)

func TestConcurrencyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		var now, most atomic.Int32
		release := make(chan struct{})
		rec := n.record(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			<-release
			now.Add(-1)
			io.WriteString(w, "{}")
		})
		x := n.rig(t, nil, "base_url: "+rec.URL+"\nlimits: {concurrency: 2}", "")
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if g := x.call(t, "{}"); g.status != 200 {
					t.Errorf("got %d, %v", g.status, g.err)
				}
			})
		}
		synctest.Wait()
		hasty := *x
		hasty.tool = &tool{name: "hasty", timeout: 200 * time.Millisecond}
		e := hasty.fails(t, kindRateLimited, "", "limits.concurrency", "2 calls")
		if e.RetryAfterS == nil || *e.RetryAfterS != 1 || e.Retryable == nil || !*e.Retryable {
			t.Errorf("got %+v", e)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		x.callIn(t, ctx, "{}").err.check(t, kindCancelled, "")
		close(release)
		wg.Wait()
		if n := most.Load(); n != 2 {
			t.Errorf("%d at once", n)
		}
		x.ok(t, "{}")
	})
}

// A caller whose time is over is not told of a rate that is nowhere set.
func TestTheTimeOfTheCaller(t *testing.T) {
	x := rigOf(t, nil, "base_url: "+record(t, nil).URL, "")
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	x.callIn(t, ctx, "{}").err.check(t, kindCancelled, "")
}

// A call is in hand until its body is closed, and a tool may have a limit of its own.
func TestPlacesAreHeldUntilTheBodyIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		x := n.rig(t, nil, "base_url: "+n.record(t, nil).URL, "timeout: 2s\nlimits: {concurrency: 1}")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errTimeout)
		defer cancel()
		resp, e := x.api.send(ctx, x.tool, &request{method: "GET"})
		if e != nil {
			t.Fatal(e)
		}
		x.fails(t, kindRateLimited, "", "limits.concurrency")
		if len(x.api.limit.slots) != 1 {
			t.Errorf("%d places of the API are held", len(x.api.limit.slots))
		}
		resp.Body.Close()
		resp.Body.Close() // gives back once
		x.ok(t, "{}")
		if len(x.api.limit.slots)+len(x.tool.limit.slots) != 0 {
			t.Error("places were kept")
		}
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimit(&config.Limits{Rate: config.Rate{Calls: 5, Per: time.Second}}, 0)
		start := time.Now()
		// Five start at once, as many as may within any second; the sixth waits for the first's second to end.
		for i, want := range []time.Duration{0, 0, 0, 400e6, 400e6, 1000e6, 1000e6, 1000e6, 1400e6} {
			if i == 3 {
				time.Sleep(400 * time.Millisecond)
			}
			leave, e := enter(t.Context(), l)
			if e != nil {
				t.Fatal(e)
			}
			leave()
			if at := time.Since(start).Round(time.Millisecond); at != want {
				t.Errorf("call %d after %v, want %v", i, at, want)
			}
		}
		leave, _ := enter(t.Context(), l)
		leave()

		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errTimeout)
		defer cancel()
		_, e := enter(ctx, newLimit(nil, 1), l)
		e.check(t, kindRateLimited, "", "limits.rate")
		if e.RetryAfterS == nil || *e.RetryAfterS != 1 || time.Since(start).Round(time.Millisecond) != 1400*time.Millisecond {
			t.Errorf("got %+v", e)
		}
		// A call that gave up took no turn.
		leave, e = enter(t.Context(), l)
		if e != nil || time.Since(start).Round(time.Millisecond) != 2*time.Second {
			t.Errorf("got %v after %v", e, time.Since(start))
		}
		leave()

		waiting, stop := context.WithCancel(t.Context())
		go func() { time.Sleep(50 * time.Millisecond); stop() }()
		rare := newLimit(&config.Limits{Rate: config.Rate{Calls: 1, Per: time.Minute}}, 0)
		if leave, e = enter(waiting, rare); e != nil {
			t.Fatal(e)
		}
		leave()
		_, e = enter(waiting, rare)
		e.check(t, kindCancelled, "")
	})
}

func TestRateOfRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		rec := n.record(t, answers(http.Header{"Retry-After": {"0"}}, 503, 503))
		x := n.rig(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3, statuses: [503]}\nlimits: {rate: 2/s}", "")
		start := time.Now()
		if g := x.call(t, "{}"); g.err != nil || g.status != 200 {
			t.Errorf("got %d, %v", g.status, g.err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("three tries took %v at 2/s", took)
		}
		rec = n.record(t, answers(nil, 503, 503))
		x = n.rig(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3, statuses: [503]}\nlimits: {rate: 1/m}\ntimeout: 10s", "")
		if g := x.call(t, "{}"); g.status != 503 || len(rec.seen()) != 1 {
			t.Errorf("the answer that was there is given at once: %d, %v", g.status, g.err)
		}
	})
}
