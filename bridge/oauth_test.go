package bridge

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

const oauthKeys = "\nauth: {oauth2: {token_url: '%s/token', client_id: client-7, client_secret: '${S}', scopes: [read, write]}}"

func oauthRig(t *testing.T, api, issuer string) *rig {
	return rigOf(t, map[string]string{"S": "s3cr3t/oauth"}, "base_url: "+api+fmt.Sprintf(oauthKeys, issuer), "")
}

// issue makes tokens: access-token-1 and so on.
func issue(n int, w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, `{"access_token":"access-token-%d","token_type":"Bearer","expires_in":3600}`, n+1)
}

func TestOAuth2(t *testing.T) {
	issuer := record(t, issue)
	refuse := 0 // so many requests from here on
	rec := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		if refuse > 0 {
			refuse--
			w.WriteHeader(401)
		}
	})
	x := oauthRig(t, rec.URL, issuer.URL)
	var sent []string
	call := func(status, tokens int) {
		t.Helper()
		if g := x.call(t, "{}"); g.status != status {
			t.Fatalf("want %d, got %d, %v", status, g.status, g.err)
		}
		if n := len(issuer.seen()); n != tokens {
			t.Fatalf("want %d tokens, got %d", tokens, n)
		}
		sent = nil
		for _, r := range rec.seen() {
			sent = append(sent, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer access-token-"))
		}
	}
	call(200, 1)
	call(200, 1)
	refuse = 1
	call(200, 2)
	refuse = 9
	call(401, 3) // and it stops
	if got := strings.Join(sent, " "); got != "1 1 1 2 2 3" {
		t.Errorf("sent tokens %s", got)
	}
	r := issuer.seen()[0]
	if user, password, _ := r.BasicAuth(); r.Method != "POST" || user != "client-7" || password != "s3cr3t%2Foauth" ||
		issuer.bodies[0] != "grant_type=client_credentials&scope=read+write" {
		t.Errorf("got %s %v %s", r.Method, r.Header, issuer.bodies[0])
	}
	// Masked are the secret, the token and the one before it.
	in := "s3cr3t/oauth access-token-3 access-token-2 Y2xpZW50LTc6czNjcjN0JTJGb2F1dGg="
	if got := x.api.masks.text(in); got != "*** *** *** ***=" {
		t.Errorf("got %s", got)
	}
}

func TestOAuth2IsFetchedOnce(t *testing.T) {
	issuer, rec := record(t, issue), record(t, nil)
	x := oauthRig(t, rec.URL, issuer.URL)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { x.ok(t, "{}") })
	}
	wg.Wait()
	if n := len(issuer.seen()); n != 1 {
		t.Errorf("%d tokens for 20 calls", n)
	}
}

func TestOAuth2ThatFails(t *testing.T) {
	rec := record(t, nil)
	other := record(t, nil)
	for _, tc := range []struct {
		name   string
		answer func(int, http.ResponseWriter, *http.Request)
		code   string
		words  []string
	}{
		{"refused", func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":"invalid_client","error_description":"s3cr3t/oauth"}`)
		}, "invalid_client", []string{"HTTP 401", "invalid_client"}},
		{"an odd error", func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, `{"error":"s3cr3t/oauth"}`)
		}, "", []string{"HTTP 500"}},
		{"no token", func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) }, "", []string{"answered without one"}},
		{"no JSON", func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `<html>`) }, "", []string{"answered without one"}},
		{"control character", func(_ int, w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"access_token":"a\nb"}`)
		}, "", []string{"control characters"}},
		{"redirect", func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/token", http.StatusTemporaryRedirect)
		}, "", []string{"HTTP 307"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			issuer := record(t, tc.answer)
			e := oauthRig(t, rec.URL, issuer.URL).fails(t, kindToken, tc.code, append(tc.words, strings.TrimPrefix(issuer.URL, "http://"))...)
			if strings.Contains(e.Message, "s3cr3t") {
				t.Errorf("the secret came out: %s", e.Message)
			}
		})
	}
	closed := closedPort(t)
	e := oauthRig(t, rec.URL, "http://"+closed).fails(t, kindToken, "", "refused", closed)
	if e.Retryable == nil || !*e.Retryable {
		t.Error("worth another try")
	}
	if n := len(rec.seen()) + len(other.seen()); n != 0 {
		t.Errorf("%d requests were sent without a token, or elsewhere", n)
	}
}

// Waiting for a token ends with the call, and tells nothing of the API.
func TestOAuth2ThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		hang := n.accept(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		x := n.rig(t, map[string]string{"S": "s3cr3t/oauth"}, "base_url: "+n.record(t, nil).URL+fmt.Sprintf(oauthKeys, "http://"+hang)+"\nbreaker: {failures: 1}\nretry: {attempts: 3}\ntimeout: 300ms", "")
		first := make(chan got, 1)
		go func() { first <- x.call(t, "{}") }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		x.callIn(t, ctx, "{}").err.check(t, kindCancelled, "")
		g := <-first
		g.err.check(t, kindToken, "", "no access token", hang)
		x.fails(t, kindToken, "", "no access token")
	})
}
