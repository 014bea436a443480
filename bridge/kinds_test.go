package bridge

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

// A kindCase is an answer and the CallToolResult it must make.
type kindCase struct {
	name   string
	answer reply
	want   string
}

func runKinds(t *testing.T, g *reading, cases ...kindCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			got, err := readAnswer(t, g, http.MethodGet, c.answer, "{}").MarshalJSON()
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func textResult(text string) string { return `{"content":[{"type":"text","text":"` + text + `"}]}` }

func jsonResult(value string) string {
	quoted := strings.ReplaceAll(value, `"`, `\"`)
	return `{"content":[{"type":"text","text":"` + quoted + `"}],"structuredContent":` + value + `}`
}

func fileResult(name, media, body string) string {
	if media != "" {
		media = `,"mimeType":"` + media + `"`
	}
	return `{"content":[{"type":"resource","resource":{"uri":"file:///` + name + `"` + media + `,"blob":"` +
		base64.StdEncoding.EncodeToString([]byte(body)) + `"}}]}`
}

func badResult(code, message string) string {
	e := `{"error":{"code":"` + code + `","message":"` + message + `","http_status":200,"kind":"bad_response"}}`
	quoted := strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(e)
	return `{"content":[{"type":"text","text":"` + quoted + `"}],"structuredContent":` + e + `,"isError":true}`
}

func typed(media, body string) reply { return reply{0, "Content-Type: " + media, body} }

const anyTool = "method: GET\npath: /x\narguments: []\n"

func TestKindsOfContent(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\xff"
	runKinds(t, readingOf(t, "timeout: 5m", anyTool, nil),
		kindCase{"image", typed("image/png", png), `{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoA/w=="}]}`},
		kindCase{"drawing", typed("Image/SVG+xml; charset=utf-8", "<svg/>"), `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zy8+"}]}`},
		kindCase{"audio", typed("audio/mpeg", "\xff"), `{"content":[{"type":"audio","mimeType":"audio/mpeg","data":"/w=="}]}`},
		kindCase{"binary", typed("application/octet-stream", "abc"), fileResult("report%207.pdf", "application/octet-stream", "abc")},
		kindCase{"bytes without a type", reply{0, "", png}, fileResult("report%207.pdf", "", png)},
		kindCase{"text with a NUL without a type", reply{0, "", "a\x00b"}, fileResult("report%207.pdf", "", "a\x00b")},
		kindCase{"text without a type", reply{0, "", "héllo\n"}, textResult(`héllo\n`)},
		kindCase{"JSON without a type", reply{0, "", ` {"a": 1}`}, jsonResult(`{"a":1}`)},
		kindCase{"JSON as plain text", typed("text/plain", `{"a": 1}`), jsonResult(`{"a":1}`)},
		kindCase{"JSON by suffix", typed("application/vnd.api+json; charset=utf-8", `{"a":"名"}`), jsonResult(`{"a":"名"}`)},
		kindCase{"a faulty parameter", typed("Application/JSON; charset", `{"a":1}`), jsonResult(`{"a":1}`)},
		kindCase{"lines of JSON", typed("application/x-ndjson", "{\"a\":1}\n{\"a\":2}\n"), textResult(`{\"a\":1}\n{\"a\":2}\n`)},
		kindCase{"events", typed("text/event-stream", "data: 1\n\n"), textResult(`data: 1\n\n`)},
		kindCase{"page", typed("text/html", "<p>x"), textResult(`<p>x`)},
		kindCase{"XML", typed("application/atom+xml", "<a/>"), textResult(`<a/>`)},
		kindCase{"form", typed("application/x-www-form-urlencoded", "a=1"), textResult(`a=1`)},
		kindCase{"table", typed("text/csv", "a;b\r\n\tc\r"), textResult(`a;b\r\n\tc`)},
		kindCase{"faulty JSON", typed("application/json", `oops {"a":1}`), badResult(codeJSON, "the answer is no JSON that can be read: not valid JSON")},
		kindCase{"what is no number", typed("application/json", `{"a":NaN,"b":-Infinity}`), badResult(codeJSON, "the answer is no JSON that can be read: not valid JSON")},
		kindCase{"JSON that is no UTF-8", typed("application/json", "{\"a\":\"\xff\"}"), badResult(codeJSON, "the answer is no JSON that can be read: not valid UTF-8")},
	)
}

func TestContentAsked(t *testing.T) {
	runKinds(t, readingOf(t, "timeout: 5m", anyTool+"response: {content: text}", nil),
		kindCase{"JSON as it came", typed("application/json", `{ "a": 1.0 }`), textResult(`{ \"a\": 1.0 }`)},
		kindCase{"faulty JSON", typed("application/json", `oops`), textResult(`oops`)},
		kindCase{"page", typed("text/html", "<p>x"), textResult(`<p>x`)},
		kindCase{"binary that is text", typed("application/x-config", "a=1"), textResult(`a=1`)},
		kindCase{"bytes", typed("image/png", "\x89PNG"), badResult(codeType, "expected text, got image/png: not valid UTF-8")},
	)
	runKinds(t, readingOf(t, "timeout: 5m", anyTool+"response: {content: json}", nil),
		kindCase{"JSON", typed("application/json", `{"a":1}`), jsonResult(`{"a":1}`)},
		kindCase{"table", typed("text/csv", `{"a":1}`), badResult(codeType, "expected JSON, got text/csv")},
		kindCase{"picture", typed("image/png", "\x89PNG"), badResult(codeType, "expected JSON, got image/png")},
		kindCase{"no type", reply{0, "", "x"}, badResult(codeType, "expected JSON, got an answer without a content type")},
	)
	named := func(media, disposition string) reply {
		return reply{0, "Content-Type: " + media + "\nContent-Disposition: " + disposition, "a;b\n"}
	}
	runKinds(t, readingOf(t, "envelope: {ok: ok}", anyTool+"response: {content: file}", nil),
		kindCase{"named", named("text/csv; charset=latin1", `attachment; filename="table-7.csv"`), fileResult("table-7.csv", "text/csv", "a;b\n")},
		kindCase{"JSON", typed("application/json", `{"ok": true}`), fileResult("report%207.pdf", "application/json", `{"ok": true}`)},
		kindCase{"the envelope still says no", typed("application/json", `{"ok":false}`),
			`{"content":[{"type":"text","text":"{\"error\":{\"message\":\"the API answered 200, but its envelope says that the call failed\",\"http_status\":200,\"kind\":\"upstream\",\"details\":{\"ok\":false}}}"}],` +
				`"structuredContent":{"error":{"message":"the API answered 200, but its envelope says that the call failed","http_status":200,"kind":"upstream","details":{"ok":false}}},"isError":true}`},
		kindCase{"nothing", reply{status: 204}, jsonResult(`{"status":204}`)},
	)
}

// JSON is due when there is an envelope, or when the tool makes something of it.
func TestJSONIsDue(t *testing.T) {
	page := typed("text/html", "<title>Log in</title>")
	for _, c := range [][2]string{{"envelope: {ok: ok}", ""}, {"timeout: 5m", "response: {projection: a}"},
		{"timeout: 5m", "response: {text: '{a}'}"}, {"timeout: 5m", "response: {each: '{a}'}"}, {"timeout: 5m", "response: {output: []}"}} {
		runKinds(t, readingOf(t, c[0], anyTool+c[1], nil),
			kindCase{c[0] + c[1] + " page", page, badResult(codeType, "expected JSON, got text/html")},
			kindCase{c[0] + c[1] + " words", typed("text/plain", "OK"), badResult(codeType, "expected JSON, got text/plain")})
	}
	runKinds(t, readingOf(t, "envelope: {ok: ok}", anyTool, nil),
		kindCase{"a picture is a picture", typed("image/png", "x"), `{"content":[{"type":"image","mimeType":"image/png","data":"eA=="}]}`},
		kindCase{"other bytes too", typed("application/pdf", "x"), fileResult("report%207.pdf", "application/pdf", "x")},
		kindCase{"a charset nobody knows", typed("application/json; charset=klingon", "{}"), badResult(codeJSON, `the answer is no JSON that can be read: in the charset \"klingon\", which cannot be read`)})
	runKinds(t, readingOf(t, "envelope: {ok: ok}", anyTool+"response: {content: text}", nil), kindCase{"unless text is asked for", page, textResult("<title>Log in</title>")})
}

func TestCharsets(t *testing.T) {
	runKinds(t, readingOf(t, "timeout: 5m", anyTool, nil),
		kindCase{"latin1", typed("text/plain; charset=ISO-8859-1", "M\xfcller"), textResult("Müller")},
		kindCase{"JSON in latin1", typed(`application/json; charset="iso-8859-1"`, "{\"a\":\"\xe9\"}"), jsonResult(`{"a":"é"}`)},
		kindCase{"shift_jis", typed("text/csv; charset=Shift_JIS", "\x93\xfa\x96\x7b"), textResult("日本")},
		kindCase{"UTF-8 BOM", typed("application/json", "\xef\xbb\xbf{\"a\":1}"), jsonResult(`{"a":1}`)},
		kindCase{"UTF-16 LE by BOM", typed("application/json", "\xff\xfe{\x00}\x00"), jsonResult(`{}`)},
		kindCase{"UTF-16 BE by BOM", typed("text/csv", "\xfe\xff\x00a\x00\xe9"), textResult("aé")},
		kindCase{"UTF-16 by name", typed("text/csv; charset=utf-16le", "a\x00\xe9\x00"), textResult("aé")},
		kindCase{"no UTF-8 though it says so", typed("text/plain; charset=utf-8", "a\xffb"), textResult("a�b")},
		kindCase{"no UTF-8 and says nothing", typed("text/csv", "M\xfcller"), textResult("Müller")},
		kindCase{"ASCII that is UTF-8", typed("text/csv; charset=us-ascii", "é"), textResult("é")},
		kindCase{"a charset nobody knows", typed("text/csv; charset=klingon", "x"), badResult(codeType, `expected text, got text/csv: in the charset \"klingon\", which cannot be read`)},
		kindCase{"a charset that is none", typed("text/csv; charset=iso-2022-kr", "x"), badResult(codeType, `expected text, got text/csv: in the charset \"iso-2022-kr\", which cannot be read`)},
	)
}

func TestFileNames(t *testing.T) {
	m := newMasks()
	m.add("s3cret/of-mine", "another-secret")
	for disposition, want := range map[string]string{
		`attachment; filename="a b.txt"`:                                "a b.txt",
		`attachment; filename=a b.txt; size=3`:                          "a b.txt",
		`attachment; filename="x.txt"; filename*=UTF-8''na%C3%AFve.txt`: "naïve.txt",
		`attachment; filename="=?UTF-8?B?w6kudHh0?="`:                   "é.txt",
		`attachment; filename="../../etc/passwd"`:                       "passwd",
		`attachment; filename="C:\\temp\\x.doc"`:                        "x.doc",
		"attachment; filename=\"a\x1b[31mb\u202egpj.exe\"":              "abgpj.exe",
		`inline`:                        "report 7.pdf",
		`attachment; filename=".."`:     "report 7.pdf",
		`attachment; filename=""`:       "report 7.pdf",
		"attachment; filename=\"\xff\"": "report 7.pdf",
		`attachment; filename="` + strings.Repeat("x", 300) + `.tar.gz"`:              strings.Repeat("x", maxName-7) + ".tar.gz",
		`attachment; filename*=UTF-8''s3cret%2Fof-mine.txt`:                           "***.txt", // and not of-mine.txt
		"attachment; filename=\"an\u202eother-secret.txt\"":                           "***.txt",
		`attachment; filename="another-secret` + strings.Repeat("x", maxName-6) + `"`: "***" + strings.Repeat("x", maxName-6),
	} {
		req, _ := http.NewRequest(http.MethodGet, "http://a/files/report%207.pdf", nil)
		resp := &http.Response{Header: http.Header{"Content-Disposition": {disposition}}, Request: req}
		if got := m.fileName(resp); got != want {
			t.Errorf("%s: %q, want %q", disposition, got, want)
		}
	}
	req, _ := http.NewRequest(http.MethodGet, "http://a/", nil)
	if got := m.fileName(&http.Response{Request: req}); got != "attachment" {
		t.Errorf("nothing to go by: %q", got)
	}
}

// Results are data: what could take over a terminal or turn the text around is removed from the text, and stays
// in the structured value.
func TestHostileText(t *testing.T) {
	for from, want := range map[string]string{
		"a\x1b[2Jb\x1b[1;31mc\x1bd": "abcd",
		"a\x00\x07\x7f\u0085b":      "ab",
		"\u202ea\u2066b\u2069":      "ab",
		"1\n2\t3\r\n4\r5":           "1\n2\t3\r\n45",
		"👩‍💻 \u200fא":               "👩‍💻 \u200fא",
		"\x1b[":                     "",
		"\x1b[3\\":                  "\\",
	} {
		if got := clean(from, false); got != want {
			t.Errorf("clean(%q) = %q, want %q", from, got, want)
		}
	}
	for from, want := range map[string]string{
		`{"a":"\u001b[2Jx\b\f\n\\u001b\"","b\u202e":"\u001b["}`: `{"a":"x\n\\u001b\"","b` + `":""}`,
		`["\u001b[3\\","\u001b[3"]`:                             `["\\",""]`,
	} {
		if got := string(cleanJSON(from)); got != want {
			t.Errorf("cleanJSON(%s) = %s, want %s", from, got, want)
		}
	}
	g := readingOf(t, "timeout: 5m", anyTool, nil)
	r := readAnswer(t, g, http.MethodGet, reply{0, asJSON, `{"a":"\u001b[2Jx\u202e"}`}, "{}")
	if r.Text() != `{"a":"x"}` || string(r.Structured) != "{\"a\":\"\\u001b[2Jx\u202e\"}" {
		t.Errorf("text %q, structured %q", r.Text(), r.Structured)
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int]string{0: "0B", 1023: "1023B", 1024: "1KiB", 1536: "1.5KiB", 8 << 20: "8MiB", 3<<20 - 1: "3.0MiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}

// What was read from outside is masked wherever it comes out, also where cleaning or cutting brings it together.
func TestSecretsOfResults(t *testing.T) {
	const secret = "hunter2-hunter2"
	g := readingOf(t, "error_text: '{message}: {details}'", anyTool, nil)
	g.masks.add(secret)
	file := readingOf(t, "timeout: 5m", anyTool+"response: {content: file}", nil)
	file.masks.add(secret)
	said := readingOf(t, "timeout: 5m", anyTool+"response: {text: '{a}{b}'}", nil)
	said.masks.add(secret)
	for name, r := range map[string]*Result{
		"value":     readAnswer(t, g, http.MethodGet, reply{0, asJSON, `{"hunter2-hunter2":["hunter2-\u0068unter2"]}`}, "{}"),
		"joined":    readAnswer(t, g, http.MethodGet, reply{0, asJSON, `["hunter2-\u202ehunter2"]`}, "{}"),
		"text":      readAnswer(t, g, http.MethodGet, typed("text/csv", "a;hunter2-\x1b[2Jhunter2"), "{}"),
		"words":     readAnswer(t, said, http.MethodGet, reply{0, asJSON, `{"a":"hunter2-","b":"hunter2"}`}, "{}"),
		"name":      readAnswer(t, file, http.MethodGet, reply{0, "Content-Type: a/b\nContent-Disposition: x; filename=" + secret, "x"}, "{}"),
		"file":      {Content: []Content{{Type: "text", Text: string(readAnswer(t, file, http.MethodGet, typed("text/csv", secret), "{}").Content[0].Data)}}},
		"failure":   readAnswer(t, g, http.MethodGet, reply{500, asJSON, `{"message":"hunter2-\u0007hunter2","d":"hunter2-hunter2"}`}, "{}"),
		"long text": readAnswer(t, g, http.MethodGet, reply{500, "Content-Type: text/plain", strings.Repeat("x", 2040) + secret}, "{}"),
		"request":   g.failure(errorf(kindInternal, "no %s", secret)),
	} {
		whole, err := r.MarshalJSON()
		if err != nil || strings.Contains(r.Text(), "hunter") || !strings.Contains(string(whole), "***") {
			t.Errorf("%s: %s", name, whole)
		}
	}
}

func TestEscapesInJSON(t *testing.T) {
	for from, want := range map[string]string{
		`"\u0022\u005c\u000a\u000D\u0009\u001F\u007f"`: `"\"\\\n\r\t\u001f` + "\x7f" + `"`,
		`"\ud83d\ude00\ud83d\u0041\udc00"`:             `"😀\ufffdA\ufffd"`,
		" { \"a b\" :\t[ 1.0 , -0e+5 ]\r\n} ":          `{"a b":[1.0,-0e+5]}`,
		`"open`:                                        `"open`, // a piece
		`"a\`:                                          `"a\`,
	} {
		want = strings.ReplaceAll(want, `\ufffd`, "\uFFFD")
		if got := string(appendCompact(nil, from)); got != want {
			t.Errorf("compact %s = %s, want %s", from, got, want)
		}
	}
}
