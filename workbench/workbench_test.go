package workbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tbridge/bridge"
)

func TestMain(m *testing.M) {
	if run := children[os.Getenv("WORKBENCH_CHILD")]; run != nil {
		run()
		os.Exit(0)
	}
	code := m.Run()
	var left error // connections take a moment to end
	for deadline := time.Now().Add(time.Minute); code == 0 && time.Now().Before(deadline); {
		if left = goleak.Find(); left == nil {
			break
		}
	}
	if left != nil {
		fmt.Fprintln(os.Stderr, left)
		code = 1
	}
	os.Exit(code)
}

// children are what a test runs in a process of its own.
var children = map[string]func(){}

const token = "0123456789abcdef0123456789abcdef"

// page stands for the page: what it is, is not the business of these tests.
var page = fstest.MapFS{
	"index.html":      {Data: []byte(`<meta name="csp-nonce" content="__NONCE__"><script src="/app-ABCDEFGH.js"></script>`)},
	"app-ABCDEFGH.js": {Data: []byte("1")},
}

const apis = "version: 1\nserver: {name: board}\napis:\n  tracker: {base_url: http://127.0.0.1:1/api/v1, auth: {bearer: '${TRACKER_TOKEN}'}}\n"

const tasks = `# The tasks.
api: tracker
tools:
  - name: get_task
    description: Show a task. # for people
    method: GET
    path: /tasks/{task_id}
    arguments:
      - {name: task_id, type: string, required: true, description: Id}

  - name: take_task
    description: Take a task.
    method: POST
    path: /tasks/{task_id}/take
    arguments:
      - {name: task_id, type: string, description: Id}
      - {name: agent, type: string, description: Who}
    response: {text: "Task {key} taken"}
`

// A desk is a workbench being served, and its directory.
type desk struct {
	*testing.T
	dir   string // of tbridge.yaml
	state string
	bench *Workbench
	url   string
}

// open serves a bridge directory of these files, named below it; without a tbridge.yaml there is the usual one.
func open(t *testing.T, texts map[string]string) *desk {
	t.Helper()
	d := &desk{T: t, dir: t.TempDir(), state: t.TempDir()}
	if texts["tbridge.yaml"] == "" {
		d.write("tbridge.yaml", apis)
	}
	for name, text := range texts {
		d.write(name, text)
	}
	d.serve()
	return d
}

// serve opens the workbench on the directory.
func (d *desk) serve() {
	d.Helper()
	env := func(name string) (string, bool) { return "s3cret-" + name, true }
	var err error
	d.bench, err = New(Options{Config: filepath.Join(d.dir, "tbridge.yaml"), Token: token, State: d.state, Page: page, Bridge: bridge.Options{Env: env, Version: "9"}})
	if err != nil {
		d.Fatal(err)
	}
	s := httptest.NewServer(d.bench)
	d.Cleanup(func() {
		s.Close()
		if err := d.bench.Close(); err != nil {
			d.Error(err)
		}
	})
	d.url = s.URL
}

func (d *desk) write(name, text string) {
	d.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) read(name string) string {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

// ask sends one request as the page does, with further headers given as name, value, ..
func (d *desk) ask(method, route string, body any, headers ...string) (status int, answer []byte) {
	d.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			d.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(d.Context(), method, d.url+route, bytes.NewReader(text))
	if err != nil {
		d.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if method != "GET" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		d.Fatal(err)
	}
	if bytes.Contains(answer, []byte("s3cret")) { // what the variables of every desk hold
		d.Errorf("%s %s shows a secret: %s", method, route, answer)
	}
	return resp.StatusCode, answer
}

// get asks, demands a status, and reads the answer.
func get[A any](d *desk, want int, method, route string, body any, headers ...string) (a A) {
	d.Helper()
	status, text := d.ask(method, route, body, headers...)
	if status != want {
		d.Fatalf("%s %s: %d, want %d: %s", method, route, status, want, text)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		d.Fatalf("%s %s: %v in %s", method, route, err, text)
	}
	return a
}

// refusal is the code of an error.
func refusal(d *desk, want int, method, route string, body any, headers ...string) string {
	d.Helper()
	type refused struct {
		Error struct{ Code, Message, Hint string }
	}
	r := get[refused](d, want, method, route, body, headers...)
	if r.Error.Message == "" {
		d.Errorf("%s %s is refused without a message", method, route)
	}
	return r.Error.Code
}

func (d *desk) file(path string) fileText {
	d.Helper()
	return get[fileText](d, 200, "GET", "/api/files/"+path, nil)
}

// leftovers are files in the tools directory that no save should leave behind.
func (d *desk) leftovers() (found []string) {
	d.Helper()
	err := fs.WalkDir(os.DirFS(filepath.Join(d.dir, "tools.d")), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return found
}

func equal[V any](t testing.TB, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "tbridge.yaml")
	o := Options{Config: config, Token: token, Page: page}
	for want, change := range map[string]func(*Options){
		"a token of at least 32 characters is needed": func(o *Options) { o.Token = "short" },
		"the page cannot be read":                     func(o *Options) { o.Page = fstest.MapFS{} },
		"no such file":                                func(*Options) {},
	} {
		changed := o
		change(&changed)
		if _, err := New(changed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := os.WriteFile(config, []byte(apis), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(o); err == nil || !strings.Contains(err.Error(), "the tools directory cannot be opened") {
		t.Error(err)
	}
}

func TestNewToken(t *testing.T) {
	if one, two := NewToken(), NewToken(); len(one) != 64 || one == two {
		t.Errorf("tokens %s and %s", one, two)
	}
}

func TestStateDirectory(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	for state, want := range map[string]string{"/var/s": "/var/s/tbridge", "relative": "/home/someone/.local/state/tbridge", "": "/home/someone/.local/state/tbridge"} {
		t.Setenv("XDG_STATE_HOME", state)
		if got, err := StateDirectory(); err != nil || got != want {
			t.Errorf("%q: %s, %v", state, got, err)
		}
	}
}
