package bridge

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
	"tbridge/validate"
)

// served is a bridge over one API; tools are the value of tools.
func served(t *testing.T, base, top, tools string, env map[string]string) *Bridge {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {a: {base_url: \""+base+"\"}}\n"+top)
	write(t, dir, "tools.d/t.yaml", "api: a\ntools:\n"+tools)
	c, found, err := config.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found = append(found, validate.Catalog(c)...)
	if found.Count(config.Error) > 0 {
		t.Fatal(found)
	}
	b, err := New(c, Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is refused is refused before anything is sent, and by name.
func TestRefusedArgumentsSendNothing(t *testing.T) {
	api, other := record(t, nil), record(t, nil)
	b := served(t, api.URL, "", `
  - {name: get, description: G, method: DELETE, path: "/users/{id}", arguments: [{name: id, type: string, description: I}]}
  - {name: trace, description: T, method: GET, path: /t, arguments: [{name: id, type: string, in: header, as: X-Trace, description: I}]}
  - {name: cookie, description: C, method: GET, path: /c, arguments: [{name: id, type: string, in: cookie, description: I}]}
  - {name: xml, description: X, method: POST, path: /x, encoding: xml, body: "<a>{id}</a>", arguments: [{name: id, type: string, description: I}]}
  - {name: file, description: F, method: POST, path: /f, arguments: [{name: id, type: file, source: path, description: I}]}
`, nil)
	for tool, values := range map[string][]string{
		"get":    {``, `.`, `..`, `%2e%2e`, `%2E.`, `%252e%252e`, `../../admin`, `..%2f..%2fadmin`, `..\\admin`, `a/../b`, `a\r\nX: y`, `a\u0000b`, `\u007f`},
		"trace":  {`a\r\nX-Evil: 1`, `a\nb`, `a\u0000b`, `a\tb`, `\u007f`, ` a`},
		"cookie": {`a\r\nb`, `\u0000`},
		"xml":    {`\u0000`, `\ufffe`},
		"file":   {`../../etc/passwd`, `/etc/passwd`, ``},
	} {
		for _, v := range values {
			r, found := b.Call(t.Context(), tool, json.RawMessage(`{"id":"`+v+`"}`))
			if !found || !r.IsError || r.Kind != kindInvalidArguments || !strings.Contains(r.Text(), "id") {
				t.Errorf("%s %q: %v", tool, v, r)
			}
		}
	}
	for _, raw := range []string{`{}`, `{"id":null}`, `{"id":"1","ID":"2"}`, `{"id":"1","id":"2"}`} {
		if r, _ := b.Call(t.Context(), "get", json.RawMessage(raw)); r.Kind != kindInvalidArguments {
			t.Errorf("%s: %v", raw, r)
		}
	}
	if n := len(api.seen()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	host := strings.TrimPrefix(other.URL, "http://")
	for _, v := range []string{"@" + host, "//" + host + "/", ":80@" + host, "http://" + host} {
		if r, _ := b.Call(t.Context(), "get", json.RawMessage(`{"id":"`+v+`"}`)); r.IsError {
			t.Errorf("%s: %v", v, r)
		}
	}
	for _, r := range api.seen() {
		if n := strings.Count(r.RequestURI, "/"); n != 2 {
			t.Errorf("%s has %d segments", r.RequestURI, n)
		}
	}
	if len(api.seen()) != 4 || len(other.seen()) != 0 {
		t.Errorf("%d requests at the API, %d elsewhere", len(api.seen()), len(other.seen()))
	}
}

// A default may come from tbridge.yaml; its text is data, and only a call that needs it misses it.
func TestDefaultsFromVariables(t *testing.T) {
	api := record(t, nil)
	b := served(t, api.URL, "vars: {owner: \"${OWNER}\", lost: \"${LOST}\"}", `
  - name: t
    description: T
    method: POST
    path: /t
    arguments:
      - {name: owner, type: string, default: "{vars.owner}", description: O}
      - {name: lost, type: string, default: "{vars.lost}", description: L}
      - {name: n, type: integer, default: 7, description: N}
`, map[string]string{"OWNER": "octo {x}"})
	if r, _ := b.Call(t.Context(), "t", json.RawMessage(`{"lost":"l"}`)); r.IsError {
		t.Fatal(r.Text())
	}
	if diff := cmp.Diff([]string{`{"owner":"octo {x}","lost":"l","n":7}`}, api.bodies); diff != "" {
		t.Error(diff)
	}
	r, _ := b.Call(t.Context(), "t", nil)
	want := `{"error":{"code":"missing_value","message":"variable lost: no value: tried $LOST","kind":"internal",` +
		`"hint":"the operator sets it in the environment of tbridge, or in tbridge.yaml"}}`
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Error(diff)
	}
	if len(api.seen()) != 1 {
		t.Error("a call without its variable was sent")
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ tool, want string }{
		{"method: GET\npath: /x\narguments: [{name: a, type: string, in: path, description: A}]", "argument a goes into the path, which has no hole {a}"},
		{"method: GET\npath: /x/{b}\narguments: []", "hole {b} names no argument"},
		{"method: GET\npath: /x?y={a}\narguments: [{name: a, type: string, description: A}]", "the query of a path is constant; put {a} under query"},
		{"method: POST\npath: /x\nbody: [1]\narguments: [{name: a, type: string, description: A}]", "body is no mapping, so nothing can be added to it"},
	} {
		p, err := compileIn(t, t.TempDir(), "", c.tool, nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v", c.tool, p, err)
		}
	}
}
