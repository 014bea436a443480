package bridge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
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

// What json gives is JSON with the same number, and a secret does not come out of text.
func FuzzMasks(f *testing.F) {
	f.Add("outside-42", "say outside-42", 123456)
	f.Add(`a"b\c/dé`, `x\"a"b\c/dé\\`, 7)
	f.Add("%41%42%43", "%2541%2542%2543 ABC", 0)
	f.Add(`\\\\\\`, `\\\\\\\\`, 1)
	f.Fuzz(func(t *testing.T, secret, text string, n int) {
		m := newMasks()
		m.add(secret)
		in, err := json.Marshal(map[string]any{"n": n, "text": text, "raw": secret, "url": url.QueryEscape(secret)})
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ N int }
		if masked := m.json(in); json.Unmarshal(masked, &out) != nil || len(secret) > 20 && out.N != n {
			t.Fatalf("secret %q: %s became %s", secret, in, masked)
		}
		long := utf8.RuneCountInString(secret) >= validate.MinSecret
		if got := m.text(text + secret); long && !strings.Contains(secret, "*") && strings.Contains(got, secret) {
			t.Fatalf("secret %q came out: %q", secret, got)
		}
	})
}

func BenchmarkMasks(b *testing.B) {
	m := newMasks()
	m.add("c4nary-0123456789abcdef", "another/secret+value", "user:pass word/9", "eyJhbGciOiJIUzI1NiJ9.e30.abc")
	text := strings.Repeat(`{"name":"a \u00e4 task","percent":"%20 %2F","n":12,"words":"the quick brown fox"}`, 3000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = m.text(text)
	}
}
