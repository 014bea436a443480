package bridge

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tbridge/config"
)

// onlyTool gives the single tool of a tools file.
func onlyTool(t *testing.T, text string) *config.Tool {
	t.Helper()
	c := loadTools(t, "http://127.0.0.1:1", "tools:\n  - "+text+"\n")
	if len(c.Tools) != 1 {
		t.Fatalf("%d tools", len(c.Tools))
	}
	return c.Tools[0]
}

func TestServes(t *testing.T) {
	read := &config.Tool{Name: "get_task", Method: "GET", Tags: []string{"tasks", "safe"}}
	write := &config.Tool{Name: "take_task", Method: "POST", Tags: []string{"tasks"}}
	tests := []struct {
		name        string
		o           Options
		read, write bool
	}{
		{"all", Options{}, true, true},
		{"a tag", Options{Tags: []string{"safe"}}, true, false},
		{"any of the tags", Options{Tags: []string{"chat", "tasks"}}, true, true},
		{"no such tag", Options{Tags: []string{"chat"}}, false, false},
		{"a pattern", Options{Only: []string{"take_*"}}, false, true},
		{"any of the patterns", Options{Only: []string{"x", "*_task"}}, true, true},
		{"a bad pattern", Options{Only: []string{"["}}, false, false},
		{"read-only", Options{ReadOnly: true}, true, false},
		{"all conditions count", Options{ReadOnly: true, Tags: []string{"tasks"}, Only: []string{"take_*"}}, false, false},
	}
	for _, tt := range tests {
		if got := tt.o.serves(read); got != tt.read {
			t.Errorf("%s: the reading tool: %v", tt.name, got)
		}
		if got := tt.o.serves(write); got != tt.write {
			t.Errorf("%s: the writing tool: %v", tt.name, got)
		}
	}
}

// manyTools writes n tools, in the reverse of their names' order.
func manyTools(n int) string {
	var b strings.Builder
	b.WriteString("method: GET\npath: /echo\ntools:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {name: t%05d, description: T., arguments: []}\n", n-i)
	}
	return b.String()
}

func TestALongListHasPages(t *testing.T) {
	b, err := New(loadTools(t, "http://127.0.0.1:1", manyTools(2500)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := dial(t, b)
	w.greet("2025-06-18")
	params, next := "", 2500
	var sizes []int
	for range 4 {
		page := decodeLine(t, w.ask(rpc("", len(sizes)+1, "tools/list", params))).Result
		tools := page["tools"].([]any)
		sizes = append(sizes, len(tools))
		for _, tool := range tools {
			if name := tool.(map[string]any)["name"]; name != fmt.Sprintf("t%05d", next) {
				t.Fatalf("%v where t%05d is due", name, next)
			}
			next--
		}
		cursor, more := page["nextCursor"]
		if !more {
			break
		}
		params = fmt.Sprintf(`"cursor":%q`, cursor)
	}
	if got := fmt.Sprint(sizes); got != "[1000 1000 500]" {
		t.Errorf("pages of %s", got)
	}
}

// notices counts the notifications: it waits for so many, and then a while for more.
func (w *wire) notices(due int) (n int) {
	for {
		quiet := 100 * time.Millisecond
		if n < due {
			quiet = patience
		}
		select {
		case line := <-w.lines:
			if !strings.Contains(line, `"method":"notifications/tools/list_changed"`) {
				w.t.Errorf("got %s", line)
			}
			n++
		case <-time.After(quiet):
			return n
		}
	}
}

func (w *wire) listed(revision string) string {
	w.t.Helper()
	var b strings.Builder
	for _, tool := range decodeLine(w.t, w.ask(rpc(revision, 1000, "tools/list", ""))).Result["tools"].([]any) {
		tool := tool.(map[string]any)
		fmt.Fprintf(&b, "%v:%v ", tool["name"], tool["description"])
	}
	return b.String()
}

func TestReplace(t *testing.T) { synctest.Test(t, testReplace) }

func testReplace(t *testing.T) {
	one := `{name: one, description: One., method: GET, path: /echo, arguments: []}`
	two := `{name: two, description: Two., method: GET, path: /echo, arguments: []}`
	catalogue := func(tools ...string) *config.Catalog {
		return loadTools(t, "http://127.0.0.1:1", "tools:\n  - "+strings.Join(tools, "\n  - ")+"\n")
	}
	steps := []struct {
		name    string
		tools   []string
		changed bool
		listed  string
	}{
		{"nothing", []string{one, two}, false, "one:One. two:Two. "},
		{"what nobody sees", []string{strings.Replace(one, "/echo", "/other", 1), two}, false, "one:One. two:Two. "},
		{"a description", []string{one, strings.Replace(two, "Two.", "2.", 1)}, true, "one:One. two:2. "},
		{"the order", []string{strings.Replace(two, "Two.", "2.", 1), one}, true, "two:2. one:One. "},
		{"one more", []string{one, two, strings.Replace(one, "one", "three", 1)}, true, "one:One. two:Two. three:One. "},
		{"two less", []string{two}, true, "two:Two. "},
	}
	b, err := New(catalogue(one, two), Options{})
	if err != nil {
		t.Fatal(err)
	}
	old, modern := dialer(dial).waited(t, b), dialer(dial).waited(t, b)
	old.greet("2025-06-18")
	modern.ask(rpc(stateless, 1, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	for _, step := range steps {
		changed, err := b.Replace(catalogue(step.tools...))
		if err != nil || changed != step.changed {
			t.Errorf("%s: changed %v, %v", step.name, changed, err)
		}
		want := 0
		if step.changed {
			want = 1
		}
		if a, b := old.notices(want), modern.notices(want); a != want || b != want {
			t.Errorf("%s: %d and %d notices, want %d", step.name, a, b, want)
		}
		if a, b := old.listed(""), modern.listed(stateless); a != step.listed || b != step.listed {
			t.Errorf("%s: listed %s and %s", step.name, a, b)
		}
	}
	if m := decodeLine(t, old.ask(callTool("", 1, "one", "{}"))); m.Error.Code != -32602 {
		t.Errorf("the tool that is gone: %+v", m)
	}
}

func TestReplaceBeforeAnybodyAsks(t *testing.T) {
	b := newProbe(t)
	next := loadTools(t, "http://127.0.0.1:1", manyTools(1))
	next.Server.Instructions = "Read again."
	if changed, err := b.Replace(next); err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	w := dial(t, b)
	if got := w.ask(initialize("2025-06-18")); !strings.Contains(got, "Read again.") {
		t.Errorf("got %s", got)
	}
	if got := w.listed(""); got != "t00001:T. " {
		t.Errorf("listed %s", got)
	}
}

func TestReplaceKeepsWhatItHadAfterAnError(t *testing.T) {
	b := newProbe(t)
	bad := loadTools(t, "http://127.0.0.1:1", manyTools(1))
	bad.APIs = nil
	if changed, err := b.Replace(bad); err == nil || changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	if r, found := b.Call(t.Context(), "echo", nil); !found || r.IsError {
		t.Errorf("got %+v, %v", r, found)
	}
}

func TestCallsWhileTheCatalogueChanges(t *testing.T) {
	url := upstream(t).URL
	b, err := New(loadTools(t, url, probeTools), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := dial(t, b)
	w.greet("2025-06-18")
	catalogues := []*config.Catalog{loadTools(t, url, strings.ReplaceAll(probeTools, "Echo.", "Echo!")), loadTools(t, url, probeTools)}
	var changing sync.WaitGroup
	changing.Go(func() {
		for i := range 50 {
			if _, err := b.Replace(catalogues[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 200 {
		w.send(callTool("", i+1, "echo", fmt.Sprintf(`{"n":%d}`, i+1)))
	}
	for answers := 0; answers < 200; {
		line := w.receive()
		if strings.Contains(line, "list_changed") {
			continue
		}
		answers++
		if m := decodeLine(t, line); m.Result == nil || m.Result["isError"] != nil {
			t.Errorf("got %s", line)
		}
	}
	changing.Wait()
}

// A panic is the fault of one call: it is answered, logged without secrets, and nobody else notices.
func TestPanics(t *testing.T) {
	var log bytes.Buffer
	b, err := New(loadTools(t, upstream(t).URL, probeTools), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	echo := b.current.Load().byName["echo"]
	echo.plan = nil
	w := dial(t, b)
	w.greet("2025-06-18")
	got := w.ask(callTool("", 1, "echo", "{}"))
	if m := decodeLine(t, got); m.ID != 1.0 || !strings.Contains(got, `"kind":"internal"`) {
		t.Errorf("got %s", got)
	}
	echo.reading = nil
	if m := decodeLine(t, w.ask(callTool("", 2, "echo", "{}"))); m.ID != 2.0 || m.Error.Code != -32603 {
		t.Errorf("got %+v", m)
	}
	if m := decodeLine(t, w.ask(rpc("", 3, "tools/list", ""))); m.Result == nil {
		t.Errorf("got %+v", m)
	}
	w.in.Close()
	_ = w.end()
	if !strings.Contains(log.String(), "prepare") {
		t.Errorf("no stack in %s", log.String())
	}
	b.masks.add("s3cret-value")
	b.logPanic("the token is s3cret-value")
	if strings.Contains(log.String(), "s3cret-value") {
		t.Errorf("a secret in %s", log.String())
	}
}

func TestTheSDKTalksOneLevelLower(t *testing.T) {
	var log bytes.Buffer
	h := sdkLog{slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})}
	l := slog.New(h)
	l.Warn("session")
	l.Error("mistake")
	if got := log.String(); strings.Contains(got, "session") || !strings.Contains(got, "level=WARN msg=mistake") {
		t.Errorf("got %s", got)
	}
}
