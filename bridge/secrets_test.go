package bridge

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// A leaky secret shows by any piece of it, whichever end is cut off and whatever the case of its letters.
const leaky = `QzXj"QzXj\QzXj/QzXj,QzXj-QzXj`

// leaks says whether any piece of leaky stands in a text.
func leaks(text string) bool { return strings.Contains(strings.ToLower(text), "qzx") }

// shownOf is all that a result shows: the JSON of it, and the bytes of its content.
func shownOf(t *testing.T, r *Result) string {
	t.Helper()
	whole, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole)
	for _, c := range r.Content {
		text += "\n" + string(c.Data)
	}
	return text
}

// readReply reads an answer that took no way over the wire.
func readReply(t *testing.T, g *reading, answer reply) *Result {
	w := httptest.NewRecorder()
	answer.ServeHTTP(w, nil)
	resp := w.Result()
	resp.Request = httptest.NewRequest(http.MethodGet, "/files/report.pdf", nil)
	return g.read(t.Context(), callOf(t, "{}"), resp)
}

// Whatever is cut to a length, a secret at the place of the cut leaves nothing there.
func TestNoPieceOfASecretIsLeft(t *testing.T) {
	quoted := quotedTimes(leaky, 1)
	failure := func(head, body string) reply { return reply{500, head, body} }
	for name, answer := range map[string]func(pad string) reply{
		"message": func(pad string) reply { return failure(asJSON, `{"message":"`+pad+quoted+`"}`) },
		"nested": func(pad string) reply {
			return failure(asJSON, `{"message":"{\"a\":\"`+pad+quotedTimes(leaky, 2)+`\"}"}`)
		},
		"code":    func(pad string) reply { return failure(asJSON, `{"code":"`+pad+quoted+`"}`) },
		"details": func(pad string) reply { return failure(asJSON, `{"a":"`+pad+quoted+`","b":1}`) },
		"text":    func(pad string) reply { return failure("Content-Type: text/plain", pad+leaky) },
		"page":    func(pad string) reply { return failure("Content-Type: text/html", "<title>"+pad+leaky+"</title>") },
		"base64": func(pad string) reply {
			return failure("Content-Type: text/plain", base64.StdEncoding.EncodeToString([]byte(pad+leaky)))
		},
		"URL":      func(pad string) reply { return failure("Content-Type: text/plain", "/?a="+pad+url.QueryEscape(leaky)) },
		"type":     func(pad string) reply { return typed("a/"+pad+"QzXj-type-QzXj", "x") },
		"charset":  func(pad string) reply { return typed(`application/json; charset="`+pad+`QzXj-type-QzXj"`, "{}") },
		"encoding": func(pad string) reply { return reply{0, "Content-Encoding: " + pad + leaky, "{}"} },
		"name": func(pad string) reply {
			return reply{0, "Content-Type: a/b\nContent-Disposition: x; filename*=UTF-8''" + url.PathEscape(leaky) + pad, "x"}
		},
		"list": func(pad string) reply {
			return reply{0, asJSON, `["` + pad + quoted + `","` + quoted + `","` + pad + `"]`}
		},
		"behind controls": func(pad string) reply {
			return failure("Content-Type: text/plain", strings.Repeat("\x07", 64<<10-2000)+pad+leaky)
		},
		"behind secrets": func(pad string) reply {
			return failure("Content-Type: text/plain", strings.Repeat(leaky, 64<<10/len(leaky)-60)+pad+leaky)
		},
		"put together": func(pad string) reply {
			return failure("Content-Type: text/plain", pad+strings.Replace(leaky, "j-Q", "j\x1b[2J-\u202eQ", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			due := readingOf(t, "timeout: 5s\nlimits: {result: 4KiB}", anyTool+"response: {content: json}", nil)
			auto := readingOf(t, "timeout: 5s\nlimits: {result: 4KiB}\nerror_text: '{message} {code} {details}'", anyTool, nil)
			for _, g := range []*reading{due, auto} {
				g.masks.add(leaky, "QzXj-type-QzXj")
				for _, cut := range []int{0, maxQuoted, maxName, maxTheirs, maxMessage, 4 << 10} {
					for n := max(0, cut-40); n <= cut+8; n += 3 {
						if shown := shownOf(t, readReply(t, g, answer(strings.Repeat("x", n)))); leaks(shown) {
							t.Fatalf("after %d bytes: %s", n, shown)
						}
					}
				}
			}
		})
	}
}

// Cleaning, and what is no UTF-8, cannot put a secret together after it was looked for.
func TestExcerpts(t *testing.T) {
	m := newMasks()
	m.add("s3cret-of-mine")
	for in, want := range map[string]string{
		" say s3cret-of-mine\n":                           "say ***",
		"s3cret\x00-of-\u202emine":                        "***",
		"s3cret-\xffof-mine":                              "s3cret-\uFFFDof-mine",
		strings.Repeat("x", 18) + "s3cret-of-mine":        strings.Repeat("x", 18) + "**…",
		strings.Repeat("x", 18) + "\xffs3cret-of-mine":    strings.Repeat("x", 18) + "…",
		strings.Repeat("x", 19) + "ü":                     strings.Repeat("x", 19) + "…",
		"s3cret-of-mines3cret-of-mines3cret-of-mine tail": "********* tail",
	} {
		if got := m.excerpt(in, 20); got != want {
			t.Errorf("excerpt(%q) = %q, want %q", in, got, want)
		}
	}
}

// In bytes a secret is starred out where it stands; in text it is masked as everywhere.
func TestSecretsInFiles(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00"
	utf16le := "\xff\xfe"
	for _, c := range utf16.Encode([]rune("ä " + leaky)) {
		utf16le += string([]byte{byte(c), byte(c >> 8)})
	}
	stars := strings.Repeat("*", len(leaky))
	for _, tc := range []struct{ name, content, head, body, want string }{
		{"image", "auto", "Content-Type: image/png", png + leaky + "\xff", png + stars + "\xff"},
		{"audio", "auto", "Content-Type: audio/mpeg", leaky, stars},
		{"bytes", "auto", "Content-Type: application/octet-stream", "\x00" + url.QueryEscape(leaky) + leaky, "\x00" + strings.Repeat("*", len(url.QueryEscape(leaky))) + stars},
		{"nothing secret", "file", "Content-Type: application/zip", png, png},
		{"bytes as a file", "file", "Content-Type: application/zip", png + leaky, png + stars},
		{"text", "file", "Content-Type: text/csv", "a;" + leaky + "\n", "a;***\n"},
		{"JSON", "file", asJSON, ` {"n": 123456, "a": "` + quotedTimes(leaky, 1) + `"} `, ` {"n": 123456, "a": "***"} `},
		{"UTF-16 becomes UTF-8", "file", "Content-Type: text/plain; charset=utf-16", utf16le, "ä ***"},
		{"UTF-16 stays", "file", "Content-Type: text/plain; charset=utf-16", utf16le[:8], utf16le[:8]},
		{"a charset nobody knows", "file", "Content-Type: text/plain; charset=klingon", leaky, stars},
	} {
		g := readingOf(t, "timeout: 5s", anyTool+"response: {content: "+tc.content+"}", nil)
		g.masks.add(leaky, "123456")
		r := readAnswer(t, g, http.MethodGet, reply{0, tc.head, tc.body}, "{}")
		if r.IsError || string(r.Content[0].Data) != tc.want {
			t.Errorf("%s: %q, %s", tc.name, r.Content[0].Data, r.Structured)
		}
	}
}

// A header is masked before anything is read out of it.
func TestSecretsInHeaders(t *testing.T) {
	g := readingOf(t, "timeout: 5s", anyTool+"response: {projection: {a: $headers.X-A, l: $headers.Location}}", nil)
	g.masks.add(leaky)
	r := readAnswer(t, g, http.MethodGet, reply{0, asJSON + "\nX-A: 1 " + leaky + " 2\nX-A: 3\nLocation: /?k=" + url.QueryEscape(leaky), "{}"}, "{}")
	if got := string(r.Structured); got != `{"a":"1 *** 2, 3","l":"/?k=***"}` {
		t.Errorf("got %s", got)
	}
}

// A redirect is told of as it was sent: in small letters a secret would not be known.
func TestSecretsInRedirects(t *testing.T) {
	for _, location := range []string{"https://QzXj-a.example/", "QzXj-a://x.example/"} {
		up := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		})
		e := rigOf(t, map[string]string{"T": "QzXj-a"}, "base_url: "+up.URL+"\nauth: {bearer: '${T}'}", "arguments: []").fails(t, kindBadResponse, "redirect_refused")
		g := readingOf(t, "timeout: 5s", anyTool, nil)
		g.masks.add("QzXj-a")
		if r := shownOf(t, g.failure(e)); leaks(r) || !strings.Contains(r, masked) {
			t.Errorf("%s: %s", location, r)
		}
	}
}

// Errors of the protocol quote what a client said, ours and the SDK's.
func TestSecretsInProtocolErrors(t *testing.T) {
	everyWay(t, func(t *testing.T, dial dialer) {
		b := newProbe(t)
		b.masks.add(leaky)
		w := dial(t, b)
		w.greet("2025-06-18")
		for _, pad := range []int{0, 1, maxQuoted - 20, maxQuoted - 4, maxTheirs - 40, maxTheirs - 20, maxTheirs - 3} {
			said := strings.Repeat("x", pad) + quotedTimes(leaky, 1)
			for name, message := range map[string]string{
				"tool":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + said + `"}}`,
				"cursor":        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"` + said + `"}}`,
				"method":        `{"jsonrpc":"2.0","id":1,"method":"` + said + `"}`,
				"method's kind": `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + said + `"}}`,
				"resource":      `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + said + `"}}`,
				"level":         `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"` + said + `"}}`,
				"twice":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"` + said + `":1,"` + said + `":2}}`,
				"twice outside": `{"jsonrpc":"2.0","id":1,"method":"ping","` + said + `":1,"` + said + `":2}`,
				"arguments":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"` + said + `":1,"n":"` + said + `"}}}`,
				"types":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"progressToken":{"` + said + `":1}}}}`,
				"version":       `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + said + `","capabilities":{"` + said + `":"` + said + `"},"clientInfo":{"name":"` + said + `","version":1}}}`,
			} {
				if got := w.ask(message); leaks(got) || got == "" {
					t.Errorf("%s after %d bytes: %s", name, pad, got)
				}
			}
		}
	})
}

// What is said of arguments quotes pieces of them.
func TestSecretsInArguments(t *testing.T) {
	b := newProbe(t)
	digits := strings.Repeat("8", 60)
	b.masks.add(leaky, digits)
	for _, arguments := range []string{
		`{"n":"` + quotedTimes(leaky, 1) + `"}`, `{"n":"` + strings.Repeat("x", 30) + quotedTimes(leaky, 1) + `"}`, `{"` + quotedTimes(leaky, 1) + `":1}`,
		`{"n":` + digits + `.5}`, `{"n":"1","m":` + digits + `}`, `{"n":` + digits, `{"n":` + leaky + `}`, leaky,
	} {
		r, _ := b.Call(t.Context(), "echo", []byte(arguments))
		if shown := shownOf(t, r); r.Kind != kindInvalidArguments || leaks(shown) || strings.Contains(shown, "888") {
			t.Errorf("%s: %s", arguments, shown)
		}
	}
}

// An id that is in use is quoted too.
func TestSecretsInIDs(t *testing.T) {
	b := newProbe(t)
	b.masks.add(leaky)
	w := dial(t, b)
	w.greet("2025-06-18")
	id := `"` + strings.Repeat("x", maxTheirs-20) + quotedTimes(leaky, 1) + `"`
	message := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"slow"}}`
	w.send(message)
	if got := w.ask(message); leaks(got) || !strings.Contains(got, "is in use") {
		t.Errorf("got %s", got)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	w.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
}

// What a client says in the headers of a request is quoted by us and by the SDK.
func TestSecretsInHeadersOfClients(t *testing.T) {
	x := newTeam(t, nil, open, "")
	x.bridge.masks.add(leaky)
	c := x.client(t).greet("2025-06-18")
	c.session = leaky
	for _, p := range []page{
		c.post(callTool("", 1, "echo", "{}")),
		x.client(t, "Mcp-Name", leaky).post(callTool(stateless, 1, "echo", "{}")),
		x.client(t, "Mcp-Method", leaky).post(callTool(stateless, 1, "echo", "{}")),
		x.client(t, "Mcp-Protocol-Version", leaky).post(callTool(stateless, 1, "echo", "{}")),
		x.client(t, "Last-Event-Id", leaky).post(callTool(stateless, 1, "echo", "{}")),
		x.client(t).post(callTool(stateless, 1, quotedTimes(leaky, 1), "{}")),
	} {
		if text := fmt.Sprint(p); leaks(text) {
			t.Errorf("%s", text)
		}
	}
	if leaks(x.log.String()) {
		t.Errorf("log: %s", x.log)
	}
}

// Whoever logs, in whatever form, no secret gets into the log.
func TestSecretsInTheLog(t *testing.T) {
	var text, json bytes.Buffer
	for out, h := range map[*bytes.Buffer]slog.Handler{&text: slog.NewTextHandler(&text, nil), &json: slog.NewJSONHandler(&json, nil)} {
		m := newMasks()
		m.add(leaky)
		log := slog.New(maskedLog{h, m}).With("with", leaky).WithGroup("g")
		log.Info("said "+leaky, "text", leaky, "error", errors.New(leaky), "bytes", []byte("x"), "n", 7,
			slog.Group("inner", "text", leaky), "value", slog.AnyValue(map[string]string{"a": leaky}), "later", later(leaky))
		if line := out.String(); leaks(line) || strings.Count(line, masked) != 7 || !strings.Contains(line, "7") {
			t.Errorf("got %s", line)
		}
	}
}

// What goes wrong with a bridge is logged by itself.
func TestSecretsInTheLogOfABridge(t *testing.T) {
	x := newTeam(t, nil, open, "")
	x.bridge.masks.add(leaky)
	x.bridge.logPanic(errors.New(leaky))
	x.client(t).post(callTool(stateless, 1, quotedTimes(leaky, 1), "{}"))
	if log := x.log.String(); leaks(log) || strings.Count(log, masked) != 2 {
		t.Errorf("log: %s", log)
	}
}

// A dry run shows the fields of a form to their end, and no secret in them.
func TestSecretsInParts(t *testing.T) {
	x := rigOf(t, map[string]string{"T": leaky}, "base_url: http://x.example\nauth: {bearer: '${T}'}", "method: POST\nencoding: multipart\narguments: [{name: a, type: string}]")
	for _, n := range []int{0, maxShown - 5, maxShown, 2 * maxShown} {
		p := x.preview(t, `{"a":"`+strings.Repeat("x", n)+quotedTimes(leaky, 1)+`"}`)
		if got := p.Parts[0]; got.Text != strings.Repeat("x", n)+masked || got.Size != int64(n+len(leaky)) || leaks(curl(p)) {
			t.Errorf("after %d bytes: %d bytes are shown", n, len(got.Text))
		}
	}
}

type later string

func (l later) LogValue() slog.Value { return slog.StringValue(string(l)) }

// Texts from outside are cut by masks.excerpt alone. A width in a format would cut them unmasked.
func TestTextsAreCutInOnePlace(t *testing.T) {
	cut := regexp.MustCompile(`%\.[0-9*]+[sqvxX]`)
	for _, dir := range []string{".", "../cmd", "../workbench"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, format := range cut.FindAll(source, -1) {
				t.Errorf("%s cuts a text with %s; use masks.excerpt", path, format)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
