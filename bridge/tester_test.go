package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
	"tbridge/validate"
)

// testDirectory loads a bridge directory without errors and warnings.
func testDirectory(t *testing.T, api, tools string) *config.Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tbridge.yaml": "version: 1\n" + api, "tools.d/t.yaml": tools, "given.txt": "from a file\n"} {
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

func tester(t *testing.T, c *config.Catalog) *Tester {
	t.Helper()
	tester, err := NewTester(c)
	if err != nil {
		t.Fatal(err)
	}
	return tester
}

const testedAPIs = `
vars: {agent: "${AGENT:-coder}", board: "${BOARD}"}
apis:
  a:
    base_url: https://one.example/api/v1/?v=1
    auth: {bearer: ["${TOKEN}", {file: /nowhere}]}
    headers: {X-Client: "${CLIENT}", X-Out: "${OUT:-}"}
    query: {k: "${KEY}"}
    retry: {attempts: 5}
    timeout: 1ns
    breaker: {failures: 1}
    limits: {rate: 1/h, concurrency: 1, result: 1KiB}
  basic: {base_url: "${URL}", auth: {basic: {username: bob, password: "${PASSWORD}"}}}
  query: {base_url: "https://two.example", auth: {api_key: {in: query, name: key, value: "${KEY}"}}}
  cookie: {base_url: "https://two.example", auth: {api_key: {in: cookie, name: sid, value: "${KEY}"}}}
  path: {base_url: "https://two.example/bot{key}/x", auth: {api_key: {in: path, name: key, value: "${KEY}"}}}
  oauth: {base_url: "https://two.example", auth: {oauth2: {token_url: "${T}", client_id: id, client_secret: "${S}"}}}
  default: {base_url: "https://two.example", auth: {bearer: "${TOKEN:-written}"}}
`

const testedTools = `
api: a
tools:
  - name: secrets
    description: Secrets are their sources.
    method: GET
    path: /x/{id}
    arguments: [{name: id, type: string, description: Id}, {name: q, type: string, description: Q}]
    tests:
      - {name: own pairs, arguments: {id: a/b, q: ж}, request: {target: "/x/a%2Fb?q=ж"}}
      - {name: encoded, arguments: {id: a/b, q: ж}, request: {target: "x/a%2Fb?q=%D0%B6"}}
      - name: all pairs, and headers
        arguments: {id: a}
        request: {target: "/x/a?k=${KEY}", none: true, headers: {authorization: "Bearer ${TOKEN}", X-Client: "${CLIENT}", X-Out: ""}}
      - {name: refused, arguments: {id: ..}, error: {kind: invalid_arguments}}
      - {name: not tried again, arguments: {id: a}, response: {status: 503}, error: {http_status: 503}}
      - {name: no breaker, arguments: {id: a}, response: {}, result: {structured: {status: 200}}}
      - {name: limits of size hold, arguments: {id: a}, response: {json: {text: LONG}}, error: {kind: result_too_large}}
      - {name: a page, arguments: {id: a}, response: {headers: {Content-Type: text/html}, text: <p>hi}, result: {text: <p>hi}}
      - {name: latin, arguments: {id: a}, response: {headers: {Content-Type: text/plain; charset=iso-8859-1}, base64: 5A==}, result: {text: ä}}
      - {name: packed, arguments: {id: a}, response: {headers: {Content-Encoding: gzip, Content-Type: application/json}, base64: H4sIAAAAAAAAA6tWSlSyMqwFAK+sG1YHAAAA}, result: {structured: {a: 1}}}
      - {name: bytes, arguments: {id: a}, response: {base64: AAE=}, result: {text: ""}}
      - {name: elsewhere, arguments: {id: a}, response: {status: 302, headers: {Location: "https://other.example/"}}, error: {kind: bad_response, code: redirect_refused}}
      - {name: round and round, arguments: {id: a}, response: {status: 302, headers: {Location: /}}, error: {kind: bad_response}}
  - {name: basic, api: basic, description: D., method: GET, path: x, arguments: [], tests: [{name: t, request: {target: /x, headers: {Authorization: "Basic <base64 of bob:${PASSWORD}>"}}}]}
  - {name: query, api: query, description: D., method: GET, path: x, arguments: [], tests: [{name: t, request: {target: /x}}, {name: key, request: {target: "/x?key=${KEY}"}}]}
  - {name: cookie, api: cookie, description: D., method: GET, path: x, arguments: [], tests: [{name: t, request: {headers: {Cookie: "sid=${KEY}"}}}]}
  - {name: path, api: path, description: D., method: GET, path: y, arguments: [], tests: [{name: t, request: {target: /y}}]}
  - {name: base, api: path, description: D., method: GET, arguments: [], tests: [{name: t, request: {target: ""}}]}
  - {name: oauth, api: oauth, description: D., method: GET, path: x, arguments: [], tests: [{name: t, request: {headers: {Authorization: "Bearer <token from oauth2>"}}, response: {status: 401}, error: {kind: token}}]}
  - {name: default, api: default, description: D., method: GET, path: x, arguments: [], tests: [{name: t, request: {headers: {Authorization: Bearer written}}}]}
  - name: variables
    description: Variables have their defaults, or are their sources.
    method: POST
    path: /{vars.board}
    headers: {Idempotency-Key: "{call.id}"}
    body: {agent: "{vars.agent}", board: "{vars.board}"}
    arguments: []
    tests:
      - name: t
        request:
          target: /%24%7BBOARD%7D
          headers: {Idempotency-Key: 00000000-0000-0000-0000-000000000000}
          json: {board: "${BOARD}", agent: coder}
      - {name: as text, request: {text: '{"agent":"coder","board":"${BOARD}"}'}}
  - name: upload
    description: Files.
    method: POST
    path: /f
    encoding: multipart
    arguments:
      - {name: f, type: file, source: path, required: true, description: F}
      - {name: g, type: file, media_type: image/png, description: G}
      - {name: n, type: array, items: {type: integer, description: N}, description: N}
    tests:
      - name: t
        arguments: {f: given.txt, g: "//8=", n: [1, 2]}
        request: {form: {n: [1, 2], f: {filename: given.txt, base64: ZnJvbSBhIGZpbGUK}, g: {media_type: image/png, base64: //8=}}}
      - {name: not from elsewhere, arguments: {f: /etc/hostname}, error: {kind: invalid_arguments}}
  - name: form
    description: A form.
    method: POST
    path: /f
    encoding: form
    arguments: [{name: a, type: string, description: A}, {name: b, type: array, items: {type: string, description: B}, description: B}]
    tests:
      - {name: t, arguments: {a: x y&, b: [1, no]}, request: {form: {a: x y&, b: [1, no]}}}
      - {name: as text, arguments: {a: x y}, request: {text: a=x+y}}
      - {name: empty, request: {form: {}}}
  - {name: lines, description: D., method: POST, path: x, encoding: ndjson, body: "{a}", arguments: [{name: a, type: array, items: {type: integer, description: A}, description: A}], tests: [{name: t, arguments: {a: [1, 2]}, request: {text: "1\n2\n"}}]}
  - {name: typed, description: D., method: POST, path: x, arguments: [{name: a, type: string, nullable: true, description: A}, {name: n, type: number, description: N}, {name: o, type: object, description: O, properties: [{name: s, type: string, description: S}]}],
     tests: [{name: t, arguments: {a: 0123, n: 1.50, o: {s: no}}, request: {json: {a: "0123", n: 1.50, o: {s: "no"}}}}, {name: null, arguments: {a: null}, request: {json: {a: null}}}, {name: number, arguments: {n: "1"}, error: {kind: invalid_arguments}}]}
`

func TestTester(t *testing.T) {
	for name, value := range map[string]string{"TOKEN": "from-the-environment", "AGENT": "tester", "BOARD": "b", "URL": "http://127.0.0.1:1", "KEY": "k"} {
		t.Setenv(name, value) // nobody looks at it
	}
	c := testDirectory(t, testedAPIs, strings.Replace(testedTools, "LONG", strings.Repeat("x", 2000), 1))
	tester, ran := tester(t, c), 0
	for _, tool := range c.Tools {
		for _, test := range tool.Tests {
			r := tester.Run(tool.Name, test)
			for _, d := range r.Differences {
				t.Errorf("%s: %s: %s is %s, want %s", tool.Name, test.Name, d.What, d.Got, d.Want)
			}
			if r.Tool != tool.Name || r.Test != test.Name || r.Pos.Line == 0 {
				t.Errorf("the report is of %s: %s at %s", r.Tool, r.Test, r.Pos)
			}
			ran++
		}
	}
	if ran != 32 {
		t.Errorf("%d tests ran", ran)
	}
}

// What a test that expects nothing is given, and what each says that expects something else.
func TestRight(t *testing.T) {
	c := testDirectory(t, testedAPIs, testedTools+`
  - {name: nothing, description: D., method: POST, path: x, arguments: [], tests: [{name: t, request: {form: {a: b}}}]}
  - {name: bytes, description: D., method: POST, path: x, encoding: bytes, body: "{f}", arguments: [{name: f, type: file, description: F}], tests: [{name: t, arguments: {f: "//8="}, request: {text: x}}]}
  - {name: list, description: D., method: GET, path: x, arguments: [], tests: [{name: t, response: {json: [1]}}, {name: s, response: {json: 1}}]}
`)
	tester := tester(t, c)
	for _, want := range []struct{ tool, right, told string }{
		{"upload", `{"method":"POST","target":"/f","form":{"f":{"filename":"given.txt","media_type":"application/octet-stream","text":"from a file\n"},` +
			`"g":{"filename":"g","media_type":"image/png","base64":"//8="},"n":["1","2"]}}`, ""},
		{"form", `{"method":"POST","target":"/f","form":{"a":"x y&","b":["1","no"]}}`, ""},
		{"lines", `{"method":"POST","target":"/x","text":"1\n2\n"}`, ""},
		{"secrets", `{"method":"GET","target":"/x/a%2Fb?q=ж"}`, ""},
		{"nothing", `{"method":"POST","target":"/x","none":true}`, "no body"},
		{"bytes", `{"method":"POST","target":"/x"}`, "2B that are no text"},
		{"list", `{"method":"GET","target":"/x"}`, ""},
	} {
		def := c.Tools[slices.IndexFunc(c.Tools, func(t *config.Tool) bool { return t.Name == want.tool })]
		r := tester.Run(want.tool, def.Tests[0])
		bare := &config.Test{Name: "t", Arguments: def.Tests[0].Arguments, Response: def.Tests[0].Response}
		if diff := cmp.Diff(want.right, r.Right(bare).Request.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.tool, diff)
		}
		if (want.told == "") != r.Passed() || !r.Passed() && r.Differences[0].Got != want.told {
			t.Errorf("%s: %v", want.tool, r.Differences)
		}
		if kept := r.Right(def.Tests[0]); r.Passed() && def.Tests[0].Request != nil && kept.Request.Keys == nil {
			t.Errorf("%s: nothing is kept of %v", want.tool, kept.Request)
		}
		for i, text := range map[int]string{0: `{"structured":{"items":[1]}}`, 1: `{"structured":{"value":1}}`} {
			if want.tool != "list" {
				continue
			}
			if got := tester.Run("list", def.Tests[i]).Right(def.Tests[i]).Result.String(); got != text {
				t.Errorf("the result is %s, want %s", got, text)
			}
		}
	}
}

// What a test expects of what comes, what is told where they differ, and what it should expect.
func TestDifferences(t *testing.T) {
	const api = "apis: {a: {base_url: \"http://127.0.0.1:1\", envelope: {ok: ok, data: data, error: {code: error.code}}}}\n"
	const tool = `api: a
tools:
  - name: make
    description: Make.
    method: POST
    path: /make
    arguments: [{name: n, type: integer, description: N}]
    response: {text: "made {id}"}
    tests: [{name: t, arguments: {n: 1}, %s}]
`
	const yes, no = `response: {json: {ok: true, data: {id: 7, list: [{a: 1, b: 2}]}}}, `, `response: {status: 409, json: {ok: false, error: {code: taken}}}, `
	for _, c := range []struct{ test, differ, right string }{
		{`request: {method: POST}`, ``, `{"method":"POST"} - -`},
		{`request: {method: PUT, target: /mak}`, `method: PUT | POST; target: /mak | /make`, `{"method":"POST","target":"/make"} - -`},
		{`request: {headers: {Accept: a, X-Not: b}}`, `header Accept: a | application/json, */*;q=0.8; header X-Not: b | `, `{"headers":{"Accept":"application/json, */*;q=0.8"}} - -`},
		{`request: {json: {n: 2}}`, `body: { "n": 2 } | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {json: {n: 1.0}}`, `body: { "n": 1.0 } | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {json: {n: "1"}}`, `body: { "n": "1" } | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {json: {m: 1, n: 1}}`, `body: { "m": 1, "n": 1 } | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {form: {n: 1}}`, `body: { "n": 1 } | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {text: x}`, `body: x | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {none: true}`, `body: no body | { "n": 1 }`, `{"json":{"n":1}} - -`},
		{`request: {text: '{"n":1}'}`, ``, `{"text":"{\"n\":1}"} - -`},
		{yes + `result: {text: made 8}`, `text: made 8 | made 7`, `- {"text":"made 7"} -`},
		{yes + `result: {structured: {list: [{b: 2, a: 1}], id: 7}}`, ``, `- {"structured":{"list":[{"b":2,"a":1}],"id":7}} -`},
		{yes + `result: {structured: {id: 7}}`, `structured: { "id": 7 } | { "id": 7, "list": [ { "a": 1, "b": 2 } ] }`, `- {"structured":{"id":7,"list":[{"a":1,"b":2}]}} -`},
		{yes + `result: {like: {list: [{b: 2}]}}`, ``, `- {"like":{"list":[{"b":2}]}} -`},
		{yes + `result: {like: {list: []}}`, `structured: { "list": [] } | { "list": [ { "a": 1, "b": 2 } ] }`, `- {"like":{"list":[{"a":1,"b":2}]}} -`},
		{yes + `result: {like: {list: {}, gone: 1}}`, `structured: { "list": {}, "gone": 1 } | { "list": [ { "a": 1, "b": 2 } ] }`, `- {"like":{"list":[{"a":1,"b":2}]}} -`},
		{yes + `error: {kind: x}`, `error: { "kind": "x" } | no error, but the result: made 7`, `- {"text":"made 7","structured":{"id":7,"list":[{"a":1,"b":2}]}} -`},
		{yes + `request: {method: POST}`, ``, `{"method":"POST"} {"text":"made 7","structured":{"id":7,"list":[{"a":1,"b":2}]}} -`},
		{no + `error: {kind: conflict, code: taken}`, ``, `- - {"kind":"conflict","code":"taken"}`},
		{no + `error: {code: given, hint: x}`, `error: { "code": "given", "hint": "x" } | { "code": "taken" }`, `- - {"code":"taken"}`},
		{no + `result: {text: x}`, `result: no error | { "code": "taken", "message": "409 Conflict", "http_status": 409, "kind": "conflict", "details": { "ok": false, "error": { "code": "taken" } } }`, `- - {"kind":"conflict","code":"taken"}`},
		{no + `request: {method: POST}`, `result: no error | { "code": "taken", "message": "409 Conflict", "http_status": 409, "kind": "conflict", "details": { "ok": false, "error": { "code": "taken" } } }`, `{"method":"POST"} - {"kind":"conflict","code":"taken"}`},
		{`error: {kind: invalid_arguments}`, `request: none, because the call is refused | POST /make`, `{"method":"POST","target":"/make","json":{"n":1}} - -`},
		{`arguments: {n: x}`, `request: a request | none, because the call was refused: {"error":{"message":"n: want integer, got string \"x\"","kind":"invalid_arguments"}}`, `- - {"kind":"invalid_arguments"}`},
		{`arguments: {n: x}, error: {kind: other}`, `error: { "kind": "other" } | { "kind": "invalid_arguments" }`, `- - {"kind":"invalid_arguments"}`},
		{yes[:len(yes)-2], ``, `{"method":"POST","target":"/make","json":{"n":1}} {"text":"made 7","structured":{"id":7,"list":[{"a":1,"b":2}]}} -`},
		{`response: {headers: {Content-Type: text/csv}, text: "a,b"}, result: {structured: {}}`, `result: no error | { "message": "expected JSON, got text/csv", "http_status": 200, "kind": "bad_response", "code": "upstream_unexpected_type" }`,
			`- - {"kind":"bad_response","code":"upstream_unexpected_type"}`},
		{`response: {base64: AAE=}, result: {structured: {}}`, `structured: {} | none`, `- {} -`},
	} {
		t.Run(c.test, func(t *testing.T) {
			text := strings.Replace(tool, "arguments: {n: 1}, %s", "%s", 1)
			if !strings.Contains(c.test, "arguments:") {
				text = tool
			}
			catalog := testDirectory(t, api, fmt.Sprintf(text, c.test))
			test := catalog.Tools[0].Tests[0]
			r := tester(t, catalog).Run("make", test)
			var differ []string
			for _, d := range r.Differences {
				differ = append(differ, d.What+": "+strings.Join(strings.Fields(d.Want), " ")+" | "+strings.Join(strings.Fields(d.Got), " "))
			}
			if diff := cmp.Diff(c.differ, strings.Join(differ, "; ")); diff != "" && !sameMembers(c.differ, strings.Join(differ, "; ")) {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			var right []string
			x := r.Right(test)
			for _, v := range []*config.JSON{x.Request, x.Result, x.Error} {
				if v == nil {
					right = append(right, "-")
				} else {
					right = append(right, v.String())
				}
			}
			if diff := cmp.Diff(c.right, strings.Join(right, " ")); diff != "" {
				t.Errorf("right (-want +got):\n%s", diff)
			}
			if r.Passed() != (c.differ == "") {
				t.Errorf("passed: %v", r.Passed())
			}
		})
	}
}

// sameMembers compares texts by their words, since the members of an error have an order of their own.
func sameMembers(a, b string) bool {
	count := func(s string) map[string]int {
		words := map[string]int{}
		for _, w := range strings.Fields(strings.ReplaceAll(s, ",", "")) {
			words[w]++
		}
		return words
	}
	return cmp.Equal(count(a), count(b))
}

func TestRunWithoutTheTool(t *testing.T) {
	c := testDirectory(t, testedAPIs, "api: a\ntools: []\n")
	r := tester(t, c).Run("gone", &config.Test{Name: "t"})
	if r.Passed() || r.Differences[0].What != "tool" {
		t.Errorf("%v", r.Differences)
	}
	if x := r.Right(&config.Test{}); x != (Expectation{}) {
		t.Errorf("%v", x)
	}
}

// An API that could not be called when served cannot be called in a test.
func TestTesterOfAnAPIWithoutCredential(t *testing.T) {
	c := testDirectory(t, "apis: {a: {base_url: \"https://one.example\", auth: {bearer: \"${NOT:-}\"}}}\n", "api: a\ntools: [{name: x, description: X., method: GET, path: x, arguments: [], tests: [{name: t, request: {method: GET}}]}]\n")
	r := tester(t, c).Run("x", c.Tools[0].Tests[0])
	if r.Passed() || !strings.Contains(r.Differences[0].Got, "is empty") {
		t.Errorf("%v", r.Differences)
	}
}

// Tests run at the same time, and quickly.
func TestTestsAtOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("api: a\ntools:\n")
	for i := range 500 {
		fmt.Fprintf(&b, `
  - name: tool_%d
    description: A tool.
    method: POST
    path: /things/{id}
    arguments: [{name: id, type: string, description: Id}, {name: title, type: string, minLength: 1, maxLength: 20, description: Title}, {name: kind, type: string, enum: [a, b], description: Kind}]
    response: {projection: {id: id, all: "list.#.{name,size}"}, list: all, text: "{#} of {id}", each: "- {name}"}
    tests:
      - name: a yes
        arguments: {id: x, title: y, kind: a}
        request: {method: POST, target: /things/x, json: {title: y, kind: a}}
        response: {json: {id: x, list: [{name: n, size: 1}, {name: m, size: 2}]}}
        result: {text: "2 of x\n- n\n- m", structured: {id: x, all: [{name: n, size: 1}, {name: m, size: 2}]}}
      - {name: a no, arguments: {id: x, title: y}, response: {status: 409, json: {error: {code: taken}}}, error: {kind: conflict, code: taken}}
`, i)
	}
	begin := time.Now()
	c := testDirectory(t, testedAPIs, b.String())
	tester, failed := tester(t, c), make(chan string, 1000)
	var wait sync.WaitGroup
	for half := range 2 {
		wait.Go(func() {
			for i, tool := range c.Tools {
				for _, test := range tool.Tests {
					if r := tester.Run(tool.Name, test); i%2 == half && !r.Passed() {
						failed <- fmt.Sprint(r.Tool, r.Differences)
					}
				}
			}
		})
	}
	wait.Wait()
	close(failed)
	for f := range failed {
		t.Error(f)
	}
	t.Logf("500 tools read and 2,000 tests run in %s", time.Since(begin))
}
