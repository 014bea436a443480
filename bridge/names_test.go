package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// repeats is a slow reader that says whether an object of a JSON text repeats a key, and the first that does.
func repeats(text string) (key string, found bool) {
	var walk func(d *json.Decoder) error
	walk = func(d *json.Decoder) error {
		token, err := d.Token()
		open, isDelim := token.(json.Delim)
		if err != nil || !isDelim {
			return err
		}
		seen := map[string]bool{}
		for d.More() {
			if open == '{' {
				token, err := d.Token()
				if err != nil {
					return err
				}
				name := token.(string)
				if seen[name] && !found {
					key, found = name, true
				}
				seen[name] = true
			}
			if err := walk(d); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := walk(d); err != nil && err != io.EOF {
		return "", false
	}
	return key, found
}

// wideObject is an object of n members, with what stands after them.
func wideObject(n int, more string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"key%d":{"a":%d,"key%d":[{"a":1}]},`, i, i, i+1)
	}
	return "{" + b.String() + more + "}"
}

func TestRepeatedKeys(t *testing.T) {
	long := strings.Repeat("k", 100)
	cases := map[string]string{ // text to key; empty: none
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}`:     "",
		`{"a":1,"A":2,"a ":3,"":4,"aa":5}`:              "",
		`{"a":1,"b":2,"a":3}`:                           "a",
		`{"":1,"":2}`:                                   "",
		`[{"a":1},{"b":{"x":[{"c":1,"d":{},"c":[]}]}}]`: "c",
		`{"a":{"b":1},"b":2,"c":{"b":1,"b":2}}`:         "b",
		`{"a":{"a":{"a":1}},"a":1}`:                     "a",
		`{"a":1,"\u0061":2}`:                            "a",
		`{"\u0061":1,"\u0061":2}`:                       "a",
		`{"\/":1,"/":2}`:                                "/",
		`{"\b\u0008":1,"\u0008\b":2}`:                   "\b\b",
		`{"\ud83d\ude00":1,"😀":2}`:                      "😀",
		`{"x\"y":1,"x\\\"y":2}`:                         "",
		`{"` + long + `1":1,"` + long + `2":2}`:         "",
		`{"` + long + `":1,"` + long + `":2}`:           long,
	}
	for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 128, 129, 1000, 5000} {
		cases[wideObject(n, `"last":0`)] = ""
		cases[wideObject(n, fmt.Sprintf(`"key%d":0`, n-1))] = fmt.Sprint("key", n-1)
		cases[wideObject(n, `"key0":0,"last":0`)] = "key0"
		cases["["+strings.Repeat(wideObject(n, `"last":0`)+",", 3)+wideObject(n, `"\u006bey0":0`)+"]"] = "key0"
	}
	for text, want := range cases {
		err := checkJSON(text)
		twice, _ := errors.AsType[*repeated](err)
		key, found := repeats(text)
		switch {
		case (twice != nil) != found || found && twice.name != key || twice == nil && err != nil:
			t.Errorf("%.80s: got %v, want %q, %v", text, err, key, found)
		case want != key:
			t.Errorf("%.80s: the yardstick finds %q, want %q", text, key, want)
		}
	}
}

// An answer that two readers would read in two ways is none, whatever is asked of it.
func TestAnswersThatRepeatAKey(t *testing.T) {
	bad := func(key string) string {
		return badResult(codeJSON, `the answer repeats the key \"`+key+`\" in an object, and which one counts cannot be known`)
	}
	const body = `{"ok":true,"data":{"id":1,"tags":[{"n":1,"n":2}]}}`
	g := readingOf(t, "timeout: 5m", anyTool+"response: {projection: data.id}", nil)
	g.masks.add("s3cret-key")
	runKinds(t, g,
		kindCase{"where nobody looks", typed("application/json", body), bad("n")},
		kindCase{"as plain text", typed("text/plain", body), bad("n")},
		kindCase{"without a type", reply{0, "", body}, bad("n")},
		kindCase{"a secret", typed("application/json", `{"s3cret-key":1,"s3cret-key":2}`), bad("***")},
		kindCase{"what nobody sees", typed("application/json", `{"a\u202e\u001b[2Jb":1,"a\u202e\u001b[2Jb":2}`), bad("ab")},
		kindCase{"no JSON either", typed("application/json", `{"a":1,"a":2`), badResult(codeJSON, "the answer is no JSON that can be read: not valid JSON")},
		kindCase{"once", typed("application/json", `{"data":{"id":1},"id":{"id":1}}`), `{"content":[{"type":"text","text":"1"}],"structuredContent":{"value":1}}`},
	)
	runKinds(t, readingOf(t, "envelope: {ok: ok, data: data}", anyTool, nil),
		kindCase{"a yes and a no", typed("application/json", `{"ok":false,"data":1,"ok":true}`), bad("ok")},
		kindCase{"a no and a yes", typed("application/json", `{"ok":true,"data":1,"ok":false}`), bad("ok")})
	runKinds(t, readingOf(t, "timeout: 5m", anyTool+"response: {content: text}", nil),
		kindCase{"text is text", typed("application/json", `{"a":1,"a":2}`), textResult(`{\"a\":1,\"a\":2}`)})
	runKinds(t, readingOf(t, "timeout: 5m", anyTool+"response: {projection: 'doc.@fromstr'}", nil),
		kindCase{"in a string that is read as JSON", typed("application/json", `{"doc":"{\"a\":1,\"a\":2}"}`),
			badResult(codeProjection, `the path \"doc.@fromstr\" cannot be followed in this answer`)})
	r := readAnswer(t, readingOf(t, "timeout: 5m", anyTool, nil), "GET", reply{409, asJSON, `{"code":"taken","code":"free"}`}, "{}")
	if r.Kind != kindConflict || strings.Contains(string(r.Structured), `"code":`) {
		t.Errorf("a failure is still that failure, without a code: %s", r.Structured)
	}
}

// What costs an allocation for each key, or each object, costs more than all the rest of the check.
func TestCheckingJSONAllocatesLittle(t *testing.T) {
	text := boardTasks(10)
	if n := testing.AllocsPerRun(100, func() {
		if err := checkJSON(text); err != nil {
			t.Error(err)
		}
	}); n > 5 { // the race detector empties pools
		t.Errorf("%v allocations for %d keys", n, strings.Count(text, ":"))
	}
}
