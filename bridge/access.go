package bridge

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tbridge/config"
)

const (
	defaultCalls    = 256
	defaultSessions = 2000
	defaultIdle     = 10 * time.Minute
)

// ErrNoAuth says that callers from other machines would be admitted without being known.
var ErrNoAuth = errors.New("the address can be reached by other machines, and server.http.auth admits nobody in particular")

// An access is who may call over HTTP, compiled from server.http. It never changes.
type access struct {
	known    bool // callers have to say who they are
	tokens   []token
	issuer   *issuer // nil: tokens, or nobody is asked
	hosts    map[string]bool
	origins  map[string]bool
	calls    int
	sessions int
	idle     time.Duration
}

// A token admits its caller. Of the token itself only the hash is kept.
type token struct {
	sum    [sha256.Size]byte
	caller *caller
}

// newAccess compiles server.http. A token without a value admits nobody, and is logged.
func (b *Bridge) newAccess(def *config.ServerHTTP) (*access, error) {
	a := &access{hosts: map[string]bool{}, origins: map[string]bool{}, calls: defaultCalls, sessions: defaultSessions, idle: defaultIdle}
	if def == nil {
		def = &config.ServerHTTP{}
	}
	if def.Auth == nil && !b.options.HTTP.Loopback {
		return nil, ErrNoAuth
	}
	for _, host := range def.Hosts {
		a.hosts[strings.ToLower(host)] = true
	}
	for _, origin := range def.Origins {
		a.origins[strings.ToLower(origin)] = true
	}
	if l := def.Limits; l != nil {
		if l.Calls > 0 {
			a.calls = l.Calls
		}
		if l.Sessions > 0 {
			a.sessions = l.Sessions
		}
		if l.Idle > 0 {
			a.idle = l.Idle
		}
	}
	if def.Auth != nil {
		a.known = true
		b.admit(a, def.Auth)
	}
	return a, nil
}

// admit compiles how callers are known.
func (b *Bridge) admit(a *access, auth *config.ServerAuth) {
	for _, t := range auth.Tokens {
		got, err := t.Token.Resolve(b.options.Env)
		if err == nil && got.Text == "" {
			err = errors.New("is empty")
		}
		if err != nil {
			b.options.Log.Warn("this token of server.http admits nobody", "name", t.Name, "reason", err.Error())
			continue
		}
		b.masks.add(got.Secrets...)
		a.tokens = append(a.tokens, token{sha256.Sum256([]byte(got.Text)), newCaller(t.Name, "token "+t.Name, t.Scopes)})
	}
	if auth.OIDC == nil {
		return
	}
	if g := b.current.Load(); g != nil && g.access.issuer.is(auth.OIDC) {
		a.issuer = g.access.issuer // with the keys it has fetched
		return
	}
	a.issuer = newIssuer(auth.OIDC)
}

func newCaller(name, key string, scopes []string) *caller {
	c := &caller{name: name, key: key, scopes: map[string]bool{}}
	for _, scope := range scopes {
		c.scopes[scope] = true
	}
	return c
}

// knowsHost says whether a request was meant for this server. A page that had its name point here (DNS
// rebinding) shows that name in Host.
func (a *access) knowsHost(r *http.Request) bool {
	name := strings.ToLower(r.Host)
	if a.hosts[name] {
		return true
	}
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if a.hosts[name] || name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if ip.IsLoopback() {
		return true
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

// knowsOrigin says whether the page that sent the request may (Fetch, section 3.2). Programs send no origin.
func (a *access) knowsOrigin(r *http.Request) bool {
	for _, origin := range r.Header["Origin"] {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !a.origins[strings.ToLower(origin)] && !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// A denial is why a caller is not admitted.
type denial struct {
	status int
	reason string // of RFC 6750, section 3.1; empty: no token was shown
}

// identify finds out who sent a request.
func (a *access) identify(r *http.Request) (*caller, *denial) {
	if !a.known {
		return anonymous, nil
	}
	shown, ok := bearer(r)
	if !ok {
		return nil, &denial{status: http.StatusUnauthorized}
	}
	if a.issuer != nil {
		return a.issuer.identify(r.Context(), shown)
	}
	sum := sha256.Sum256([]byte(shown))
	var found *caller
	for i := range a.tokens {
		if subtle.ConstantTimeCompare(a.tokens[i].sum[:], sum[:]) == 1 {
			found = a.tokens[i].caller
		}
	}
	if found == nil {
		return nil, &denial{http.StatusUnauthorized, "invalid_token"}
	}
	return found, nil
}

// bearer gives the token of a request. One in the query would end up in logs: it counts as none.
func bearer(r *http.Request) (string, bool) {
	values := r.Header["Authorization"]
	if len(values) != 1 || r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return "", false
	}
	scheme, shown, _ := strings.Cut(values[0], " ")
	shown = strings.TrimSpace(shown)
	return shown, strings.EqualFold(scheme, "Bearer") && shown != ""
}
