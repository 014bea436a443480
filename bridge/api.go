package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tbridge/config"
	"tbridge/validate"
)

// An api is one upstream, and what is known of it from one call to the next: that it does not answer, how many calls it
// has in hand, its connections. It outlives the generation that made it, see carryOn. It is safe for concurrent use.
type api struct {
	def     *config.API
	options Options
	masks   *masks
	metrics *metrics
	breaker *breaker // nil: none
	limit   limit
	budget  *budget
	forward []forward

	mu    sync.Mutex // held while ready is made
	ready atomic.Pointer[endpoint]

	sending atomic.Int64 // calls between send and the end of their answer
	retired atomic.Bool  // no generation has it any more
}

// newAPI compiles an API. Its Values are resolved here, once; where one is absent, that is logged, and tried
// again by each call until it is there.
func newAPI(def *config.API, o Options, m *masks, counts *metrics) (*api, error) {
	a := &api{def: def, options: o, masks: m, metrics: counts, breaker: newBreaker(def.Breaker), limit: newLimit(def.Limits, defaultConcurrency), budget: newBudget(), forward: compileForward(def.Forward)}
	if _, e := a.endpoint(); e != nil {
		o.Log.Warn("calls of this API will fail", "api", def.Name, "reason", e.Message)
	}
	if def.TLS != nil && def.TLS.InsecureSkipVerify {
		o.Log.Warn("the certificate of this API is not verified", "api", def.Name)
	}
	return a, nil
}

// carryOn gives the API that serves from now on: old, with all that it knows, when it was written as this one is and its
// Values read the same. old may be nil.
func (a *api) carryOn(old *api) *api {
	if old == nil || !old.def.Same(a.def.Source) {
		return a
	}
	was, is := old.ready.Load(), a.ready.Load()
	if (was == nil) != (is == nil) || is != nil && !slices.Equal(was.values, is.values) {
		return a
	}
	return old
}

// retire lets the connections go that are idle now, and the others with the last call that is in hand.
func (a *api) retire() {
	a.retired.Store(true)
	a.closeIdle()
}

// sent ends what send began.
func (a *api) sent() {
	if a.sending.Add(-1) == 0 && a.retired.Load() {
		a.closeIdle()
	}
}

func (a *api) closeIdle() {
	if ep := a.ready.Load(); ep != nil {
		(&http.Client{Transport: ep.transport}).CloseIdleConnections()
	}
}

// endpoint gives the API with all its Values, or says which are absent.
func (a *api) endpoint() (*endpoint, *Error) {
	if ready := a.ready.Load(); ready != nil {
		return ready, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if ready := a.ready.Load(); ready != nil {
		return ready, nil
	}
	s := &settler{api: a, read: a.content}
	ready, e := s.endpoint()
	if e != nil {
		return nil, e
	}
	a.ready.Store(ready)
	return ready, nil
}

var errControl = errors.New("holds a control character")

// content reads a Value from outside. What it read is masked from now on when it is a secret.
func (a *api) content(v *config.Value, secret bool) (string, error) {
	got, err := v.Resolve(a.options.Env)
	if err != nil {
		return "", err
	}
	if secret {
		a.masks.add(got.Secrets...)
	}
	if _, found := control(got.Text); found {
		return "", errControl
	}
	return got.Text, nil
}

// An endpoint is an API whose Values are all known. It never changes.
type endpoint struct {
	scheme    string
	host      string // host or host:port, as base_url has it
	path      string // of base_url, percent-encoded
	query     string // of base_url, percent-encoded
	constants []pair // headers, canonical names
	pairs     []pair // constants of the query, percent-encoded
	key       credential
	transport http.RoundTripper
	values    []string // all that was read from outside for it, in order
}

// A credential is where an API wants its credential. At most one of its fields is set.
type credential struct {
	header pair
	query  pair // percent-encoded
	cookie pair
	tokens *tokens
}

// A settler makes the endpoint of an API. It goes on after a fault, so that all are named at once.
type settler struct {
	*api
	read   func(v *config.Value, secret bool) (string, error)
	shown  bool // for a preview: no connection will be made
	values []string
	kind   string // of the faults
	code   string
	faults []string
}

func (s *settler) endpoint() (*endpoint, *Error) {
	ep := &endpoint{}
	s.credential(ep)
	s.base(ep)
	for _, e := range s.def.Headers {
		if value := s.take(kindInternal, "headers."+e.Key, e.Value); value != "" {
			ep.constants = append(ep.constants, pair{name: http.CanonicalHeaderKey(e.Key), value: value})
		}
	}
	for _, e := range s.def.Query {
		if value := s.take(kindInternal, "query."+e.Key, e.Value); value != "" {
			ep.pairs = append(ep.pairs, pair{name: encoded(e.Key), value: encoded(value)})
		}
	}
	if !s.shown {
		ep.transport = s.transport()
		ep.key.tokens.use(ep.transport)
	}
	if s.faults != nil {
		return nil, errorf(s.kind, "api %s: %s", s.def.Name, strings.Join(s.faults, "; ")).coded(s.code)
	}
	ep.values = s.values
	return ep, nil
}

// text reads a Value, and takes note of what it is now.
func (s *settler) text(v *config.Value, secret bool) (string, error) {
	text, err := s.read(v, secret)
	s.values = append(s.values, text)
	return text, err
}

// take reads a Value that may be a secret. What is wrong with it becomes a fault of that kind, and the value empty.
func (s *settler) take(kind, key string, v *config.Value) string {
	text, err := s.text(v, true)
	if err != nil {
		s.fault(kind, key, err)
	}
	return text
}

// need reads a Value of a credential, which must not be empty either.
func (s *settler) need(key string, v *config.Value) string {
	text, err := s.text(v, true)
	if err == nil && text == "" {
		err = errors.New("is empty")
	}
	if err != nil {
		s.fault(kindToken, key, err)
	}
	return text
}

// fault notes what is wrong. The first fault gives the kind and the code.
func (s *settler) fault(kind, key string, err error) {
	code := "invalid_value"
	var missing *config.MissingError
	if errors.As(err, &missing) {
		code = "missing_value"
		err = errors.New("has no value: tried " + strings.Join(missing.Tried, ", "))
	}
	if s.faults == nil {
		s.kind, s.code = kind, code
	}
	s.faults = append(s.faults, key+" "+err.Error())
}

// credential reads what the API wants to see of us. A key in the path is read with base_url.
func (s *settler) credential(ep *endpoint) {
	auth := s.def.Auth
	switch {
	case auth == nil:
	case auth.Bearer != nil:
		ep.key.header = pair{name: "Authorization", value: "Bearer " + s.need("auth.bearer", auth.Bearer)}
	case auth.Basic != nil:
		user := s.take(kindToken, "auth.basic.username", auth.Basic.Username)
		password := s.take(kindToken, "auth.basic.password", auth.Basic.Password)
		ep.key.header = pair{name: "Authorization", value: s.basic(user, password)}
	case auth.APIKey != nil:
		s.apiKey(ep, auth.APIKey)
	case auth.OAuth2 != nil && s.shown:
		ep.key.header = pair{name: "Authorization", value: "Bearer " + mark("<token from oauth2>", "$ACCESS_TOKEN")}
	case auth.OAuth2 != nil:
		ep.key.tokens = s.oauth2(auth.OAuth2)
	}
}

// pairUp masks name:password, when one of them is a secret, as base64 shows both at once.
func (s *settler) pairUp(user, password string) {
	if s.masks.knows(user) || s.masks.knows(password) {
		s.masks.add(user + ":" + password)
	}
}

func (s *settler) apiKey(ep *endpoint, k *config.APIKey) {
	switch k.In {
	case "header":
		ep.key.header = pair{name: http.CanonicalHeaderKey(k.Name), value: s.need("auth.api_key.value", k.Value)}
	case "query":
		ep.key.query = pair{name: encoded(k.Name), value: encoded(s.need("auth.api_key.value", k.Value))}
	case "cookie":
		ep.key.cookie = pair{name: k.Name, value: written(s.need("auth.api_key.value", k.Value), safeInCookie)}
	}
}

// base reads base_url. Its scheme and host are fixed here, whatever is rendered later.
func (s *settler) base(ep *endpoint) {
	text, err := s.text(s.def.BaseURL, false)
	if err != nil {
		s.fault(kindInternal, "base_url", err)
		return
	}
	if strings.HasPrefix(text, "\x00") { // shown, and absent
		ep.host = text
		return
	}
	if err := validate.URL(text); err != nil {
		s.fault(kindInternal, "base_url", fmt.Errorf("(%s) %w", s.def.BaseURL, err))
		return
	}
	scheme, rest, _ := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	end := len(rest)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		end = i
	}
	host := rest[:end]
	path, query, _ := strings.Cut(rest[end:], "?")
	ep.scheme, ep.host = scheme, host
	ep.path, ep.query = s.fill(path, encodedPath), s.fill(query, encodedQuery)
}

// fill puts a key of the path in its place.
func (s *settler) fill(text string, encode func(string) string) string {
	if s.def.Auth == nil || s.def.Auth.APIKey == nil || s.def.Auth.APIKey.In != "path" {
		return encode(text)
	}
	place := "{" + s.def.Auth.APIKey.Name + "}"
	if !strings.Contains(text, place) {
		return encode(text)
	}
	key := encoded(s.need("auth.api_key.value", s.def.Auth.APIKey.Value))
	pieces := strings.Split(text, place)
	for i := range pieces {
		pieces[i] = encode(pieces[i])
	}
	return strings.Join(pieces, key)
}

// send sends a request and gives the answer once its head is there. The caller closes the body of the answer:
// until then the call counts as one that the API has in hand.
func (a *api) send(ctx context.Context, t *tool, r *request) (*http.Response, *Error) {
	a.sending.Add(1)
	resp, e := a.begin(ctx, t, r)
	if e != nil {
		a.sent()
	}
	return resp, e
}

func (a *api) begin(ctx context.Context, t *tool, r *request) (*http.Response, *Error) {
	ep, e := a.endpoint()
	if e != nil {
		return nil, e
	}
	o, e := ep.compose(a, r)
	if e != nil {
		return nil, e
	}
	pass, e := a.breaker.enter(a.called(ctx, ep.host))
	if e != nil {
		return nil, e
	}
	leave, e := enter(ctx, t.limit, a.limit)
	if e != nil {
		pass.leave(unknown)
		return nil, e
	}
	x := &exchange{api: a, endpoint: ep, tool: t, outgoing: o}
	x.carry(r.forwarded)
	r.trace.tell(x.header)
	resp, e := x.run(ctx)
	if e != nil {
		leave()
		pass.leave(x.outcome(e))
		return nil, e
	}
	resp.Body = &heldBody{ReadCloser: resp.Body, ctx: ctx, api: a, leave: leave, pass: pass}
	return resp, nil
}
