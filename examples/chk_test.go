package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChk(t *testing.T) {
	r, uploads := record(t), t.TempDir()
	file := filepath.Join(uploads, "отчёт.txt")
	if err := os.WriteFile(file, []byte("Їжак"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, c := open(t, "chk", map[string]string{"CHK_BASE_URL": r.URL + "/api/external/v1/", "CHK_V2_BASE_URL": r.URL + "/v2/",
		"CHK_TOKEN": "chk-secret-1", "CHK_UPLOAD_ROOT": uploads})
	token := map[string]string{"Authorization": "Bearer chk-secret-1"}
	const v1, meta = "/api/external/v1/", `,"meta":{"request_id":"r-1","api_version":"1"}}`
	play(t, r, b, c, []call{
		{tool: "chk_auth_me", request: "GET " + v1 + "auth/me.php", header: token,
			answer:     `{"ok":true,"data":{"label":"агент","scopes":["items:read"],"user":{"id":7},"token":"chk-secret-1"}` + meta,
			structured: `{"label":"агент","scopes":["items:read"],"user":{"id":7}}`},
		{tool: "chk_projects_list", request: "GET " + v1 + "projects/list.php",
			answer: `{"ok":true,"data":[{"id":1,"name":"Сайт"}]` + meta, text: `[{"id":1,"name":"Сайт"}]`, structured: `{"items":[{"id":1,"name":"Сайт"}]}`},
		{tool: "chk_items_list", arguments: `{"project_id":1,"status":"new","limit":20}`, request: "GET " + v1 + "items/list.php?project_id=1&status=new&limit=20",
			answer: `{"ok":true,"data":[]` + meta, text: `[]`, structured: `{"items":[]}`},
		{tool: "chk_items_get", arguments: `{"id":42}`, request: "GET " + v1 + "items/get.php?id=42",
			answer: `{"ok":true,"data":{"id":42,"title":"Їжак і ёлка"}` + meta, structured: `{"id":42,"title":"Їжак і ёлка"}`},
		{tool: "chk_items_create", arguments: `{"project_id":1,"title":"Новая"}`, request: "POST " + v1 + "items/create.php",
			body: `{"project_id":1,"title":"Новая"}`, status: 201, answer: `{"ok":true,"data":{"id":43}` + meta, structured: `{"id":43}`},
		{tool: "chk_items_update", arguments: `{"id":42,"description":null}`, request: "PATCH " + v1 + "items/update.php",
			body: `{"id":42,"description":null}`, answer: `{"ok":true,"data":{"id":42}` + meta, structured: `{"id":42}`},
		{tool: "chk_items_status_set", arguments: `{"id":42,"status":"done"}`, request: "PATCH " + v1 + "items/status.php", header: token,
			body: `{"id":42,"status":"done"}`, answer: `{"ok":true,"data":{"id":42,"status":"done"}` + meta, structured: `{"id":42,"status":"done"}`},
		{tool: "chk_items_priority_set", arguments: `{"id":42,"priority":"high"}`, request: "PATCH " + v1 + "items/priority.php",
			body: `{"id":42,"priority":"high"}`, answer: `{"ok":true,"data":{"id":42}` + meta, structured: `{"id":42}`},
		{tool: "chk_comments_list", arguments: `{"item_id":42}`, request: "GET " + v1 + "comments/list.php?item_id=42",
			answer: `{"ok":true,"data":[]` + meta, text: `[]`, structured: `{"items":[]}`},
		{tool: "chk_comments_add", arguments: `{"item_id":42,"text":"Дякую"}`, request: "POST " + v1 + "comments/add.php",
			body: `{"item_id":42,"text":"Дякую"}`, answer: `{"ok":true,"data":{"id":5}` + meta, structured: `{"id":5}`},
		{tool: "chk_links_add", arguments: `{"item_id":42,"url":"https://example.com/a?b=c"}`, request: "POST " + v1 + "links/add.php",
			body: `{"item_id":42,"url":"https://example.com/a?b=c"}`, answer: `{"ok":true,"data":{"id":6}` + meta, structured: `{"id":6}`},
		{tool: "chk_attachments_list", arguments: `{"item_id":42}`, request: "GET " + v1 + "attachments/list.php?item_id=42",
			answer: `{"ok":true,"data":[]` + meta, text: `[]`, structured: `{"items":[]}`},
		{tool: "chk_attachments_upload", arguments: `{"item_id":42,"path":"` + file + `"}`, request: "POST " + v1 + "attachments/upload.php", header: token,
			parts:  []part{{"item_id", "", "42"}, {"file", "отчёт.txt", "Їжак"}},
			answer: `{"ok":true,"data":{"id":9}` + meta, structured: `{"id":9}`},
		{tool: "chk_v2_auth_me", request: "GET /v2/auth/me", header: token,
			answer:     `{"ok":true,"data":{"token":{"label":"a","scopes":[]},"user":{"id":7}}` + meta,
			structured: `{"label":"a","scopes":[],"user":{"id":7}}`},
		{tool: "chk_v2_items_status_set", arguments: `{"id":42,"status":"done"}`, request: "PATCH /v2/items/42",
			body: `{"status":"done"}`, answer: `{"ok":true,"data":{"id":42}` + meta, structured: `{"id":42}`},
	})
}

func TestChkFailures(t *testing.T) {
	r := record(t)
	b, _ := open(t, "chk", map[string]string{"CHK_BASE_URL": r.URL, "CHK_TOKEN": "chk-secret-1"})
	for _, c := range []struct {
		status               int
		code, kind, hintPart string
	}{
		{401, "bad", "TokenError", "новый токен"},
		{200, "invalid_token", "TokenError", "новый токен"},
		{403, "insufficient_scope", "ScopeError", "scope"},
		{200, "insufficient_scope", "ScopeError", "scope"},
		{403, "private", "ForbiddenError", "нет прав"},
		{404, "gone", "NotFoundError", "идентификатор"},
		{200, "not_found", "NotFoundError", "идентификатор"},
		{422, "status", "ValidationError", "Исправьте"},
		{400, "validation_error", "ValidationError", "Исправьте"},
	} {
		t.Run(c.kind+" "+c.code, func(t *testing.T) {
			r.next = call{status: c.status, answer: `{"ok":false,"error":{"code":"` + c.code + `","message":"нет, chk-secret-1"},"meta":{"request_id":"r-9"}}`}
			result, _ := b.Call(t.Context(), "chk_items_status_set", []byte(`{"id":42,"status":"done"}`))
			said := decode(t, string(result.Structured)).(map[string]any)["error"].(map[string]any)
			if said["kind"] != c.kind || said["code"] != c.code || said["request_id"] != "r-9" || !strings.Contains(said["hint"].(string), c.hintPart) {
				t.Errorf("the error is %v", said)
			}
			if strings.Contains(result.Text()+string(result.Structured), "chk-secret-1") {
				t.Errorf("the token is in %s", result.Text())
			}
		})
	}
}

// Without variables, address and token are read from the file of the user; a file outside the root is not read.
func TestChkReadsTheUsersFile(t *testing.T) {
	r, home := record(t), t.TempDir()
	t.Setenv("HOME", home)
	if err := os.MkdirAll(filepath.Join(home, ".config/chk-mcp"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "base_url = \"" + r.URL + "/own/\"\ntoken = \"chk-secret-2\"\n"
	if err := os.WriteFile(filepath.Join(home, ".config/chk-mcp/config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, _ := open(t, "chk", map[string]string{"CHK_UPLOAD_ROOT": t.TempDir()})
	playOne(t, r, b, call{tool: "chk_items_get", arguments: `{"id":1}`, request: "GET /own/items/get.php?id=1",
		header: map[string]string{"Authorization": "Bearer chk-secret-2"}, answer: `{"ok":true,"data":{"id":1}}`, structured: `{"id":1}`})

	r.requests = nil
	result, _ := b.Call(t.Context(), "chk_attachments_upload", []byte(`{"item_id":1,"path":"`+filepath.Join(home, ".config/chk-mcp/config.toml")+`"}`))
	if !result.IsError || result.Kind != "invalid_arguments" || len(r.requests) != 0 {
		t.Errorf("a file outside the root: %s, %d requests", result.Text(), len(r.requests))
	}
}
