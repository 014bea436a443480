package main

import (
	"strings"
	"testing"
)

func TestSideBySide(t *testing.T) {
	long := strings.Repeat("x", sides+2)
	for _, c := range []struct{ want, got, shown string }{
		{"a", "b", "expected   got\na        | b"},
		{"a\nb\nc", "a\nc\nd", "expected   got\na          a\nb        <\nc          c\n         > d"},
		{"x\na\nb", "a\ny\nb", "expected   got\nx        <\na          a\n         > y\nb          b"},
		{"取得済\nb", "取得\nb", "expected   got\n取得済   | 取得\nb          b"},
		{long, "y", "expected" + strings.Repeat(" ", sides-8) + "   got\n" + long[:sides] + " | y\nxx" + strings.Repeat(" ", sides-2) + " |"},
		{"y", long, "expected   got\ny        | " + long[:sides] + "\n         | xx"},
	} {
		if got := sideBySide(c.want, c.got); got != c.shown {
			t.Errorf("%q and %q:\n%s\nwant\n%s", c.want, c.got, got, c.shown)
		}
	}
}

// Texts that are too long to be aligned are compared line by line.
func TestSideBySideOfLongTexts(t *testing.T) {
	a := strings.Repeat("a\n", 3000)
	b := strings.Repeat("a\n", 1500) + strings.Repeat("b\n", 1500)
	shown := sideBySide(a, b)
	if got := strings.Count(shown, "\na          a"); got != 1500 {
		t.Errorf("%d lines are the same", got)
	}
	if got := strings.Count(shown, "\na        | b"); got != 1500 {
		t.Errorf("%d lines differ", got)
	}
}
