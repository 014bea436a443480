package bridge

import (
	"net/http"
	"slices"
	"strings"

	"encoding/base64"

	"tbridge/config"
)

// A forward is a header of the caller's that goes on to an API.
type forward struct{ from, to string } // canonical names

func compileForward(def config.Map[string]) (list []forward) {
	for _, e := range def {
		list = append(list, forward{http.CanonicalHeaderKey(e.Key), http.CanonicalHeaderKey(e.Value)})
	}
	return list
}

// forwarded gives the headers that go on with a call. One that did not come is left out.
func (a *api) forwarded(in *inbound) ([]pair, *Error) {
	var pairs []pair
	for _, f := range a.forward {
		values := in.header[f.from]
		switch {
		case len(values) == 0 || values[0] == "":
			continue
		case len(values) > 1:
			return nil, errorf(kindToken, "the header %s came %d times; it must be there once", f.from, len(values)).coded("invalid_header")
		}
		if _, found := control(values[0]); found {
			return nil, errorf(kindToken, "the header %s holds a control character", f.from).coded("invalid_header")
		}
		pairs = append(pairs, pair{name: f.to, value: values[0]})
	}
	return pairs, nil
}

// secretsOf are what must not be shown of forwarded headers: each as a whole, and the credential in it.
func secretsOf(pairs []pair) (secrets []string) {
	for _, p := range pairs {
		secrets = append(secrets, p.value)
		scheme, credential, found := strings.Cut(p.value, " ")
		if !found {
			continue
		}
		secrets = append(secrets, credential)
		if !strings.EqualFold(scheme, "Basic") {
			continue
		}
		if text, err := base64.StdEncoding.DecodeString(credential); err == nil {
			_, password, _ := strings.Cut(string(text), ":")
			secrets = append(secrets, string(text), password)
		}
	}
	return secrets
}

// with gives masks that know these secrets too, for one call.
func (m *masks) with(secrets []string) *masks {
	more := &masks{}
	more.needles.Store(m.needles.Load())
	more.add(secrets...)
	return more
}

// hiding makes a reading hide what was forwarded with one call.
func (g *reading) hiding(pairs []pair) *reading {
	if len(pairs) == 0 {
		return g
	}
	own := *g
	own.masks = g.masks.with(secretsOf(pairs))
	return &own
}

// carry puts forwarded headers into a request. One that is the credential's is sent instead of it.
func (x *exchange) carry(pairs []pair) {
	for _, p := range pairs {
		x.header[p.name] = []string{p.value}
	}
	carries := func(p pair) bool { return p.name == "Authorization" }
	if x.key.tokens != nil && slices.ContainsFunc(pairs, carries) {
		own := *x.endpoint
		own.key.tokens = nil
		x.endpoint = &own
	}
}
