package bridge

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answers gives these statuses in order, then 200; each with these headers.
func answers(header http.Header, statuses ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < len(statuses) {
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(statuses[n])
		}
		io.WriteString(w, "{}")
	}
}

func TestRetryPolicy(t *testing.T) {
	const rule = "\nretry: {attempts: 3, statuses: [429, 503]}"
	for _, tc := range []struct {
		name, keys, tool string
		statuses         []int
		requests, status int
	}{
		{"off", "", "", []int{503}, 1, 503},
		{"GET", rule, "", []int{503, 429}, 3, 200},
		{"no more than attempts", rule, "", []int{503, 503, 503, 503}, 3, 503},
		{"only the statuses listed", rule, "", []int{502}, 1, 502},
		{"PUT", rule, "method: PUT\nbody: {n: 1}", []int{503}, 2, 200},
		{"DELETE", rule, "method: DELETE", []int{503}, 2, 200},
		{"HEAD", rule, "method: HEAD", []int{503}, 2, 200},
		{"POST", rule, "method: POST\nbody: {n: 1}", []int{503}, 1, 503},
		{"PATCH", rule, "method: PATCH\nbody: {n: 1}", []int{503}, 1, 503},
		{"POST that is idempotent", rule, "method: POST\nbody: {n: 1}\nannotations: {idempotent: true}", []int{503}, 2, 200},
		{"PUT that is not", rule, "method: PUT\nbody: {n: 1}\nannotations: {idempotent: false}", []int{503}, 1, 503},
		{"the usual statuses", "\nretry: {attempts: 5}", "", []int{429, 502, 503, 504}, 5, 200},
		{"not any status", "\nretry: {attempts: 5}", "", []int{500}, 1, 500},
		{"the tool's own", rule, "retry: {attempts: 2, statuses: [500]}", []int{500, 500}, 2, 500},
		{"the tool's attempts, the API's statuses", rule, "retry: {attempts: 2}", []int{429, 429}, 2, 429},
		{"the tool's is off", rule, "retry: {attempts: 1}", []int{503}, 1, 503},
		{"a tool's alone", "", "retry: {attempts: 2, statuses: [500]}", []int{500}, 2, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				rec := n.record(t, answers(nil, tc.statuses...))
				x := n.rig(t, nil, "base_url: "+rec.URL+tc.keys, "arguments: []\n"+tc.tool)
				if g := x.call(t, "{}"); g.err != nil || g.status != tc.status {
					t.Errorf("want %d, got %d, %v", tc.status, g.status, g.err)
				}
				if n := len(rec.seen()); n != tc.requests {
					t.Errorf("want %d requests, got %d", tc.requests, n)
				}
				for _, body := range rec.bodies {
					if body != rec.bodies[0] {
						t.Errorf("the bodies differ: %q", rec.bodies)
					}
				}
			})
		})
	}
}

// What {call.id} gives is the same in every try.
func TestRetriesKeepTheCall(t *testing.T) {
	rec := record(t, answers(nil, 503, 503))
	x := rigOf(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3, statuses: [503]}", "arguments: []\nmethod: POST\nbody: {id: \"{call.id}\"}\nheaders: {X-Id: \"{call.id}\"}\nannotations: {idempotent: true}")
	x.ok(t, "{}")
	for i, r := range rec.seen() {
		if id := r.Header.Get("X-Id"); id == "" || id != rec.seen()[0].Header.Get("X-Id") || rec.bodies[i] != `{"id":"`+id+`"}` {
			t.Errorf("try %d: %s %s", i, id, rec.bodies[i])
		}
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	date := func(of time.Duration) func() string {
		return func() string { return time.Now().Add(of).UTC().Format(http.TimeFormat) }
	}
	text := func(s string) func() string { return func() string { return s } }
	for _, tc := range []struct {
		name     string
		value    func() string
		timeout  string
		requests int
		least    time.Duration
		most     time.Duration
	}{
		{"seconds", text("1"), "1m", 2, time.Second, time.Second},
		{"none", text("0"), "1m", 2, 0, 0},
		{"date", date(3 * time.Second), "1m", 2, 3 * time.Second, 3 * time.Second},
		{"past date", date(-time.Hour), "1m", 2, 0, 0},
		{"too long", text("3600"), "2h", 1, 0, 0},
		{"beyond the timeout", text("9"), "8s", 1, 0, 0},
		{"nonsense", text("soon"), "1m", 2, 0, firstBackoff},
		{"more than a number", text(strings.Repeat("9", 30)), "2h", 1, 0, 0},
		{"date far away", date(time.Hour), "2h", 1, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, value := newLAN(), tc.value()
				rec := n.record(t, answers(http.Header{"Retry-After": {value}}, 503))
				x := n.rig(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3, statuses: [503]}\ntimeout: "+tc.timeout, "")
				start := time.Now()
				g := x.call(t, "{}")
				took := time.Since(start)
				if n := len(rec.seen()); g.err != nil || n != tc.requests {
					t.Fatalf("%d requests, %v", n, g.err)
				}
				if tc.requests == 1 && (g.status != 503 || g.header.Get("Retry-After") != value) {
					t.Errorf("the answer did not come through: %d %v", g.status, g.header)
				}
				if took < tc.least || took > tc.most {
					t.Errorf("took %v, want %v to %v", took, tc.least, tc.most)
				}
			})
		})
	}
}

// Connections that fail are tried again, but never beyond the call's time.
func TestRetryOfConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lan := newLAN()
		var n atomic.Int32
		host := lan.accept(t, func(c net.Conn) {
			head(bufio.NewReader(c))
			if n.Add(1) == 3 {
				io.WriteString(c, okAnswer)
			}
		})
		lan.rig(t, nil, "base_url: http://"+host+"\nretry: {attempts: 3}", "").ok(t, "{}")
		if n.Load() != 3 {
			t.Errorf("%d connections", n.Load())
		}
		slow := lan.accept(t, func(c net.Conn) { n.Add(1); io.Copy(io.Discard, c) })
		n.Store(0)
		start := time.Now()
		lan.rig(t, nil, "base_url: http://"+slow+"\nretry: {attempts: 5}\ntimeout: 1s", "").fails(t, kindTimeout, "")
		if took := time.Since(start); took != time.Second || n.Load() != 1 {
			t.Errorf("took %v and %d tries", took, n.Load())
		}
	})
}

// Retries do not multiply the load of an API that is down.
func TestRetryBudget(t *testing.T) {
	rec := record(t, answers(http.Header{"Retry-After": {"0"}}, slices.Repeat([]int{503}, 5000)...))
	x := rigOf(t, nil, "base_url: "+rec.URL+"\nretry: {attempts: 3, statuses: [503]}", "")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 100 {
				if g := x.call(t, "{}"); g.status != 503 {
					t.Errorf("got %d, %v", g.status, g.err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(rec.seen()); n < 1000+retryReserve || n > 1100+retryReserve {
		t.Errorf("1000 calls made %d requests", n)
	}
}

func TestBackoff(t *testing.T) {
	for try, longest := range map[int]time.Duration{1: firstBackoff, 2: 2 * firstBackoff, 4: 8 * firstBackoff, 10: longestWait, 1000: longestWait} {
		for range 100 {
			if d := backoff(try); d < 0 || d >= longest {
				t.Fatalf("try %d waits %v", try, d)
			}
		}
	}
}
