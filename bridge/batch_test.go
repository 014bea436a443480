package bridge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ping writes a request for nothing.
func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func pong(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func sayInvalid(id, message string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"` + message + `"}}`
}

// readBatch splits a line that is an array, in the order of its text: the answers may come in any.
func readBatch(t *testing.T, line string) (answers []string) {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(line), &all); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	for _, m := range all {
		answers = append(answers, string(m))
	}
	slices.Sort(answers)
	return answers
}

func TestBatches(t *testing.T) { eachWay(t, testBatches) }

func testBatches(t *testing.T, dial dialer) {
	const one = "a message is one JSON object"
	soon := callTool("", 5, "soon", "{}")
	result := `{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"{\"done\":true}"}],"structuredContent":{"done":true}}}`
	tests := []struct {
		name, batch string
		want        []string // nil: no answer
	}{
		{"one", `[` + ping("1") + `]`, []string{pong("1")}},
		{"several", ` [ ` + ping(`"a"`) + ` , ` + soon + `,` + ping("9007199254740993") + `] `, []string{pong(`"a"`), result, pong("9007199254740993")}},
		{"a notification among them", `[` + initialized + `,` + ping("2") + `]`, []string{pong("2")}},
		{"notifications alone", `[` + initialized + `,` + initialized + `]`, nil},
		{"answers alone", `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"error":{}}]`, nil},
		{"no messages", `[1,[],{}]`, []string{sayInvalid("null", one), sayInvalid("null", one), sayInvalid("null", `jsonrpc must be \"2.0\"`)}},
		{"some are good", `[1,` + ping("3") + `,{"jsonrpc":"2.0","id":4,"method":"x"}]`,
			[]string{sayInvalid("null", one), pong("3"), `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: \"x\""}}`}},
		{"an id twice", `[` + soon + `,` + ping("5") + `]`, []string{result, sayInvalid("null", "id 5 is in use by a request that is not answered yet")}},
		{"the beginning", `[` + initialize("2025-03-26") + `,` + ping("1") + `]`, []string{sayInvalid("0", "initialize must not be part of a batch"), pong("1")}},
		{"a request and its cancellation", `[` + callTool("", 6, "slow", "{}") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}},` + ping("7") + `]`,
			[]string{pong("7")}},
		{"a request and its cancellation, alone", `[` + callTool("", 16, "slow", "{}") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":16}}]`, nil},
	}
	for _, revision := range []string{"2024-11-05", "2025-03-26"} {
		w := dial(t, newProbe(t))
		w.greet(revision)
		for _, tt := range tests {
			t.Run(revision+"/"+tt.name, func(t *testing.T) {
				w.send(tt.batch)
				if tt.want == nil {
					if got := w.ask(ping("99")); got != pong("99") {
						t.Errorf("got %s", got)
					}
					return
				}
				got := readBatch(t, w.receive())
				slices.Sort(tt.want)
				if !slices.Equal(got, tt.want) {
					t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
				}
			})
		}
		for _, batch := range []string{`[]`, `[` + strings.Repeat("1,", maxBatch) + `1]`} {
			if got, want := w.ask(batch), sayInvalid("null", "a batch holds 1 to 1000 messages"); got != want {
				t.Errorf("%.20s: got %.200s", batch, got)
			}
		}
		if got := readBatch(t, w.ask(`[`+strings.Repeat("1,", maxBatch-1)+ping("8")+`]`)); len(got) != maxBatch {
			t.Errorf("%d answers", len(got))
		}
	}
}

// Whether there are batches is known from the first initialize on, before it is answered, and stays so.
func TestWhoHasBatches(t *testing.T) { eachWay(t, testWhoHasBatches) }

func testWhoHasBatches(t *testing.T, dial dialer) {
	refusal := sayInvalid("null", "a message is one JSON object; only sessions of 2024-11-05 and 2025-03-26 have batches")
	w := dial(t, newProbe(t))
	if got := w.ask(`[` + ping("1") + `]`); got != refusal {
		t.Errorf("before initialize: %s", got)
	}
	w.send(initialize("2025-03-26"), `[`+ping("1")+`]`)
	if got := []string{w.receive(), w.receive()}; !slices.Contains(got, `[`+pong("1")+`]`) {
		t.Errorf("at once: %s", got)
	}
	w.ask(initialize("2025-06-18"))
	if got := w.ask(`[` + ping("2") + `]`); got != `[`+pong("2")+`]` {
		t.Errorf("after a second initialize: %s", got)
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", stateless} {
		w := dial(t, newProbe(t))
		w.greet(revision)
		for _, batch := range []string{`[` + ping("1") + `]`, `[]`} {
			if got := w.ask(batch); got != refusal {
				t.Errorf("%s: %s", revision, got)
			}
		}
	}
}

// What is open of a batch when the input ends is answered in its array.
func TestABatchAtTheEndOfTheInput(t *testing.T) { eachWayInTime(t, testABatchAtTheEndOfTheInput) }

func testABatchAtTheEndOfTheInput(t *testing.T, n *lan, dial dialer) {
	w := dial(t, n.probe(t, shortly))
	w.greet("2025-03-26")
	w.send(`[` + ping("1") + `,` + callTool("", 2, "slow", "{}") + `]`)
	w.in.Close()
	if got, want := w.receive(), `[`+pong("1")+`,{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"cancelled"}}]`; got != want {
		t.Errorf("got %s", got)
	}
	if err := w.end(); err != nil {
		t.Error(err)
	}
}
