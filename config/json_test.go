package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	tests := []struct{ text, want, err string }{
		{` {"b" : [1, -0, 1.50e+07, 12345678901234567890], "a":{}} `, `{"b":[1,-0,1.50e+07,12345678901234567890],"a":{}}`, ""},
		{`"\u00e4\ud83d\ude00\/\b\f\n\r\t\"\\\u0000"`, `"ä😀/\u0008\u000c\n\r\t\"\\\u0000"`, ""},
		{`[true,false,null,"",[]]`, `[true,false,null,"",[]]`, ""},
		{``, "", "unexpected end of JSON"},
		{`{"a":{"b":1,"c":[1,{"d":1,"d":2}]}}`, "", `a.c[1].d: "d" is given twice`},
		{`{"a":1,"\u0061":2}`, "", `a: "a" is given twice`},
		{`{"a" 1}`, "", `a: unexpected '1', want a colon`},
		{`{a:1}`, "", `unexpected 'a', want a member's name`},
		{`{"a":1,}`, "", `unexpected '}', want a member's name`},
		{`{"a":1 "b":2}`, "", `unexpected '"', want a comma or "}"`},
		{`[1,]`, "", `[1]: unexpected ']', want a JSON value`},
		{`[1`, "", `unexpected end, want a comma or "]"`},
		{`[010]`, "", `[0]: unexpected '0', want a JSON number`},
		{`1.`, "", `unexpected '1', want a JSON number`},
		{`1e`, "", `unexpected '1', want a JSON number`},
		{`-`, "", `unexpected '-', want a JSON number`},
		{`1e1001`, "", "number with more than 1000 digits"},
		{`1e-99999999999999999999`, "", "number with more than 1000 digits"},
		{strings.Repeat("1", 1001), "", "number with more than 1000 digits"},
		{`1 2`, "", `unexpected '2' after the value`},
		{`nul`, "", `unexpected 'n', want a JSON value`},
		{"\"a\xff\"", "", "not valid UTF-8"},
		{"\"a\nb\"", "", `control character '\n' in a string`},
		{"\"\\n\n\"", "", `control character '\n' in a string`},
		{`"a`, "", "unexpected end of JSON in a string"},
		{`"a\`, "", "unexpected end of JSON in a string"},
		{`"a\n`, "", "unexpected end of JSON in a string"},
		{`"\x"`, "", `bad escape \x`},
		{`{"\q":1}`, "", `bad escape \q`},
		{`"\ud800"`, "", `bad \u escape, or half of a surrogate pair`},
		{`"\ud800\u0041"`, "", `bad \u escape, or half of a surrogate pair`},
		{`"\ud800\u00"`, "", `bad \u escape, or half of a surrogate pair`},
		{`"\u12g4"`, "", `bad \u escape, or half of a surrogate pair`},
		{`"\u12`, "", `bad \u escape, or half of a surrogate pair`},
		{strings.Repeat("[", 33) + strings.Repeat("]", 33), "", strings.Repeat("[0]", 32) + ": nested deeper than 32 levels"},
	}
	for _, tt := range tests {
		v, err := ParseJSON([]byte(tt.text), MaxDepth)
		if errText(err) != tt.err {
			t.Errorf("%.60q: error %q, want %q", tt.text, errText(err), tt.err)
		} else if err == nil && v.String() != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, v, tt.want)
		}
	}
}

func TestParseJSONDeep(t *testing.T) {
	if _, err := ParseJSON(strings.Repeat("[", 32)+strings.Repeat("]", 32), MaxDepth); err != nil {
		t.Error(err)
	}
	if _, err := ParseJSON(strings.Repeat("[", 2_000_000), 0); err == nil || !strings.Contains(err.Error(), "deeper than 10000") {
		t.Errorf("two million brackets: %.100v", err)
	}
}

// Objects with many members keep their order and find what is there twice.
func TestParseJSONManyMembers(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	text := "{" + b.String() + `"last":0}`
	v, err := ParseJSON(text, 0)
	if err != nil || v.String() != text {
		t.Errorf("got %s, %v", v, err)
	}
	if _, err := ParseJSON("{"+b.String()+`"k50":0}`, 0); errText(err) != `k50: "k50" is given twice` {
		t.Errorf("error %v", err)
	}
}

func TestJSONMembers(t *testing.T) {
	v := JSON{Kind: KindObject}
	v.Put("a", StringJSON("x"))
	v.Put("b", JSON{})
	v.Put("a", JSON{Kind: KindNumber, Text: "1.0"})
	if got := v.String(); got != `{"a":1.0,"b":null}` {
		t.Errorf("got %s", got)
	}
	if b, ok := v.Get("b"); !ok || b.Kind != KindNull {
		t.Error("b is not null")
	}
	if _, ok := v.Get("c"); ok {
		t.Error("c is there")
	}
	if KindObject.String() != "object" || KindNull.String() != "null" {
		t.Error("kinds have other names")
	}
}

func TestAppendQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "aä😀": `"aä😀"`, "a\"\\b": `"a\"\\b"`, "\n\r\t\x01\x7f": "\"\\n\\r\\t\\u0001\x7f\"", "a\xffb\xc3": "\"a\uFFFDb\uFFFD\"", "\u2028": "\"\u2028\"",
	} {
		if got := string(AppendQuoted(nil, in)); got != want {
			t.Errorf("%q is quoted %s, want %s", in, got, want)
		}
		if got := string(AppendQuoted(nil, []byte(in))); got != want {
			t.Errorf("%q as bytes is quoted %s, want %s", in, got, want)
		}
	}
}

func TestIsNumber(t *testing.T) {
	for s, want := range map[string]bool{"0": true, "-0.50": true, "1e3": true, "1E+3": true, "": false, "01": false, "+1": false, ".5": false, "1_0": false, "0x1": false, "1 ": false, "1e1001": false, "NaN": false} {
		if IsNumber(s) != want {
			t.Errorf("IsNumber(%q) is %v", s, !want)
		}
	}
}
