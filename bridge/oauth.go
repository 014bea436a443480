package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"tbridge/config"
	"tbridge/validate"
)

// tokens fetches access tokens with client credentials (RFC 6749, section 4.4) and keeps the last one. It is safe
// for concurrent use: those who need one while it is fetched wait for it.
type tokens struct {
	config clientcredentials.Config
	client *http.Client
	masks  *masks
	api    *api          // that they are for
	host   string        // of the token URL, for messages
	lock   chan struct{} // of what follows; a channel, so that waiting ends with the call
	token  *oauth2.Token
	old    string // the token before, still masked
}

func (s *settler) oauth2(def *config.OAuth2) *tokens {
	t := &tokens{masks: s.masks, api: s.api, lock: make(chan struct{}, 1)}
	t.config = clientcredentials.Config{
		ClientID:     s.need("auth.oauth2.client_id", def.ClientID),
		ClientSecret: s.take(kindToken, "auth.oauth2.client_secret", def.ClientSecret),
		TokenURL:     s.need("auth.oauth2.token_url", def.TokenURL),
		Scopes:       def.Scopes,
	}
	// The header of the token request has them so: RFC 6749, section 2.3.1.
	s.pairUp(url.QueryEscape(t.config.ClientID), url.QueryEscape(t.config.ClientSecret))
	if t.config.TokenURL == "" {
		return t
	}
	if err := validate.URL(t.config.TokenURL); err != nil {
		s.fault(kindToken, "auth.oauth2.token_url", fmt.Errorf("(%s) %w", def.TokenURL, err))
		return t
	}
	if u, err := url.Parse(t.config.TokenURL); err == nil {
		t.host = u.Host
	}
	return t
}

// use sends the token requests over the API's connections. Their redirects are answers, and as such refused.
func (t *tokens) use(transport http.RoundTripper) {
	if t == nil {
		return
	}
	t.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get gives an access token other than stale, which the API has refused.
func (t *tokens) get(ctx context.Context, stale string) (string, *Error) {
	select {
	case t.lock <- struct{}{}:
		defer func() { <-t.lock }()
	case <-ctx.Done():
		return "", t.failed(ctx, ctx.Err())
	}
	if t.token.Valid() && t.token.AccessToken != stale {
		return t.token.AccessToken, nil
	}
	token, err := t.config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client))
	if err != nil {
		return "", t.failed(ctx, err)
	}
	if _, found := control(token.AccessToken); found {
		return "", errorf(kindToken, "%s sent an access token with control characters in it", t.api.called(ctx, t.host))
	}
	t.keep(token)
	return token.AccessToken, nil
}

// keep keeps a token. It and the one before are masked; older ones are worth nothing any more.
func (t *tokens) keep(token *oauth2.Token) {
	if t.old != token.AccessToken {
		t.masks.forget(t.old)
	}
	if t.token != nil {
		t.old = t.token.AccessToken
	}
	t.token = token
	t.masks.add(token.AccessToken)
}

// failed says why there is no token.
func (t *tokens) failed(ctx context.Context, err error) *Error {
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		e := errorf(kindToken, "no access token: %s answered HTTP %d", t.api.called(ctx, t.host), refusal.Response.StatusCode)
		if isErrorCode(refusal.ErrorCode) {
			e.Code = refusal.ErrorCode
			e.Message += ", " + refusal.ErrorCode
		}
		return e
	}
	if _, ok := errors.AsType[*url.Error](err); !ok && ended(ctx) == nil {
		return errorf(kindToken, "no access token: %s answered without one", t.api.called(ctx, t.host))
	}
	e := explain(ctx, err, t.api.called(ctx, t.host))
	if e.Kind != kindCancelled {
		e.Kind, e.Message = kindToken, "no access token: "+e.Message
	}
	return e
}

// isErrorCode says whether a text looks like the error codes of RFC 6749, section 5.2.
func isErrorCode(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}
