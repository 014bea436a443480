package bridge

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"tbridge/config"
)

// defaultConcurrency is how many calls an API gets at once, so that one that hangs cannot hold everything.
const defaultConcurrency = 64

// A limit is how many calls an API, or a tool, may have in hand, and how often it may be called.
type limit struct {
	slots chan struct{} // nil: any number
	rate  *rate.Limiter // nil: any rate
}

func newLimit(def *config.Limits, concurrency int) limit {
	var l limit
	if def != nil && def.Concurrency > 0 {
		concurrency = def.Concurrency
	}
	if concurrency > 0 {
		l.slots = make(chan struct{}, concurrency)
	}
	if def != nil && def.Rate > 0 {
		l.rate = rate.NewLimiter(rate.Limit(def.Rate), 1) // evenly, so that no second sees more
	}
	return l
}

// carryOn gives the limit that counts from now on: old, with the places that are taken and the turns that are given,
// when it allows what this one does.
func (l limit) carryOn(old limit) limit {
	same := l.rate == old.rate || l.rate != nil && old.rate != nil && l.rate.Limit() == old.rate.Limit()
	if same && cap(l.slots) == cap(old.slots) {
		return old
	}
	return l
}

// enter waits for a place within all limits, in this order, as long as ctx lasts. leave gives the places back.
func enter(ctx context.Context, limits ...limit) (leave func(), e *Error) {
	var held []chan struct{}
	leave = func() {
		for _, slots := range held {
			<-slots
		}
	}
	for _, l := range limits {
		if l.slots == nil {
			continue
		}
		select {
		case l.slots <- struct{}{}:
			held = append(held, l.slots)
		case <-ctx.Done():
			leave()
			return nil, tooBusy(ctx, cap(l.slots))
		}
	}
	wait, undo := turn(limits...)
	if e := inTime(ctx, wait); e != nil {
		undo()
		leave()
		return nil, e
	}
	if err := sleep(ctx, wait); err != nil {
		undo()
		leave()
		return nil, cancelled()
	}
	return leave, nil
}

// turn reserves the next turn of all rates, and says how long it is until then.
func turn(limits ...limit) (wait time.Duration, undo func()) {
	var turns []*rate.Reservation
	for _, l := range limits {
		if l.rate != nil {
			r := l.rate.Reserve()
			turns, wait = append(turns, r), max(wait, r.Delay())
		}
	}
	return wait, func() {
		for _, r := range turns {
			r.Cancel()
		}
	}
}

// tooBusy is why a call did not get a place.
func tooBusy(ctx context.Context, limit int) *Error {
	if !errors.Is(context.Cause(ctx), errTimeout) {
		return cancelled()
	}
	e := errorf(kindRateLimited, "not sent: %d calls were in hand, as many as limits.concurrency allows, for the whole timeout", limit)
	e.Retryable, e.RetryAfterS = new(true), seconds(0)
	return e
}

// inTime refuses a wait that goes beyond the call's time.
func inTime(ctx context.Context, wait time.Duration) *Error {
	if within(ctx, wait) {
		return nil
	}
	e := errorf(kindRateLimited, "not sent: limits.rate allows the next call only after this one's timeout")
	e.Retryable, e.RetryAfterS = new(true), seconds(wait)
	return e
}

// within says whether a wait ends before ctx does.
func within(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Now().Add(wait).Before(deadline)
}

// sleep waits, or ends with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
