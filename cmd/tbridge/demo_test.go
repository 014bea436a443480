package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

func TestDemoPlaysTheCycle(t *testing.T) {
	t.Chdir(t.TempDir()) // it needs no file
	t.Setenv("AGENT_SLUG", "somebody-else")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"demo"}, strings.NewReader(""), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	rest := port.ReplaceAllString(stdout.String(), "HOST")
	for _, line := range []string{
		"A task tracker listens on http://HOST/api/v1, and tbridge serves 23 tools for it:\n",
		"   take_task {\"task_id\":\"TE-15\"}\n   → POST /api/v1/tasks/TE-15/take\n   ✅ Задача TE-15 взята в работу\n",
		"   → POST /api/v1/tasks/TE-15/steps\n   ✅ Шаг step-3 добавлен: Написать тест на повторный вход\n",
		"   → POST /api/v1/tasks/TE-15/steps\n   ✅ Шаг step-4 добавлен: Исправить проверку ссылки\n",
		"   → PATCH /api/v1/tasks/TE-15/steps/step-3\n   ✅ Шаг step-3 сделан: Написать тест на повторный вход\n",
		"   → POST /api/v1/messages\n   ✅ Сообщение msg-4 отправлено\n",
		"   → PATCH /api/v1/tasks/TE-15\n   ✅ Задача TE-15 обновлена (in_review)\n",
		"   → POST /api/v1/tasks/TE-15/take\n   ❌ Ошибка: задача TE-15 уже взята: coder\n   {\n     \"error\": {\n       \"code\": \"taken\",\n",
		"claude mcp add team-board -- tbridge serve --demo\n",
	} {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("%q does not follow in\n%s", line, rest)
		}
		rest = after
	}
}

func TestDemoStaysWhenAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, stdout := io.Pipe()
	code := make(chan int)
	go func() {
		exit := run(ctx, []string{"demo", "--serve"}, strings.NewReader(""), stdout, io.Discard)
		_ = stdout.Close()
		code <- exit
	}()
	env := map[string]string{}
	for lines := bufio.NewScanner(out); env["TRACKER_TOKEN"] == "" && lines.Scan(); {
		if name, value, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "  export "), "="); ok {
			env[name] = value
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for range len(scenes) + 1 { // as long as anybody asks, not only for the play
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, env["TRACKER_URL"]+"/tasks/TE-15", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+env["TRACKER_TOKEN"])
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the tracker answers %d", response.StatusCode)
		}
	}
	interrupt()
	if exit := <-code; exit != 0 {
		t.Errorf("exit code %d", exit)
	}
}

// Where there is no tbridge.yaml, serve --demo serves what the binary carries; one that is named must be there.
func TestServeDemoNeedsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const session = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_member","arguments":{"slug":"coder"}}}
`
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--demo"}, strings.NewReader(session), &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(stdout.String(), `"text":"coder: Coder (agent, idle)"`) {
		t.Errorf("it says %s", stdout.String())
	}
	if code := run(t.Context(), []string{"serve", "--demo", "--config", "gone.yaml"}, strings.NewReader(session), io.Discard, &stderr); code != exitUsage {
		t.Errorf("exit code %d for a file that is not there", code)
	}
}
