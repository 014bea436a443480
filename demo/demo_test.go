package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

func start(t *testing.T) *Server {
	t.Helper()
	s, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ask sends a request, "METHOD /target", with a JSON body unless it is empty, and gives status and answer.
func ask(t *testing.T, s *Server, request, body string) (int, string) {
	t.Helper()
	method, target, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return do(t, r)
}

func do(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSuffix(string(text), "\n")
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		request, body string
		status        int
		data          string // of the envelope
	}{
		{"GET /tasks?project_id=website", "", 200, `[{"id":"task-7","key":"WEB-3","title":"Обновить страницу контактов","description":"Новый адрес и часы работы.","type":"task","status":"todo","priority":"low","project":"website","labels":["content"],"updated_at":"2026-01-12T09:07:00Z"}]`},
		{"GET /tasks?status=backlog&assignee=anna", "", 200, `[]`},
		{"PATCH /tasks/TE-17", `{"priority":"high","assignee_slug":"anna"}`, 200, `{"id":"task-6","key":"TE-17","title":"Dark theme for the board","description":"Follow the system setting.","type":"feature","status":"todo","priority":"high","project":"team-board","assignee":"anna","labels":["frontend"],"updated_at":"2026-01-12T09:11:00Z"}`},
		{"POST /tasks", `{"project_slug":"team-board","title":"Подзадача","parent_id":"task-4","assignee_slug":"tester"}`, 201, `{"id":"task-8","key":"TE-18","title":"Подзадача","description":"","type":"task","status":"todo","priority":"medium","project":"team-board","assignee":"tester","parent":"TE-15","labels":[],"updated_at":"2026-01-12T09:11:00Z"}`},
		{"POST /tasks/TE-16/reject", `{"reason":"нет доступа"}`, 200, `{"ok":true,"reason":"нет доступа"}`},
		{"POST /tasks/TE-15/watch", `{"agent_slug":"coder"}`, 200, `{"ok":true,"watchers":["coder"]}`},
		{"GET /tasks/TE-16/steps", "", 200, `[{"id":"step-1","title":"Воспроизвести","done":true},{"id":"step-2","title":"Найти второй вызов","done":false}]`},
		{"GET /tasks/TE-17/steps", "", 200, `[]`},
		{"POST /tasks/TE-15/steps", `{"title":"Тест"}`, 201, `{"id":"step-3","title":"Тест","done":false}`},
		{"PATCH /tasks/TE-16/steps/step-2", `{"done":true}`, 200, `{"id":"step-2","title":"Найти второй вызов","done":true}`},
		{"POST /messages", `{"task_id":"TE-15","content":"Готово","mentions":["anna"]}`, 201, `{"id":"msg-4","task_id":"TE-15","author":"coder","content":"Готово","mentions":["anna"],"created_at":"2026-01-12T09:11:00Z"}`},
		{"POST /messages", `{"parent_id":"msg-1","content":"Беру"}`, 201, `{"id":"msg-4","chat_id":"general","parent_id":"msg-1","author":"coder","content":"Беру","mentions":[],"created_at":"2026-01-12T09:11:00Z"}`},
		{"GET /messages?chat_id=general&limit=1", "", 200, `[{"id":"msg-1","chat_id":"general","author":"anna","content":"Доброе утро! TE-15 сегодня самая важная.","mentions":["coder"],"created_at":"2026-01-12T09:08:00Z"}]`},
		{"GET /messages?chat_id=dev", "", 200, `[]`},
		{"GET /projects/website", "", 200, `{"id":"project-2","slug":"website","key":"WEB","name":"Сайт компании"}`},
		{"GET /members/coder", "", 200, `{"slug":"coder","name":"Coder","kind":"agent","status":"idle"}`},
		{"PATCH /members/me", `{"status":"busy"}`, 200, `{"status":"busy"}`},
		{"GET /files?task_id=TE-17", "", 200, `[{"id":"att-2","message_id":"msg-3","task_id":"TE-17","filename":"dark.png","media_type":"image/png","size":67}]`},
		{"GET /files?project_id=website", "", 200, `[]`},
	} {
		t.Run(c.request, func(t *testing.T) {
			status, text := ask(t, start(t), c.request, c.body)
			want := `{"ok":true,"data":` + c.data + `,"meta":{"request_id":"req-1"}}`
			if status != c.status || text != want {
				t.Errorf("got %d %s\nwant %d %s", status, text, c.status, want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		request, body string
		status        int
		code          string
	}{
		{"GET /tasks?page=2", "", 400, "unknown_parameter"},
		{"GET /tasks?status=todo&status=done", "", 400, "repeated_parameter"},
		{"GET /tasks?status=%zz", "", 400, "bad_query"},
		{"GET /tasks?status=open", "", 422, "invalid_value"},
		{"GET /tasks?project_id=nope", "", 404, "not_found"},
		{"GET /tasks/TE-99", "", 404, "not_found"},
		{"GET /nope", "", 404, "no_endpoint"},
		{"DELETE /tasks/TE-15", "", 404, "no_endpoint"},
		{"POST /tasks", `{"title":"x"}`, 422, "missing_field"},
		{"POST /tasks", `{"project_slug":"team-board"}`, 422, "missing_field"},
		{"POST /tasks", `{"project_slug":"nope","title":"x"}`, 404, "not_found"},
		{"POST /tasks", `{"project_slug":"team-board","title":"x","assignee_slug":"nope"}`, 404, "not_found"},
		{"POST /tasks", `{"project_slug":"team-board","title":"x","parent_id":"nope"}`, 404, "not_found"},
		{"POST /tasks", `{"project_slug":"team-board","title":"x","type":"epic"}`, 422, "invalid_value"},
		{"POST /tasks", `{"project_slug":"team-board","title":"x","Type":"task"}`, 400, "unknown_field"},
		{"POST /tasks", `{"project_slug":"team-board","title":7}`, 422, "invalid_type"},
		{"POST /tasks", `[]`, 400, "bad_json"},
		{"POST /tasks", ``, 415, "not_json"},
		{"PATCH /tasks/TE-15", `{"title":""}`, 422, "missing_field"},
		{"PATCH /tasks/TE-15", `{"title":null}`, 422, "invalid_type"},
		{"PATCH /tasks/TE-15", `{"priority":"max"}`, 422, "invalid_value"},
		{"POST /tasks/TE-15/take", `{}`, 422, "missing_field"},
		{"POST /tasks/TE-15/take", `{"agent_slug":"nobody"}`, 404, "not_found"},
		{"POST /tasks/TE-13/take", `{"agent_slug":"tester"}`, 409, "done"},
		{"POST /tasks/TE-16/take", `{"agent_slug":"coder"}`, 409, "taken"},
		{"POST /tasks/TE-15/reject", `{"reason":""}`, 422, "missing_field"},
		{"POST /tasks/TE-15/assign", `{"assignee_slug":"nobody"}`, 404, "not_found"},
		{"POST /tasks/TE-15/watch", `{"agent":"coder"}`, 400, "unknown_field"},
		{"POST /tasks/TE-15/steps", `{"title":true}`, 422, "invalid_type"},
		{"PATCH /tasks/TE-16/steps/step-9", `{"done":true}`, 404, "not_found"},
		{"PATCH /tasks/TE-16/steps/step-1", `{"done":"yes"}`, 422, "invalid_type"},
		{"POST /messages", `{"content":"x"}`, 422, "one_of"},
		{"POST /messages", `{"content":"x","chat_id":"dev","task_id":"TE-15"}`, 422, "one_of"},
		{"POST /messages", `{"chat_id":"dev"}`, 422, "missing_field"},
		{"POST /messages", `{"content":"x","chat_id":"nope"}`, 404, "not_found"},
		{"POST /messages", `{"content":"x","task_id":"TE-99"}`, 404, "not_found"},
		{"POST /messages", `{"content":"x","parent_id":"msg-99"}`, 404, "not_found"},
		{"POST /messages", `{"content":"x","chat_id":"dev","mentions":["nobody"]}`, 404, "not_found"},
		{"GET /messages?limit=0", "", 422, "invalid_value"},
		{"GET /messages?task_id=TE-99", "", 404, "not_found"},
		{"GET /members/nobody", "", 404, "not_found"},
		{"PATCH /members/me", `{"status":"asleep"}`, 422, "invalid_value"},
		{"POST /messages/msg-9/files", "", 404, "not_found"},
		{"POST /messages/msg-1/files", `{}`, 415, "not_multipart"},
		{"GET /files?task_id=TE-99", "", 404, "not_found"},
		{"GET /files?project_id=nope", "", 404, "not_found"},
		{"GET /attachments/att-9", "", 404, "not_found"},
		{"POST /tasks", strings.Repeat(" ", maxBody+1), 413, "too_large"},
	} {
		t.Run(c.request+" "+c.code, func(t *testing.T) {
			status, text := ask(t, s, c.request, c.body)
			var a answer
			if err := json.Unmarshal([]byte(text), &a); err != nil || a.Error == nil {
				t.Fatalf("no envelope in %s", text)
			}
			if status != c.status || a.OK || a.Error.Code != c.code || a.Error.Message == "" || a.Meta.RequestID == "" {
				t.Errorf("got %d %s, want %d %s", status, text, c.status, c.code)
			}
		})
	}
}

func TestWhoCalls(t *testing.T) {
	s := start(t)
	send := func(token, agent string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), "PATCH", s.URL+"/members/me", strings.NewReader(`{"status":"away"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "X-Agent-Slug": {agent}, "Content-Type": {"application/json"}}
		return do(t, r)
	}
	if status, text := send("other", "tester"); status != 401 || !strings.Contains(text, `"code":"invalid_token"`) {
		t.Errorf("wrong token: %d %s", status, text)
	}
	if status, text := send(s.Token, "nobody"); status != 403 || !strings.Contains(text, `"code":"unknown_agent"`) {
		t.Errorf("unknown agent: %d %s", status, text)
	}
	if status, text := send(s.Token, "tester"); status != 200 {
		t.Errorf("tester: %d %s", status, text)
	}
	if _, text := ask(t, s, "GET /members/tester", ""); !strings.Contains(text, `"status":"away"`) {
		t.Errorf("the status was not set: %s", text)
	}
}

// Of many that take one task at the same moment, exactly one gets it.
func TestTakeIsAtomic(t *testing.T) {
	s := start(t)
	agents := []string{"anna", "coder", "reviewer", "tester"}
	statuses := make([]int, len(agents))
	var wait sync.WaitGroup
	for i, agent := range agents {
		wait.Go(func() {
			statuses[i], _ = ask(t, s, "POST /tasks/TE-15/take", fmt.Sprintf(`{"agent_slug":%q}`, agent))
		})
	}
	wait.Wait()
	slices.Sort(statuses)
	if want := []int{200, 409, 409, 409}; !slices.Equal(statuses, want) {
		t.Errorf("statuses are %v, want %v", statuses, want)
	}
}

func TestRefusalOfATakenTaskNamesWhoHasIt(t *testing.T) {
	_, text := ask(t, start(t), "POST /tasks/TE-16/take", `{"agent_slug":"coder"}`)
	want := `{"ok":false,"error":{"code":"taken","message":"задача TE-16 уже взята: reviewer","details":{"assignee":"reviewer"}},"meta":{"request_id":"req-1"}}`
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// upload sends one multipart part to msg-1.
func upload(t *testing.T, s *Server, field, filename, content string, more ...string) (int, string) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile(field, filename)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	for _, name := range more {
		if err := w.WriteField(name, "x"); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/messages/msg-1/files", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return do(t, r)
}

func TestFilesComeBackAsTheyWere(t *testing.T) {
	s := start(t)
	status, text := upload(t, s, "file", "отчёт.csv", "ключ;название\n")
	if status != 201 || !strings.Contains(text, `"id":"att-3","message_id":"msg-1","filename":"отчёт.csv","media_type":"text/plain; charset=utf-8","size":26`) {
		t.Fatalf("upload: %d %s", status, text)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/attachments/att-3", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, _ := io.ReadAll(resp.Body)
	if string(content) != "ключ;название\n" {
		t.Errorf("content is %q", content)
	}
	if got, want := resp.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.csv"; got != want {
		t.Errorf("Content-Disposition is %q, want %q", got, want)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	s := start(t)
	if status, text := upload(t, s, "content", "a.txt", "x"); status != 400 {
		t.Errorf("another part: %d %s", status, text)
	}
	if status, text := upload(t, s, "file", "a.txt", "x", "note"); status != 400 {
		t.Errorf("one part more: %d %s", status, text)
	}
	if _, text := ask(t, s, "GET /files", ""); strings.Contains(text, "a.txt") {
		t.Errorf("a refused file is there: %s", text)
	}
}

func TestThePixelIsAnImage(t *testing.T) {
	if _, err := png.Decode(bytes.NewReader(pixel)); err != nil {
		t.Error(err)
	}
}

func TestWatchSeesEachRequest(t *testing.T) {
	s := start(t)
	var lines []string
	s.Watch(func(line string) { lines = append(lines, line) })
	ask(t, s, "GET /tasks?labels=a&labels=b", "")
	ask(t, s, "PATCH /members/me", `{"status":"busy"}`)
	if want := []string{"GET /api/v1/tasks?labels=a&labels=b", "PATCH /api/v1/members/me"}; !slices.Equal(lines, want) {
		t.Errorf("saw %q, want %q", lines, want)
	}
}

func TestItEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.done
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
