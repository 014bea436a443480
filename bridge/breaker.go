package bridge

import (
	"math"
	"sync"
	"time"

	"tbridge/config"
)

// A breaker makes calls fail at once while an API is down. Closed, it counts failed calls in a row; open, it lets
// nothing through, and then one call at a time as a probe, until one gets an answer. It is written here because a
// probe that was cancelled has to give its place back, which the libraries' breakers cannot.
type breaker struct {
	failures int           // in a row, that open it
	open     time.Duration // for which it lets nothing through

	mu      sync.Mutex
	row     int // failures in a row
	until   time.Time
	probing bool
}

// An outcome is what a call tells of the health of its API.
type outcome byte

const (
	unknown  outcome = iota // it was never sent, or was cancelled
	answered                // by HTTP, whatever the status
	failed                  // unreachable or timeout
)

// newBreaker makes the breaker of an API; nil, which lets everything through, when it has none.
func newBreaker(def *config.Breaker) *breaker {
	if def == nil {
		return nil
	}
	b := &breaker{failures: 5, open: 10 * time.Second}
	if def.Failures > 0 {
		b.failures = def.Failures
	}
	if def.Open > 0 {
		b.open = def.Open
	}
	return b
}

// A pass lets one call through. Whoever holds it must leave.
type pass struct {
	breaker *breaker
	probe   bool
}

// enter lets a call to that host through, or not.
func (b *breaker) enter(host string) (pass, *Error) {
	if b == nil {
		return pass{}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.row < b.failures {
		return pass{breaker: b}, nil
	}
	wait := time.Until(b.until)
	if wait <= 0 && !b.probing {
		b.probing = true
		return pass{b, true}, nil
	}
	e := errorf(kindUnreachable, "not sent: the last %d calls to %s in a row got no answer", b.row, host).coded("breaker_open")
	e.Retryable, e.RetryAfterS = new(true), seconds(wait)
	return pass{}, e
}

// leave says what became of the call.
func (p pass) leave(o outcome) {
	b := p.breaker
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.probe {
		b.probing = false
	}
	switch o {
	case answered:
		b.row = 0
	case failed:
		// One that was on its way when the breaker opened does not keep it open longer.
		if b.row++; b.row == b.failures || p.probe {
			b.until = time.Now().Add(b.open)
		}
	}
}

// seconds rounds up to whole seconds, at least one.
func seconds(d time.Duration) *int { return new(max(1, int(math.Ceil(d.Seconds())))) }

// state is 0 when the breaker is closed, 1 while a probe is on its way, 2 when it is open.
func (b *breaker) state() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.row < b.failures:
		return 0
	case b.probing:
		return 1
	}
	return 2
}
