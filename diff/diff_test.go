package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
	"tbridge/validate"
)

const bridgeYAML = `version: 1
server: {instructions: Begin here., coerce: false}
vars: {owner: "${OWNER:-ann}"}
apis:
  a:
    base_url: http://127.0.0.1:1/v1
    auth: {bearer: "${TOKEN}"}
    timeout: 30s
    errors:
      - {status: 409, code: taken, kind: conflict, hint: Take another., retryable: false}
`

const toolsYAML = `api: a
tools:
  - name: take
    title: Take it
    description: Take a task.
    method: POST
    path: /tasks/{id}/take
    scopes: [write]
    arguments:
      - {name: id, type: string, description: Id}
      - {name: count, type: integer, minimum: 1, maximum: 10, description: How many}
      - {name: kind, type: string, enum: [a, b], description: Kind}
      - {name: mode, type: string, default: fast, description: Mode}
      - {name: slug, type: string, required: true, minLength: 2, pattern: "^x", description: Slug}
      - {name: due, type: string, nullable: true, format: date, description: Due}
      - {name: ids, type: array, maxItems: 5, items: {type: integer, description: Id}, description: Ids}
      - name: owner
        type: object
        description: Owner
        properties:
          - {name: name, type: string, required: true, description: Name}
          - {name: mail, type: string, description: Mail}
      - {name: free, type: object, description: Anything}
      - {name: chat, type: string, description: Chat}
      - {name: task, type: string, description: Task}
    one_of: [chat, task]
    headers: {X-One: one}
    body: {done: true}
    response:
      projection: {key: key, state: data.state}
      text: "took {key}"
      output:
        - {name: key, type: string, required: true, description: Key}
        - {name: state, type: string, enum: [new, old], description: State}
  - name: list
    description: List tasks.
    method: GET
    path: /tasks
    arguments: []
    response: {max_items: 10}
`

// load makes a catalogue of two texts, whose errors fail the test.
func load(t *testing.T, api, tools string) *config.Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tbridge.yaml": api, "tools.d/t.yaml": tools} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, ds, err := validate.Load(filepath.Join(dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		if d.Severity == config.Error {
			t.Fatalf("%s: %s", d.Pos, d.Message)
		}
	}
	return c
}

// What each edit of the two files means.
func TestChanges(t *testing.T) {
	for i, c := range []struct{ old, new, want string }{
		// Tools.
		{"  - name: list\n    description: List tasks.\n    method: GET\n    path: /tasks\n    arguments: []\n    response: {max_items: 10}\n", "", "breaking list: tool removed"},
		{"  - name: list", "  - {name: more, description: More., method: GET, path: /more, arguments: []}\n  - name: list", "safe more: tool added"},
		{"name: list", "name: list_tasks", "breaking list_tasks: tool renamed"},
		{"name: take\n", "name: grab\n", "breaking grab: tool renamed"},
		{"title: Take it", "title: Take one", "safe take title: title changed"},
		{"Take a task.", "Take a free task.", "safe take description: description changed"},
		{"scopes: [write]", "scopes: [write, admin]", "breaking take scopes: scopes changed"},
		{"scopes: [write]", "scopes: []", "safe take scopes: scopes changed"},
		{"path: /tasks\n", "path: /tasks\n    deprecated: Use find.\n", "safe list deprecated: deprecated"},
		{"path: /tasks\n", "path: /tasks\n    annotations: {read_only: false}\n", "breaking list annotations.read_only: annotation changed"},
		{"one_of: [chat, task]\n", "one_of: [chat, task]\n    annotations: {read_only: true}\n", "safe take annotations.read_only: annotation changed"},
		{"one_of: [chat, task]\n", "one_of: [chat, task]\n    annotations: {destructive: true}\n", "breaking take annotations.destructive: annotation changed"},
		{"one_of: [chat, task]\n", "one_of: [chat, task]\n    annotations: {idempotent: true}\n", "safe take annotations.idempotent: annotation changed"},
		{"path: /tasks\n", "path: /tasks\n    annotations: {idempotent: false}\n", "breaking list annotations.idempotent: annotation changed"},
		{"path: /tasks\n", "path: /tasks\n    annotations: {open_world: false}\n", "safe list annotations.open_world: annotation changed"},
		{"    one_of: [chat, task]\n", "", "safe take one_of: one_of removed"},
		{"one_of: [chat, task]", "one_of: [chat, task, kind]", "breaking take one_of: one_of changed"},
		// Arguments.
		{"      - {name: chat,", "      - {name: note, type: string, description: Note}\n      - {name: chat,", "safe take note: argument added"},
		{"      - {name: chat,", "      - {name: note, type: string, required: true, description: Note}\n      - {name: chat,", "breaking take note: required argument added"},
		{"      - {name: kind, type: string, enum: [a, b], description: Kind}\n", "", "breaking take kind: argument removed"},
		{"{name: kind,", "{name: sort,", "breaking take sort: argument renamed"},
		{"{name: slug, type: string, required: true, minLength: 2, pattern: \"^x\", description: Slug}", "{name: key, as: slug, type: string, required: true, minLength: 2, pattern: \"^x\", description: Key}",
			"breaking take key: argument renamed; safe take key: description changed"},
		{"name: mail, type: string,", "name: mail, type: string, required: true,", "breaking take owner.mail: now required"},
		{"name: name, type: string, required: true,", "name: name, type: string,", "safe take owner.name: no longer required"},
		{"{name: count, type: integer,", "{name: count, type: number,", "safe take count: type changed"},
		{"items: {type: integer,", "items: {type: string,", "breaking take ids[]: type changed"},
		{"{name: kind, type: string, enum: [a, b],", "{name: kind, type: integer,", "breaking take kind: type changed"},
		{"enum: [a, b]", "enum: [a, b, c]", "safe take kind: enum values added"},
		{"enum: [a, b]", "enum: [a]", "breaking take kind: enum values removed"},
		{"enum: [a, b]", "enum: [b, c]", "breaking take kind: enum values removed; safe take kind: enum values added"},
		{", enum: [a, b]", "", "safe take kind: enum removed"},
		{"description: Chat}", "enum: [x], description: Chat}", "breaking take chat: enum added"},
		{"minimum: 1,", "minimum: 0,", "safe take count: minimum changed"},
		{"minimum: 1,", "minimum: 2,", "breaking take count: minimum changed"},
		{"maximum: 10,", "maximum: 20,", "safe take count: maximum changed"},
		{"maximum: 10,", "maximum: 9,", "breaking take count: maximum changed"},
		{"maximum: 10,", "", "safe take count: maximum removed"},
		{"maximum: 10,", "maximum: 10, multipleOf: 2,", "breaking take count: multipleOf added"},
		{"minLength: 2,", "minLength: 3,", "breaking take slug: minLength changed"},
		{"minLength: 2,", "minLength: 1,", "safe take slug: minLength changed"},
		{`pattern: "^x"`, `pattern: "^y"`, "breaking take slug: pattern changed"},
		{`, pattern: "^x"`, "", "safe take slug: pattern removed"},
		{"format: date,", "format: date-time,", "breaking take due: format changed"},
		{"nullable: true, ", "", "breaking take due: null refused"},
		{"{name: mode, type: string,", "{name: mode, type: string, nullable: true,", "safe take mode: null allowed"},
		{"maxItems: 5,", "maxItems: 4,", "breaking take ids: maxItems changed"},
		{"maxItems: 5,", "maxItems: 5, uniqueItems: true,", "breaking take ids: uniqueItems added"},
		{"default: fast,", "default: slow,", "breaking take mode: default changed"},
		{"default: fast, ", "", "breaking take mode: default changed"},
		{"{name: chat, type: string,", "{name: mood, type: string, default: x, description: M}\n      - {name: chat, type: string,", "safe take mood: argument added"},
		{"description: Mail}", "default: none, description: Mail}", "safe take owner.mail: default added"},
		{"description: Slug}", "description: The slug}", "safe take slug: description changed"},
		{"description: Slug}", "examples: [xy], description: Slug}", "safe take slug: examples changed"},
		{"          - {name: mail, type: string, description: Mail}\n", "", "breaking take owner.mail: argument removed"},
		{"{name: free, type: object, description: Anything}", "{name: free, type: object, description: Anything, properties: []}", "breaking take free: other members refused"},
		// Results.
		{"projection: {key: key, state: data.state}", "projection: {key: key}", "breaking take response.projection.state: field removed"},
		{"projection: {key: key, ", "projection: {key: key, id: id, ", "safe take response.projection.id: field added"},
		{"state: data.state", "state: state", "request take response.projection.state: field read elsewhere"},
		{"projection: {key: key, state: data.state}", "projection: item", "breaking take response.projection: projection changed"},
		{"took {key}", "taken: {key}", "safe take response.text: text changed"},
		{"response: {max_items: 10}", "response: {max_items: 5}", "safe list response.max_items: max_items changed"},
		{"response: {max_items: 10}", "response: {max_items: 10, each: \"- {id}\"}", "safe list response.each: each changed"},
		{"response: {max_items: 10}", "response: {content: file}", "breaking list response.content: content changed; safe list response.max_items: max_items changed"},
		{"enum: [new, old]", "enum: [new, old, gone]", "breaking take output.state: enum values added"},
		{"enum: [new, old]", "enum: [new]", "safe take output.state: enum values removed"},
		{"{name: key, type: string, required: true,", "{name: key, type: string,", "breaking take output.key: no longer required"},
		{"{name: key, type: string, required: true,", "{name: key, type: integer, required: true,", "breaking take output.key: type changed"},
		{"        - {name: state, type: string, enum: [new, old], description: State}\n", "", "breaking take output.state: field removed"},
		{"      output:\n", "      output:\n        - {name: at, type: string, description: At}\n", "safe take output.at: field added"},
		{"response: {max_items: 10}", "response: {max_items: 10, output: [{name: items, type: array, items: {type: string}, description: I}]}", "safe list output: output schema added"},
		// Failures, and what all tools share.
		{"kind: conflict", "kind: busy", "breaking take errors: failure changed; breaking list errors: failure changed"},
		{"hint: Take another.", "hint: Wait.", "safe take errors: advice changed; safe list errors: advice changed"},
		{"max_items: 10}", "max_items: 10}\n    errors: [{status: 404, ok: true}]", "breaking list errors: failure changed"},
		{"max_items: 10}", "max_items: 10}\n    error_text: \"no: {message}\"", "safe list error_text: error_text changed"},
		{"Begin here.", "Begin there.", "safe server.instructions: instructions changed"},
		{"coerce: false", "coerce: true", "safe server.coerce: repair of arguments changed"},
		// The request alone.
		{"method: POST", "method: PATCH", "request take method: changed"},
		{"/tasks/{id}/take", "/task/{id}/take", "request take path: changed"},
		{"X-One: one", "X-One: two", "request take headers: changed"},
		{"{done: true}", "{done: false}", "request take body: changed"},
		{"{name: kind, type: string,", "{name: kind, type: string, as: sort,", "request take arguments.kind: changed"},
		{"127.0.0.1:1/v1", "127.0.0.1:1/v2", "request apis.a.base_url: changed"},
		{"timeout: 30s", "timeout: 10s", "request apis.a.timeout: changed"},
		{"${TOKEN}", "${KEY}", "request apis.a.auth: changed"},
		{"timeout: 30s", "timeout: 30s\n    envelope: {ok: {path: s, equals: [x, y]}, data: [d, e]}", "request apis.a.envelope: changed"},
		{"timeout: 30s", "timeout: 30s\n    envelope: {ok: {absent: errors}}", "request apis.a.envelope: changed"},
		{"timeout: 30s", "timeout: 30s\n    retry: {attempts: 2}\n    limits: {concurrency: 2}", "request apis.a.retry: changed; request apis.a.limits: changed"},
		{"timeout: 30s", "timeout: 30s\n    headers: {X-A: b}", "request apis.a.headers: changed"},
		{"{done: true}", "{done: [1, yes], \"for?\": \"{chat}\"}", "request take body: changed"},
		{"{name: ids, type: array,", "{name: ids, style: comma, in: query, type: array,", "request take arguments.ids: changed"},
		{"description: Take a task.", "description: " + strings.Repeat("Long. ", 40), "safe take description: description changed"},
		{"response: {max_items: 10}", "response: {max_items: 10, list: items}", "safe list response.list: list changed"},
		{"      output:\n        - {name: key, type: string, required: true, description: Key}\n        - {name: state, type: string, enum: [new, old], description: State}\n", "", "breaking take output: output schema removed"},
		{"    response: {max_items: 10}\n", "", "safe list response.max_items: max_items changed"},
		{"{name: key, type: string, required: true, description: Key}", "{name: code, type: string, required: true, description: Key}", "breaking take output.code: field renamed"},
		{"maximum: 10, description: How many}", "multipleOf: 1, description: How many}", "safe take count: maximum removed; breaking take count: multipleOf added"},
		{"${OWNER:-ann}", "${OWNER:-bob}", "request vars.owner: variable changed"},
		{"api: a\ntools:", "# a comment\napi: a\ntools:", ""},
	} {
		t.Run(fmt.Sprintf("%02d %s", i, c.want), func(t *testing.T) {
			r := strings.NewReplacer(c.old, c.new)
			api, tools := r.Replace(bridgeYAML), r.Replace(toolsYAML)
			if api == bridgeYAML && tools == toolsYAML {
				t.Fatalf("%q is not there", c.old)
			}
			var got []string
			for _, x := range Catalogs(load(t, bridgeYAML, toolsYAML), load(t, api, tools)) {
				got = append(got, x.Level.String()+" "+strings.TrimSpace(x.Tool+" "+x.Path)+": "+x.What)
				if (x.Reason == "") != (x.Level == Request) {
					t.Errorf("%s: the reason is %q", x.What, x.Reason)
				}
				if x.Pos.Line == 0 {
					t.Errorf("%s has no place", x.What)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// The other way round, what was safe in an argument is breaking, and the like.
func TestThereAndBack(t *testing.T) {
	less := strings.NewReplacer("maximum: 10", "maximum: 9", "enum: [new, old]", "enum: [new, old, gone]", ", nullable: true", "",
		"response: {max_items: 10}", "response: {}\n    deprecated: Old.", "    one_of: [chat, task]\n", "").Replace(toolsYAML)
	before, after := load(t, bridgeYAML, toolsYAML), load(t, bridgeYAML, less)
	there, back := Catalogs(before, after), Catalogs(after, before)
	if len(there) != len(back) || len(there) != 6 {
		t.Fatalf("%d changes there, %d back", len(there), len(back))
	}
	if b := Count(there, Breaking); b != 3 || Count(back, Breaking) != 1 {
		t.Errorf("%d breaking there, %d back: %v", b, Count(back, Breaking), back)
	}
	Sort(back)
	if back[0].Level != Breaking || back[len(back)-1].Level != Safe {
		t.Errorf("sorted: %v", back)
	}
}

// A literal secret is no text of a change.
func TestLiteralSecretsStayUnseen(t *testing.T) {
	auths := []string{`{bearer: secret-1}`, `{basic: {username: u, password: secret-2}}`, `{api_key: {in: header, name: X, value: secret-3}}`,
		`{oauth2: {token_url: "http://127.0.0.1:1/t", client_id: secret-4, client_secret: secret-5, scopes: [a]}}`}
	last := load(t, bridgeYAML, toolsYAML)
	for _, auth := range auths {
		next := load(t, strings.Replace(bridgeYAML, `{bearer: "${TOKEN}"}`, auth, 1), toolsYAML)
		changes := Catalogs(last, next)
		if len(changes) != 1 || strings.Contains(fmt.Sprint(changes), "secret-") {
			t.Errorf("%v", changes)
		}
		last = next
	}
}
