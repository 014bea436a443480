package main

import (
	"strings"
	"testing"

	"tbridge/config"
)

// at makes a span of file f.
func at(line, column, endLine, endColumn int) config.Pos {
	return config.Pos{File: "f", Line: line, Column: column, EndLine: endLine, EndColumn: endColumn}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 100) + "HERE" + strings.Repeat("y", 100)
	tests := []struct {
		name, text  string
		at          config.Pos
		line, marks string
	}{
		{"a word", "a: word\n", at(1, 4, 1, 8), "a: word", "   ^^^^"},
		{"wide letters", "取得: é😀x", at(1, 6, 1, 7), "取得: é😀x", "       ^^"},
		{"a combining letter", "e\u0301: x", at(1, 5, 1, 6), "e\u0301: x", "   ^"},
		{"tabs stay", "\ta: b", at(1, 5, 1, 6), "\ta: b", "\t   ^"},
		{"several lines: the first", "a: [b,\nc]\n", at(1, 4, 2, 3), "a: [b,", "   ^^^"},
		{"nothing: where it begins", "a:\n", at(1, 3, 1, 3), "a:", "  ^"},
		{"CRLF and a byte order mark", "\ufeffa: b\r\nc: d\r\n", at(1, 4, 1, 5), "a: b", "   ^"},
		{"control characters", "a: \x1b[2J", at(1, 4, 1, 5), "a: \uFFFD[2J", "   ^"},
		{"what turns a line round", "a\u202eb: c", at(1, 3, 1, 4), "a\uFFFDb: c", "  ^"},
		{"a long line", long, at(1, 101, 1, 105), strings.Repeat("x", 60) + "HERE" + strings.Repeat("y", 56), strings.Repeat(" ", 60) + "^^^^"},
		{"a line that is not there", "a\n", at(9, 1, 9, 2), "", ""},
		{"a file as a whole", "a\n", config.Pos{File: "f"}, "", ""},
		{"a file that is not there", "", at(1, 1, 1, 2), "", "^"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := sourceLines{texts: map[string]string{"f": tt.text}, lines: map[string][]string{}}
			if line, marks := src.excerpt(tt.at); line != tt.line || marks != tt.marks {
				t.Errorf("got\n%q\n%q\nwant\n%q\n%q", line, marks, tt.line, tt.marks)
			}
		})
	}
}

// A secret that a file holds is not shown by the finding about it, nor by another one on its lines.
func TestExcerptsHideSecrets(t *testing.T) {
	ds := config.Diagnostics{
		{Pos: at(1, 8, 2, 4), Severity: config.Warning, Rule: "literal-secret", Message: "m"},
		{Pos: at(1, 1, 1, 5), Severity: config.Error, Rule: "other", Message: "n"},
	}
	var b strings.Builder
	if err := pretty(&b, ds, map[string]string{"f": "auth: \"sk-1\n  2\" # x\n"}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "sk-") || !strings.Contains(got, "auth: \"****") {
		t.Errorf("got %s", got)
	}
}

func TestOneLine(t *testing.T) {
	d := config.Diagnostic{Pos: at(1, 2, 1, 3), Severity: config.Error, Rule: "duplicate-tool", Message: `tool "a" is there twice`, Hint: "rename one",
		Related: []config.Related{{Pos: at(7, 8, 7, 9), Message: "the first one"}}}
	want := `f:1:2: error: tool "a" is there twice; rename one (f:7:8: the first one) [duplicate-tool]`
	if got := oneLine(d, "error"); got != want {
		t.Errorf("got %s", got)
	}
	if got, want := oneLine(config.Diagnostic{Rule: "r", Message: "m"}, "note"), "note: m [r]"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: got %s", n, got)
		}
	}
}
