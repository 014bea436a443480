// Package examples holds bridge directories. Its tests call their tools, through
// the engine, against an API on loopback that checks each request.
package examples

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// A call is one tool call, the request that it must make, and what must come of the answer.
type call struct {
	tool      string
	arguments string            // JSON; empty: none
	request   string            // method and target
	header    map[string]string // at least these
	body      string            // JSON, or a form as it is on the wire; empty: none
	parts     []part            // of a multipart body

	status     int // of the answer; 0: 200
	answer     string
	link       string // its Link header
	text       string // of the result; empty: the same as structured
	structured string
}

// A part is one part of a multipart body.
type part struct{ Name, Filename, Text string }

// A recorder is an API that answers one call after the other and keeps what it was asked.
type recorder struct {
	*httptest.Server
	next     call
	requests []*http.Request
	body     []byte
}

func record(t *testing.T) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests = append(r.requests, req)
		r.body, _ = io.ReadAll(req.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.next.link != "" {
			w.Header().Set("Link", r.next.link)
		}
		w.WriteHeader(max(r.next.status, http.StatusOK))
		_, _ = io.WriteString(w, r.next.answer)
	}))
	t.Cleanup(r.Close)
	return r
}

// open loads a copy of a bridge directory in which replace, old and new in turn, is replaced in tbridge.yaml.
func open(t *testing.T, dir string, env map[string]string, replace ...string) (*bridge.Bridge, *config.Catalog) {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(filepath.Join(copied, "tools.d"), os.DirFS(filepath.Join(dir, "tools.d"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(copied, "tbridge.yaml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, file, env)
}

// serve makes a bridge of a bridge directory that has no faults. Of the real environment it sees $HOME alone.
func serve(t *testing.T, file string, env map[string]string) (*bridge.Bridge, *config.Catalog) {
	t.Helper()
	c, found, err := validate.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.Severity != config.Note {
			t.Errorf("%s: %s: %s", d.Pos, d.Severity, d.Message)
		}
	}
	lookup := func(name string) (string, bool) {
		if name == "HOME" {
			return os.LookupEnv(name)
		}
		v, ok := env[name]
		return v, ok
	}
	b, err := bridge.New(c, bridge.Options{Env: lookup})
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// play makes the calls, and checks that every tool of the catalogue was among them.
func play(t *testing.T, r *recorder, b *bridge.Bridge, c *config.Catalog, calls []call) {
	t.Helper()
	called := map[string]bool{}
	for _, want := range calls {
		called[want.tool] = true
		t.Run(want.tool, func(t *testing.T) { playOne(t, r, b, want) })
	}
	names := []string{}
	for _, tool := range c.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(called))); diff != "" {
		t.Errorf("the tools called are not those of the catalogue: %s", diff)
	}
}

func playOne(t *testing.T, r *recorder, b *bridge.Bridge, want call) {
	r.next, r.requests, r.body = want, nil, nil
	result, found := b.Call(t.Context(), want.tool, json.RawMessage(want.arguments))
	if !found {
		t.Fatal("there is no such tool")
	}
	if len(r.requests) != 1 {
		t.Fatalf("%d requests were made, not one; the result is %s", len(r.requests), result.Text())
	}
	request := r.requests[0]
	if got := request.Method + " " + request.RequestURI; got != want.request {
		t.Errorf("request is %s\n     want %s", got, want.request)
	}
	for name, value := range want.header {
		if got := request.Header.Get(name); got != value {
			t.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	checkBody(t, want, request, r.body)
	checkResult(t, want, result)
}

func checkBody(t *testing.T, want call, request *http.Request, body []byte) {
	t.Helper()
	kind, parameters, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	switch {
	case want.parts != nil:
		if diff := cmp.Diff(want.parts, readParts(t, body, parameters["boundary"])); diff != "" {
			t.Errorf("parts: %s", diff)
		}
	case kind == "application/json":
		if diff := cmp.Diff(decode(t, want.body), decode(t, string(body))); diff != "" {
			t.Errorf("body: %s", diff)
		}
	case string(body) != want.body:
		t.Errorf("body is %q, want %q (%s)", body, want.body, kind)
	}
}

func readParts(t *testing.T, body []byte, boundary string) (parts []part) {
	t.Helper()
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := reader.NextPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(p)
		parts = append(parts, part{p.FormName(), p.FileName(), string(text)})
	}
}

func checkResult(t *testing.T, want call, result *bridge.Result) {
	t.Helper()
	if got := string(result.Structured); got != want.structured {
		t.Errorf("structured is %s\n        want %s", got, want.structured)
	}
	text := want.text
	if text == "" {
		text = want.structured
	}
	if got := result.Text(); got != text {
		t.Errorf("text is %s\n   want %s", got, text)
	}
	if failed := strings.HasPrefix(want.structured, `{"error":`); result.IsError != failed {
		t.Errorf("isError is %v, want %v", result.IsError, failed)
	}
}

// decode reads JSON, with every digit kept.
func decode(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q is no JSON: %v", text, err)
	}
	return v
}

// Every directory here, and the shipped one, is without error and warning.
func TestEveryDirectoryIsClean(t *testing.T) {
	files, err := filepath.Glob("*/tbridge.yaml")
	if err != nil || len(files) != 8 {
		t.Fatalf("found %q, %v", files, err)
	}
	for _, file := range append(files, "../tbridge.yaml") {
		t.Run(filepath.Dir(file), func(t *testing.T) { serve(t, file, nil) })
	}
}

// A tool is added by an edit of YAML and by nothing else.
func TestAToolIsAddedByYAMLAlone(t *testing.T) {
	r := record(t)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("tbridge.yaml", "version: 1\napis:\n  shop: {base_url: "+r.URL+"}\n")
	write("tools.d/shop.yaml", "api: shop\ntools:\n  - {name: orders, description: List orders., method: GET, path: /orders, arguments: []}\n")
	b, _ := serve(t, filepath.Join(dir, "tbridge.yaml"), nil)
	if _, found := b.Call(t.Context(), "cancel_order", nil); found {
		t.Fatal("the tool is there before it was added")
	}
	write("tools.d/cancel.yaml", `api: shop
tools:
  - name: cancel_order
    description: Cancel an order.
    method: DELETE
    path: /orders/{id}
    arguments:
      - {name: id, type: integer, description: Number of the order}
      - {name: reason, type: string, description: Why}
`)
	c, _, err := validate.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Replace(c); err != nil {
		t.Fatal(err)
	}
	playOne(t, r, b, call{tool: "cancel_order", arguments: `{"id":7,"reason":"two many"}`,
		request: "DELETE /orders/7?reason=two%20many", answer: `{"cancelled":true}`, structured: `{"cancelled":true}`})
}
