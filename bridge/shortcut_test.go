package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const (
	metaOf2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	otherMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":7}`
	newerMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}`
)

// What the shortcut does not take, the SDK answers: it takes only what is as it should be.
func TestWhatTheShortcutTakes(t *testing.T) {
	tests := []struct {
		name, method, params      string
		fresh, greeted, stateless bool // taken when nothing is open, after initialize, after a request of 2026-07-28
	}{
		{"a call", "tools/call", `{"name":"echo","arguments":{"n":1}}`, false, true, false},
		{"no arguments", "tools/call", `{"name":"echo"}`, false, true, false},
		{"arguments of any kind", "tools/call", `{"name":"echo","arguments":[1]}`, false, true, false},
		{"a progress token", "tools/call", `{"name":"echo","_meta":{"progressToken":1}}`, false, false, false},
		{"2026-07-28", "tools/call", `{"name":"echo",` + metaOf2026 + `}`, false, false, true},
		{"a client of other abilities", "tools/call", `{"name":"echo",` + otherMeta + `}`, false, false, false},
		{"a revision of the future", "tools/call", `{"name":"echo",` + newerMeta + `}`, false, false, false},
		{"unknown tool", "tools/call", `{"name":"ecco"}`, false, false, false},
		{"a key in another case", "tools/call", `{"name":"echo","Name":"soon"}`, false, false, false},
		{"null for _meta", "tools/call", `{"name":"echo","_meta":null}`, false, false, false},
		{"an unknown key", "tools/call", `{"name":"echo","task":{}}`, false, false, false},
		{"a repeated key in _meta", "tools/call", `{"name":"echo","_meta":{"a":1,"a":2}}`, false, false, false},
		{"another method", "tools/list", `{"name":"echo"}`, false, false, false},
	}
	b := newProbe(t)
	opener := messageOf(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+metaOf2026+`}}`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := messageOf(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":%s}`, tt.method, tt.params))
			c := newShortcut(b)
			if got := c.read(m) != nil; got != tt.fresh {
				t.Errorf("fresh: taken %v", got)
			}
			c.open(bySession)
			if got := c.read(m) != nil; got != tt.greeted {
				t.Errorf("greeted: taken %v", got)
			}
			c = newShortcut(b)
			c.open(c.opens(opener))
			if got := c.read(m) != nil; got != tt.stateless {
				t.Errorf("stateless: taken %v", got)
			}
			if c.read(messageOf(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, tt.method, tt.params))) != nil {
				t.Error("took a notification")
			}
		})
	}
}

func messageOf(t *testing.T, text string) *message {
	t.Helper()
	m, bad := decode(gjson.Parse(text))
	if bad != nil {
		t.Fatal(bad.message)
	}
	return m
}

// Both ways give the same bytes, in the same session, from its first line to its last.
func TestBothWaysAnswerAlike(t *testing.T) {
	b := newProbe(t)
	short, long := dial(t, b), dialVia(t, b, nil)
	var lines []string
	for _, revision := range []string{stateless, "2025-06-18"} {
		if revision != stateless {
			lines = append(lines, initialize(revision))
		}
		for i, params := range []string{
			`"name":"echo","arguments":{"n":12345678901234567890}`, `"name":"echo","arguments":{"n":"x"}`, `"name":"echo"`,
			`"name":"missing"`, `"name":"ecco"`, `"name":1`, `"name":"echo","arguments":null,"_meta":{"progressToken":"p"}`,
			`"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}},"name":"echo"`,
			`"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}},"name":"echo"`,
			`"_meta":{"io.modelcontextprotocol/clientInfo":1},"name":"echo"`,
			`"name":"echo","extra":1`, `"NAME":"echo"`,
		} {
			lines = append(lines, rpc(revision, i+1, "tools/call", params))
		}
	}
	for _, line := range lines {
		if got, want := short.ask(line), long.ask(line); got != want {
			t.Errorf("%s\n shortcut %s\n      sdk %s", line, got, want)
		}
	}
}

// A panic on the shortcut is the fault of one call.
func TestPanicsOnTheShortcut(t *testing.T) {
	b := newProbe(t)
	c := newShortcut(b)
	w := dialVia(t, b, c)
	w.greet("2025-06-18")
	b.current.Load().byName["echo"].plan = nil
	b.current.Load().byName["echo"].reading = nil
	want := `{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error"}}`
	if got := w.ask(callTool("", 4, "echo", "{}")); got != want {
		t.Errorf("got %s", got)
	}
	if got := w.ask(callTool("", 5, "soon", "{}")); !strings.Contains(got, `"id":5,"result"`) {
		t.Errorf("got %s", got)
	}
}
