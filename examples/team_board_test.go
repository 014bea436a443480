package examples

import (
	"slices"
	"strings"
	"testing"

	"tbridge/bridge"
	"tbridge/demo"
)

// A boardCall is one tool call to the real tracker: what it must be asked, and how the result reads.
type boardCall struct{ tool, arguments, request, text string }

// Every tool of the shipped catalogue, against the tracker it describes.
func TestTeamBoard(t *testing.T) {
	tracker, b, names := board(t)
	for _, c := range []boardCall{
		{"list_tasks", `{"project_id":"team-board","status":"todo","labels":["backend","auth"]}`, "GET /tasks?project_id=team-board&status=todo&labels=backend&labels=auth",
			"Найдено задач: 1\n- TE-15: Исправить вход по одноразовой ссылке (todo)"},
		{"list_tasks", `{"assignee":"anna"}`, "GET /tasks?assignee=anna", "Найдено задач: 0"},
		{"get_task", `{"task_id":"TE-15"}`, "GET /tasks/TE-15",
			"TE-15: Исправить вход по одноразовой ссылке (todo)\nСсылка из письма открывается второй раз. Нужна проверка и тест."},
		{"create_task", `{"project_slug":"team-board","title":"Тест ссылки","parent_id":"TE-15","assignee_slug":"tester"}`, "POST /tasks", "✅ Задача TE-18 создана: Тест ссылки"},
		{"update_task", `{"task_id":"TE-18","priority":"low"}`, "PATCH /tasks/TE-18", "✅ Задача TE-18 обновлена (todo)"},
		{"take_task", `{"task_id":"TE-15"}`, "POST /tasks/TE-15/take", "✅ Задача TE-15 взята в работу"},
		{"take_task", `{"task_id":"TE-15","agent_slug":"tester"}`, "POST /tasks/TE-15/take", "❌ Ошибка: задача TE-15 уже взята: coder"},
		{"reject_task", `{"task_id":"TE-15","reason":"нет доступа"}`, "POST /tasks/TE-15/reject", "✅ Задача TE-15 возвращена: нет доступа"},
		{"assign_task", `{"task_id":"TE-15","assignee_slug":"reviewer"}`, "POST /tasks/TE-15/assign", "✅ Задача TE-15 назначена: reviewer"},
		{"watch_task", `{"task_id":"TE-15"}`, "POST /tasks/TE-15/watch", `✅ За задачей TE-15 следят: ["coder"]`},
		{"list_steps", `{"task_id":"TE-16"}`, "GET /tasks/TE-16/steps", "Шагов: 2\n- step-1: Воспроизвести (готово: true)\n- step-2: Найти второй вызов (готово: false)"},
		{"add_step", `{"task_id":"TE-16","title":"Проверить"}`, "POST /tasks/TE-16/steps", "✅ Шаг step-3 добавлен: Проверить"},
		{"complete_step", `{"task_id":"TE-16","step_id":"step-3"}`, "PATCH /tasks/TE-16/steps/step-3", "✅ Шаг step-3 сделан: Проверить"},
		{"update_step", `{"task_id":"TE-16","step_id":"step-3","done":false}`, "PATCH /tasks/TE-16/steps/step-3", "✅ Шаг step-3 изменён: Проверить (готово: false)"},
		{"send_message", `{"content":"Кто знает?","chat_id":"dev","mentions":["anna"]}`, "POST /messages", "✅ Сообщение msg-4 отправлено"},
		{"list_messages", `{"chat_id":"dev","limit":1}`, "GET /messages?chat_id=dev&limit=1", "Сообщений: 1\n- msg-4 coder: Кто знает?"},
		{"reply_message", `{"parent_id":"msg-4","content":"Я"}`, "POST /messages", "✅ Ответ msg-5 отправлен"},
		{"list_projects", `{}`, "GET /projects", "Проектов: 2\n- team-board: Team Board\n- website: Сайт компании"},
		{"get_project", `{"slug":"website"}`, "GET /projects/website", "website: Сайт компании, ключи задач WEB-N"},
		{"list_members", `{}`, "GET /members", "Участников: 4\n- anna: Анна Петрова (human, idle)\n- coder: Coder (agent, idle)\n- reviewer: Reviewer (agent, busy)\n- tester: Тестировщик (agent, idle)"},
		{"update_my_status", `{"status":"busy"}`, "PATCH /members/me", "✅ Статус: busy"},
		{"get_member", `{"slug":"coder"}`, "GET /members/coder", "coder: Coder (agent, busy)"},
		{"upload_file", `{"message_id":"msg-4","filename":"итог.txt","content":"0JTQsA=="}`, "POST /messages/msg-4/files", "✅ Файл итог.txt приложен (4 байт): att-3"},
		{"list_files", `{"task_id":"TE-17"}`, "GET /files?task_id=TE-17", "Файлов: 1\n- att-2: dark.png (image/png, 67 байт)"},
		{"download_file", `{"attachment_id":"att-3"}`, "GET /attachments/att-3", ""},
		{"get_task", `{"task_id":"TE/99"}`, "GET /tasks/TE%2F99", "❌ Ошибка: задача не найден(а): TE/99"},
	} {
		t.Run(c.tool, func(t *testing.T) { ask(t, tracker, b, c) })
		names = slices.DeleteFunc(names, func(name string) bool { return name == c.tool })
	}
	if len(names) > 0 {
		t.Errorf("not called: %q", names)
	}
}

// A tracked demo.Server remembers its last request.
type tracked struct {
	*demo.Server
	last chan string
}

func board(t *testing.T) (tracked, *bridge.Bridge, []string) {
	t.Helper()
	server, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	tracker := tracked{server, make(chan string, 1)}
	server.Watch(func(line string) { tracker.last <- strings.Replace(line, demo.BasePath, "", 1) })
	b, c := serve(t, "../tbridge.yaml", map[string]string{"TRACKER_URL": server.URL, "TRACKER_TOKEN": server.Token})
	var names []string
	for _, tool := range c.Tools {
		names = append(names, tool.Name)
	}
	return tracker, b, names
}

func ask(t *testing.T, tracker tracked, b *bridge.Bridge, c boardCall) *bridge.Result {
	t.Helper()
	result, found := b.Call(t.Context(), c.tool, []byte(c.arguments))
	if !found {
		t.Fatalf("there is no tool %s", c.tool)
	}
	select {
	case got := <-tracker.last:
		if got != c.request {
			t.Errorf("%s asked %s, want %s", c.tool, got, c.request)
		}
	default:
		t.Errorf("%s asked nothing", c.tool)
	}
	if got := result.Text(); got != c.text {
		t.Errorf("%s says %q, want %q", c.tool, got, c.text)
	}
	return result
}

// The full cycle of an agent: take, plan, work, comment, hand over; and what the next one is told.
func TestFullCycle(t *testing.T) {
	tracker, b, _ := board(t)
	for _, c := range []boardCall{
		{"take_task", `{"task_id":"TE-15"}`, "POST /tasks/TE-15/take", "✅ Задача TE-15 взята в работу"},
		{"add_step", `{"task_id":"TE-15","title":"Тест"}`, "POST /tasks/TE-15/steps", "✅ Шаг step-3 добавлен: Тест"},
		{"add_step", `{"task_id":"TE-15","title":"Исправление"}`, "POST /tasks/TE-15/steps", "✅ Шаг step-4 добавлен: Исправление"},
		{"complete_step", `{"task_id":"TE-15","step_id":"step-3"}`, "PATCH /tasks/TE-15/steps/step-3", "✅ Шаг step-3 сделан: Тест"},
		{"complete_step", `{"task_id":"TE-15","step_id":"step-4"}`, "PATCH /tasks/TE-15/steps/step-4", "✅ Шаг step-4 сделан: Исправление"},
		{"send_message", `{"task_id":"TE-15","content":"Готово","mentions":["anna"]}`, "POST /messages", "✅ Сообщение msg-4 отправлено"},
		{"update_task", `{"task_id":"TE-15","status":"in_review"}`, "PATCH /tasks/TE-15", "✅ Задача TE-15 обновлена (in_review)"},
		{"get_task", `{"task_id":"task-4"}`, "GET /tasks/task-4",
			"TE-15: Исправить вход по одноразовой ссылке (in_review)\nСсылка из письма открывается второй раз. Нужна проверка и тест."},
	} {
		ask(t, tracker, b, c)
	}
	refused := ask(t, tracker, b, boardCall{"take_task", `{"task_id":"TE-15","agent_slug":"reviewer"}`, "POST /tasks/TE-15/take", "❌ Ошибка: задача TE-15 уже взята: coder"})
	want := `{"error":{"code":"taken","message":"задача TE-15 уже взята: coder","http_status":409,"request_id":"req-9","kind":"conflict",` +
		`"hint":"Возьмите другую задачу. Свободные показывает list_tasks со status=todo.","retryable":false,"details":{"assignee":"coder"}}}`
	if got := string(refused.Structured); got != want {
		t.Errorf("structured is %s\n        want %s", got, want)
	}
}

func TestAFileComesBackWithNameAndType(t *testing.T) {
	_, b, _ := board(t)
	result, _ := b.Call(t.Context(), "download_file", []byte(`{"attachment_id":"att-1"}`))
	if result.IsError || len(result.Content) != 1 {
		t.Fatalf("the result is %s", result.Text())
	}
	file := result.Content[0]
	if file.Type != "resource" || !strings.HasPrefix(file.MediaType, "text/plain") || !strings.HasPrefix(string(file.Data), "10:02:11 notify") ||
		!strings.Contains(file.URI, "%D0%B6%D1%83%D1%80%D0%BD%D0%B0%D0%BB.txt") {
		t.Errorf("the file is %q of type %q at %q", file.Data, file.MediaType, file.URI)
	}
}

func TestExactlyOneDestination(t *testing.T) {
	tracker, b, _ := board(t)
	for _, arguments := range []string{`{"content":"x"}`, `{"content":"x","chat_id":"dev","task_id":"TE-15"}`} {
		result, _ := b.Call(t.Context(), "send_message", []byte(arguments))
		if result.Kind != "invalid_arguments" || len(tracker.last) != 0 {
			t.Errorf("%s: %s", arguments, result.Text())
		}
	}
}

// The agent's own slug comes from outside, not from the model.
func TestWhoTheAgentIs(t *testing.T) {
	server, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	b, _ := serve(t, "../tbridge.yaml", map[string]string{"TRACKER_URL": server.URL, "TRACKER_TOKEN": server.Token, "AGENT_SLUG": "tester"})
	for _, c := range []struct{ tool, arguments, text string }{
		{"update_my_status", `{"status":"away"}`, "✅ Статус: away"},
		{"get_member", `{"slug":"tester"}`, "tester: Тестировщик (agent, away)"},
		{"take_task", `{"task_id":"TE-17"}`, "✅ Задача TE-17 взята в работу"},
		{"list_tasks", `{"assignee":"tester","status":"in_progress"}`, "Найдено задач: 1\n- TE-17: Dark theme for the board (in_progress)"},
	} {
		if result, _ := b.Call(t.Context(), c.tool, []byte(c.arguments)); result.Text() != c.text {
			t.Errorf("%s says %q, want %q", c.tool, result.Text(), c.text)
		}
	}
}
