package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"tbridge/validate"
)

func TestMasksText(t *testing.T) {
	const secret = `k&y=7+9 ä"\/<`
	m := newMasks()
	m.add(secret, "ann:pass word/9", "short", "outside-42", "outside-42-and-more", "%25abcdef")
	quoted, _ := json.Marshal(secret)
	std := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, tc := range []struct{ in, want string }{
		{"nothing to see", "nothing to see"},
		{"short stays", "short stays"},
		{"say " + secret + "!", "say ***!"},
		{"q=" + url.QueryEscape(secret) + "&x", "q=***&x"},
		{"p=" + url.PathEscape(secret), "p=***"},
		{"l=" + strings.ToLower(url.QueryEscape(secret)), "l=***"},
		{"b=" + std, "b=***="}, // padding tells nothing
		{"b=" + base64.RawURLEncoding.EncodeToString([]byte(secret)) + "!", "b=***!"},
		{"b=" + url.QueryEscape(std), "b=***%3D"},
		{"json " + string(quoted), `json "***"`},
		{"Basic YW5uOnBhc3Mgd29yZC85", "Basic ***"},
		{"outside-42-and-more outside-42-and-mor", "*** ***-and-mor"},
		{"outside-4", "outside-4"},
		{"%25abcdef %2525abcdef", "*** ***"},
		{`outside\u002d42 \u006futside-42 outside\u00zz42`, `*** *** outside\u00zz42`},
		{"outside-42outside-42", "******"},
		{"trailing % and \\", "trailing % and \\"},
	} {
		if got := m.text(tc.in); got != tc.want {
			t.Errorf("text(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestMasksJSON(t *testing.T) {
	m := newMasks()
	m.add("123456", "outside-42", `pass "word"\`, "nabcdef", "grin 😀 face", `xyzabc\`, `quoted"`)
	for _, tc := range []struct{ in, want string }{
		{`{"n":123456,"m":[9123456],"p":"pin 123456","123456":1}`, `{"n":123456,"m":[9123456],"p":"pin ***","***":1}`},
		{`{"a":"pass \"word\"\\","b":"x\"outside-42\""}`, `{"a":"***","b":"x\"***\""}`},
		{`["\nabcdef","nabcdef","\\nabcdef"]`, `["\nabcdef","***","\\***"]`},
		{`["grin \ud83d\ude00 face","grin 😀 face","grin \ud83d face"]`, `["***","***","grin \ud83d face"]`},
		{`["xyzabc\"","xyzabc\\",1234567]`, `["xyzabc\"","***",1234567]`},
		{`["quoted",123456]`, `["quoted",123456]`},
		{`{"clean":true}`, `{"clean":true}`},
	} {
		if got := string(m.json([]byte(tc.in))); got != tc.want {
			t.Errorf("json(%s) = %s, want %s", tc.in, got, tc.want)
		}
	}
}

func TestMasksLeaveCleanInputAlone(t *testing.T) {
	m := newMasks()
	m.add("c4nary-0123456789abcdef", "another/secret+value")
	text := strings.Repeat(`{"name":"a \u00e4 task","percent":"%20 %2F","n":12}`, 1000)
	raw := []byte(text)
	if n := testing.AllocsPerRun(20, func() { _ = m.text(text); _ = m.json(raw) }); n != 0 {
		t.Errorf("clean input cost %v allocations", n)
	}
	if got := m.json(raw); &got[0] != &raw[0] {
		t.Error("clean JSON was copied")
	}
}

func TestMasksForget(t *testing.T) {
	m := newMasks()
	m.add("token-one-1", "token-two-2")
	m.forget("token-one-1")
	if got := m.text("token-one-1 token-two-2"); got != "token-one-1 ***" {
		t.Errorf("got %q", got)
	}
}

func TestMasksAddWhileMasking(t *testing.T) {
	m := newMasks()
	var wg sync.WaitGroup
	for i := range 8 {
		secret := fmt.Sprintf("secret-number-%d", i)
		wg.Go(func() {
			m.add(secret)
			if got := m.text(secret); got != masked {
				t.Errorf("%q came out", got)
			}
		})
	}
	wg.Wait()
}

// quotedTimes writes a text as a string of JSON in a string of JSON, and so on, without the outermost quotes.
func quotedTimes(text string, times int) string {
	for range times {
		b, _ := json.Marshal(text)
		text = string(b)
	}
	if times > 0 {
		text = text[1 : len(text)-1]
	}
	return text
}

// An answer may quote a request that quotes a document, each as a string of JSON.
func TestMasksInJSONInJSON(t *testing.T) {
	for _, secret := range []string{`pass"word`, `back\slash`, `"quotes"\`, `\"\"\"\"`, `sl/ash&<amp>`, "tab\tline\nend", "ключ-от-всего", "grin 😀 face", "nul\u0085\u2028 x", `plain-enough`} {
		m := newMasks()
		m.add(secret)
		for times := 1; times <= maxEscapes; times++ {
			in := `{"log":"` + quotedTimes(`{"a":[1,"x `+secret+` y"]}`, times) + `"}`
			php := strings.ReplaceAll(in, "/", strings.Repeat(`\`, 1<<times-1)+"/")
			for _, in := range []string{in, php, ascii(in, times)} {
				want := `{"log":"` + quotedTimes(`{"a":[1,"x *** y"]}`, times) + `"}`
				if got := string(m.json([]byte(in))); got != want || !json.Valid([]byte(got)) {
					t.Errorf("%d times: json(%s) = %s", times, in, got)
				}
				if got := m.text(in); got != want {
					t.Errorf("%d times: text(%s) = %s", times, in, got)
				}
			}
		}
		request := "?q=" + url.QueryEscape(`{"token":"`+quotedTimes(secret, 1)+`"}`)
		if got, want := m.text(request), "?q=%7B%22token%22%3A%22***%22%7D"; got != want {
			t.Errorf("text(%s) = %s, want %s", request, got, want)
		}
	}
}

// ascii writes what is not ASCII in JSON, so many levels deep, as its escapes.
func ascii(text string, level int) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, half := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `%su%04x`, strings.Repeat(`\`, 1<<(level-1)), half)
		}
	}
	return b.String()
}

// A secret in a URL in JSON, as an API says it that escapes JSON for HTML.
func TestMasksInURLInJSON(t *testing.T) {
	const secret = `a"b\c/d+e&f g`
	m := newMasks()
	m.add(secret)
	for _, code := range []func(string) string{url.QueryEscape, url.PathEscape} {
		in, err := json.Marshal([]string{"<" + code(secret) + ">"}) // & is \u0026
		if err != nil {
			t.Fatal(err)
		}
		if got := string(m.json(in)); got != `["\u003c***\u003e"]` {
			t.Errorf("json(%s) = %s", in, got)
		}
		if got := m.text(string(in)); got != `["\u003c***\u003e"]` {
			t.Errorf("text(%s) = %s", in, got)
		}
	}
}

// In the base64 of a longer text a secret has one of three looks.
func TestMasksInLongerBase64(t *testing.T) {
	m := newMasks()
	const secret = "s3cret>>??-of-mine"
	m.add(secret)
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for before := range 6 {
			for after := range 6 {
				text := encoding.EncodeToString([]byte("abcdef"[:before] + secret + "ghijkl"[:after]))
				got := m.text(text)
				left, right, found := strings.Cut(got, masked)
				if !found || strings.TrimRight(text[:before*8/6], "=") != left[:before*8/6] || len(left)+len(right) > (before+after+2)*8/6+2 {
					t.Errorf("%d before, %d after: %s became %s", before, after, text, got)
				}
				if got := string(m.json([]byte(`["` + text + `"]`))); !json.Valid([]byte(got)) || !strings.Contains(got, masked) {
					t.Errorf("in JSON: %s became %s", text, got)
				}
			}
		}
	}
}

// Of secrets that overlap, or begin alike, nothing is left.
func TestMasksOverlap(t *testing.T) {
	m := newMasks()
	m.add("abcdefgh", "efghijkl", `abcdefgh"more`, `gh"xyz123`)
	for in, want := range map[string]string{
		"1abcdefghijkl2":      "1***2",
		"1abcdefghiefghijkl2": "1***i***2",
		`1abcdefgh\"more2`:    "1***2",
		`1abcdefgh\"xyz1232`:  "1***2",
		`1abcdefgh\\\"more2`:  "1***2",
	} {
		if got := m.text(in); got != want {
			t.Errorf("text(%s) = %s, want %s", in, got, want)
		}
		if got := string(m.json([]byte(`["` + in + `"]`))); got != `["`+want+`"]` {
			t.Errorf("json(%s) = %s, want %s", in, got, want)
		}
	}
}

// What json gives is JSON with the same number, and a secret does not come out of it, however often it is quoted,
// percent-encoded, or within a text that is base64.
func FuzzMasks(f *testing.F) {
	f.Add("outside-42", "say outside-42", 123456)
	f.Add(`a"b\c/dé`, `x\"a"b\c/dé\\`, 7)
	f.Add("%41%42%43", "%2541%2542%2543 ABC", 0)
	f.Add(`\\\\\\`, `\\\\\\\\`, 1)
	f.Add(`pass"word\`, `{"a":"`, 2)
	f.Add(`"\"\"\"\`, `\\"`, 3)
	f.Add("two words+1%", `\u0074wo words`, 2)
	f.Add("\u2028ключ😀", "\\u2028", 1)
	f.Fuzz(func(t *testing.T, secret, text string, n int) {
		if utf8.RuneCountInString(secret) < validate.MinSecret || strings.Contains(secret, "*") || len(secret) > 100 || len(text) > 1000 {
			return
		}
		m := newMasks()
		m.add(secret)
		if got := m.text(text + secret); strings.Contains(got, secret) {
			t.Fatalf("secret %q came out: %q", secret, got)
		}
		long := text + secret + text
		coded := base64.StdEncoding.EncodeToString([]byte(long))
		core := coded[(len(text)*8+5)/6 : (len(text)+len(secret))*8/6]
		if got := m.text(coded); strings.Contains(got, core) {
			t.Fatalf("secret %q came out of base64: %q", secret, got)
		}
		if !utf8.ValidString(secret) || !utf8.ValidString(text) {
			return // JSON cannot hold it
		}
		times := 1 + n&1
		deep, shown := quotedTimes(long, times), quotedTimes(secret, times)
		if got := m.text(deep); strings.Contains(got, shown) {
			t.Fatalf("secret %q came out %d levels deep: %q", secret, times, got)
		}
		if got, shown := m.text(url.QueryEscape(deep)), url.QueryEscape(shown); strings.Contains(got, shown) {
			t.Fatalf("secret %q came out of a URL: %q", secret, got)
		}
		in, err := json.Marshal(map[string]any{"n": n, "text": deep, "raw": secret, "url": url.QueryEscape(secret), "base64": coded, secret: 1})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(m.json(in)))
		d.UseNumber()
		if err := d.Decode(&out); err != nil || len(secret) > 20 && out["n"] != json.Number(strconv.Itoa(n)) {
			t.Fatalf("secret %q: %s became %s: %v", secret, in, m.json(in), err)
		}
		for key, value := range out {
			text, _ := value.(string)
			for _, shown := range []string{secret, shown, core} {
				if strings.Contains(key, secret) || strings.Contains(text, shown) {
					t.Fatalf("secret %q came out of %s as %q: %q", secret, in, key, text)
				}
			}
		}
	})
}

// An answer holds no secret most of the time: what that costs is what counts.
func BenchmarkMasks(b *testing.B) {
	m := newMasks()
	m.add("c4nary-0123456789abcdef", "another/secret+value", "user:pass word/9", "eyJhbGciOiJIUzI1NiJ9.e30.abc")
	base64 := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("some bytes that are no text: \x00\x9f\xe2!", 40)))
	for _, kind := range []struct{ name, unit string }{
		{"records", `{"name":"a \u00e4 task","percent":"%20 %2F","n":12,"words":"the quick brown fox"},`},
		{"nested", `{"log":"{\"level\":\"info\",\"path\":\"C:\\\\logs\\\\a.txt\"}"},`},
		{"base64", `{"data":"` + base64 + `"},`},
		{"cyrillic", `{"title":"Написать тест на повторный вход","n":12},`},
		{"secrets", `{"name":"a task","token":"c4nary-0123456789abcdef","words":"` + strings.Repeat("the quick brown fox ", 20) + `"},`},
	} {
		for _, size := range []int{64 << 10, 16 << 20} {
			text := strings.Repeat(kind.unit, size/len(kind.unit))
			raw := []byte(text)
			b.Run(fmt.Sprintf("text/%s/%dKiB", kind.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_ = m.text(text)
				}
			})
			b.Run(fmt.Sprintf("json/%s/%dKiB", kind.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_ = m.json(raw)
				}
			})
		}
	}
}
