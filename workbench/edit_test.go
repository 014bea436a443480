package workbench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCatalogue(t *testing.T) {
	const config = "version: 1\nserver: {name: board}\napis:\n  a: {base_url: '${URL:-http://127.0.0.1:1}', auth: {bearer: literal-bearer-token}}\n" +
		"  b: {base_url: http://127.0.0.1:2, auth: {basic: {username: me, password: ['${P}', {file: ~/p}]}}}\n" +
		"  c: {base_url: http://127.0.0.1:3, auth: {api_key: {in: query, name: k, value: '${K}'}}}\n" +
		"  d: {base_url: http://127.0.0.1:4, auth: {oauth2: {token_url: http://127.0.0.1/t, client_id: x, client_secret: \"literal\n      secret\"}}}\n  e: {base_url: http://127.0.0.1:5}\n"
	d := open(t, map[string]string{"tbridge.yaml": config, "tools.d/tasks.yaml": strings.Replace(tasks, "tracker", "a", 1), "tools.d/x/bad.yaml": "# Bearer abcdefgh12345678ijkl\n# 2\ntools: sk-live-0123456789abcdef0123\n"})
	type answer struct {
		Name, Version string
		APIs          []struct {
			Name string
			URL  string `json:"base_url"`
			Auth *string
		}
		Config      struct{ Path, Text string }
		Files       []fileInfo
		Tools       []summary
		Diagnostics []diagnostic
		Keys        []struct{ Key, Where, About string }
	}
	status, text := d.ask("GET", "/api/catalogue", nil)
	if status != 200 || strings.Contains(string(text), "literal-bearer-token") || strings.Contains(string(text), "s3cret") {
		t.Fatalf("%d %s", status, text)
	}
	var c answer
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	var auths []string
	for _, a := range c.APIs {
		if a.Auth == nil {
			auths = append(auths, a.Name)
			continue
		}
		auths = append(auths, a.Name+" "+*a.Auth)
	}
	equal(t, auths, []string{"a bearer ***", "b basic me:[${P}, {file: ~/p}]", "c api_key k in query ${K}", "d oauth2 http://127.0.0.1/t", "e"})
	equal(t, c.APIs[0].URL, "${URL:-http://127.0.0.1:1}")
	equal(t, c.Config.Text, strings.NewReplacer("literal-bearer-token", "***", "\"literal\n      secret\"", "***").Replace(config))
	equal(t, c.Files, []fileInfo{{"tasks.yaml", etag(strings.Replace(tasks, "tracker", "a", 1)), 2, 0, 0}, {"x/bad.yaml", etag("# Bearer abcdefgh12345678ijkl\n# 2\ntools: sk-live-0123456789abcdef0123\n"), 0, 1, 1}})
	equal(t, c.Name+" "+c.Version, "board 9")
	c.Tools[0].Tokens = 0
	equal(t, c.Tools[0], summary{Name: "get_task", Description: "Show a task.", API: "a", Method: "GET", Path: "/tasks/{task_id}", Tags: []string{}, File: "tasks.yaml", Line: 4, ReadOnly: true, Notes: 1})
	if len(c.Keys) < 100 || len(c.Diagnostics) == 0 {
		t.Errorf("%d keys, %d findings", len(c.Keys), len(c.Diagnostics))
	}
}

func drafted(text string) map[string]any { return map[string]any{"path": "tasks.yaml", "text": text} }

const rich = `api: tracker
method: POST
tags: [all]
tools:
  - name: everything
    title: T
    description: |
      Two
      lines.
    path: /a/{p}
    query: {limit: "{n}"} # after
    headers: {X-A: "{h}"}
    body:
      # why
      b: "{o}"
    encoding: json
    one_of: [n, h]
    deprecated: Use b.
    timeout: 3s
    arguments:
      - {name: p, type: string, examples: [x, "1"]}
      - {name: n, type: integer, minimum: 1, maximum: 12345678901234567890, default: 12345678901234567890}
      - {name: h, type: string, enum: [a, b], default: "{vars.who}"}
      - name: o
        type: object
        nullable: true
        properties:
          - {name: i, type: array, minItems: 2, uniqueItems: true, items: {type: number, multipleOf: 0.5}}
      - {name: f, type: file, source: text, filename: "{p}.txt", media_type: text/plain, max_bytes: 1KiB, description: F}
      - {name: q, type: boolean, in: query, as: "q[]"}
    response: {text: "Got {a}", projection: [a, b], max_items: 3}
  - name: open
    description: Anything.
`

// What the form shows is what the file says, digits and all.
func TestForm(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tbridge.yaml": apis + "vars: {who: me}\n"})
	c := get[struct {
		Parses bool
		Tools  []struct {
			Form       map[string]json.RawMessage
			Definition struct{ Name string }
			Tokens     int
		}
	}](d, 200, "POST", "/api/check", drafted(rich))
	if !c.Parses || len(c.Tools) != 2 || c.Tools[0].Definition.Name != "everything" || c.Tools[0].Tokens == 0 {
		t.Fatalf("%+v", c)
	}
	form := c.Tools[0].Form
	for key, want := range map[string]string{
		"index": "0", "name": `"everything"`, "description": `"Two\nlines.\n"`, "method": `"POST"`, "path": `"/a/{p}"`, "tags": "[]", "file_tags": `["all"]`,
		"query": `"{limit: \"{n}\"}"`, "headers": `"{X-A: \"{h}\"}"`, "body": `"b: \"{o}\""`, "cookies": "null", "encoding": `"json"`, "one_of": `["n","h"]`,
		"deprecated": `"Use b."`, "timeout": `"3s"`, "from_head": `["api","method","tags"]`, "scopes": "[]",
		"response": `{"projection":"[a, b]","list":null,"text":"Got {a}","each":null,"content":null,"max_items":"3","output":null,"check":null}`,
		"arguments": `[{"name":"p","type":"string","description":"","required":false,"nullable":false,"examples":["x","1"],"constraints":{},"place":"path","line":21},` +
			`{"name":"n","type":"integer","description":"","required":false,"nullable":false,"default":12345678901234567890,"constraints":{"maximum":"12345678901234567890","minimum":"1"},"place":"query","line":22},` +
			`{"name":"h","type":"string","description":"","required":false,"nullable":false,"default":"{vars.who}","enum":["a","b"],"constraints":{},"place":"header","line":23},` +
			`{"name":"o","type":"object","description":"","required":false,"nullable":true,"properties":[{"name":"i","type":"array","description":"","required":false,"nullable":false,` +
			`"items":{"name":"","type":"number","description":"","required":false,"nullable":false,"constraints":{"multipleOf":"0.5"},"line":28},"constraints":{"minItems":"2","uniqueItems":"true"},"line":28}],"constraints":{},"place":"body","line":24},` +
			`{"name":"f","type":"file","description":"F","required":false,"nullable":false,"constraints":{},"source":"text","filename":"{p}.txt","media_type":"text/plain","max_bytes":"1KiB","place":"body","line":29},` +
			`{"name":"q","type":"boolean","description":"","required":false,"nullable":false,"in":"query","as":"q[]","constraints":{},"place":"query","line":30}]`,
	} {
		equal(t, string(form[key]), want)
	}
	var lines map[string][4]int
	if err := json.Unmarshal(form["lines"], &lines); err != nil {
		t.Fatal(err)
	}
	equal(t, lines["arguments.3.properties.0.items.multipleOf"], [4]int{28, 102, 28, 105})
	equal(t, lines["method"], [4]int{2, 9, 2, 13})
	equal(t, string(c.Tools[1].Form["arguments"]), "null")
}

// manyTools is a tools file of n tools.
func manyTools(file, n int) string {
	var b strings.Builder
	b.WriteString("api: tracker\ntools:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - name: tool_%d_%d\n    description: Does something.\n    method: POST\n    path: /x/{id}/%d\n    arguments:\n      - {name: id, type: string, description: Id}\n"+
			"      - {name: n, type: integer, minimum: 1, default: 3, description: N}\n      - {name: s, type: string, enum: [a, b], description: S}\n", file, i, i)
	}
	return b.String()
}

// Messages name files as the page does: whoever reads them need not know the paths of the machine.
func TestMessagesNameFilesAsThePageDoes(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tools.d/sub/zebra.yaml": strings.Replace(tasks, "api: tracker", "api: trucker", 1)})
	status, answer := d.ask("GET", "/api/catalogue", nil)
	var c struct{ Diagnostics []diagnostic }
	if err := json.Unmarshal(answer, &c); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	all := fmt.Sprintf("%+v", c.Diagnostics)
	for _, want := range []string{"under apis in tbridge.yaml", "is there already, at sub/zebra.yaml:4"} {
		if !strings.Contains(all, want) || strings.Contains(all, d.dir) {
			t.Errorf("%q is not in, or %q is:\n%s", want, d.dir, all)
		}
	}
}

// A draft is checked together with the rest of the directory, even if that is large.
func TestCheck(t *testing.T) {
	files := map[string]string{"tools.d/tasks.yaml": tasks}
	for i := range 100 {
		files[fmt.Sprintf("tools.d/f%02d.yaml", i)] = manyTools(i, 10)
	}
	d := open(t, files)
	bad := strings.Replace(strings.Replace(tasks, "name: take_task", "name: tool_7_3", 1), "{task_id}/take", "{taskid}/take", 1)
	begin := time.Now()
	c := get[struct {
		Diagnostics []diagnostic
		Tools       []struct{ Summary summary }
		Parses      bool
	}](d, 200, "POST", "/api/check", drafted(bad))
	t.Logf("checked beside 1,000 tools in %v", time.Since(begin)) // 300 ms where nothing else runs
	first := c.Diagnostics[0]
	for _, x := range c.Diagnostics {
		if x.Severity == "error" {
			first = x
			break
		}
	}
	if first.Rule != "duplicate-tool" || len(first.Related) != 1 || first.Related[0].File != "f07.yaml" || first.File != "tasks.yaml" {
		t.Errorf("%+v", first)
	}
	if s := c.Tools[1].Summary; s.Name != "tool_7_3" || s.Errors < 2 || c.Tools[0].Summary.Errors != 0 {
		t.Errorf("%+v", s)
	}
	for text, parses := range map[string]bool{"": true, "tools: [": false, "a: 1": true, "a: 1\n---\nb: 2\n": false, "x": true} {
		if got := get[checked](d, 200, "POST", "/api/check", drafted(text)); got.Parses != parses || len(got.Tools) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
	fresh := get[checked](d, 200, "POST", "/api/check", map[string]any{"path": "fresh.yaml", "text": tasks})
	if fresh.Diagnostics == nil || len(fresh.Tools) != 0 && fresh.Tools[0].Summary.File != "fresh.yaml" {
		t.Errorf("%+v", fresh)
	}
}

func op(name string, more ...any) map[string]any {
	c := map[string]any{"op": name}
	for i := 0; i+1 < len(more); i += 2 {
		c[more[i].(string)] = more[i+1]
	}
	return c
}

func at(steps ...any) []any { return steps }

// Each change of the form is a small change of the text.
func TestEdit(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	tests := []struct {
		name   string
		change map[string]any
		diff   string
	}{
		{"set", op("set", "tool", 0, "at", at("description"), "value", "Show one."), "-    description: Show a task. # for people\n+    description: Show one. # for people\n"},
		{"set below", op("set", "tool", 0, "at", at("arguments", 0, "type"), "value", "integer"),
			"-      - {name: task_id, type: string, required: true, description: Id}\n+      - {name: task_id, type: integer, required: true, description: Id}\n"},
		{"set raw", op("set", "tool", 1, "at", at("limits"), "raw", "{result: 1KiB}"), "+    limits: {result: 1KiB}\n"},
		{"set digits", op("set", "tool", 1, "at", at("arguments", 1, "default"), "value", json.RawMessage("12345678901234567890")),
			"-      - {name: agent, type: string, description: Who}\n+      - {name: agent, type: string, description: Who, default: \"12345678901234567890\"}\n"},
		{"insert at the end", op("insert", "tool", 0, "at", at("arguments"), "value", map[string]any{"name": "n"}), "+      - {name: \"n\"}\n"},
		{"insert at a place", op("insert", "tool", 1, "at", at("arguments", 1), "value", map[string]any{"name": "m"}), "+      - {name: m}\n"},
		{"insert by index", op("insert", "tool", 1, "at", at("arguments"), "index", 0, "raw", "{name: m}"), "+      - {name: m}\n"},
		{"insert what is no list yet", op("insert", "tool", 0, "at", at("tags"), "value", "x"), "+    tags: [x]\n"},
		{"remove", op("remove", "tool", 1, "at", at("response")), "-    response: {text: \"Task {key} taken\"}\n"},
		{"move", op("move", "tool", 1, "at", at("arguments", 1), "to", 0), "-      - {name: task_id, type: string, description: Id}\n+      - {name: task_id, type: string, description: Id}\n"},
		{"rename a key", op("rename", "tool", 1, "at", at("response", "text"), "name", "each"), "-    response: {text: \"Task {key} taken\"}\n+    response: {each: \"Task {key} taken\"}\n"},
		{"rename an argument", op("rename", "tool", 1, "at", at("arguments", 0), "name", "id"),
			"-    path: /tasks/{task_id}/take\n+    path: /tasks/{id}/take\n-      - {name: task_id, type: string, description: Id}\n+      - {name: id, type: string, description: Id}\n"},
		{"add a tool", op("add_tool", "value", map[string]any{"name": "x"}), "+\n+  - {name: x}\n"},
		{"add a tool as text", op("add_tool", "index", 0, "raw", "# new\nname: x\nmethod: GET\n"), "+  # new\n+  - name: x\n+    method: GET\n+\n"},
		{"remove a tool", op("remove_tool", "tool", 1), "-\n-  - name: take_task\n-    description: Take a task.\n-    method: POST\n-    path: /tasks/{task_id}/take\n-    arguments:\n" +
			"-      - {name: task_id, type: string, description: Id}\n-      - {name: agent, type: string, description: Who}\n-    response: {text: \"Task {key} taken\"}\n"},
		{"duplicate a tool", op("duplicate_tool", "tool", 0, "name", "copy"), "+  - name: copy\n+    description: Show a task. # for people\n+    method: GET\n+    path: /tasks/{task_id}\n+    arguments:\n" +
			"+      - {name: task_id, type: string, required: true, description: Id}\n+\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := drafted(tasks)
			body["changes"] = []any{tt.change}
			e := get[edited](d, 200, "POST", "/api/edit", body)
			equal(t, plainDiff(tasks, e.Text), tt.diff)
			if !e.Check.Parses {
				t.Error("the text does not parse any more")
			}
		})
	}
}

// plainDiff is a diff without what has not changed.
func plainDiff(from, to string) string {
	var b strings.Builder
	for _, h := range compareLines(from, to).Hunks {
		for _, line := range h.Lines {
			if line[0] != ' ' {
				b.WriteString(line + "\n")
			}
		}
	}
	return b.String()
}

// What an alias shares is made the tool's own; a copy of a tool that shares something is written out.
func TestEditWhatIsShared(t *testing.T) {
	const shared = "api: tracker\ntools:\n  - name: a\n    description: A.\n    method: GET\n    arguments:\n      - &id {name: id, type: string}\n" +
		"  - name: b\n    description: B.\n    method: GET\n    arguments:\n      - *id\n"
	d := open(t, map[string]string{"tools.d/tasks.yaml": shared})
	ask := func(c map[string]any) string {
		body := drafted(shared)
		body["changes"] = []any{c}
		return plainDiff(shared, get[edited](d, 200, "POST", "/api/edit", body).Text)
	}
	equal(t, ask(op("set", "tool", 1, "at", at("arguments", 0, "type"), "value", "integer")), "-      - *id\n+      - {name: id, type: integer}\n")
	equal(t, ask(op("remove", "tool", 0, "at", at("arguments", 0))), "-    arguments:\n-      - &id {name: id, type: string}\n+    arguments: []\n-      - *id\n+      - &id {name: id, type: string}\n")
	equal(t, ask(op("duplicate_tool", "tool", 1, "name", "c")), "+  - name: c\n+    description: B.\n+    method: GET\n+    arguments:\n+      - {name: id, type: string}\n")
}

// Renaming an argument renames it wherever the tool names it.
func TestRenameArgument(t *testing.T) {
	const before = `api: tracker
tools:
  - name: a
    description: A.
    method: POST
    path: /{id}/{id.x}/{idx}
    query: {a: ["{id}"]}
    headers: {X: "{{id}} {id}"}
    cookies: {c: "{id}"}
    body: {"a?": {b: "x {id}"}}
    content_type: text/{id}
    one_of: [b, id]
    arguments: [{name: id, type: string}, {name: idx, type: string}, {name: b, type: string}]
`
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	body := drafted(before)
	body["changes"] = []any{op("rename", "tool", 0, "at", at("arguments", 0), "name", "key")}
	after := get[edited](d, 200, "POST", "/api/edit", body).Text
	equal(t, after, strings.NewReplacer("{{id}}", "{{id}}", "{id}", "{key}", "{id.x}", "{key.x}", ", id]", ", key]", "name: id,", "name: key,").Replace(before))
}

func TestEditRefuses(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	for _, tt := range []struct {
		text   string
		change map[string]any
		status int
		code   string
	}{
		{tasks, op("paint", "tool", 0), 400, "bad_request"},
		{tasks, op("set", "at", at("name"), "value", "x"), 400, "bad_request"},
		{tasks, op("set", "tool", 0, "at", at(true), "value", "x"), 400, "bad_request"},
		{tasks, op("set", "tool", 0, "at", at("name")), 400, "bad_request"},
		{tasks, op("insert", "tool", 0, "at", at("arguments"), "value", json.RawMessage(`{"a":1,"a":2}`)), 400, "bad_request"},
		{tasks, op("set", "tool", 7, "at", at("name"), "value", "x"), 422, "edit"},
		{tasks, op("set", "tool", 0, "at", at("query"), "raw", "{a: "), 422, "edit"},
		{tasks, op("duplicate_tool", "tool", 7, "name", "x"), 422, "edit"},
		{tasks, op("move", "tool", 0, "at", at("arguments", 0), "to", 9), 422, "edit"},
		{"tools: [", op("set", "tool", 0, "at", at("name"), "value", "x"), 422, "edit"},
		{"tools: [", op("add_tool", "value", "x"), 422, "edit"},
	} {
		body := drafted(tt.text)
		body["changes"] = []any{tt.change}
		equal(t, refusal(d, tt.status, "POST", "/api/edit", body), tt.code)
	}
}

func TestDiff(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	equal(t, get[difference](d, 200, "POST", "/api/diff", drafted(tasks)), difference{Hunks: []hunk{}})
	equal(t, get[difference](d, 200, "POST", "/api/diff", drafted(strings.Replace(tasks, "Take a task.", "Take one.", 1))), difference{
		Hunks: []hunk{{9, 7, 9, 7, []string{"       - {name: task_id, type: string, required: true, description: Id}", " ", "   - name: take_task", "-    description: Take a task.", "+    description: Take one.", "     method: POST", "     path: /tasks/{task_id}/take", "     arguments:"}}},
		Added: 1, Removed: 1})
	equal(t, get[difference](d, 200, "POST", "/api/diff", map[string]any{"path": "new.yaml", "text": "a\nb"}),
		difference{Hunks: []hunk{{1, 0, 1, 2, []string{"+a", "+b"}}}, Added: 2})
}

// A diff, applied to the one text, gives the other; what it shows as changed is no more than it must be.
func TestDiffIsRight(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := make([]string, random.IntN(12)), make([]string, random.IntN(12))
		for i := range a {
			a[i] = string(rune('a'+random.IntN(3))) + "\n"
		}
		for i := range b {
			b[i] = string(rune('a'+random.IntN(3))) + "\n"
		}
		d := compareLines(strings.Join(a, ""), strings.Join(b, ""))
		if got := apply(a, d.Hunks); got != strings.Join(b, "") {
			t.Fatalf("%q to %q: %q by %+v", a, b, got, d)
		}
		if want := len(a) + len(b) - 2*common(a, b); d.Added+d.Removed != want {
			t.Fatalf("%q to %q: %d lines changed, want %d", a, b, d.Added+d.Removed, want)
		}
	}
	if d := compareLines(strings.Repeat("a\n", 3000), strings.Repeat("b\n", 3000)); d.Added != 3000 || d.Removed != 3000 {
		t.Errorf("%d added, %d removed", d.Added, d.Removed)
	}
}

// apply makes the new text of the old one and its diff.
func apply(old []string, hunks []hunk) string {
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		for at < h.OldStart-1 {
			b.WriteString(old[at])
			at++
		}
		for _, line := range h.Lines {
			if line[0] != '-' {
				b.WriteString(line[1:] + "\n")
			}
			if line[0] != '+' {
				at++
			}
		}
	}
	return b.String() + strings.Join(old[at:], "")
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			best[i+1][j+1] = max(best[i][j+1], best[i+1][j])
			if a[i] == b[j] {
				best[i+1][j+1] = best[i][j] + 1
			}
		}
	}
	return best[len(a)][len(b)]
}

// BenchmarkCheck is what a keystroke costs beside 1,000 tools in 100 files.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		b.Fatal(err)
	}
	write("tbridge.yaml", apis)
	for i := range 100 {
		write(fmt.Sprintf("tools.d/f%02d.yaml", i), manyTools(i, 10))
	}
	w, err := New(Options{Config: filepath.Join(dir, "tbridge.yaml"), Token: token, Page: page})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // a benchmark
	for b.Loop() {
		if _, err := w.check(b.Context(), draft{"tasks.yaml", tasks}); err != nil {
			b.Fatal(err)
		}
	}
}
