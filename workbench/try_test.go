package workbench

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// An upstream answers what it was asked, and its credential with it.
func upstream(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/bytes"):
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("\x89PNG\xff"))
		case strings.HasSuffix(r.URL.Path, "/gone/take"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":{"code":"no_task","message":"there is none <img src=x onerror=alert(1)>"}}`))
		case strings.HasSuffix(r.URL.Path, "/away"):
			http.Redirect(w, r, "http://127.0.0.2:1/", http.StatusFound)
		default:
			asked, _ := json.Marshal(r.Method + " " + r.URL.String() + " " + string(body))
			_, _ = w.Write([]byte(`{"key":"TE-1","you":"` + r.Header.Get("Authorization") + `","asked":` + string(asked) + `}`))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// tryDesk is a desk whose API is an upstream.
func tryDesk(t *testing.T, more string) (d *desk, text, url string, asked *atomic.Int64) {
	t.Helper()
	url, asked = upstream(t)
	text = tasks + more
	d = open(t, map[string]string{"tbridge.yaml": strings.Replace(apis, "http://127.0.0.1:1", url, 1), "tools.d/tasks.yaml": tasks})
	return d, text, url, asked
}

func calling(text, tool, arguments string, more ...string) map[string]any {
	c := map[string]any{"path": "tasks.yaml", "text": text, "tool": tool, "arguments": json.RawMessage(arguments)}
	for i := 0; i+1 < len(more); i += 2 {
		c[more[i]] = more[i+1]
	}
	return c
}

// W12, W13: what only reads is tried at once, with what passed on the way, and without the secret.
func TestTry(t *testing.T) {
	d, text, url, asked := tryDesk(t, "  - {name: away, description: A., method: GET, path: /away, arguments: []}\n  - {name: bytes, description: B., method: GET, path: /bytes, arguments: []}\n")
	p := get[preview](d, 200, "POST", "/api/preview", calling(text, "get_task", `{"task_id":"TE 1"}`))
	if p.Request.Method != "GET" || p.Request.URL != url+"/api/v1/tasks/TE%201" || !p.Safe || len(p.Hash) != 64 || !strings.Contains(p.Curl, `'Authorization: Bearer '"${TRACKER_TOKEN}"`) {
		t.Errorf("%+v", p)
	}
	if asked.Load() != 0 {
		t.Error("a preview sent something")
	}
	status, body := d.ask("POST", "/api/try", calling(text, "get_task", `{"task_id":"TE 1"}`))
	if status != 200 || strings.Contains(string(body), "s3cret") {
		t.Fatalf("%d %s", status, body)
	}
	var r struct {
		Request  request
		Response answer
		Result   struct {
			Text       string
			Structured map[string]string
			Content    []map[string]string
			IsError    bool `json:"is_error"`
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	const said = `{"key":"TE-1","you":"Bearer ***","asked":"GET /api/v1/tasks/TE%201 "}`
	equal(t, r.Request, p.Request)
	equal(t, r.Response.Body, said)
	equal(t, r.Response.Status, 200)
	equal(t, r.Response.MediaType, "application/json")
	equal(t, r.Result.Text, said)
	equal(t, r.Result.Structured["you"], "Bearer ***")
	equal(t, r.Result.Content, []map[string]string{{"type": "text", "text": said}})

	type result struct {
		Response *answer
		Result   struct {
			Structured struct{ Error struct{ Kind, Code string } }
			IsError    bool `json:"is_error"`
		}
	}
	away := get[result](d, 200, "POST", "/api/try", calling(text, "away", `{}`))
	if away.Response != nil || !away.Result.IsError || away.Result.Structured.Error.Code != "redirect_refused" {
		t.Errorf("a redirect to another host: %+v", away)
	}
	bytes := get[result](d, 200, "POST", "/api/try", calling(text, "bytes", `{}`))
	if bytes.Response == nil || !bytes.Response.Base64 || bytes.Response.Body != "iVBOR/8=" {
		t.Errorf("%+v", bytes.Response)
	}
}

// W12: what may change something is sent only when this very request was confirmed.
func TestTryIsConfirmed(t *testing.T) {
	d, text, _, asked := tryDesk(t, "")
	type refused struct {
		Error   struct{ Code string }
		Request request
		Hash    string
	}
	c := get[refused](d, 409, "POST", "/api/try", calling(text, "take_task", `{"task_id":"a","agent":"me"}`))
	equal(t, c.Error.Code, "confirm")
	equal(t, c.Request.Body, `{"agent":"me"}`)
	get[refused](d, 409, "POST", "/api/try", calling(text, "take_task", `{"task_id":"b","agent":"me"}`, "hash", c.Hash))
	get[refused](d, 409, "POST", "/api/try", calling(strings.Replace(text, "/take", "/kill", 1), "take_task", `{"task_id":"a","agent":"me"}`, "hash", c.Hash))
	if asked.Load() != 0 {
		t.Fatal("something was sent without being confirmed")
	}
	done := get[struct{ Result struct{ Text string } }](d, 200, "POST", "/api/try", calling(text, "take_task", `{"task_id":"a","agent":"me"}`, "hash", c.Hash))
	equal(t, done.Result.Text, "Task TE-1 taken")
	p := get[preview](d, 200, "POST", "/api/preview", calling(text, "take_task", `{"task_id":"a","agent":"me"}`))
	if p.Hash != c.Hash || p.Safe {
		t.Errorf("%+v", p)
	}
}

func TestTryRefuses(t *testing.T) {
	d, text, _, asked := tryDesk(t, "")
	type refused struct {
		Error    struct{ Code, Message string }
		Problems []problem
	}
	for _, route := range []string{"/api/preview", "/api/try"} {
		r := get[refused](d, 422, "POST", route, calling(text, "get_task", `{"taskid":1}`))
		equal(t, r.Error.Code, "invalid_arguments")
		equal(t, r.Problems, []problem{{"task_id", "required, but not given", ""}, {"taskid", "unknown argument; the known ones are task_id", `did you mean "task_id" instead of "taskid"?`}})
		r = get[refused](d, 422, "POST", route, calling(text, "get_task", `{"task_id":".."}`))
		if r.Error.Code != "invalid_arguments" || r.Error.Message == "" {
			t.Errorf("%+v", r)
		}
		equal(t, refusal(d, 404, "POST", route, calling(text, "nobody", `{}`)), "not_found")
		equal(t, refusal(d, 422, "POST", route, calling(strings.Replace(text, "GET", "GOT", 1), "get_task", `{}`)), "invalid")
		equal(t, refusal(d, 422, "POST", route, calling(text, "get_task", `{"a":1,"a":2}`)), "invalid_arguments")
	}
	for d.bench.tries.Allow() { // until no more can be tried
	}
	equal(t, refusal(d, 429, "POST", "/api/try", calling(text, "get_task", `{"task_id":"x"}`)), "rate_limited")
	if asked.Load() != 0 {
		t.Error("something was sent")
	}
}

// A multipart body is shown by its parts, and confirmed by what is in them.
func TestTryMultipart(t *testing.T) {
	d, text, _, _ := tryDesk(t, "  - {name: up, description: U., method: POST, path: /up, encoding: multipart, arguments: [{name: f, type: file, filename: a.txt, description: F}, {name: n, type: string, description: N}]}\n")
	arguments := `{"f":"aGk=","n":"x"}`
	p := get[preview](d, 200, "POST", "/api/preview", calling(text, "up", arguments))
	if want := "n: x"; !strings.Contains(p.Request.Body, want) || !strings.Contains(p.Request.Body, "f: a.txt, ") {
		t.Errorf("%s", p.Request.Body)
	}
	get[struct{}](d, 200, "POST", "/api/try", calling(text, "up", arguments, "hash", p.Hash))
}

// What was tried becomes a test that passes; a test that fails says why.
func TestTests(t *testing.T) {
	d, text, _, _ := tryDesk(t, "")
	hash := get[preview](d, 200, "POST", "/api/preview", calling(text, "take_task", `{"task_id":"gone","agent":"me"}`)).Hash
	for _, tt := range []struct{ tool, arguments, hash string }{{"get_task", `{"task_id":"TE-1"}`, ""}, {"take_task", `{"task_id":"gone","agent":"me"}`, hash}} {
		type whole struct {
			Response, Result json.RawMessage
		}
		r := get[whole](d, 200, "POST", "/api/try", calling(text, tt.tool, tt.arguments, "hash", tt.hash))
		keep := calling(text, tt.tool, tt.arguments)
		keep["response"], keep["result"] = r.Response, r.Result
		text = get[exported](d, 200, "POST", "/api/keep-test", keep).Text
	}
	equal(t, plainDiff(tasks, text), `+    tests:
+      - name: 200 is answered
+        arguments: {task_id: TE-1}
+        request: {method: GET, target: /tasks/TE-1, none: true}
+        response:
+          status: 200
+          json: {key: TE-1, you: Bearer ***, asked: "GET /api/v1/tasks/TE-1 "}
+        result:
+          structured: {key: TE-1, you: Bearer ***, asked: "GET /api/v1/tasks/TE-1 "}
+    tests:
+      - name: 404 is answered as not_found
+        arguments: {task_id: gone, agent: me}
+        request:
+          method: POST
+          target: /tasks/gone/take
+          json: {agent: me}
+        response:
+          status: 404
+          json:
+            error: {code: no_task, message: there is none <img src=x onerror=alert(1)>}
+        error: {kind: not_found, code: no_task}
`)
	all := get[tested](d, 200, "POST", "/api/test", drafted(text))
	if len(all.Tests) != 2 || !all.Tests[0].Passed || !all.Tests[1].Passed {
		t.Fatalf("%+v", all)
	}
	body := drafted(strings.Replace(text, "target: /tasks/TE-1", "target: /tasks/TE-2", 1))
	body["tool"] = "get_task"
	failed := get[tested](d, 200, "POST", "/api/test", body)
	equal(t, failed.Tests, []testReport{{"get_task", "200 is answered", false, []mismatch{{"target", "/tasks/TE-2", "/tasks/TE-1"}}, 11}})
	equal(t, refusal(d, 422, "POST", "/api/test", drafted("tools: [")), "invalid")
}

func TestKeepTest(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	kept := func(tool, arguments string, a *answer) string {
		c := calling(tasks, tool, arguments)
		c["response"] = a
		text := get[exported](d, 200, "POST", "/api/keep-test", c).Text
		if r := get[tested](d, 200, "POST", "/api/test", drafted(text)); len(r.Tests) != 1 || !r.Tests[0].Passed {
			t.Errorf("%+v", r)
		}
		return plainDiff(tasks, text)
	}
	equal(t, kept("get_task", `{"task_id":"x"}`, nil), `+    tests:
+      - name: the request is made
+        arguments: {task_id: x}
+        request: {method: GET, target: /tasks/x, none: true}
`)
	equal(t, kept("get_task", `{"task_id":".."}`, nil), `+    tests:
+      - name: the arguments are refused
+        arguments: {task_id: ..}
+        error: {kind: invalid_arguments}
`)
	equal(t, kept("get_task", `{"task_id":"x"}`, &answer{Status: 200, MediaType: "text/csv", Body: "a,b\n"}), `+    tests:
+      - name: 200 is answered
+        arguments: {task_id: x}
+        request: {method: GET, target: /tasks/x, none: true}
+        response:
+          status: 200
+          headers: {Content-Type: text/csv}
+          text: |
+            a,b
+        result:
+          text: |
+            a,b
`)
	if got := kept("get_task", `{"task_id":"x"}`, &answer{Status: 200, MediaType: "image/png", Base64: true, Body: "iVBORw=="}); !strings.Contains(got, "base64: iVBORw==") {
		t.Error(got)
	}
	if got := kept("get_task", `{"task_id":"x"}`, &answer{Status: 204}); !strings.Contains(got, "response: {status: 204}") {
		t.Error(got)
	}
	long := calling(tasks, "get_task", `{"task_id":"x"}`)
	long["response"] = answer{Status: 200, Truncated: true}
	equal(t, refusal(d, 422, "POST", "/api/keep-test", long), "too_large")
}

func TestExport(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	asking := func(tool, format string) map[string]any {
		return map[string]any{"path": "tasks.yaml", "text": strings.Replace(tasks, "Take a task.", "Take it.", 1), "tool": tool, "format": format}
	}
	export := func(format string) string {
		return get[exported](d, 200, "POST", "/api/export", asking("take_task", format)).Text
	}
	equal(t, export("trustgraph"), `{
  "type": "mcp-tool",
  "name": "take_task",
  "description": "Take it.",
  "mcp-tool": "take_task",
  "arguments": [
    {
      "name": "task_id",
      "type": "string",
      "description": "Id"
    },
    {
      "name": "agent",
      "type": "string",
      "description": "Who (optional)"
    }
  ]
}
`)
	equal(t, export("prompt"), "- **take_task**: Take it.\n  - Required: \"task_id\" (string): Id\n  - Optional: \"agent\" (string): Who\n")
	for _, format := range []string{"mcp", "openai", "anthropic"} {
		if text := export(format); !json.Valid([]byte(text)) || !strings.Contains(text, `"take_task"`) {
			t.Errorf("%s: %s", format, text)
		}
	}
	equal(t, refusal(d, 400, "POST", "/api/export", asking("take_task", "csv")), "bad_request")
	equal(t, refusal(d, 404, "POST", "/api/export", asking("nobody", "mcp")), "not_found")
}
