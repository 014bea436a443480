package bridge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tbridge/config"
	"tbridge/validate"
)

// A reloaded bridge is one whose directory is read again and again.
type reloaded struct {
	*Bridge
	t   testing.TB
	dir string
}

// reloadedOf serves a bridge directory. main is what stands below apis, tools what stands below tools.
func reloadedOf(t testing.TB, main, tools string) *reloaded {
	t.Helper()
	x := &reloaded{t: t, dir: t.TempDir()}
	b, err := New(x.load(main, tools), Options{Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	x.Bridge = b
	t.Cleanup(b.Close)
	return x
}

func (x *reloaded) load(main, tools string) *config.Catalog {
	x.t.Helper()
	write(x.t, x.dir, "tbridge.yaml", "version: 1\napis:\n"+indent(main))
	write(x.t, x.dir, "tools.d/t.yaml", "api: a\ntools:\n"+indent(tools))
	c, ds, err := validate.Load(filepath.Join(x.dir, "tbridge.yaml"))
	if err != nil || ds.Count(config.Error) > 0 {
		x.t.Fatal(err, ds)
	}
	return c
}

func (x *reloaded) reload(main, tools string) {
	x.t.Helper()
	if _, err := x.Replace(x.load(main, tools)); err != nil {
		x.t.Fatal(err)
	}
}

// call calls a tool and gives what came of it: ok, or the kind and code of the failure.
func (x *reloaded) call(tool string) string {
	x.t.Helper()
	r, found := x.Call(context.Background(), tool, nil)
	switch {
	case !found:
		x.t.Fatalf("no tool %s", tool)
	case r.IsError:
		return r.Kind
	}
	return "ok"
}

const reloadTool = "- {name: x, description: X, method: GET, path: /x, arguments: [], timeout: 1m}"

// What is known of an API that did not change stays over a reload.
func TestReloadKeepsWhatItKnows(t *testing.T) {
	// again loads the same API and tool, each at another place, beside others.
	again := func(x *reloaded, main, tools string) {
		x.reload("b: {base_url: http://127.0.0.1:1} # another\n\n"+strings.Replace(main, "\n", " # moved\n\n", 1), "- {name: w, description: W, method: GET, path: /w, arguments: []}\n"+tools)
	}
	api := func(url, keys string) string { return "a:\n" + indent("base_url: "+url+"\n"+keys) }
	hangUp := func(_ int, w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
	}
	limited := reloadTool[:len(reloadTool)-1] + ", limits: {rate: 1/h, concurrency: 1}}"
	for _, tc := range []struct {
		name, keys, tool string
		answer           func(n int, w http.ResponseWriter, r *http.Request)
		first, then      string
		requests         int
	}{
		{"an open breaker", "breaker: {failures: 1, open: 1h}", reloadTool, hangUp, kindUnreachable, kindUnreachable, 1},
		{"a rate", "limits: {rate: 1/h}", reloadTool, nil, "ok", kindRateLimited, 1},
		{"a rate of a tool", "", limited, nil, "ok", kindRateLimited, 1},
		{"what is left of the retries", "retry: {attempts: 10}", reloadTool, answers(http.Header{"Retry-After": {"0"}}, slices.Repeat([]int{503}, 99)...), kindUpstream, kindUpstream, 10 + 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := record(t, tc.answer)
			main := api(rec.URL, tc.keys)
			x := reloadedOf(t, main, tc.tool)
			if got := x.call("x"); got != tc.first {
				t.Errorf("first %s, want %s", got, tc.first)
			}
			again(x, main, tc.tool)
			if got := x.call("x"); got != tc.then {
				t.Errorf("then %s, want %s", got, tc.then)
			}
			if n := len(rec.seen()); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
	t.Run("calls in hand", func(t *testing.T) {
		hang := make(chan struct{})
		rec := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { <-hang; io.WriteString(w, "{}") })
		main, tools := api(rec.URL, ""), limited
		x := reloadedOf(t, main, tools)
		done := make(chan string, 1)
		go func() { done <- x.call("x") }()
		for len(rec.seen()) == 0 {
			time.Sleep(time.Millisecond)
		}
		again(x, main, tools)
		tool := x.current.Load().byName["x"]
		if n, of := len(tool.limit.slots), len(tool.api.limit.slots); n != 1 || of != 1 {
			t.Errorf("%d calls of the tool in hand, %d of the API, want 1 and 1", n, of)
		}
		close(hang)
		if got := await(t, done); got != "ok" {
			t.Errorf("got %s", got)
		}
		if n, of := len(tool.limit.slots), len(tool.api.limit.slots); n != 0 || of != 0 {
			t.Errorf("%d calls of the tool in hand, %d of the API, want none", n, of)
		}
	})
	t.Run("an access token and a connection", func(t *testing.T) {
		issuer, rec := record(t, issue), record(t, nil)
		main := api(rec.URL, strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf(oauthKeys, issuer.URL)), "${S}", "literal-secret"))
		x := reloadedOf(t, main, reloadTool)
		from := map[string]bool{}
		for range 20 {
			if got := x.call("x"); got != "ok" {
				t.Fatal(got)
			}
			again(x, main, reloadTool)
		}
		for _, r := range rec.seen() {
			from[r.RemoteAddr] = true
		}
		if n := len(issuer.seen()); n != 1 || len(from) != 1 {
			t.Errorf("%d access tokens and %d connections, want 1 and 1", n, len(from))
		}
	})
}

// newCertificate makes a certificate that nobody knows.
func newCertificate(t testing.TB) tls.Certificate {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der := must(x509.CreateCertificate(rand.Reader, of, of, key.Public(), key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// An API is another one when it is written in another way, or a Value of it reads in another way.
func TestReloadTakesWhatChanged(t *testing.T) {
	rec := record(t, nil)
	certificate, key := pems(t, newCertificate(t))
	other, otherKey := pems(t, newCertificate(t))
	main := `a: &a
  base_url: ` + rec.URL + `
  auth: {bearer: [{file: token}, literal]}
  headers: {X-One: "1", X-Two: "2"}
  errors: [&row {status: 400, kind: gone}]
  tls: {ca_file: ca.pem, client_cert: cert.pem, client_key: key.pem}
  timeout: 5m
b:
  <<: *a
  errors: [*row]
`
	x := reloadedOf(t, main, reloadTool)
	files := func(ca string) {
		write(t, x.dir, "token", "token-1")
		write(t, x.dir, "ca.pem", ca)
		write(t, x.dir, "cert.pem", certificate)
		write(t, x.dir, "key.pem", key)
	}
	files(certificate)
	tools := reloadTool + "\n- {name: y, description: Y, api: b, method: GET, path: /y, arguments: []}"
	for _, tc := range []struct {
		name   string
		change func(main string) string
		same   bool // a; b follows it
	}{
		{"nothing", func(s string) string { return s }, true},
		{"places and comments", func(s string) string { return "# a comment\n" + strings.Replace(s, ", X-Two", ",      X-Two", 1) }, true},
		{"an alias is written out", func(s string) string {
			return strings.NewReplacer("[&row {", "[{", "*row", "{status: 400, kind: gone}").Replace(s)
		}, true},
		{"a header", func(s string) string { return strings.Replace(s, `"2"`, `"3"`, 1) }, false},
		{"the order of headers", func(s string) string {
			return strings.Replace(s, `X-One: "1", X-Two: "2"`, `X-Two: "2", X-One: "1"`, 1)
		}, false},
		{"a row", func(s string) string { return strings.Replace(s, "gone", "lost", 1) }, false},
		{"a key more", func(s string) string { return strings.Replace(s, "  timeout", "  redirects: none\n  timeout", 1) }, false},
		{"a file of a secret", func(s string) string { write(t, x.dir, "token", "token-2"); return s }, false},
		{"a file that is not there any more", func(s string) string { os.Remove(filepath.Join(x.dir, "token")); return s }, false},
		{"an authority", func(s string) string { write(t, x.dir, "ca.pem", other); return s }, false},
		{"our certificate", func(s string) string {
			write(t, x.dir, "cert.pem", other)
			write(t, x.dir, "key.pem", otherKey)
			return s
		}, false},
		{"a Value that cannot be had", func(s string) string { os.Remove(filepath.Join(x.dir, "ca.pem")); return s }, false},
	} {
		files(certificate)
		x.reload(main, tools)
		a, b := x.current.Load().apis["a"], x.current.Load().apis["b"]
		x.reload(tc.change(main), tools)
		g := x.current.Load()
		if (g.apis["a"] == a) != tc.same || (g.apis["b"] == b) != tc.same {
			t.Errorf("%s: same are %v and %v, want %v", tc.name, g.apis["a"] == a, g.apis["b"] == b, tc.same)
		}
		if g.byName["x"].api != g.apis["a"] || g.byName["y"].api != g.apis["b"] {
			t.Errorf("%s: a tool has another API than its own", tc.name)
		}
	}
	files(certificate)
	x.reload(main, tools)
	if got := x.call("x"); got != "ok" {
		t.Fatal(got)
	}
	write(t, x.dir, "token", "token-2")
	x.reload(main, tools)
	if got := x.call("x"); got != "ok" {
		t.Fatal(got)
	}
	if a, b := rec.seen()[0].Header.Get("Authorization"), rec.seen()[1].Header.Get("Authorization"); a != "Bearer token-1" || b != "Bearer token-2" {
		t.Errorf("sent %s, then %s", a, b)
	}
	limits := func(keys string) string { return strings.Replace(reloadTool, "timeout: 1m", keys, 1) }
	for _, keys := range []string{"limits: {rate: 1/h}", "limits: {rate: 2/h}", "limits: {rate: 2/h, concurrency: 3}", "limits: {concurrency: 3}", "limits: {concurrency: 4}", "timeout: 5m"} {
		was := x.current.Load().byName["x"].limit
		x.reload(main, limits(keys)+"\n- {name: y, description: Y, api: b, method: GET, path: /y, arguments: []}")
		if is := x.current.Load().byName["x"].limit; is == was {
			t.Errorf("%s: the tool has the limit of before", keys)
		}
	}
}

// However often an API changes, with calls in hand or without: the connections of the old one end with its calls.
func TestReloadLetsConnectionsGo(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			defer nothingLeft(t, goleak.IgnoreCurrent())
			var open, requests atomic.Int64
			release := make(chan struct{})
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Proto != protocol {
					t.Errorf("asked by %s", r.Proto)
				}
				requests.Add(1)
				if r.URL.Path == "/slow" {
					<-release
				}
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			}))
			s.EnableHTTP2 = protocol == "HTTP/2.0"
			s.Config.ConnState = func(_ net.Conn, to http.ConnState) {
				switch to {
				case http.StateNew:
					open.Add(1)
				case http.StateClosed:
					open.Add(-1)
				}
			}
			s.StartTLS()
			defer s.Close()
			tools := reloadTool + "\n- {name: slow, description: S, method: GET, path: /slow, arguments: []}"
			main := func(i int) string {
				return fmt.Sprintf("a: {base_url: %q, tls: {insecure_skip_verify: true}, timeout: 5m, headers: {X-Version: \"%d\"}}", s.URL, i)
			}
			x := reloadedOf(t, main(0), strings.ReplaceAll(tools, "1m", "5m"))
			files := len(openFiles(t))
			const reloads = 120 // two minutes of one a second
			done := make(chan string, reloads)
			slow := 0
			for i := range reloads {
				if got := x.call("x"); got != "ok" {
					t.Fatal(got)
				}
				if i%10 == 0 {
					slow++
					go func() { done <- x.call("slow") }()
					for requests.Load() < int64(i+1+slow) {
						time.Sleep(time.Millisecond)
					}
				}
				x.reload(main(i+1), strings.ReplaceAll(tools, "1m", "5m"))
			}
			// What is open are the connections of calls in hand, and of those that the server has not seen close yet.
			gone := func(left int64) {
				t.Helper()
				for began := time.Now(); open.Load() != left; time.Sleep(time.Millisecond) {
					if time.Since(began) > patience {
						t.Fatalf("%d connections are open, want %d", open.Load(), left)
					}
				}
			}
			gone(int64(slow))
			close(release)
			for range slow {
				if got := await(t, done); got != "ok" {
					t.Error(got)
				}
			}
			gone(0)
			for began := time.Now(); len(openFiles(t)) > files; time.Sleep(time.Millisecond) { // our ends of the connections
				if time.Since(began) > patience {
					t.Fatalf("%d files are open, %d were before", len(openFiles(t)), files)
				}
			}
		})
	}
}
