package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// patience bounds the wait for what must come, also on a machine that has much else to do.
const patience = time.Minute

// A server is tbridge serve in this process, with a client at its streams.
type server struct {
	t      *testing.T
	dir    string
	in     *os.File
	out    *bufio.Reader
	stderr *output
	code   chan int
}

// output collects what is written by one side and read by another.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// write writes a file below a directory, and gives the time of a change to it.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tools(lines ...string) string {
	return "api: up\ntools:\n  - " + strings.Join(lines, "\n  - ") + "\n"
}

func get(name, description string) string {
	return fmt.Sprintf("{name: %s, description: %s, method: GET, path: /%s, arguments: []}", name, description, name)
}

// startServer serves a directory with two tools files, and opens a session.
func startServer(t *testing.T) *server {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	s := &server{t: t, dir: t.TempDir(), stderr: &output{}, code: make(chan int, 1)}
	write(t, s.dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \""+up.URL+"\"}}\n")
	write(t, s.dir, "tools.d/a.yaml", tools(get("one", "One.")))
	write(t, s.dir, "tools.d/b.yaml", tools(get("two", "Two."), get("hang", "Hang.")))
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	go func() {
		code := run(context.Background(), []string{"serve", "--config", filepath.Join(s.dir, "tbridge.yaml")}, stdin, stdout, s.stderr)
		stdout.Close()
		s.code <- code
	}()
	t.Cleanup(func() {
		in.Close()
		stdin.Close()
		out.Close()
	})
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if line := s.line(); !strings.Contains(line, `"id":0,"result"`) {
		t.Fatalf("got %s", line)
	}
	return s
}

func (s *server) send(lines ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) line() string {
	s.t.Helper()
	got := make(chan string, 1)
	go func() {
		line, _ := s.out.ReadString('\n')
		got <- line
	}()
	select {
	case line := <-got:
		return line
	case <-time.After(patience):
		s.t.Fatalf("nothing was received; stderr: %s", s.stderr)
		return ""
	}
}

// listWith waits until all texts stand in the list of the tools, and gives it: what is half written may be seen too.
func (s *server) listWith(step string, texts ...string) (list string) {
	s.t.Helper()
	missing := func(text string) bool { return !strings.Contains(list, text) }
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		for list = s.line(); strings.Contains(list, changedNotice); list = s.line() {
			continue
		}
		if !slices.ContainsFunc(texts, missing) {
			return list
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not all of %q in %s", step, texts, list)
		}
	}
}

const changedNotice = "notifications/tools/list_changed"

func (s *server) exit() int {
	s.t.Helper()
	select {
	case code := <-s.code:
		return code
	case <-time.After(patience):
		s.t.Fatal("still running")
		return -1
	}
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		s.t.Fatal(err)
	}
}

// says waits until something stands on stderr.
func (s *server) says(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.stderr.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %q in %s", text, s.stderr)
		}
	}
}

func TestASignalEndsTheServer(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s := startServer(t)
		s.signal(sig)
		if code := s.exit(); code != 0 {
			t.Errorf("%v: exit code %d, stderr %s", sig, code, s.stderr)
		}
	}
}

func TestASecondSignalDoesNotWait(t *testing.T) {
	seen := make(chan os.Signal, 2)
	signal.Notify(seen, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(seen)
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		s := startServer(t)
		s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		s.line()
		s.signal(sig)
		<-seen // the system takes two signals for one, if the second comes before the first was seen
		select {
		case code := <-s.code:
			t.Errorf("%v: ended with %d and a call in flight", sig, code)
		case <-time.After(100 * time.Millisecond):
		}
		s.signal(sig)
		<-seen
		if code := s.exit(); code != want {
			t.Errorf("%v: exit code %d", sig, code)
		}
	}
}

func TestReloadWithASignal(t *testing.T) {
	s := startServer(t)
	steps := []struct {
		name         string
		files        [][2]string // in the order in which they are written: changes are seen without a signal too
		notice       bool
		says         string
		has, hasNone []string
	}{
		{"nothing new", nil, false, "changed=false", []string{"One.", "Two."}, nil},
		{"a faulty file keeps its tools, the others are read", [][2]string{
			{"tools.d/a.yaml", "tools: ["}, {"tools.d/b.yaml", tools(get("two", "Two again."))},
		}, true, "faulty tools file, its tools stay as they were", []string{`"one"`, "Two again."}, []string{"hang"}},
		{"the repaired file is read", [][2]string{{"tools.d/a.yaml", tools(get("uno", "Uno."))}}, true, "", []string{"Uno."}, []string{`"one"`}},
		{"a faulty tbridge.yaml changes nothing", [][2]string{{"tbridge.yaml", "version: 1\nnonsense: 1\n"}, {"tools.d/a.yaml", tools()}}, false,
			"reload failed, all stays as it was", []string{"Uno."}, nil},
	}
	for _, step := range steps {
		for _, file := range step.files {
			write(t, s.dir, file[0], file[1])
		}
		s.signal(syscall.SIGHUP)
		if step.notice {
			if line := s.line(); !strings.Contains(line, changedNotice) {
				t.Errorf("%s: %s", step.name, line)
			}
		}
		s.says(step.says)
		line := s.listWith(step.name, step.has...)
		for _, text := range step.hasNone {
			if strings.Contains(line, text) {
				t.Errorf("%s: %s in %s", step.name, text, line)
			}
		}
	}
}

// quarantined gives a reloader over a directory whose tools were one in a.yaml and two in b.yaml.
func quarantined(t *testing.T) (*reloader, string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \"http://127.0.0.1:1\"}, old: {base_url: \"http://127.0.0.1:1\"}}\n")
	write(t, dir, "tools.d/a.yaml", tools(get("one", "One.")))
	write(t, dir, "tools.d/b.yaml", strings.Replace(tools(get("two", "Two.")), "api: up", "api: old", 1))
	path := filepath.Join(dir, "tbridge.yaml")
	c, ds, err := validate.Load(path)
	if err != nil || ds.Count(config.Error) > 0 {
		t.Fatal(err, ds)
	}
	b, err := bridge.New(c, bridge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &reloader{path: path, bridge: b, log: slog.New(slog.DiscardHandler), last: c}, dir
}

// served names the tools that a reloader serves.
func (r *reloader) served() string {
	var names []string
	for _, t := range r.last.Tools {
		names = append(names, t.Name+":"+t.Description)
	}
	return strings.Join(names, " ")
}

// rename renames a file of a directory.
func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

func TestADirectoryThatIsAwayGetsASecondLook(t *testing.T) {
	r, dir := quarantined(t)
	rename(t, dir, "tools.d", "away")
	if r.reload(always, patient); r.again == nil || r.served() != "one:One. two:Two." {
		t.Errorf("again %v, serves %s", r.again, r.served())
	}
	rename(t, dir, "away", "tools.d")
	if r.reload(ifChanged, patient); r.again != nil || r.served() != "one:One. two:Two." {
		t.Errorf("back: again %v, serves %s", r.again, r.served())
	}
	rename(t, dir, "tools.d", "away")
	r.reload(always, patient)
	if r.reload(always, impatient); r.again != nil || r.served() != "" {
		t.Errorf("away for good: again %v, serves %s", r.again, r.served())
	}
}

func TestAFileFoundEmptyGetsASecondLook(t *testing.T) {
	r, dir := quarantined(t)
	write(t, dir, "tools.d/a.yaml", "")
	if r.reload(always, patient); r.again == nil || r.served() != "one:One. two:Two." {
		t.Errorf("again %v, serves %s", r.again, r.served())
	}
	if r.reload(ifChanged, patient); r.again == nil {
		t.Error("the second look is forgotten when another file is touched")
	}
	if r.reload(always, impatient); r.again != nil || r.served() != "two:Two." {
		t.Errorf("again %v, serves %s", r.again, r.served())
	}
	if r.reload(always, patient); r.again != nil {
		t.Error("an empty file that had nothing to lose is looked at again")
	}
	if err := os.Remove(filepath.Join(dir, "tools.d/b.yaml")); err != nil {
		t.Fatal(err)
	}
	if r.reload(ifChanged, patient); r.again != nil || r.served() != "" {
		t.Errorf("a file that is gone: again %v, serves %s", r.again, r.served())
	}
}

func TestTheLastGoodToolsOfAFaultyFile(t *testing.T) {
	r, dir := quarantined(t)
	var log bytes.Buffer
	r.log = slog.New(slog.NewTextHandler(&log, nil))
	write(t, dir, "tools.d/a.yaml", "tools: [")
	for range 2 { // what was kept once is kept again
		r.reload(always, patient)
		if got := r.served(); got != "one:One. two:Two." {
			t.Errorf("serves %s", got)
		}
	}
	write(t, dir, "tools.d/c.yaml", tools(get("one", "Another.")))
	r.reload(always, patient)
	if got := r.served(); got != "two:Two. one:Another." {
		t.Errorf("a name that is taken now: serves %s", got)
	}
	write(t, dir, "tools.d/b.yaml", "tools: [")
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n")
	r.reload(always, patient)
	if got := r.served(); got != "one:Another." {
		t.Errorf("an API that is gone: serves %s", got)
	}
	for _, says := range []string{"another file has its name\" tool=one", "its API is gone from tbridge.yaml\" tool=two"} {
		if strings.Count(log.String(), says) != 1 {
			t.Errorf("the log does not say once %q:\n%s", says, &log)
		}
	}
	if err := os.Remove(filepath.Join(dir, "tbridge.yaml")); err != nil {
		t.Fatal(err)
	}
	r.reload(always, patient)
	if got := r.served(); got != "one:Another." {
		t.Errorf("tbridge.yaml is gone: serves %s", got)
	}
}
