package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// startWorkbench runs the command until the test ends, and gives the address and the token that it printed.
func startWorkbench(t *testing.T, args ...string) (url, token string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	ctx, stop := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	var talk bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"workbench"}, args...), nil, printed, &talk)
		_ = printed.Close()
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	m := regexp.MustCompile(`^(http://127\.0\.0\.1:[0-9]+)/#token=([0-9a-f]{64})\n$`).FindStringSubmatch(string(line[:n]))
	t.Cleanup(func() {
		stop()
		if got := <-code; got != 0 {
			t.Errorf("exit code %d: %s", got, &talk)
		}
	})
	if err != nil || m == nil {
		t.Fatalf("printed %q, %v", line[:n], err)
	}
	return m[1], m[2]
}

// ask sends a request to the workbench as its page does.
func ask(t *testing.T, method, url, token, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A tool saved in the workbench is a tool of the agent that is connected to serve.
func TestWorkbenchBesideServe(t *testing.T) {
	s := startServer(t)
	url, token := startWorkbench(t, "--config", filepath.Join(s.dir, "tbridge.yaml"), "--http", "localhost:0")
	if status, page := ask(t, "GET", url+"/", "", ""); status != 200 || !strings.Contains(page, "tbridge workbench") || strings.Contains(page, "__NONCE__") {
		t.Errorf("the page: %d %s", status, page)
	}
	_, text := ask(t, "GET", url+"/api/files/a.yaml", token, "")
	var file struct{ Text, ETag string }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	saved, _ := json.Marshal(map[string]string{"text": tools(get("one", "Written in the workbench."))})
	begin := time.Now()
	if status, answer := ask(t, "PUT", url+"/api/files/a.yaml", token, string(saved), "If-Match", file.ETag); status != 200 {
		t.Fatalf("saving: %d %s", status, answer)
	}
	s.expect("a save", "Written in the workbench.")
	t.Logf("the agent heard of it after %v", time.Since(begin))
}

// With --demo the shipped tools are there, and calls go to the embedded tracker; its token is not shown.
func TestWorkbenchDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	url, token := startWorkbench(t, "--demo")
	_, text := ask(t, "GET", url+"/api/files/tasks.yaml", token, "")
	var file struct{ Text string }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	call, _ := json.Marshal(map[string]any{"path": "tasks.yaml", "text": file.Text, "tool": "get_task", "arguments": map[string]string{"task_id": "TE-15"}})
	status, answer := ask(t, "POST", url+"/api/try", token, string(call))
	if status != 200 || !strings.Contains(answer, `"status":200`) || !strings.Contains(answer, "Bearer ${TRACKER_TOKEN}") {
		t.Errorf("%d %s", status, answer)
	}
}

// W4: no other machine can reach the page, and what cannot run says so.
func TestWorkbenchListensOnLoopbackOnly(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {}\n")
	config := filepath.Join(dir, "tbridge.yaml")
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"0.0.0.0:0": "serves this machine alone", "[::]:0": "serves this machine alone", ":0": "serves this machine alone", "192.0.2.1:0": "serves this machine alone",
		"example.com:0": "serves this machine alone", "127.0.0.1": "is no address", "127.0.0.1:99999": "invalid port",
	} {
		var out, talk bytes.Buffer
		code := run(t.Context(), []string{"workbench", "--config", config, "--http", address}, nil, &out, &talk)
		if code != exitUsage || out.Len() > 0 || !strings.Contains(talk.String(), want) {
			t.Errorf("%s: exit code %d: %s%s", address, code, &out, &talk)
		}
	}
	var talk bytes.Buffer
	if code := run(t.Context(), []string{"workbench", "--config", filepath.Join(dir, "none.yaml")}, nil, io.Discard, &talk); code != exitUsage || !strings.Contains(talk.String(), "there is no") {
		t.Errorf("exit code %d: %s", code, &talk)
	}
	if err := os.Remove(filepath.Join(dir, "tools.d")); err != nil {
		t.Fatal(err)
	}
	talk.Reset()
	if code := run(t.Context(), []string{"workbench", "--config", config}, nil, io.Discard, &talk); code != exitUsage || !strings.Contains(talk.String(), "tools directory cannot be opened") {
		t.Errorf("exit code %d: %s", code, &talk)
	}
}
