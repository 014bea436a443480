package bridge

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tbridge/config"
)

const (
	firstBackoff = 100 * time.Millisecond
	longestWait  = 5 * time.Second
	longestAfter = 10 * time.Second // of a Retry-After that is waited for
	retryShare   = 0.1              // of an API's calls that may be retries
	retryReserve = 10               // retries beyond that
)

// A retry is when a tool's requests are tried again. nil: never.
type retry struct {
	attempts int // all tries counted
	statuses []int
}

// compileRetry gives the rule of a tool: its own, or its API's, if its requests may be repeated at all.
func compileRetry(def *config.Tool, a *config.API) *retry {
	rule := a.Retry
	if def.Retry != nil {
		rule = def.Retry
	}
	if rule == nil || rule.Attempts < 2 || !repeatable(def) {
		return nil
	}
	r := &retry{attempts: rule.Attempts, statuses: rule.Statuses}
	if r.statuses == nil && a.Retry != nil {
		r.statuses = a.Retry.Statuses
	}
	if r.statuses == nil {
		r.statuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	}
	return r
}

// repeatable says whether a request may be sent twice. What the tool says of itself beats what its method says.
func repeatable(def *config.Tool) bool {
	if def.Annotations != nil && def.Annotations.Idempotent != nil {
		return *def.Annotations.Idempotent
	}
	switch def.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// next says whether to try again after this answer or failure, and after what wait.
func (r *retry) next(try int, resp *http.Response, e *Error) (wait time.Duration, again bool) {
	switch {
	case r == nil || try >= r.attempts:
		return 0, false
	case e != nil:
		return backoff(try), e.Kind == kindUnreachable && e.Code != codeTLS
	case !slices.Contains(r.statuses, resp.StatusCode):
		return 0, false
	}
	after, given := retryAfter(resp.Header)
	if !given {
		return backoff(try), true
	}
	return after, after <= longestAfter
}

// backoff is a random wait, up to twice as long after each try.
func backoff(try int) time.Duration {
	return rand.N(min(firstBackoff<<min(try-1, 10), longestWait))
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) { // then n is the largest
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// A budget keeps retries from multiplying the load of an API that is down: so many to begin with, and one more
// for every tenth call.
type budget struct {
	mu     sync.Mutex
	tokens float64
}

func newBudget() *budget { return &budget{tokens: retryReserve} }

// earn counts a call.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+retryShare, retryReserve)
}

// spend takes one retry, if there is one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
