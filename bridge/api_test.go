package bridge

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the API adds goes beside what the tool says; the tool's replaces it, but not the credential.
func TestJoinHeadersAndQuery(t *testing.T) {
	rec := record(t, nil)
	keys := "base_url: " + rec.URL + `/v1?fmt=json
headers: {X-Org: "${ORG:-}", accept: text/plain, X-Version: "1", Cookie: lang=en}
query: {org: "${ORG:-}", v: "1", "f[a]": "x y"}
`
	for _, tc := range []struct {
		name, auth, tool, args string
		target                 string
		headers                map[string]string
	}{
		{"constants", "", "arguments: []", "{}", "/v1?fmt=json&org=o%207&v=1&f%5Ba%5D=x%20y",
			map[string]string{"X-Org": "o 7", "Accept": "text/plain", "X-Version": "1", "Cookie": "lang=en", "User-Agent": "tbridge/9.9", "Accept-Encoding": "gzip, deflate", "Authorization": ""}},
		{"the tool's instead", "", `arguments: [{name: ver, type: string}]
headers: {ACCEPT: text/csv, x-version: "{ver}", User-Agent: mine}
query: {v: "2", "f[a]": z}`, `{"ver":"9"}`, "/v1?fmt=json&org=o%207&v=2&f%5Ba%5D=z",
			map[string]string{"Accept": "text/csv", "X-Version": "9", "User-Agent": "mine"}},
		{"the API's where the tool's is absent", "", `arguments: [{name: ver, type: string}]
headers: {x-version: "{ver}"}
query: {v: "{ver}"}`, `{}`, "/v1?fmt=json&org=o%207&v=1&f%5Ba%5D=x%20y", map[string]string{"X-Version": "1"}},
		{"bearer", "bearer: ${T}", "arguments: []", "{}", "", map[string]string{"Authorization": "Bearer s3cret"}},
		{"basic in UTF-8", "basic: {username: ü, password: '${T}'}", "arguments: []", "{}", "",
			map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("ü:s3cret"))}},
		{"basic without a password", "basic: {username: '${T}', password: ''}", "arguments: []", "{}", "",
			map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("s3cret:"))}},
		{"a key in a header beats the tool's", "api_key: {in: header, name: x-version, value: '${T}'}", "arguments: []\nheaders: {X-VERSION: \"2\"}", "{}", "",
			map[string]string{"X-Version": "s3cret"}},
		{"a key in the query beats all", "api_key: {in: query, name: v, value: 'a&b=${T}+/'}", "arguments: []\nquery: {v: \"2\", w: \"3\"}", "{}",
			"/v1?fmt=json&org=o%207&f%5Ba%5D=x%20y&w=3&v=a%26b%3Ds3cret%2B%2F", nil},
		{"a key in a cookie", "api_key: {in: cookie, name: sid, value: '${T}=; \"'}", "arguments: []\ncookies: {sid: mine, other: a b}", "{}", "",
			map[string]string{"Cookie": "lang=en; other=a%20b; sid=s3cret=%3B%20%22"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := keys
			if tc.auth != "" {
				all += "auth:\n  " + tc.auth
			}
			rigOf(t, map[string]string{"ORG": "o 7", "T": "s3cret"}, all, tc.tool).ok(t, tc.args)
			requests := rec.seen()
			r := requests[len(requests)-1]
			if tc.target != "" && r.RequestURI != tc.target {
				t.Errorf("got %s, want %s", r.RequestURI, tc.target)
			}
			for name, want := range tc.headers {
				if got := strings.Join(r.Header.Values(name), " | "); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

// What the operator of an API fixed is not the caller's to send, even where a tool takes anything.
func TestConstantsHoldAgainstOpenTools(t *testing.T) {
	rec := record(t, nil)
	keys := "base_url: " + rec.URL + "/v1?flag&Role=user\nquery: {tenant: \"7\"}\nauth: {api_key: {in: query, name: key, value: k}}"
	x := rigOf(t, nil, keys, "path: /p?own")
	if got := x.ok(t, `{"a":"1"}`); got.status != 200 {
		t.Errorf("got %v", got)
	}
	if got := rec.seen()[0].RequestURI; got != "/v1/p?flag&Role=user&tenant=7&own&a=1&key=k" {
		t.Errorf("sent %s", got)
	}
	const fixed = " is fixed by the operator of this API, and cannot be sent"
	got := x.call(t, `{"role":"admin","tenant[]":["8"],"Key":"x","flag":1,"b":2}`)
	if want := "role:" + fixed + "; tenant[]:" + fixed + "; Key:" + fixed + "; flag:" + fixed; got.err == nil || got.err.Message != want {
		t.Errorf("got %v, want %s", got.err, want)
	}
	if n := len(rec.seen()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	rigOf(t, nil, keys, "path: /p\nmethod: POST").ok(t, `{"tenant":"8"}`) // which goes into the body
}

func TestBodiesAndTheirTypes(t *testing.T) {
	rec := record(t, nil)
	for _, tc := range []struct{ tool, body, contentType, length string }{
		{"method: POST\narguments: []", "", "", "0"},
		{"method: POST\narguments: []\nbody: {a: 1}", `{"a":1}`, "application/json", "7"},
		{"method: POST\narguments: []\nbody: ''\nencoding: text", "", "text/plain", "0"},
	} {
		rigOf(t, nil, "base_url: "+rec.URL+"\nheaders: {Content-Type: application/weird}", tc.tool).ok(t, "{}")
		r := rec.seen()[len(rec.seen())-1]
		if tc.contentType == "" {
			tc.contentType = "application/weird" // the operator's word, where the tool has none
		}
		if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, tc.contentType) {
			t.Errorf("%s: content type %q", tc.tool, got)
		}
		if got := rec.bodies[len(rec.bodies)-1]; got != tc.body || r.Header.Get("Content-Length") != tc.length {
			t.Errorf("%s: body %q, length %s", tc.tool, got, r.Header.Get("Content-Length"))
		}
	}
}

func TestKeyInThePath(t *testing.T) {
	rec := record(t, nil)
	keys := "base_url: " + rec.URL + "/bot{key}/v2\nauth: {api_key: {in: path, name: key, value: '${K}'}}"
	x := rigOf(t, map[string]string{"K": "77:AbC-def/x?"}, keys, "path: /send")
	x.ok(t, "{}")
	if got := rec.seen()[0].RequestURI; got != "/bot77%3AAbC-def%2Fx%3F/v2/send" {
		t.Errorf("got %s", got)
	}
	if got := x.api.masks.text("/bot77:AbC-def/x? /bot77%3aAbC-def/x%3F"); got != "/bot*** /bot***" {
		t.Errorf("the key came out: %s", got)
	}
	rigOf(t, nil, keys, "path: /send").fails(t, kindToken, "missing_value", "$K", "auth.api_key.value")
}

// What is absent is named with everything that was tried, nothing is sent, and it is looked for again.
func TestAbsentValues(t *testing.T) {
	rec := record(t, nil)
	file := filepath.Join(t.TempDir(), "token.toml")
	for _, tc := range []struct {
		name, keys, kind, code string
		words                  []string
	}{
		{"credential", "auth: {bearer: ['${A_TOKEN}', {file: " + file + ", key: token}]}", kindToken, "missing_value", []string{"auth.bearer", "$A_TOKEN", "key token of " + file}},
		{"both halves", "auth: {basic: {username: '${A_USER}', password: '${A_PASS}'}}", kindToken, "missing_value", []string{"$A_USER", "$A_PASS"}},
		{"header", "headers: {X-Org: '${ORG}'}", kindInternal, "missing_value", []string{"headers.X-Org", "$ORG"}},
		{"query", "query: {org: '${ORG}'}", kindInternal, "missing_value", []string{"query.org", "$ORG"}},
		{"credential and header", "headers: {X-Org: '${ORG}'}\nauth: {bearer: '${A_TOKEN}'}", kindToken, "missing_value", []string{"$ORG", "$A_TOKEN"}},
		{"empty credential", "auth: {bearer: '${A_TOKEN:-}'}", kindToken, "invalid_value", []string{"auth.bearer", "empty"}},
		{"line break", "headers: {X: '${LINES}'}", kindInternal, "invalid_value", []string{"headers.X", "line break"}},
		{"control", "headers: {X: '${BELL}'}", kindInternal, "invalid_value", []string{"headers.X", "control character"}},
		{"authority file", "tls: {ca_file: " + file + "}", kindInternal, "missing_value", []string{"tls.ca_file", file}},
		{"oauth2", "auth: {oauth2: {token_url: '${U}', client_id: '${I}', client_secret: '${S}'}}", kindToken, "missing_value", []string{"$U", "$I", "$S"}},
		{"oauth2 to no URL", "auth: {oauth2: {token_url: '${ORG2}', client_id: i, client_secret: s}}", kindToken, "invalid_value", []string{"token_url", "${ORG2}"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := rigOf(t, map[string]string{"LINES": "a\nb", "BELL": "a\ab", "ORG2": "mailto:x"}, "base_url: "+rec.URL+"\n"+tc.keys, "")
			e := x.fails(t, tc.kind, tc.code, tc.words...)
			if !strings.Contains(x.logs.String(), "calls of this API will fail") || !strings.Contains(x.logs.String(), tc.words[0]) {
				t.Errorf("%v was not logged at load: %s", e, x.logs)
			}
		})
	}
	if n := len(rec.seen()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}

	x := rigOf(t, nil, "base_url: "+rec.URL+"\nauth: {bearer: ['${A_TOKEN}', {file: "+file+", key: token}]}", "")
	x.fails(t, kindToken, "missing_value")
	if err := os.WriteFile(file, []byte("token = \"came-later\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.ok(t, "{}")
	if got := rec.seen()[0].Header.Get("Authorization"); got != "Bearer came-later" {
		t.Errorf("got %s", got)
	}
	if got := x.api.masks.text("came-later"); got != masked {
		t.Errorf("%s came out", got)
	}
}

func TestBaseURLFromOutside(t *testing.T) {
	for value, want := range map[string]string{
		"my.example/v1":          "no absolute URL",
		"ftp://api.example":      "no absolute URL",
		"http://":                "no absolute URL",
		"http://a b":             "a space",
		"http://h/a\tb":          "control character",
		"http://h:70000":         "the port 70000",
		"http://h/%zz":           "hexadecimal",
		"http://h/#f":            "a fragment",
		"http://a..b":            "no host that can be",
		"http://h:port":          "no absolute URL",
		"http:///path":           "no absolute URL",
		"http://me:pass@h":       "holds a user name",
		"https://user@h:8080/v1": "holds a user name",
	} {
		x := rigOf(t, map[string]string{"U": value}, "base_url: ${U}", "")
		e := x.fails(t, kindInternal, "invalid_value", "base_url", want)
		if strings.Contains(e.Message, value) {
			t.Errorf("the content came out: %s", e.Message)
		}
	}
	rigOf(t, nil, "base_url: ${U}", "").fails(t, kindInternal, "missing_value", "base_url", "$U")
	rec := record(t, nil)
	rigOf(t, map[string]string{"U": "HTTP" + strings.TrimPrefix(rec.URL, "http")}, "base_url: ${U}", "").ok(t, "{}")
}

// Only what came from outside is masked, never what the file has for all to see.
func TestWhatIsMasked(t *testing.T) {
	rec := record(t, nil)
	x := rigOf(t, map[string]string{"LONG": "outside-42", "SHORT": "abc12", "WHO": "ann", "PW": "pass word/9"}, "base_url: "+rec.URL+`
auth: {basic: {username: "${WHO}", password: "${PW}"}}
headers: {X-Long: "v1 ${LONG}", X-Short: "${SHORT}", X-Fixed: fixed-value, X-Default: "${UNSET:-demo-token-1}"}`, "")
	in := "v1 outside-42 abc12 fixed-value demo-token-1 ann YW5uOnBhc3Mgd29yZC85 pass%20word%2F9"
	if got := x.api.masks.text(in); got != "v1 *** abc12 fixed-value demo-token-1 ann *** ***" {
		t.Errorf("got %s", got)
	}
}

// The debug log names no argument, header or URL.
func TestDebugLogHoldsNothingSecret(t *testing.T) {
	rec := record(t, nil)
	x := rigOf(t, map[string]string{"K": "c4nary-0123456789"}, "base_url: "+rec.URL+"\nauth: {api_key: {in: query, name: k, value: '${K}'}}", "arguments: [{name: a, type: string}]")
	x.ok(t, `{"a":"argument-text"}`)
	for _, word := range []string{"c4nary", "argument-text", "k="} {
		if strings.Contains(x.logs.String(), word) {
			t.Errorf("%q is in the log: %s", word, x.logs)
		}
	}
	if !strings.Contains(x.logs.String(), "status=200") {
		t.Errorf("the try is not in the log: %s", x.logs)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	rec := record(t, nil)
	x := rigOf(t, nil, "base_url: "+rec.URL, "")
	for range 20 {
		x.ok(t, "{}")
	}
	var ports []string
	for _, r := range rec.seen() {
		ports = append(ports, r.RemoteAddr)
	}
	slices.Sort(ports)
	if n := len(slices.Compact(ports)); n != 1 {
		t.Errorf("20 calls took %d connections", n)
	}
}
