package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tbridge/config"
)

// defaultConcurrency is how many calls an API gets at once, so that one that hangs cannot hold everything.
const defaultConcurrency = 64

// A limit is how many calls an API, or a tool, may have in hand, and how often it may be called.
type limit struct {
	slots chan struct{} // nil: any number
	pace  *pace         // nil: any rate
}

func newLimit(def *config.Limits, concurrency int) limit {
	var l limit
	if def != nil && def.Concurrency > 0 {
		concurrency = def.Concurrency
	}
	if concurrency > 0 {
		l.slots = make(chan struct{}, concurrency)
	}
	if def != nil && def.Rate.Calls > 0 {
		l.pace = &pace{rate: def.Rate}
	}
	return l
}

// carryOn gives the limit that counts from now on: old, with the places that are taken and the turns that are given,
// when it allows what this one does.
func (l limit) carryOn(old limit) limit {
	same := l.pace == old.pace || l.pace != nil && old.pace != nil && l.pace.rate == old.pace.rate
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
	if wait <= 0 { // whether there is time left, sending will show
		return leave, nil
	}
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
	undo = func() {}
	for _, l := range limits {
		if l.pace != nil {
			turn, before := l.pace.take(), undo
			wait, undo = max(wait, time.Until(turn)), func() { l.pace.giveBack(turn); before() }
		}
	}
	return wait, undo
}

// A pace keeps to a rate: a call starts at once unless so many started within the time before it. It is no token bucket,
// which lets through twice the rate after a pause, or, with a bucket of one, holds up each call of a short series.
type pace struct {
	rate config.Rate

	mu    sync.Mutex
	turns []time.Time // of the last Per, and those given for later, in order
}

// take gives the time of the next turn, now or later.
func (p *pace) take() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for len(p.turns) > 0 && !p.turns[0].Add(p.rate.Per).After(now) {
		p.turns = p.turns[1:]
	}
	turn := now
	if n := len(p.turns) - p.rate.Calls; n >= 0 {
		turn = p.turns[n].Add(p.rate.Per)
	}
	p.turns = append(p.turns, turn)
	return turn
}

// giveBack makes a turn free that was not used.
func (p *pace) giveBack(turn time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.turns, turn.Equal); i >= 0 {
		p.turns = slices.Delete(p.turns, i, i+1)
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
