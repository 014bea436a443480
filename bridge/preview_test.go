package bridge

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (x *rig) preview(t testing.TB, arguments string) *Preview {
	t.Helper()
	c := callOf(t, arguments)
	r, e := x.plan.render(c)
	if e != nil {
		t.Fatal(e)
	}
	defer r.close()
	p, err := x.api.preview(c, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shownAs is a preview as text: the request line, headers that differ from the usual, the body.
func shownAs(p *Preview) string {
	b := p.Method + " " + p.URL + "\n"
	for _, h := range p.Header {
		if h.Name != "Accept" && h.Name != "Accept-Encoding" && h.Name != "User-Agent" {
			b += h.Name + ": " + h.Value + "\n"
		}
	}
	for _, part := range p.Parts {
		text, _ := json.Marshal(part)
		b += string(text) + "\n"
	}
	return b + p.Body
}

func TestPreview(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, filepath.Dir(file), "token", "from-a-file\n")
	env := map[string]string{"KEY": "s3cret/key", "USER": "anna-maria", "ORG": "org-secret-7", "URL": "http://h.test/api", "PLAIN": ""}
	for _, tc := range []struct{ name, keys, tool, args, want, curl string }{
		{"bearer", "base_url: http://h.test/v1\nauth: {bearer: '${KEY}'}\nheaders: {X-Org: 'v1 ${ORG}', X-None: '${PLAIN:-}', X-Fixed: it's}",
			"path: /t/{id}\narguments: [{name: id, type: string}, {name: q, type: string}]", `{"id":"a/b","q":"${HOME} $(id)"}`,
			"GET http://h.test/v1/t/a%2Fb?q=%24%7BHOME%7D%20%24%28id%29\nAuthorization: Bearer ${KEY}\nX-Fixed: it's\nX-Org: v1 ${ORG}\n",
			`curl -X GET --globoff 'http://h.test/v1/t/a%2Fb?q=%24%7BHOME%7D%20%24%28id%29' -H 'Accept: application/json, */*;q=0.8' --compressed -H 'Authorization: Bearer '"${KEY}" -H 'User-Agent: tbridge/9.9' -H 'X-Fixed: it'\''s' -H 'X-Org: '"v1 ${ORG}"`},
		{"basic", "base_url: http://h.test\nauth: {basic: {username: '${USER}', password: 'a$$b\"${KEY}'}}", "arguments: []", "{}",
			"GET http://h.test/\nAuthorization: Basic <base64 of ${USER}:a$$b\"${KEY}>\n",
			`curl -X GET --globoff 'http://h.test/' -H 'Accept: application/json, */*;q=0.8' --compressed -H 'Authorization: Basic '"$(printf %s "${USER}:a\$b\"${KEY}" | base64 | tr -d '\n')" -H 'User-Agent: tbridge/9.9'`},
		{"keys", "base_url: http://h.test/bot{k}/x?a=1\nauth: {api_key: {in: path, name: k, value: '${KEY}'}}\nquery: {org: '${ORG:-none}'}", "method: HEAD\narguments: []", "{}",
			"HEAD http://h.test/bot${KEY}/x?a=1&org=${ORG:-none}\n",
			`curl --head --globoff 'http://h.test/bot'"${KEY}"'/x?a=1&org='"${ORG:-none}" -H 'Accept: application/json, */*;q=0.8' --compressed -H 'User-Agent: tbridge/9.9'`},
		{"query key", "base_url: http://h.test\nauth: {api_key: {in: query, name: k, value: '${KEY}'}}", "arguments: []", "{}", "GET http://h.test/?k=${KEY}\n", ""},
		{"cookie key", "base_url: http://h.test\nauth: {api_key: {in: cookie, name: k, value: '${KEY}'}}", "arguments: []", "{}", "GET http://h.test/\nCookie: k=${KEY}\n", ""},
		{"oauth2", "base_url: http://h.test\nauth: {oauth2: {token_url: 'http://id.test', client_id: '${USER}', client_secret: '${KEY}'}}", "arguments: []", "{}",
			"GET http://h.test/\nAuthorization: Bearer <token from oauth2>\n", ""},
		{"file", "base_url: '${URL}'\nauth: {bearer: {file: " + file + "}}", "arguments: []", "{}",
			"GET http://h.test/api\nAuthorization: Bearer {file: " + file + "}\n",
			`curl -X GET --globoff 'http://h.test/api' -H 'Accept: application/json, */*;q=0.8' --compressed -H 'Authorization: Bearer '"$(cat "` + file + `")" -H 'User-Agent: tbridge/9.9'`},
		{"absent", "base_url: '${NO_URL}'\nauth: {bearer: ['${NO_KEY}', {file: ~/none.toml, key: a.b}]}", "path: /t\narguments: []", "{}",
			"GET ${NO_URL}/t\nAuthorization: Bearer [${NO_KEY}, {file: ~/none.toml, key: a.b}]\n", ""},
		{"JSON", "base_url: http://h.test", "method: POST\narguments: [{name: n, type: integer}, {name: s, type: string}]", `{"n":12345678901234567890,"s":"it's s3cret/key"}`,
			"POST http://h.test/\nContent-Type: application/json\n" + `{"n":12345678901234567890,"s":"it's s3cret/key"}`,
			`curl -X POST --globoff 'http://h.test/' -H 'Accept: application/json, */*;q=0.8' --compressed -H 'Content-Type: application/json' -H 'User-Agent: tbridge/9.9' --data-raw '{"n":12345678901234567890,"s":"it'\''s s3cret/key"}'`},
		{"masked arguments", "base_url: http://h.test\nauth: {bearer: '${KEY}'}", "method: POST\narguments: [{name: s, type: string}]", `{"s":"s3cret/key"}`,
			"POST http://h.test/\nAuthorization: Bearer ${KEY}\nContent-Type: application/json\n" + `{"s":"***"}`, ""},
		{"multipart", "base_url: http://h.test", "method: POST\nencoding: multipart\narguments: [{name: s, type: string}, {name: f, type: file, filename: 'a \"b\".png', media_type: image/png}]", `{"s":"it's","f":"AAEC"}`,
			"POST http://h.test/\nContent-Type: multipart/form-data; boundary=*\n" + `{"name":"s","size":4,"text":"it's"}` + "\n" + `{"name":"f","filename":"a \"b\".png","media_type":"image/png","size":3}` + "\n", ""},
		{"bytes", "base_url: http://h.test", "method: POST\nencoding: bytes\narguments: [{name: f, type: file, media_type: image/png}]\nbody: '{f}'", `{"f":"AP8="}`,
			"POST http://h.test/\nContent-Type: application/octet-stream\n2 bytes of application/octet-stream", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := rigOf(t, env, tc.keys, tc.tool).preview(t, tc.args)
			got := shownAs(p)
			if i := strings.Index(got, "boundary="); i > 0 {
				end := i + strings.IndexByte(got[i:], '\n')
				got = got[:i] + "boundary=*" + got[end:]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.curl, curl(p)); tc.curl != "" && diff != "" {
				t.Error(diff)
			}
			all, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"from-a-file", "org-secret-7", "anna-maria"} {
				if strings.Contains(string(all)+curl(p), secret) {
					t.Errorf("%s came out: %s", secret, all)
				}
			}
		})
	}
}

func curl(p *Preview) string {
	command, _ := p.Curl()
	return command
}

// An argument is data wherever it stands, also one that looks like what marks a secret. What no shell can hold is read from a file.
func TestCurlOfNulls(t *testing.T) {
	const argument = `{"s":"\u0000a\u0001$(id)\u0000"}`
	for _, tc := range []struct {
		encoding, want string
		reads          []string
	}{
		{"encoding: text\nbody: '{s}'", "--data-binary @body", []string{"body"}},
		{"encoding: json", `--data-raw '{"s":"\u0000a\u0001$(id)\u0000"}'`, nil},
		{"encoding: form", "--data-raw 's=%00a%01%24%28id%29%00'", nil},
		{"encoding: multipart", "-F 's=<s'", []string{"s"}},
		{"query: {s: '{s}'}", "'http://h.test/?s=%00a%01%24%28id%29%00'", nil},
	} {
		x := rigOf(t, nil, "base_url: http://h.test", "method: POST\n"+tc.encoding+"\narguments: [{name: s, type: string}]")
		command, reads := x.preview(t, argument).Curl()
		if !strings.Contains(command, tc.want) || strings.Contains(command, `"$(id)`) || !slices.Equal(reads, tc.reads) {
			t.Errorf("%s: got %s, reading %v", tc.encoding, command, reads)
		}
	}
}

// A shell reads each word of the command as it was meant, secrets included.
func TestCurlInAShell(t *testing.T) {
	x := rigOf(t, map[string]string{"KEY": "s3cret"}, "base_url: http://h.test/bot{k}\nauth: {api_key: {in: path, name: k, value: '${KEY}'}}\nheaders: {X-A: '<${KEY} \"`id`\" $$x ${NONE:-d$$f}>', X-Empty: ''}",
		"method: POST\nencoding: multipart\narguments: [{name: s, type: string}, {name: f, type: file, filename: \"it's; a\\\"b\", media_type: image/png}]")
	words := strings.TrimPrefix(curl(x.preview(t, `{"s":"it's\n$(id) 'x' \\","f":"AAEC"}`)), "curl ")
	cmd := exec.Command("sh", "-c", `printf '%s|' `+words)
	cmd.Env = append(os.Environ(), "KEY=top secret")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	want := []string{"-X", "POST", "--globoff", "http://h.test/bottop secret", "-H", "Accept: application/json, */*;q=0.8", "--compressed",
		"-H", "User-Agent: tbridge/9.9", "-H", "X-A: <top secret \"`id`\" $x d$f>",
		"--form-string", "s=it's\n$(id) 'x' \\", "-F", `f=@"it's; a\"b";filename="it's; a\"b";type=image/png`, ""}
	if diff := cmp.Diff(want, strings.Split(string(out), "|")); diff != "" {
		t.Error(diff)
	}
}
