package workbench

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
	"tbridge/validate"
)

func TestShellWords(t *testing.T) {
	for command, want := range map[string][]string{
		`curl 'a b' "c \"d\" $X \n" e\ f`: {"curl", "a b", `c "d" $X \n`, "e f"},
		"a \\\n  b \\  \n c":              {"a", "b", "c"},
		"a \\\r\n b":                      {"a", "b"},
		`$'it\'s \u00e9\x41\n\\'`:         {"it's éA\n\\"},
		`''a"b"'c'`:                       {"abc"},
		`a '' b`:                          {"a", "", "b"},
		"a | b":                           {"a"},
		"a>b":                             {"a"},
		"a # b":                           {"a"},
		"a#b":                             {"a#b"},
		"a\nb":                            {"a"},
		"":                                nil,
	} {
		got, _, err := shellWords(command)
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		equal(t, got, want)
	}
	for _, command := range []string{`a 'b`, `a "b`, `a $'b`, `$'\x'`} {
		if _, _, err := shellWords(command); err == nil {
			t.Errorf("%s is read", command)
		}
	}
}

func FuzzCurl(f *testing.F) {
	for _, seed := range []string{`curl -X POST https://x.example/a/1?b=2 -H 'A: b' -d '{"c":[1,{"d":null}]}'`, `curl -F a=@b -u c:d 'http://127.0.0.1:1/api/v1/$X'`, `curl -G --data-urlencode 'q=a b' x`} {
		f.Add(seed)
	}
	c, _ := config.ParseTools("a.yaml", "")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // a page sends JSON
		}
		cmd, err := parseCurl(text)
		if err != nil {
			return
		}
		b := &builder{command: cmd, catalogue: c, taken: map[string]bool{}}
		tool, err := b.build("", "")
		if err != nil {
			return
		}
		out, err := config.Edit("a.yaml", nil, config.Insert([]any{"tools", 0}, tool))
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		read, ds := config.ParseTools("a.yaml", string(out))
		for _, d := range append(ds, validate.Catalog(read)...) {
			if d.Severity == config.Error {
				t.Fatalf("%s\n%s [%s]", out, d.Message, d.Rule)
			}
		}
	})
}

const importAPIs = `version: 1
apis:
  tracker: {base_url: '${URL:-http://127.0.0.1:1/api/v1}', auth: {bearer: '${T}'}, headers: {X-Client: tbridge}}
  deeper: {base_url: http://127.0.0.1:1/api/v1/deep}
  shop: {base_url: https://shop.example}
  bot: {base_url: 'https://bot.example/bot{token}', auth: {api_key: {in: path, name: token, value: '${B}'}}}
`

// A pasted command becomes a tool that validates, at once.
func TestImportCurl(t *testing.T) {
	d := open(t, map[string]string{"tbridge.yaml": importAPIs, "tools.d/tasks.yaml": tasks})
	tests := []struct {
		name, command, want string
		notes               []string
	}{
		{"an action with JSON", `curl -sS -X POST 'http://127.0.0.1:1/api/v1/tasks/TE-15/take?notify=true&labels=a&labels=b' \
  -H 'Content-Type: application/json' -H 'Authorization: Bearer abcdefgh12345' -H 'X-Client: tbridge' -H 'X-Trace: on' -H 'Accept: application/json' \
  --data-raw $'{"agent":"me","big":12345678901234567890,"half":0.50,"on":false,"none":null,"tags":["x"],"who":{"name":"n","at":[{"x":1}]}}'`,
			`  - name: take_task_2
    method: POST
    path: /tasks/{task_id}/take
    headers: {X-Trace: "on"}
    arguments:
      - {name: task_id, type: string, required: true, examples: [TE-15]}
      - {name: notify, type: boolean, examples: [true], in: query}
      - {name: labels, type: array, items: {type: string}, in: query}
      - {name: agent, type: string, examples: [me]}
      - {name: big, type: number, examples: [12345678901234567890]}
      - {name: half, type: number, examples: [0.50]}
      - {name: "on", type: boolean, examples: [false]}
      - {name: none, type: string, nullable: true}
      - {name: tags, type: array, items: {type: string, examples: [x]}}
      - name: who
        type: object
        properties:
          - {name: name, type: string, examples: [n]}
          - {name: at, type: array, items: {type: object, properties: [{name: x, type: integer, examples: [1]}]}}
`, []string{`the header Authorization held a secret and is left out: the API "tracker" sends a credential of its own`}},
		{"a list", "$ curl https://shop.example/v1/orders?limit=10&x", `  - name: list_orders
    api: shop
    method: GET
    path: /v1/orders
    arguments:
      - {name: limit, type: integer, examples: [10]}
`, []string{"only the first command was read"}},
		{"the longest base", "curl http://127.0.0.1:1/api/v1/deep/items/550e8400-e29b-41d4-a716-446655440000.json", `  - name: get_item
    api: deeper
    method: GET
    path: /items/{item_id}.json
    arguments:
      - {name: item_id, type: string, required: true, examples: [550e8400-e29b-41d4-a716-446655440000]}
`, nil},
		{"a form", "curl https://shop.example/orders -u me:secret -d 'a=1&b[]=x' --data-urlencode 'c=d e' -b sid=1 -A me", `  - name: create_order
    api: shop
    method: POST
    path: /orders
    encoding: form
    arguments:
      - {name: a, type: integer, examples: [1]}
      - {name: b, type: array, items: {type: string}, as: "b[]"}
      - {name: c, type: string, examples: [d e]}
`, []string{`the header Authorization held a secret and is left out: write it in tbridge.yaml under apis.shop, auth: {basic: {username: "${NAME}", password: "${PASSWORD}"}}`,
			`the cookies are left out: if the API needs one, write it in tbridge.yaml under auth: {api_key: {in: cookie, name: .., value: "${NAME}"}}`}},
		{"a multipart form", `curl -F 'file=@/home/me/report.pdf;type=application/pdf' -F note=hello -F 'raw=<notes.txt' https://shop.example/orders/17/files`, `  - name: create_file
    api: shop
    method: POST
    path: /orders/{order_id}/files
    encoding: multipart
    arguments:
      - {name: order_id, type: string, required: true, examples: ["17"]}
      - {name: file, type: file, required: true, filename: report.pdf, media_type: application/pdf}
      - {name: note, type: string, examples: [hello]}
      - {name: raw, type: string}
`, []string{`the field "raw" comes from a file, which was not read`}},
		{"secrets everywhere", `curl "https://user:pw@shop.example/v1/users/$USER_ID/sk-live-0123456789abcdef?api_key=hunter2hunter2&q=ghp_0123456789abcdefghijABCD" -H "X-Api-Key: hunter2hunter2" -H "X-Sess: $S" -d '{"password":"hunter2hunter2","note":"AKIA0123456789ABCDEF"}'`,
			`  - name: create_user
    api: shop
    method: POST
    path: /v1/users/{user_id}/{id}
    arguments:
      - {name: user_id, type: string, required: true}
      - {name: id, type: string, required: true}
      - {name: password, type: string}
      - {name: note, type: string}
`, []string{"the URL held a user name and a password, which are left out: write them in tbridge.yaml under auth: {basic: ..}",
				`a part of the path looked like a secret and is left out of the examples of "id"; if it is a credential, write it in tbridge.yaml under auth: {api_key: {in: path, ..}}`,
				`the query parameter "api_key" held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: query, name: api_key, value: "${NAME}"}}`,
				`the query parameter "q" held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: query, name: q, value: "${NAME}"}}`,
				`"password" held what looks like a secret; its value is left out`, `"note" held what looks like a secret; its value is left out`,
				`the header X-Api-Key held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: header, name: X-Api-Key, value: "${NAME}"}}`,
				`the header X-Sess held a secret and is left out: write it in tbridge.yaml under auth: {api_key: {in: header, name: X-Sess, value: "${NAME}"}}`}},
		{"an API nobody knows", "curl --url http://api.fresh.example:8080/things --get -d a=b -k", `  - name: list_things
    api: fresh
    method: GET
    path: /things
    arguments:
      - {name: a, type: string, examples: [b]}
`, []string{"the certificate was not verified; if that must be, say so in tbridge.yaml under tls",
			`no API of tbridge.yaml has the base_url http://api.fresh.example:8080; add one there: apis: {fresh: {base_url: "http://api.fresh.example:8080"}}`}},
		{"a list as body", `curl --json '[{"a":1}]' https://shop.example/batch -X PUT`, `  - name: replace_batch
    api: shop
    method: PUT
    path: /batch
    arguments:
      - {name: items, type: array, items: {type: object, properties: [{name: a, type: integer, examples: [1]}]}, required: true}
    body: "{items}"
`, nil},
		{"a text as body", `curl https://shop.example/x -H 'Content-Type: text/csv' -H 'X-A: {b}' --data-binary 'a,b' -XPATCH`, `  - name: update_x
    api: shop
    method: PATCH
    path: /x
    headers: {X-A: "{{b}}"}
    encoding: text
    content_type: text/csv
    arguments:
      - {name: body, type: string, required: true, examples: ["a,b"]}
    body: "{body}"
`, nil},
		{"parts of one name", `curl https://shop.example/x -F a=1 -F b=x -F a=2 -F b=@f -F c=@g`, `  - name: create_x
    api: shop
    method: POST
    path: /x
    encoding: multipart
    arguments:
      - {name: a, type: array, items: {type: integer}}
      - {name: b, type: file, required: true, filename: f}
      - {name: c, type: file, required: true, filename: g}
`, []string{`the form has several parts named "b", and a file among them; only one is kept, as a file`}},
		{"a brace in a header", `curl https://shop.example/x -H 'X-A: {b'`, `  - name: get_x
    api: shop
    method: GET
    path: /x
    arguments: []
`, []string{"the header X-A is left out: in a tools file a brace before a name opens a hole; write it in tbridge.yaml under apis.shop.headers"}},
		{"a key in the base", `curl -X DELETE https://bot.example/bot123456:ABC/messages/9 -d '{"why":"x"}' -H 'Content-Type: application/json'`, `  - name: delete_message
    api: bot
    method: DELETE
    path: /messages/{message_id}
    arguments:
      - {name: message_id, type: string, required: true, examples: ["9"]}
      - {name: why, type: string, examples: [x], in: body}
`, nil},
		{"a body from a file", `FOO=1 /usr/bin/curl -d @data.json -I http://127.0.0.1:1/api/v1/`, `  - name: check_tracker
    method: HEAD
    path: /
    arguments: []
`, []string{"the body comes from a file, which was not read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := drafted(tasks)
			body["command"] = tt.command
			r := get[imported](d, 200, "POST", "/api/import/curl", body)
			added := strings.TrimPrefix(r.Text, tasks+"\n")
			if !equalTools(added, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", added, tt.want)
			}
			equal(t, r.Notes, listOf(tt.notes))
			equal(t, r.Tool, 2)
			for _, secret := range []string{"hunter2", "sk-live", "ghp_", "AKIA", "abcdefgh12345", "me:secret", "123456:ABC"} {
				if strings.Contains(r.Text, secret) {
					t.Errorf("%s stands in the file", secret)
				}
			}
			c := get[checked](d, 200, "POST", "/api/check", drafted(r.Text))
			for _, f := range c.Diagnostics {
				if f.Severity == "error" && f.Rule != "unknown-api" {
					t.Errorf("%d: %s [%s]", f.Line, f.Message, f.Rule)
				}
			}
		})
	}
}

// equalTools says whether two texts say the same, however they are laid out.
func equalTools(a, b string) bool {
	x, errX := config.ParseValue(a)
	y, errY := config.ParseValue(b)
	return errX == nil && errY == nil && sorted(x).String() == sorted(y).String()
}

// sorted gives a value with the members of its objects in the order of their names.
func sorted(v config.JSON) config.JSON {
	out := config.JSON{Kind: v.Kind, Text: v.Text}
	if v.Kind == config.KindObject {
		for _, key := range sortedKeys(v.Keys) {
			member, _ := v.Get(key)
			out.Put(key, sorted(member))
		}
		return out
	}
	for _, item := range v.Items {
		out.Items = append(out.Items, sorted(item))
	}
	return out
}

func sortedKeys(keys []string) []string {
	all := append([]string(nil), keys...)
	for i := range all {
		for j := i; j > 0 && all[j] < all[j-1]; j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return all
}

func TestImportCurlRefuses(t *testing.T) {
	d := open(t, map[string]string{"tbridge.yaml": importAPIs, "tools.d/tasks.yaml": tasks})
	for _, command := range []string{"", "wget x", "curl", "curl 'x", "curl -X TRACE http://x.example", "curl -H", "curl --json '{' http://x.example", "curl --url"} {
		body := drafted(tasks)
		body["command"] = command
		equal(t, refusal(d, 422, "POST", "/api/import/curl", body), "curl")
	}
	body := drafted("tools: [")
	body["command"] = "curl http://x.example"
	equal(t, refusal(d, 422, "POST", "/api/import/curl", body), "edit")
	body = map[string]any{"path": "new.yaml", "text": "", "command": "curl -X POST http://127.0.0.1:1/api/v1/login", "name": "log_in"}
	equal(t, get[imported](d, 200, "POST", "/api/import/curl", body).Text, "tools:\n  - {name: log_in, api: tracker, method: POST, path: /login, arguments: []}\n")
}

// What curl would send, for each way of saying it.
func TestParseCurl(t *testing.T) {
	for text, want := range map[string]command{
		"curl x":                                       {url: "x"},
		"curl -- -x y":                                 {url: "-x", notes: []string{"only the first URL was read"}},
		"curl -Gsd a=1 -d b=2 x":                       {url: "x", get: true, data: []string{"a=1", "b=2"}},
		"curl --head x":                                {url: "x", head: true},
		"curl --data-raw=@x x -o out --unknown":        {url: "x", data: []string{"@x"}},
		"curl --data-urlencode a=b+c x":                {url: "x", data: []string{"a=b%2Bc"}},
		"curl --data-urlencode =b+c x":                 {url: "x", data: []string{"b%2Bc"}},
		"curl --data-urlencode 'b c' x":                {url: "x", data: []string{"b+c"}},
		"curl --data-urlencode a@f x":                  {url: "x", kind: "raw", notes: []string{"the body comes from a file, which was not read"}},
		"curl --url-query a=b x":                       {url: "x", query: []string{"a=b"}},
		"curl -T f x":                                  {url: "x", kind: "raw", upload: true, notes: []string{"the body comes from a file, which was not read"}},
		"curl --oauth2-bearer t x":                     {url: "x", headers: [][2]string{{"Authorization", "Bearer t"}}},
		"curl -H A: -H 'B;' -H C x -e r":               {url: "x", headers: [][2]string{{"A", ""}, {"B", ""}, {"C", ""}, {"Referer", "r"}}},
		"curl --form-string a=@b x":                    {url: "x", form: []formPart{{name: "a", value: "@b"}}},
		`curl -F 'a=@"/b c";filename="d;";type=t/u' x`: {url: "x", form: []formPart{{name: "a", value: "d", file: true, media: "t/u"}}},
		"curl -F a=b;c x":                              {form: []formPart{{name: "a", value: "b"}}, url: ""},
	} {
		got, err := parseCurl(text)
		if want.url == "" {
			if err == nil {
				t.Errorf("%s is read", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, *got, cmp.AllowUnexported(command{}, formPart{})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestVerb(t *testing.T) {
	for want, c := range map[string]command{"GET": {get: true, data: []string{"x"}}, "HEAD": {head: true}, "PUT": {upload: true}, "POST": {form: []formPart{{}}}, "PATCH": {method: "PATCH", head: true}} {
		equal(t, c.verb(), want)
	}
}

func TestSingular(t *testing.T) {
	for word, want := range map[string]string{"Tasks": "task", "entries": "entry", "boxes": "box", "classes": "class", "status": "status", "address": "address", "branches": "branch", "is": "is", "sheep": "sheep"} {
		equal(t, singular(word), want)
	}
}

func TestIDs(t *testing.T) {
	for segment, want := range map[string]string{
		"v1": "", "v2beta": "", "tasks": "", "take": "", "17": "task_id", "TE-15": "task_id", "cus_Nh1xYz2k": "task_id", "me@x.example": "task_id", "0123456789abcdef": "task_id",
		"{id}": "id", ":taskId": "taskid", "<name>": "name", "${TASK}": "task", "oauth2": "", "2024-01-01": "task_id", "sha256": "",
	} {
		name, ok := idName(segment, "tasks")
		if !ok {
			name = ""
		}
		equal(t, name, want)
	}
}

// What a template makes of an unfilled text is that text.
func TestUnfilled(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "{": "{", "{ a }": "{ a }", "{a}": "{{a}}", "{a} }": "{{a}} }", "{a}}": "{{a}}}", "{{a}}": "{{{a}}}", "{{a}": "{{{a}}",
		"{{{a}}}": "{{{{a}}}}", "{+a.b}{*}": "{{+a.b}}{{*}}", "{1} {a}": "{1} {{a}}",
	} {
		got, ok := unfilled(text)
		read, err := config.ParseRequest(got)
		if got != want || !ok || err != nil || !read.Constant() || read.Literal() != text {
			t.Errorf("unfilled(%q) = %q, %v: want %q; %v", text, got, ok, want, err)
		}
	}
	if _, ok := unfilled("{a"); ok {
		t.Error("a hole that is not closed is written")
	}
}
