package workbench

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// send sends a request with just these headers; Host is one of them.
func (d *desk) send(method, route string, headers map[string]string) *http.Response {
	d.Helper()
	req, err := http.NewRequestWithContext(d.Context(), method, d.url+route, strings.NewReader("{}"))
	if err != nil {
		d.Fatal(err)
	}
	for name, value := range headers {
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		d.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		d.Fatal(err)
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(strings.NewReader(string(text)))
	return resp
}

// everyRoute gives a request for each route there is.
func (d *desk) everyRoute() (routes [][2]string) {
	for pattern := range d.bench.endpoints() {
		method, path, _ := strings.Cut(pattern, " ")
		routes = append(routes, [2]string{method, strings.NewReplacer("{path...}", "tasks.yaml", "{tool}", "get_task", "{id}", "x").Replace(path)})
	}
	return append(routes, [2]string{"GET", "/api/"}, [2]string{"POST", "/api/nothing"})
}

// W1, W15: whoever does not hold the token gets nothing from any route, and is told nothing.
func TestEveryRouteNeedsTheToken(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	for _, route := range d.everyRoute() {
		for _, authorization := range []string{"", "Bearer", "Bearer " + token[1:], "Bearer " + token + "0", "Basic " + token, token, "bearer " + token} {
			resp := d.send(route[0], route[1]+"?token="+token, map[string]string{"Authorization": authorization, "Content-Type": "application/json"})
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusUnauthorized || strings.Contains(string(body), "task") {
				t.Errorf("%s %s with %q: %d %s", route[0], route[1], authorization, resp.StatusCode, body)
			}
		}
	}
	equal(t, d.read("tools.d/tasks.yaml"), tasks)
}

// W2: another site cannot make the browser do anything, even if it knew the token; and what is no JSON is not read.
func TestOtherSitesAreRefused(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	for _, route := range d.everyRoute() {
		if route[0] == "GET" {
			continue
		}
		for want, headers := range map[int]map[string]string{
			http.StatusForbidden:            {"Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"},
			http.StatusUnsupportedMediaType: {"Content-Type": "text/plain"},
		} {
			headers["Authorization"] = "Bearer " + token
			if resp := d.send(route[0], route[1], headers); resp.StatusCode != want {
				t.Errorf("%s %s with %v: %d, want %d", route[0], route[1], headers, resp.StatusCode, want)
			}
		}
		headers := map[string]string{"Origin": "https://evil.example", "Content-Type": "application/json", "Authorization": "Bearer " + token}
		if resp := d.send(route[0], route[1], headers); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s from another origin: %d", route[0], route[1], resp.StatusCode)
		}
	}
	equal(t, d.read("tools.d/tasks.yaml"), tasks)
}

// W2: GET changes nothing on the disk, whatever it is asked.
func TestGetChangesNothing(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	before := snapshot(t, d.dir)
	kept := snapshot(t, d.state)
	for _, route := range d.everyRoute() {
		if route[0] == "GET" && route[1] != "/api/events" {
			d.ask("GET", route[1], nil)
		}
	}
	equal(t, snapshot(t, d.dir), before)
	equal(t, snapshot(t, d.state), kept)
}

// W3: a name that somebody has pointed at this machine is not ours.
func TestHostMustBeOurs(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(d.url, "http://"))
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "[::1]:" + port: 200,
		"evil.example:" + port: 403, "127.0.0.1": 403, "127.0.0.1:1": 403, "localhost.evil.example:" + port: 403, "127.0.0.2:" + port: 403,
	} {
		for _, route := range []string{"/", "/api/catalogue", "/app-ABCDEFGH.js"} {
			resp := d.send("GET", route, map[string]string{"Host": host, "Authorization": "Bearer " + token, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"})
			if resp.StatusCode != want {
				t.Errorf("%s from %s: %d, want %d", route, host, resp.StatusCode, want)
			}
		}
	}
}

// W10, W11, W14: the headers of the page, of what it loads and of the API.
func TestHeaders(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	nonces := map[string]bool{}
	for range 2 {
		resp := d.send("GET", "/", nil)
		body, _ := io.ReadAll(resp.Body)
		m := regexp.MustCompile(`content="([A-Z2-7]{26})"`).FindStringSubmatch(string(body))
		if m == nil {
			t.Fatalf("no nonce in %s", body)
		}
		nonces[m[1]] = true
		equal(t, shownHeaders(resp), "Cache-Control: no-store\n"+
			"Content-Security-Policy: default-src 'none'; script-src 'self' 'nonce-"+m[1]+"'; style-src 'self' 'nonce-"+m[1]+"'; img-src 'self' data:; font-src 'self'; "+
			"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\n"+
			"Content-Type: text/html; charset=utf-8\n"+fixedHeaders)
	}
	if len(nonces) != 2 {
		t.Error("a nonce is used twice")
	}
	closed := "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\n"
	equal(t, shownHeaders(d.send("GET", "/app-ABCDEFGH.js", nil)),
		"Cache-Control: private, max-age=31536000, immutable\n"+closed+"Content-Type: text/javascript; charset=utf-8\n"+fixedHeaders)
	equal(t, shownHeaders(d.send("GET", "/api/catalogue", map[string]string{"Authorization": "Bearer " + token})),
		"Cache-Control: no-store\n"+closed+"Content-Type: application/json; charset=utf-8\n"+fixedHeaders)
	for route, want := range map[string]int{"/nothing.js": 404, "/index.html": 301, "/..%2fguard.go": 404} {
		if resp := d.send("GET", route, nil); resp.StatusCode != want || strings.Contains(resp.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d, %s", route, resp.StatusCode, resp.Header.Get("Cache-Control"))
		}
	}
	if resp := d.send("POST", "/", nil); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST to the page: %d", resp.StatusCode)
	}
}

const fixedHeaders = "Cross-Origin-Opener-Policy: same-origin\nCross-Origin-Resource-Policy: same-origin\nReferrer-Policy: no-referrer\nX-Content-Type-Options: nosniff\n"

// shownHeaders are the headers that matter to a browser's safety, in the order of their names.
func shownHeaders(resp *http.Response) string {
	var b strings.Builder
	for _, name := range []string{"Cache-Control", "Content-Security-Policy", "Content-Type", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy",
		"Referrer-Policy", "X-Content-Type-Options", "Set-Cookie", "Access-Control-Allow-Origin"} {
		for _, value := range resp.Header.Values(name) {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	return b.String()
}

func TestRequestsThatCannotBeRead(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	for text, want := range map[string]int{
		`{"path":"tasks.yaml","text":"x"`: 400, `{"path":1}`: 400, `{"paht":"x"}`: 400, `{} {}`: 400, `[]`: 400, ``: 400,
		`{"text":"` + strings.Repeat("x", maxRequest) + `"}`: 413,
	} {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", d.url+"/api/check", strings.NewReader(text))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%.40s: %d, want %d", text, resp.StatusCode, want)
		}
	}
	equal(t, refusal(d, 404, "GET", "/api/nothing", nil), "no_route")
	equal(t, refusal(d, 404, "POST", "/api/catalogue", nil), "no_route")
}

// W7, W15: whoever changes a file, the page hears of it.
func TestEvents(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	req, _ := http.NewRequestWithContext(t.Context(), "GET", d.url+"/api/events", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() (text string) {
		for lines.Scan() && lines.Text() != "" {
			text += lines.Text() + "\n"
		}
		return text
	}
	put := func(name, text string) { // at once: nobody sees a file that is half written
		d.write("aside", text)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(d.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(d.dir, "aside"), filepath.Join(d.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, next(), ": connected\n")
	put("tools.d/tasks.yaml", tasks+"# more\n")
	equal(t, next(), "event: changed\ndata: {\"path\":\"tasks.yaml\",\"etag\":\"\\\""+etag(tasks + "# more\n")[1:65]+"\\\"\"}\n")
	put("tools.d/sub/new.yaml", "tools: []\n")
	equal(t, next(), "event: changed\ndata: {\"path\":\"sub/new.yaml\",\"etag\":\"\\\""+etag("tools: []\n")[1:65]+"\\\"\"}\n")
	d.remove("tools.d/sub/new.yaml")
	equal(t, next(), "event: changed\ndata: {\"path\":\"sub/new.yaml\",\"etag\":null}\n")
	put("tbridge.yaml", apis+"\n")
	if got := next(); !strings.Contains(got, `"path":"tbridge.yaml"`) {
		t.Errorf("of tbridge.yaml: %s", got)
	}
}

func TestListenersAreCounted(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	for range maxStreams {
		d.bench.streams <- struct{}{}
	}
	equal(t, refusal(d, 503, "GET", "/api/events", nil), "busy")
}
