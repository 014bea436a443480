package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A piped server is tbridge serve as a process of its own, with a client at its streams.
type piped struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // of stdout; closed at its end
	stderr *output
}

// startPiped serves a directory, and opens a session.
func startPiped(t *testing.T, dir string, args ...string) *piped {
	t.Helper()
	p := &piped{t: t, lines: make(chan string, 10_000), stderr: &output{}}
	p.cmd = exec.Command(filepath.Join(asTbridge(t), "tbridge"), append([]string{"serve", "--config", filepath.Join(dir, "tbridge.yaml")}, args...)...)
	p.cmd.Stderr = p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				p.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if line := p.line(); !strings.Contains(line, `"id":0,"result"`) {
		t.Fatalf("got %s", line)
	}
	return p
}

func (p *piped) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// line waits for a line; empty: there are no more.
func (p *piped) line() string {
	p.t.Helper()
	select {
	case line := <-p.lines:
		return line
	case <-time.After(patience):
		p.t.Fatalf("nothing was received; stderr: %s", p.stderr)
		return ""
	}
}

func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// call makes a call and gives the text of its result.
func (p *piped) call(id int, tool, arguments string) string {
	p.t.Helper()
	p.send(callLine(id, tool, arguments))
	line := p.line()
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Result.Content) != 1 {
		p.t.Fatalf("got %s", line)
	}
	return m.Result.Content[0].Text
}

// Whatever clients send and APIs answer, each line on stdout is a message; all else goes to stderr.
func TestStdoutCarriesMessagesOnly(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(answer))
	defer up.Close()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \""+up.URL+"\"}, dead: {base_url: \"http://127.0.0.1:1\"}}\n")
	write(t, dir, "tools.d/a.yaml", tools(get("one", "One."), get("broken", "Broken.")))
	write(t, dir, "tools.d/b.yaml", "api: dead\n"+strings.TrimPrefix(tools(get("dead", "Dead.")), "api: up\n"))
	p := startPiped(t, dir, "--log-level", "debug")
	const rounds = 200
	for i := range rounds {
		p.send(callLine(5*i+1, "one", `{}`), callLine(5*i+2, "broken", `{}`), callLine(5*i+3, "one", `{"n":1}`), callLine(5*i+4, "dead", `{}`),
			callLine(5*i+5, "nowhere", `{}`), `{"jsonrpc"`, "\x00", strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":null,"method":"ping"}`)
		switch i {
		case rounds / 4: // the log says so, and of the file's change the client is told in between
			write(t, dir, "tools.d/c.yaml", "tools: [{")
		case rounds / 2:
			write(t, dir, "tools.d/c.yaml", tools(get("more", "More.")))
		}
	}
	p.in.Close()
	answered := map[float64]bool{}
	refused := 0
	for line := p.line(); line != ""; line = p.line() {
		var m struct {
			JSONRPC string `json:"jsonrpc"`
			ID      any    `json:"id"`
			Method  string `json:"method"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || !strings.HasSuffix(line, "\n") {
			t.Fatalf("no message: %v in %.300q", err, line)
		}
		switch id := m.ID.(type) {
		case float64:
			if answered[id] {
				t.Errorf("%v is answered twice", id)
			}
			answered[id] = true
		case nil:
			if m.Method == "" {
				refused++
			}
		}
	}
	if len(answered) != 5*rounds || refused != 4*rounds {
		t.Errorf("%d answers and %d lines refused, want %d and %d", len(answered), refused, 5*rounds, 4*rounds)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("ended with %v: %s", err, p.stderr)
	}
	if log := p.stderr.String(); !strings.Contains(log, "level=DEBUG") || !strings.Contains(log, "unreachable") {
		t.Errorf("the log lacks something: %.2000s", log)
	}
}
