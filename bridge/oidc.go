package bridge

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"tbridge/config"
)

const (
	skew          = time.Minute     // that the clocks of the issuer and this machine may be apart
	issuerTimeout = 5 * time.Second // for one answer of the issuer
	issuerPause   = 5 * time.Second // after it could not be asked
)

// algorithms are the signatures of access tokens that are accepted: none that the audience could make itself.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// An issuer makes the access tokens that admit callers (OpenID Connect Discovery 1.0, RFC 9068). It is asked for
// its keys when the first token comes, so that the bridge starts without it.
type issuer struct {
	url, audience string
	scopes        []string // that every token must have
	client        *http.Client

	mu       sync.Mutex // held while the issuer is asked
	verifier *oidc.IDTokenVerifier
	pause    time.Time // until then it is not asked again
}

func newIssuer(def *config.ServerOIDC) *issuer {
	return &issuer{url: def.Issuer, audience: def.Audience, scopes: def.Scopes, client: &http.Client{Timeout: issuerTimeout}}
}

// is says whether the issuer is that of a definition.
func (i *issuer) is(def *config.ServerOIDC) bool {
	return i != nil && i.url == def.Issuer && i.audience == def.Audience && strings.Join(i.scopes, " ") == strings.Join(def.Scopes, " ")
}

// ready gives what checks tokens; nil: the issuer cannot be asked now.
func (i *issuer) ready() *oidc.IDTokenVerifier {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.verifier != nil || time.Now().Before(i.pause) {
		return i.verifier
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), i.client), i.url)
	if err != nil {
		i.pause = time.Now().Add(issuerPause)
		return nil
	}
	i.verifier = provider.Verifier(&oidc.Config{
		ClientID:             i.audience,
		SupportedSigningAlgs: algorithms,
		SkipExpiryCheck:      true, // it allows for no skew, see timely
	})
	return i.verifier
}

// claims are those of an access token that matter here.
type claims struct {
	Subject   string          `json:"sub"`
	Expiry    *float64        `json:"exp"`
	NotBefore *float64        `json:"nbf"`
	Scope     string          `json:"scope"` // RFC 8693, section 4.2
	SCP       json.RawMessage `json:"scp"`   // as some issuers write it: a list, or one text
}

// identify checks a token: signature, issuer, audience, time, and the scopes that all need.
func (i *issuer) identify(ctx context.Context, shown string) (*caller, *denial) {
	verifier := i.ready()
	if verifier == nil {
		return nil, &denial{status: http.StatusServiceUnavailable}
	}
	invalid := &denial{http.StatusUnauthorized, "invalid_token"}
	verified, err := verifier.Verify(ctx, shown)
	if err != nil {
		return nil, invalid
	}
	var c claims
	if err := verified.Claims(&c); err != nil || c.Subject == "" || !c.timely(time.Now()) {
		return nil, invalid
	}
	found := newCaller(c.Subject, "subject "+c.Subject, c.scopes())
	if !found.holds(i.scopes) {
		return nil, &denial{http.StatusForbidden, "insufficient_scope"}
	}
	return found, nil
}

// timely says whether a token is valid now. One without an end is not.
func (c *claims) timely(now time.Time) bool {
	at := float64(now.UnixMilli()) / 1000
	return c.Expiry != nil && at < *c.Expiry+skew.Seconds() && (c.NotBefore == nil || at > *c.NotBefore-skew.Seconds())
}

func (c *claims) scopes() []string {
	all := strings.Fields(c.Scope)
	var list []string
	if json.Unmarshal(c.SCP, &list) == nil {
		return append(all, list...)
	}
	var text string
	_ = json.Unmarshal(c.SCP, &text)
	return append(all, strings.Fields(text)...)
}
