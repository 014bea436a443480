package bridge

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An authority is an OpenID issuer that signs what it is told to.
type authority struct {
	url  string
	key  *rsa.PrivateKey
	down atomic.Bool
}

func (n *lan) authority(t *testing.T) *authority {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key}
	s := n.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/.well-known/openid-configuration" {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"id_token_signing_alg_values_supported":["RS256"]}`, a.url, a.url+"/keys")
			return
		}
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","kid":"1","n":%q,"e":"AQAB"}]}`, encode64(key.N.Bytes()))
	}))
	a.url = s.URL
	return a
}

func encode64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// unsigned is a token up to its signature.
func unsigned(t *testing.T, alg string, claims map[string]any) string {
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return encode64([]byte(`{"alg":"`+alg+`","kid":"1","typ":"at+jwt"}`)) + "." + encode64(body)
}

func (a *authority) sign(t *testing.T, claims map[string]any) string {
	text := unsigned(t, "RS256", claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode64(signature)
}

// confused signs with HMAC under the public key, which anybody can.
func (a *authority) confused(t *testing.T, claims map[string]any) string {
	public, err := x509.MarshalPKIXPublicKey(&a.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	text := unsigned(t, "HS256", claims)
	mac := hmac.New(sha256.New, public)
	mac.Write([]byte(text))
	return text + "." + encode64(mac.Sum(nil))
}

func TestOIDC(t *testing.T) { synctest.Test(t, testOIDC) }

func testOIDC(t *testing.T) {
	n := newLAN()
	a := n.authority(t)
	a.down.Store(true)
	x := n.team(t, nil, fmt.Sprintf(`http: {auth: {oidc: {issuer: %q, audience: tbridge, scopes: [tools]}}}`, a.url), "")
	x.bridge.current.Load().access.issuer.client.Transport = x.http.Transport
	now := time.Now().Add(issuerPause).Unix() // when the tokens are looked at
	claims := func(change map[string]any) map[string]any {
		all := map[string]any{"iss": a.url, "aud": "tbridge", "sub": "alice", "exp": now + 600, "scope": "tools write"}
		for key, value := range change {
			if all[key] = value; value == nil {
				delete(all, key)
			}
		}
		return all
	}
	message := callTool(stateless, 1, "write", "{}")
	post := func(token string) page { return x.client(t, "Authorization", "Bearer "+token).post(message) }

	post(a.sign(t, claims(nil))).want(t, 503, `{"error":"unavailable"}`, "Retry-After")
	a.down.Store(false)
	time.Sleep(issuerPause - 1)
	post(a.sign(t, claims(nil))).want(t, 503) // it is not asked again at once
	time.Sleep(time.Nanosecond)

	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(unsigned(t, "ES256", claims(nil))))
	foreign, err := ecdsa.SignASN1(rand.Reader, other, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	good := a.sign(t, claims(nil))
	tests := []struct {
		name, token string
		status      int
		word        string
	}{
		{"good", good, 200, `"resultType"`},
		{"one of several audiences", a.sign(t, claims(map[string]any{"aud": []string{"x", "tbridge"}})), 200, ""},
		{"expired within the skew", a.sign(t, claims(map[string]any{"exp": now - 59})), 200, ""},
		{"not yet valid within the skew", a.sign(t, claims(map[string]any{"nbf": now + 59})), 200, ""},
		{"scopes as a list", a.sign(t, claims(map[string]any{"scope": nil, "scp": []string{"tools", "write"}})), 200, ""},
		{"scopes as one text", a.sign(t, claims(map[string]any{"scope": nil, "scp": "tools write"})), 200, ""},
		{"no scope for the tool", a.sign(t, claims(map[string]any{"scope": "tools"})), 400, `unknown tool`},
		{"no scope for the server", a.sign(t, claims(map[string]any{"scope": "write"})), 403, `error="insufficient_scope"`},
		{"expired", a.sign(t, claims(map[string]any{"exp": now - 60})), 401, `error="invalid_token"`},
		{"not yet valid", a.sign(t, claims(map[string]any{"nbf": now + 60})), 401, ""},
		{"without an end", a.sign(t, claims(map[string]any{"exp": nil})), 401, ""},
		{"for another audience", a.sign(t, claims(map[string]any{"aud": "other"})), 401, ""},
		{"for no audience", a.sign(t, claims(map[string]any{"aud": nil})), 401, ""},
		{"of another issuer", a.sign(t, claims(map[string]any{"iss": "https://evil.example"})), 401, ""},
		{"of nobody", a.sign(t, claims(map[string]any{"sub": nil})), 401, ""},
		{"changed", strings.Replace(good, ".", ".A", 1), 401, ""},
		{"alg none", unsigned(t, "none", claims(nil)) + ".", 401, ""},
		{"HMAC under the public key", a.confused(t, claims(nil)), 401, ""},
		{"another key", unsigned(t, "ES256", claims(nil)) + "." + encode64(foreign), 401, ""},
		{"no token at all", "x", 401, ""},
	}
	for _, tt := range tests {
		t.Log(tt.name) // what is wrong with it stands below
		p := post(tt.token)
		p.want(t, tt.status, tt.word)
		if tt.status == 401 && p.body != `{"error":"unauthorized"}` || tt.status == 403 && p.body != `{"error":"forbidden"}` {
			t.Errorf("body %s", p.body)
		}
		if tt.status/100 == 4 && tt.status != 400 && !strings.Contains(p.header.Get("WWW-Authenticate"), `resource_metadata="`+x.url+metadataPath+`/mcp", scope="tools"`) {
			t.Errorf("challenge %q", p.header.Get("WWW-Authenticate"))
		}
	}
	for _, path := range []string{metadataPath, metadataPath + "/mcp"} {
		p := x.client(t).do(must(http.NewRequest(http.MethodGet, x.url+path, nil)))
		p.want(t, 200, "Access-Control-Allow-Origin:[*]")
		if want := fmt.Sprintf(`{"resource":"%s/mcp","authorization_servers":[%q],"scopes_supported":["tools"],"bearer_methods_supported":["header"]}`, x.url, a.url); p.body != want {
			t.Errorf("metadata %s", p.body)
		}
	}
	req := must(http.NewRequest(http.MethodGet, x.url+metadataPath, nil))
	req.Header.Set("X-Forwarded-Proto", "https")
	x.client(t).do(req).want(t, 200, `"resource":"https://`)
	if log := x.log.String(); !strings.Contains(log, `"principal":"alice"`) || strings.Contains(log, good) {
		t.Errorf("log: %s", log)
	}
	// A reload that does not change the issuer keeps its keys.
	before := x.bridge.current.Load().access.issuer
	c := loadTeam(t, fmt.Sprintf("version: 1\nserver: {http: {auth: {oidc: {issuer: %q, audience: tbridge, scopes: [tools]}}}}\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n", a.url))
	if _, err := x.bridge.Replace(c); err != nil || x.bridge.current.Load().access.issuer != before {
		t.Errorf("the issuer is another: %v", err)
	}
}
