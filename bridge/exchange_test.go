package bridge

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestRedirects(t *testing.T) {
	other := record(t, nil)
	type step struct {
		status   int
		location string
	}
	for _, tc := range []struct {
		name, tool, keys string
		steps            []step // answers in order, then 200
		code             string // of the error; empty: none
		word             string // in its message
		targets          []string
		status           int
	}{
		{name: "within the origin", steps: []step{{302, "/b?x=1"}}, targets: []string{"/a", "/b?x=1"}},
		{name: "relative", steps: []step{{301, "b"}, {303, "../c"}, {308, "?d"}}, targets: []string{"/a", "/b", "/c", "/c?d"}},
		{name: "absolute", steps: []step{{307, "{UP}/b#there"}}, targets: []string{"/a", "/b"}},
		{name: "three are enough", steps: []step{{302, "/a"}, {302, "/a"}, {302, "/a"}, {302, "/a"}}, code: "redirect_refused", word: "more than 3 redirects", targets: []string{"/a", "/a", "/a", "/a"}},
		{name: "another port", steps: []step{{302, "{OTHER}/b?api_key=S3"}}, code: "redirect_refused", word: "{OTHER}", targets: []string{"/a"}},
		{name: "another name", steps: []step{{307, "http://localhost:{PORT}/b"}}, code: "redirect_refused", word: "http://localhost:{PORT}", targets: []string{"/a"}},
		{name: "another scheme", steps: []step{{308, "https://{HOST}/a"}}, code: "redirect_refused", word: "https://{HOST}", targets: []string{"/a"}},
		{name: "no scheme", steps: []step{{302, "//{OTHERHOST}/b"}}, code: "redirect_refused", word: "{OTHER}", targets: []string{"/a"}},
		{name: "another port, 301", steps: []step{{301, "{OTHER}/b"}}, code: "redirect_refused", word: "{OTHER}", targets: []string{"/a"}},
		{name: "another port, 303", steps: []step{{303, "{OTHER}/b"}}, code: "redirect_refused", word: "{OTHER}", targets: []string{"/a"}},
		{name: "another port, 308, after one within", steps: []step{{308, "/b"}, {308, "{OTHER}/b"}}, code: "redirect_refused", word: "{OTHER}", targets: []string{"/a", "/b"}},
		{name: "an older protocol", steps: []step{{302, "gopher://{HOST}/1"}}, code: "redirect_refused", word: "gopher://", targets: []string{"/a"}},
		{name: "odd schemes", steps: []step{{302, "file:///etc/passwd"}}, code: "redirect_refused", word: "file://", targets: []string{"/a"}},
		{name: "a user", steps: []step{{302, "http://me:pw@{HOST}/a"}}, code: "redirect_refused", targets: []string{"/a"}},
		{name: "no URL", steps: []step{{302, "http://[::1"}}, code: "redirect_refused", word: "no URL", targets: []string{"/a"}},
		{name: "no location", steps: []step{{302, ""}}, targets: []string{"/a"}, status: 302},
		{name: "not modified", steps: []step{{304, "/b"}}, targets: []string{"/a"}, status: 304},
		{name: "none", keys: "redirects: none", steps: []step{{302, "{OTHER}/b"}}, targets: []string{"/a"}, status: 302},
		{name: "POST and 302", tool: "method: POST\nbody: {n: 1}", steps: []step{{302, "/b"}}, code: "redirect_refused", word: "only followed for GET and HEAD", targets: []string{"/a"}},
		{name: "POST and 303", tool: "method: POST\nbody: {n: 1}", steps: []step{{303, "/b"}}, code: "redirect_refused", word: "redirect", targets: []string{"/a"}},
		{name: "POST and 307", tool: "method: POST\nbody: {n: 1}", steps: []step{{307, "/b"}, {308, "/c"}}, targets: []string{"/a", "/b", "/c"}},
		{name: "HEAD", tool: "method: HEAD", steps: []step{{303, "/b"}}, targets: []string{"/a", "/b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var fill *strings.Replacer
			up := record(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n < len(tc.steps) {
					if l := tc.steps[n].location; l != "" {
						w.Header().Set("Location", fill.Replace(l))
					}
					w.WriteHeader(tc.steps[n].status)
				}
			})
			host := strings.TrimPrefix(up.URL, "http://")
			_, port, _ := net.SplitHostPort(strings.TrimPrefix(other.URL, "http://"))
			fill = strings.NewReplacer("{UP}", up.URL, "{HOST}", host, "{OTHER}", other.URL, "{OTHERHOST}", strings.TrimPrefix(other.URL, "http://"), "{PORT}", port)
			x := rigOf(t, map[string]string{"T": "s3cret-bearer"}, "base_url: "+up.URL+"\nauth: {bearer: '${T}'}\nheaders: {X-Key: k}\n"+tc.keys, "arguments: []\npath: /a\n"+tc.tool)
			g := x.call(t, "{}")
			if tc.code != "" {
				if g.err == nil {
					t.Fatalf("want an error, got %d", g.status)
				}
				g.err.check(t, kindBadResponse, tc.code, "redirect", fill.Replace(tc.word))
				if strings.Contains(g.err.Message, "S3") || strings.Contains(g.err.Message, "pw") {
					t.Errorf("the target came out: %s", g.err.Message)
				}
			} else if want := max(tc.status, 200); g.err != nil || tc.status != 0 && g.status != want {
				t.Fatalf("want %d, got %d, %v", want, g.status, g.err)
			}
			var targets []string
			for i, r := range up.seen() {
				targets = append(targets, r.RequestURI)
				if r.Header.Get("Authorization") != "Bearer s3cret-bearer" || r.Header.Get("X-Key") != "k" {
					t.Errorf("request %d lacks its headers", i)
				}
				if r.Method != x.plan.method || r.Method == "POST" && up.bodies[i] != `{"n":1}` {
					t.Errorf("request %d: %s %s", i, r.Method, up.bodies[i])
				}
			}
			if got, want := strings.Join(targets, " "), strings.Join(tc.targets, " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if n := len(other.seen()); n != 0 {
		t.Errorf("%d requests went to another origin", n)
	}
}

// Faults of the wire, each with its kind and code, in words that name the host.
func TestFaults(t *testing.T) {
	defer nothingLeft(t, goleak.IgnoreCurrent())
	t.Run("all", func(t *testing.T) {
		answer := func(text string) func(net.Conn) {
			return func(c net.Conn) {
				r := bufio.NewReader(c)
				if len(head(r)) > 0 {
					io.WriteString(c, text)
				}
			}
		}
		for _, tc := range []struct {
			name       string
			handle     func(net.Conn)
			kind, code string
			word       string
		}{
			{"close", answer(""), kindUnreachable, "", "closed the connection"},
			{"reset", func(c net.Conn) { head(bufio.NewReader(c)); c.(*net.TCPConn).SetLinger(0) }, kindUnreachable, "", "closed the connection"},
			{"half a head", answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), kindUnreachable, "", "closed the connection"},
			{"no HTTP", answer("SSH-2.0-OpenSSH_9.6 s3cret\r\n\r\n"), kindBadResponse, codeFraming, "valid HTTP"},
			{"two lengths", answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), kindBadResponse, codeFraming, "valid HTTP"},
			{"bad header", answer("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"), kindBadResponse, codeFraming, "valid HTTP"},
			{"header flood", func(c net.Conn) {
				head(bufio.NewReader(c))
				io.WriteString(c, "HTTP/1.1 200 OK\r\n")
				line := "X-Flood: " + strings.Repeat("x", 1000) + "\r\n"
				for range 11 << 10 {
					if _, err := io.WriteString(c, line); err != nil {
						return
					}
				}
			}, kindBadResponse, codeFraming, "64 KiB"},
			{"cut body", answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":1"), kindBadResponse, codeTruncated, "broke off"},
			{"cut chunk", answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), kindBadResponse, codeTruncated, "broke off"},
			{"reset body", func(c net.Conn) {
				head(bufio.NewReader(c))
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
				c.(*net.TCPConn).SetLinger(0)
			}, kindBadResponse, codeTruncated, "broke off"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				host := listen(t, tc.handle)
				e := rigOf(t, map[string]string{"K": "s3cret"}, "base_url: http://"+host+"\nquery: {k: '${K}'}", "").fails(t, tc.kind, tc.code, host, tc.word)
				if strings.Contains(e.Message, "s3cret") || strings.Contains(e.Message, "?") {
					t.Errorf("too much came out: %s", e.Message)
				}
				if (e.Retryable != nil) != (tc.kind == kindUnreachable) {
					t.Errorf("retryable is %v", e.Retryable)
				}
			})
		}
		t.Run("early hints", func(t *testing.T) {
			host := listen(t, answer(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 6)+okAnswer))
			rigOf(t, nil, "base_url: http://"+host, "").ok(t, "{}")
		})
		t.Run("refused", func(t *testing.T) {
			host := closedPort(t)
			rigOf(t, nil, "base_url: http://"+host, "").fails(t, kindUnreachable, "", "refused", host)
		})
		t.Run("no such host", func(t *testing.T) {
			e := rigOf(t, nil, "base_url: http://no-such-host.invalid\ntimeout: 2s", "").call(t, "{}").err
			if e == nil || e.Kind != kindUnreachable && e.Kind != kindTimeout || !strings.Contains(e.Message, "no-such-host.invalid") {
				t.Errorf("got %v", e)
			}
		})
	})
}

// The call's own time ends it, wherever it is, and the connection is closed.
func TestTimeouts(t *testing.T) {
	for _, tc := range []struct{ name, sent, word string }{
		{"before the head", "", "did not answer within 300ms"},
		{"within the head", "HTTP/1.1 200 OK\r\nContent-", "did not answer within 300ms"},
		{"within the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "did not finish its answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				closed := make(chan struct{})
				host := n.accept(t, func(c net.Conn) {
					head(bufio.NewReader(c))
					io.WriteString(c, tc.sent)
					io.Copy(io.Discard, c)
					close(closed)
				})
				x := n.rig(t, nil, "base_url: http://"+host+"\ntimeout: 300ms", "")
				start := time.Now()
				e := x.fails(t, kindTimeout, "", tc.word, host)
				<-closed
				if took := time.Since(start); took != 300*time.Millisecond {
					t.Errorf("took %v", took)
				}
				if e.Retryable == nil || !*e.Retryable {
					t.Error("a timeout is worth another try")
				}
			})
		})
	}
}

func TestCancellation(t *testing.T) {
	got := make(chan struct{}, 1)
	closed := make(chan struct{}, 1)
	host := listen(t, func(c net.Conn) {
		head(bufio.NewReader(c))
		got <- struct{}{}
		io.Copy(io.Discard, c)
		closed <- struct{}{}
	})
	x := rigOf(t, nil, "base_url: http://"+host+"\nbreaker: {failures: 1}", "")
	for range 2 { // the first does not open the breaker
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-got; cancel() }()
		g := x.callIn(t, ctx, "{}")
		if g.err == nil {
			t.Fatal("want an error")
		}
		g.err.check(t, kindCancelled, "")
		<-closed
	}
}

func TestTrusted(t *testing.T) {
	rec := &recorder{}
	rec.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Proto", r.Proto)
		w.Header().Set("X-Client", strconv.Itoa(len(r.TLS.PeerCertificates)))
	}))
	rec.EnableHTTP2 = true
	rec.Config.ErrorLog = quiet
	rec.StartTLS()
	t.Cleanup(rec.Close)
	host := strings.TrimPrefix(rec.URL, "https://")
	dir := t.TempDir()
	certificate, key := pems(t, rec.TLS.Certificates[0])
	write(t, dir, "ca.pem", certificate)
	write(t, dir, "key.pem", key)
	write(t, dir, "bad.pem", "no certificate")

	base := "base_url: " + rec.URL + "\n"
	rigOf(t, nil, base, "").fails(t, kindUnreachable, codeTLS, "certificate", host, "unknown authority")
	g := rigOf(t, nil, base+"tls: {ca_file: "+dir+"/ca.pem}", "").ok(t, "{}")
	if g.header.Get("X-Proto") != "HTTP/2.0" || g.header.Get("X-Client") != "0" {
		t.Errorf("got %v", g.header)
	}
	careless := rigOf(t, nil, base+"tls: {insecure_skip_verify: true}", "")
	careless.ok(t, "{}")
	if !strings.Contains(careless.logs.String(), "not verified") {
		t.Errorf("nothing was said of it: %s", careless.logs)
	}
	_, port, _ := net.SplitHostPort(host)
	rigOf(t, nil, "base_url: https://localhost:"+port+"\ntls: {ca_file: "+dir+"/ca.pem}", "").fails(t, kindUnreachable, codeTLS, "certificate", "localhost:"+port)
	rigOf(t, nil, base+"tls: {ca_file: "+dir+"/bad.pem}", "").fails(t, kindInternal, "invalid_value", "tls.ca_file", "no certificate")
	rigOf(t, nil, base+"tls: {client_cert: "+dir+"/ca.pem, client_key: "+dir+"/bad.pem}", "").fails(t, kindInternal, "invalid_value", "tls.client_cert")

	old := httptest.NewUnstartedServer(rec.Config.Handler)
	old.TLS = rec.TLS.Clone()
	old.TLS.MinVersion, old.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	old.Config.ErrorLog = quiet
	old.StartTLS()
	t.Cleanup(old.Close)
	rigOf(t, nil, "base_url: "+old.URL+"\ntls: {ca_file: "+dir+"/ca.pem}", "").fails(t, kindUnreachable, codeTLS, "TLS")

	plain := record(t, nil)
	plainHost := strings.TrimPrefix(plain.URL, "http://")
	rigOf(t, nil, "base_url: https://"+plainHost, "").fails(t, kindUnreachable, codeTLS, "does not speak TLS", plainHost)
	if n := len(plain.seen()); n != 0 {
		t.Errorf("%d requests went out in clear", n)
	}

	t.Run("with our own", func(t *testing.T) {
		strict := httptest.NewUnstartedServer(rec.Config.Handler)
		strict.TLS = rec.TLS.Clone()
		strict.TLS.ClientAuth = tls.RequireAnyClientCert
		strict.Config.ErrorLog = quiet
		strict.StartTLS()
		t.Cleanup(strict.Close)
		base := "base_url: " + strict.URL + "\ntls: {ca_file: " + dir + "/ca.pem"
		// With TLS 1.3 the refusal comes after the handshake, and the end of the connection may overtake it.
		if e := rigOf(t, nil, base+"}", "").call(t, "{}").err; e == nil || e.Kind != kindUnreachable {
			t.Errorf("want unreachable without a certificate, got %v", e)
		}
		strict.TLS.MaxVersion = tls.VersionTLS12
		old := httptest.NewUnstartedServer(rec.Config.Handler)
		old.TLS, old.Config.ErrorLog = strict.TLS.Clone(), quiet
		old.StartTLS()
		t.Cleanup(old.Close)
		rigOf(t, nil, "base_url: "+old.URL+"\ntls: {ca_file: "+dir+"/ca.pem}", "").fails(t, kindUnreachable, codeTLS, "refused the TLS handshake")
		g := rigOf(t, map[string]string{"HOME": dir}, base+", client_cert: ~/ca.pem, client_key: ~/key.pem}", "").ok(t, "{}")
		if g.header.Get("X-Client") != "1" {
			t.Errorf("no certificate was shown: %v", g.header)
		}
	})
}

// A relative path of tls begins beside tbridge.yaml.
func TestRelativeFiles(t *testing.T) {
	x := rigOf(t, nil, "base_url: http://127.0.0.1\ntls: {ca_file: certs/ca.pem}", "")
	if e := x.call(t, "{}").err; e == nil || !strings.Contains(e.Message, "file certs/ca.pem") {
		t.Errorf("got %v", e)
	}
	if got, err := x.api.def.Locate("certs/ca.pem", x.api.options.Env); !strings.HasPrefix(got, "/") || !strings.HasSuffix(got, "/certs/ca.pem") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestProxy(t *testing.T) {
	proxy := record(t, nil)
	base := "base_url: http://api.internal.test/v1"
	for _, env := range []map[string]string{{"HTTP_PROXY": proxy.URL}, {"http_proxy": proxy.URL}} {
		rigOf(t, env, base, "path: /t|").ok(t, "{}")
	}
	for _, r := range proxy.seen() {
		if r.RequestURI != "http://api.internal.test/v1/t%7C" {
			t.Errorf("the proxy got %s", r.RequestURI)
		}
	}
	n := len(proxy.seen())
	e := rigOf(t, map[string]string{"HTTP_PROXY": proxy.URL, "NO_PROXY": "api.internal.test"}, base+"\ntimeout: 3s", "").call(t, "{}").err
	if e == nil || !strings.Contains(e.Message, "api.internal.test") {
		t.Errorf("got %v", e)
	}
	rigOf(t, map[string]string{"HTTP_PROXY": proxy.URL}, "base_url: "+record(t, nil).URL, "").ok(t, "{}") // the loopback
	if len(proxy.seen()) != n {
		t.Error("the proxy was asked for a host that is excepted")
	}
	wary := listen(t, func(c net.Conn) {
		head(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
	})
	rigOf(t, map[string]string{"https_proxy": "http://" + wary}, "base_url: https://api.internal.test", "").fails(t, kindUnreachable, "", "proxy", "api.internal.test", "407")
	dead := closedPort(t)
	x := rigOf(t, map[string]string{"HTTPS_PROXY": "http://me:proxy-secret@" + dead}, "base_url: https://api.internal.test", "")
	if e := x.fails(t, kindUnreachable, "", "proxy", "api.internal.test"); strings.Contains(e.Message, dead) {
		t.Errorf("got %s", e.Message)
	}
	if got := x.api.masks.text("proxy-secret"); got != masked {
		t.Errorf("the proxy's password came out: %s", got)
	}
}

// HTTPS goes through a proxy as a tunnel, and the certificate is that of the API.
func TestTunnel(t *testing.T) {
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	t.Cleanup(api.Close)
	certificate, _ := pems(t, api.TLS.Certificates[0])
	dir := t.TempDir()
	write(t, dir, "ca.pem", certificate)
	asked := make(chan string, 1)
	proxy := listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		asked <- head(r)[0]
		up, err := net.Dial("tcp", api.Listener.Addr().String())
		if err != nil {
			return
		}
		defer up.Close()
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(up, r)
		io.Copy(c, up)
	})
	x := rigOf(t, map[string]string{"HTTPS_PROXY": "http://" + proxy}, "base_url: https://example.com\ntls: {ca_file: "+dir+"/ca.pem}", "")
	if g := x.ok(t, "{}"); g.body != "example.com" {
		t.Errorf("got %s", g.body)
	}
	if got := <-asked; got != "CONNECT example.com:443 HTTP/1.1" {
		t.Errorf("the proxy got %s", got)
	}
}

func TestOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"http://Host.Example:80/a": "http://host.example",
		"https://h:443":            "https://h",
		"https://h:80?x":           "https://h:80",
		"http://[::1]:8080/":       "http://[::1]:8080",
		"http://[2001:DB8::1]/":    "http://[2001:db8::1]",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := origin(u); got != want {
			t.Errorf("origin of %s is %s, want %s", in, got, want)
		}
	}
}

// A server that closes its idle connections fails no call.
func TestIdleConnectionsThatWereClosed(t *testing.T) {
	const calls = 1000
	for _, tc := range []struct{ name, tool, want string }{
		{"GET", "", "GET / HTTP/1.1"},
		{"POST", "method: POST\nbody: {n: 1}", "POST / HTTP/1.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var connections atomic.Int32
			closed := make(chan struct{}, calls)
			host := listen(t, func(c net.Conn) {
				connections.Add(1)
				r := bufio.NewReader(c)
				lines := head(r)
				if len(lines) == 0 || lines[0] != tc.want {
					t.Errorf("got %q", lines)
				}
				io.WriteString(c, okAnswer)
				c.(*net.TCPConn).CloseWrite()
				io.Copy(io.Discard, r) // until the other side has seen it
				closed <- struct{}{}
			})
			x := rigOf(t, nil, "base_url: http://"+host, tc.tool)
			for i := range calls {
				if g := x.call(t, "{}"); g.err != nil {
					t.Fatalf("call %d: %v", i, g.err)
				}
				await(t, closed)
			}
			if n := connections.Load(); n != calls {
				t.Errorf("%d connections, want one for each of %d calls", n, calls)
			}
		})
	}
}

// A connection may be closed at the very moment a request is written. A GET is then sent again. Of what may have been
// done already the caller is told, and it is not done twice.
func TestConnectionsThatCloseWhileARequestIsWritten(t *testing.T) {
	for _, tc := range []struct {
		tool string
		kind string // of a failure; empty: none may be
	}{{"", ""}, {"method: POST\nbody: {n: 1}", kindUnreachable}} {
		var answered, requests atomic.Int32
		host := listen(t, func(c net.Conn) {
			r := bufio.NewReader(c)
			for n := 0; len(head(r)) > 0; n++ {
				requests.Add(1)
				if n == 1 { // read, and never answered
					return
				}
				answered.Add(1)
				io.WriteString(c, okAnswer)
				if _, err := r.Discard(r.Buffered()); err != nil {
					return
				}
			}
		})
		x := rigOf(t, nil, "base_url: http://"+host, tc.tool)
		failed := int32(0)
		for range 100 {
			if g := x.call(t, "{}"); g.err != nil {
				failed++
				if g.err.Kind != tc.kind {
					t.Errorf("got %v", g.err)
				}
			}
		}
		if n := answered.Load(); n+failed != 100 || (tc.kind == "") != (failed == 0) || tc.kind != "" && requests.Load() != 100 {
			t.Errorf("%s: %d answers, %d failures, %d requests", x.plan.method, n, failed, requests.Load())
		}
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	x := rigOf(t, nil, "base_url: "+record(t, nil).URL, "")
	for _, open := range []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) { return nil, fmt.Errorf("open: gone") },
		func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("x"), failing{})), nil
		},
	} {
		_, e := x.api.send(t.Context(), x.tool, &request{method: "POST", body: &body{length: 9, open: open}})
		if e == nil {
			t.Fatal("want an error")
		}
		e.check(t, kindInternal, "", "the body of the request cannot be read", "gone")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("disk: gone") }
