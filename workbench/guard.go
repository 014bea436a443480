package workbench

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
)

// A guard decides who is admitted, and sets the headers that every answer carries.
type guard struct {
	token  [sha256.Size]byte
	origin *http.CrossOriginProtection
}

func newGuard(token string) guard {
	return guard{token: sha256.Sum256([]byte(token)), origin: http.NewCrossOriginProtection()}
}

// admit sets the headers of the answer, and says why a request is not admitted: it must name this machine, come
// from no other site and, for the API, show the token and, where it may change something, send JSON. A page of
// another site can do none of the last two without our leave, which is never given.
func (g guard) admit(out http.ResponseWriter, r *http.Request) *failure {
	h := out.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	if !ourHost(r) {
		return failf(http.StatusForbidden, "host", "this server is called 127.0.0.1, localhost or [::1]")
	}
	if err := g.origin.Check(r); err != nil {
		return failf(http.StatusForbidden, "cross_origin", "a request from another site")
	}
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		return nil
	}
	if !g.knows(r.Header.Get("Authorization")) {
		return failf(http.StatusUnauthorized, "unauthorized", "the token of this launch is missing or wrong").
			hinted("open the address that tbridge workbench printed")
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method != http.MethodGet && r.Method != http.MethodHead && media != "application/json" {
		return failf(http.StatusUnsupportedMediaType, "content_type", "want Content-Type: application/json")
	}
	return nil
}

// ourHost says whether the Host header names this machine and the port the request came in on. A name that somebody
// has pointed at 127.0.0.1 does not.
func ourHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(local.String())
	return err == nil && slices.Contains([]string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}, strings.ToLower(r.Host))
}

// knows compares in constant time.
func (g guard) knows(authorization string) bool {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	sum := sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// page serves the page and what it loads. Styles that CodeMirror makes at run time carry the nonce of their page.
func (w *Workbench) page(out http.ResponseWriter, r *http.Request) {
	h := out.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(out, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path != "/" {
		if r.URL.Path != "/index.html" {
			h.Set("Cache-Control", "private, max-age=31536000, immutable") // names change with what is in the files
		}
		http.FileServerFS(w.options.Page).ServeHTTP(out, r)
		return
	}
	nonce := rand.Text()
	h.Set("Content-Security-Policy", strings.ReplaceAll(pagePolicy, "NONCE", nonce))
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = out.Write(bytes.ReplaceAll(w.index, []byte("__NONCE__"), []byte(nonce)))
}

// pagePolicy lets the page run its own scripts, talk to its own server, and nothing else. Text never becomes markup
// by way of a string: Trusted Types without any policy.
const pagePolicy = "default-src 'none'; script-src 'self' 'nonce-NONCE'; style-src 'self' 'nonce-NONCE'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
