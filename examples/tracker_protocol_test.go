package examples

import "testing"

func TestTrackerProtocol(t *testing.T) {
	r := record(t)
	b, c := open(t, "tracker-protocol", map[string]string{"TRACKER_URL": r.URL + "/api/v1", "TRACKER_TOKEN": "tracker-secret", "AGENT_SLUG": "reviewer"})
	const yes = `{"ok":true,"data":{"id":"1"}}`
	const none = `{"ok":true,"data":[]}`
	play(t, r, b, c, []call{
		{tool: "get_task", arguments: `{"id":"TE-15"}`, request: "GET /api/v1/tasks/TE-15", header: map[string]string{"Authorization": "Bearer tracker-secret"},
			answer: yes, structured: `{"id":"1"}`},
		{tool: "list_tasks", arguments: `{"status":"review"}`, request: "GET /api/v1/tasks?status=review", answer: none, text: `[]`, structured: `{"items":[]}`},
		{tool: "create_task", arguments: `{"project_id":"p1","title":"Часть","parent_id":"TE-15"}`, request: "POST /api/v1/tasks",
			body: `{"project_id":"p1","title":"Часть","parent_id":"TE-15"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "update_task", arguments: `{"id":"TE-15","status":"review"}`, request: "PATCH /api/v1/tasks/TE-15", body: `{"status":"review"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "take_task", arguments: `{"id":"TE-15"}`, request: "POST /api/v1/tasks/TE-15/take", body: `{"agent_slug":"reviewer"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "reject_task", arguments: `{"id":"TE-15","reason":"нет доступа"}`, request: "POST /api/v1/tasks/TE-15/reject", body: `{"reason":"нет доступа"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "add_step", arguments: `{"id":"TE-15","title":"Тест"}`, request: "POST /api/v1/tasks/TE-15/steps", body: `{"title":"Тест"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "complete_step", arguments: `{"id":"TE-15","index":0}`, request: "PATCH /api/v1/tasks/TE-15/steps/0", body: `{"done":true}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "list_steps", arguments: `{"id":"TE-15"}`, request: "GET /api/v1/tasks/TE-15/steps", answer: none, text: `[]`, structured: `{"items":[]}`},
		{tool: "add_comment", arguments: `{"id":"TE-15","content":"Готово","mentions":["anna"]}`, request: "POST /api/v1/tasks/TE-15/comments",
			body: `{"content":"Готово","mentions":["anna"]}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "list_comments", arguments: `{"id":"TE-15"}`, request: "GET /api/v1/tasks/TE-15/comments", answer: none, text: `[]`, structured: `{"items":[]}`},
		{tool: "send_message", arguments: `{"id":"dev","content":"Вопрос"}`, request: "POST /api/v1/chats/dev/messages", body: `{"content":"Вопрос"}`, answer: yes, structured: `{"id":"1"}`},
		{tool: "read_messages", arguments: `{"id":"dev","limit":5}`, request: "GET /api/v1/chats/dev/messages?limit=5", answer: none, text: `[]`, structured: `{"items":[]}`},
		{tool: "upload_file", arguments: `{"id":"TE-15","filename":"журнал.txt","content":"0JTQsA=="}`, request: "POST /api/v1/tasks/TE-15/files",
			parts: []part{{"file", "журнал.txt", "Да"}}, answer: yes, structured: `{"id":"1"}`},
		{tool: "list_files", arguments: `{"id":"TE-15"}`, request: "GET /api/v1/tasks/TE-15/files", answer: none, text: `[]`, structured: `{"items":[]}`},
	})
}
