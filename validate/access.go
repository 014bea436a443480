package validate

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tbridge/config"
)

var (
	callerName = regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,64}$`)
	scopeToken = regexp.MustCompile(`^[!#-\[\]-~]{1,128}$`) // RFC 6749, section 3.3
)

const (
	maxCalls    = 10_000
	maxSessions = 100_000
	maxIdle     = 24 * time.Hour
)

// access checks how a team's server admits its callers.
func (k *checker) access() {
	h := k.c.Server.HTTP
	if h == nil {
		return
	}
	k.callers(h)
	for i, host := range h.Hosts {
		if !isHost(host) {
			k.error(h.At("hosts", i), ruleAccess, "host %s; want a name as clients send it in Host, such as bridge.example or bridge.example:8443", quoted(host))
		}
	}
	for i, origin := range h.Origins {
		if !isOrigin(origin) {
			k.error(h.At("origins", i), ruleAccess, "origin %s; want scheme and host as browsers send them in Origin, such as https://app.example", quoted(origin))
		}
	}
	if l := h.Limits; l != nil {
		k.most(l.At("calls"), "calls", l.Calls, maxCalls)
		k.most(l.At("sessions"), "sessions", l.Sessions, maxSessions)
		if l.Idle > maxIdle {
			k.error(l.At("idle"), ruleLimit, "an idle time of %s; at most %s are allowed", l.Idle, maxIdle)
		}
	}
}

func (k *checker) most(at config.Pos, what string, n, limit int) {
	if n > limit {
		k.error(at, ruleLimit, "%d %s; at most %d are allowed", n, what, limit)
	}
}

// isHost says whether a text is a host name or address, perhaps with a port.
func isHost(text string) bool {
	if host, port, err := net.SplitHostPort(text); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		return err == nil && n > 0 && isHost(host)
	}
	u, err := url.Parse("http://" + text)
	return err == nil && u.Host == text && u.User == nil && text != "" && !strings.ContainsAny(text, "*:{}$") || net.ParseIP(text) != nil
}

func isOrigin(text string) bool {
	scheme, host, found := strings.Cut(text, "://")
	return found && scheme != "" && isHost(host)
}

// serverAuth is how callers are known; empty when server.http says nothing of it.
func (k *checker) serverAuth() config.ServerAuth {
	if h := k.c.Server.HTTP; h != nil && h.Auth != nil {
		return *h.Auth
	}
	return config.ServerAuth{}
}

func (k *checker) callers(h *config.ServerHTTP) {
	if h.Auth == nil {
		return
	}
	if (len(h.Auth.Tokens) > 0) == (h.Auth.OIDC != nil) {
		k.error(h.KeyAt("auth"), ruleAccess, "auth of server.http wants a list of tokens or oidc, one of the two")
	}
	named := map[string]config.Pos{}
	for _, t := range h.Auth.Tokens {
		if !callerName.MatchString(t.Name) {
			k.error(t.At("name"), ruleAccess, "name %s of a caller; want 1 to 64 of A-Z a-z 0-9 _ . @ -", quoted(t.Name))
		} else if first, twice := named[t.Name]; twice {
			d := k.error(t.At("name"), ruleAccess, "a second token is named %s; the log tells callers apart by these names", quoted(t.Name))
			d.Related = []config.Related{{Pos: first, Message: "the first"}}
		}
		named[t.Name] = t.At("name")
		k.secret(t.Token, "token")
		k.scopeWords(t.Source, t.Scopes)
	}
	if o := h.Auth.OIDC; o != nil {
		k.issuer(o)
		k.scopeWords(o.Source, o.Scopes)
	}
}

// issuer checks an OpenID issuer (OpenID Connect Discovery 1.0, section 3).
func (k *checker) issuer(o *config.ServerOIDC) {
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "",
		u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		k.error(o.At("issuer"), ruleAccess, "issuer %s; want an absolute https URL without a query", quoted(o.Issuer))
	}
	if o.Audience == "" {
		k.error(o.At("audience"), ruleAccess, "the audience is empty; tokens that were made for others would be accepted")
	}
}

func (k *checker) scopeWords(at config.Source, scopes []string) {
	for i, scope := range scopes {
		if !scopeToken.MatchString(scope) {
			k.error(at.At("scopes", i), ruleScope, `scope %s; want one word of printable ASCII without spaces, " and \`, quoted(scope))
		}
	}
}

// scopes checks what a caller must hold to see and call the tool.
func (k *toolCheck) scopes() {
	k.scopeWords(k.t.Source, k.t.Scopes)
	tokens := k.serverAuth().Tokens
	if len(tokens) == 0 {
		return
	}
	held := map[string]bool{}
	var known []string
	for _, t := range tokens {
		for _, scope := range t.Scopes {
			if !held[scope] {
				known = append(known, scope)
			}
			held[scope] = true
		}
	}
	for i, scope := range k.t.Scopes {
		if !held[scope] {
			k.warn(k.t.At("scopes", i), ruleScope, "no token of server.http holds the scope %s; nobody can call the tool over HTTP", quoted(scope)).
				Hint = near(scope, known)
		}
	}
}

// forward checks which headers of a caller go on to an API.
func (k *checker) forward(a *config.API) {
	into := map[string]string{}
	for _, e := range a.Forward {
		at := a.At("forward", e.Key)
		if !k.headerName(e.Key, e.KeyPos) || !k.headerName(e.Value, at) {
			continue
		}
		if strings.EqualFold(e.Key, "Authorization") { // also where server.http has no auth yet
			k.error(e.KeyPos, ruleForward, "%s is what admits a caller to tbridge, and is never sent on", quoted(e.Key)).
				Hint = "let callers send the credential of the API in a header of its own, such as {X-Api-Authorization: Authorization}"
		}
		upstream := http.CanonicalHeaderKey(e.Value)
		if other, twice := into[upstream]; twice {
			k.error(at, ruleForward, "%s and %s both go to the header %s", quoted(other), quoted(e.Key), quoted(e.Value))
		}
		into[upstream] = e.Key
	}
}
