package bridge

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// ids are all of one kind: what JSON-RPC lets a client choose.
var ids = []string{
	`0`, `-1`, `9007199254740993`, `1767225600000000001`, `12345678901234567890123`, `1.5`, `1.50`, `1e400`, `-0`,
	`""`, `"a"`, `"7"`, `"\u0061<&> \" \\ é"`, `"\ud800"`, `"` + strings.Repeat("x", 5000) + `"`,
}

// An id comes back as it was sent, whoever answers, with a result or an error.
func TestIDs(t *testing.T) { eachWay(t, testIDs) }

func testIDs(t *testing.T, dial dialer) {
	requests := []struct{ rest, answer string }{
		{`"method":"ping"`, `,"result":{}}`},
		{`"method":"tools/call","params":{"name":"echo","arguments":{"n":1}}`, `,"result":{"content"`},
		{`"method":"tools/call","params":{"name":"ecco"}`, `,"error":{"code":-32602,`},
		{`"method":"tools/call"`, `,"error":{"code":-32602,`},
		{`"method":"tools/pull"`, `,"error":{"code":-32601,`},
		{`"method":7`, `,"error":{"code":-32600,`},
	}
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	for _, id := range ids {
		for _, r := range requests {
			got := w.ask(`{"jsonrpc":"2.0","id":` + id + `,` + r.rest + `}`)
			if want := `{"jsonrpc":"2.0","id":` + id + r.answer; !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %.200s\nwant %.200s", r.rest, got, want)
			}
		}
	}
}

// Neighbours that a float cannot tell apart are different requests, and so are a number and its digits.
func TestIDsInUse(t *testing.T) { eachWay(t, testIDsInUse) }

func testIDsInUse(t *testing.T, dial dialer) {
	call := func(id, name string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `"}}`
	}
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	w.send(call(`9007199254740993`, "slow"), call(`"7"`, "slow"))
	for _, id := range []string{`9007199254740992`, `9007199254740994`, `7`} {
		if got := w.ask(call(id, "echo")); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"result":`) {
			t.Errorf("got %s", got)
		}
	}
	for id, shown := range map[string]string{`9007199254740993`: `9007199254740993`, `"7"`: `\"7\"`} {
		want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id ` + shown + ` is in use by a request that is not answered yet"}}`
		if got := w.ask(call(id, "echo")); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	for _, id := range []string{`9007199254740993`, `"7"`} {
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	w.in.Close() // nothing is left to wait for
	if err := w.end(); err != nil {
		t.Error(err)
	}
	if line := w.receive(); line != "" {
		t.Errorf("answered: %s", line)
	}
}

// The notifications of a listener, and its end, name its request as the client did.
func TestIDsOfListeners(t *testing.T) {
	for _, id := range []string{`7`, `"7"`, `1767225600000000001`, `"\u0061<"`} {
		t.Run(id, func(t *testing.T) {
			w := dial(t, newProbe(t))
			want := `"io.modelcontextprotocol/subscriptionId":` + id + `}`
			got := w.ask(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{` + metaOf2026 + `,"notifications":{"toolsListChanged":true}}}`)
			if !strings.Contains(got, `"notifications/subscriptions/acknowledged"`) || !strings.Contains(got, want) {
				t.Errorf("got %s", got)
			}
			w.in.Close()
			if got := w.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"result":`) || !strings.Contains(got, want) {
				t.Errorf("got %s", got)
			}
			if err := w.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongParams(t *testing.T) { eachWay(t, testWrongParams) }

func testWrongParams(t *testing.T, dial dialer) {
	const form = "params are not as the method wants them"
	tests := []struct{ name, method, params, want string }{
		{"none", "tools/call", ``, "params are missing"},
		{"null", "tools/call", `,"params":null`, "params are missing"},
		{"none at the beginning", "initialize", ``, "params are missing"},
		{"a list", "tools/call", `,"params":[1]`, "params must be an object"},
		{"a string", "tools/list", `,"params":"a"`, "params must be an object"},
		{"a number", "ping", `,"params":1`, "params must be an object"},
		{"no name", "tools/call", `,"params":{}`, "name must be a string, the name of a tool"},
		{"a number for a name", "tools/call", `,"params":{"name":1}`, "name must be a string, the name of a tool"},
		{"null for a name", "tools/call", `,"params":{"name":null}`, "name must be a string, the name of a tool"},
		{"a name twice", "tools/call", `,"params":{"name":"echo","name":"soon"}`, `"name" stands twice in params`},
		{"a name in two spellings", "tools/call", `,"params":{"name":"echo","n\u0061me":"soon"}`, `"name" stands twice in params`},
		{"arguments twice", "tools/call", `,"params":{"name":"echo","arguments":{"n":1},"arguments":{"n":2}}`, `"arguments" stands twice in params`},
		{"a cursor twice", "tools/list", `,"params":{"cursor":"a","cursor":"b"}`, `"cursor" stands twice in params`},
		{"_meta twice", "tools/call", `,"params":{"name":"echo","_meta":{},"_meta":{}}`, `"_meta" stands twice in params`},
		{"a number for _meta", "tools/call", `,"params":{"name":"echo","_meta":1}`, "_meta must be an object"},
		{"a number for a cursor", "tools/list", `,"params":{"cursor":1}`, "cursor must be a string, as the last answer gave it"},
		{"a number for a URI", "resources/read", `,"params":{"uri":1}`, form + `: "uri" is of the wrong type`},
		{"a list for a client", "initialize", `,"params":{"protocolVersion":"2025-06-18","clientInfo":[1]}`, form + `: "clientInfo" is of the wrong type`},
		{"a reference of no kind", "completion/complete", `,"params":{"ref":{"type":"x"},"argument":{}}`, form},
	}
	w := dial(t, newProbe(t))
	w.greet("2025-06-18")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := decodeLine(t, w.ask(`{"jsonrpc":"2.0","id":5,"method":"`+tt.method+`"`+tt.params+`}`))
			if m.ID != 5.0 || m.Error.Code != -32602 || m.Error.Message != tt.want {
				t.Errorf("got %+v", m)
			}
			w.send(`{"jsonrpc":"2.0","method":"` + tt.method + `"` + tt.params + `}`) // is not answered
		})
	}
	if got := w.ask(`{"jsonrpc":"2.0","id":6,"method":"ping","params":null}`); got != `{"jsonrpc":"2.0","id":6,"result":{}}` {
		t.Errorf("got %s", got)
	}
}

// No answer speaks of the types of the program, whatever stands in params.
func TestAnswersHoldNoTypesOfGo(t *testing.T) {
	w := dial(t, newProbe(t))
	w.greet("2025-11-25")
	methods := []string{
		"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/subscribe",
		"resources/templates/list", "prompts/list", "prompts/get", "logging/setLevel", "completion/complete",
		"server/discover", "subscriptions/listen", "notifications/initialized", "notifications/progress", "x",
	}
	keys := []string{
		"name", "arguments", "cursor", "uri", "level", "ref", "argument", "capabilities", "clientInfo",
		"protocolVersion", "notifications", "progressToken", "_meta", "inputResponses",
	}
	for _, method := range methods {
		for _, key := range keys {
			for _, value := range []string{`1`, `"x"`, `[1]`, `{"a":1}`, `true`} {
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%q:%s}}`, method, key, value)
				message := decodeLine(t, w.ask(line)).Error.Message
				for _, word := range []string{"mcp.", "Go ", "json:", "struct", "nmarshal", "interface"} {
					if strings.Contains(message, word) {
						t.Errorf("%s is answered by %q", line, message)
					}
				}
				if strings.ContainsFunc(message, unicode.IsControl) {
					t.Errorf("%s is answered by %q", line, message)
				}
			}
		}
	}
}
