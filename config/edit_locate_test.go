package config

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const located = "\uFEFFapi: ü # 🚀\ntools:\n  # first\n  - name: &n take 🚀\n    arguments: [{name: é, type: string}, *n]\n\n  - {name: two, body: {a, b: }}\n  -\n"

func TestLocate(t *testing.T) {
	tests := []struct {
		path []any
		text string
		at   string
	}{
		{[]any{"api"}, "ü", "1:6-1:7"},
		{[]any{"tools", 0, "name"}, "take 🚀", "4:14-4:20"},
		{[]any{"tools", 0, "arguments"}, "[{name: é, type: string}, *n]", "5:16-5:45"},
		{[]any{"tools", 0, "arguments", 0, "type"}, "string", "5:33-5:39"},
		{[]any{"tools", 0, "arguments", 1}, "*n", "5:42-5:44"},
		{[]any{"tools", 1}, "{name: two, body: {a, b: }}", "7:5-7:32"},
		{[]any{"tools", 2}, "", "8:4-8:4"},
	}
	for _, tt := range tests {
		at, start, end, err := Locate("t.yaml", []byte(located), tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d:%d-%d:%d", at.Line, at.Column, at.EndLine, at.EndColumn); located[start:end] != tt.text || got != tt.at {
			t.Errorf("%v is %q at %s", tt.path, located[start:end], got)
		}
	}
	for path, want := range map[string]string{
		`["tools", 0, "title"]`:             "t.yaml:4:5: tools[0].title is not there",
		`["tools", 0, "api"]`:               "t.yaml:1:6: tools[0].api comes from the head of the file, line 1",
		`["tools", 0, "arguments", 1, "x"]`: "t.yaml:5:42: tools[0].arguments[1] is shared: *n stands for what line 4 says",
	} {
		list, _ := ParseJSON(path, MaxDepth)
		if _, _, _, err := Locate("t.yaml", []byte(located), pathOf(list)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, _, err := Locate("t.yaml", []byte("a: ["), nil); err == nil {
		t.Error("what is no YAML is found")
	}
}

func TestPathAt(t *testing.T) {
	for place, want := range map[[2]int][]any{
		{1, 1}:    {"api"},
		{1, 6}:    {"api"},
		{1, 9}:    {"api"},
		{2, 3}:    {"tools"},
		{3, 4}:    {"tools", 0},
		{4, 1}:    {"tools", 0},
		{4, 5}:    {"tools", 0, "name"},
		{4, 30}:   {"tools", 0, "name"},
		{5, 5}:    {"tools", 0, "arguments"},
		{5, 19}:   {"tools", 0, "arguments", 0, "name"},
		{5, 36}:   {"tools", 0, "arguments", 0, "type"},
		{5, 43}:   {"tools", 0, "arguments", 1},
		{6, 1}:    {"tools"},
		{7, 25}:   {"tools", 1, "body", "a"},
		{7, 28}:   {"tools", 1, "body", "b"},
		{8, 4}:    {"tools", 2},
		{99, 1}:   {},
		{1, 5000}: {"api"},
	} {
		got, err := PathAt("t.yaml", []byte(located), place[0], place[1])
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %v %s", place, err, diff)
		}
	}
	if _, err := PathAt("t.yaml", []byte("a: ["), 1, 1); err == nil {
		t.Error("what is no YAML has a path")
	}
}

// Where a value is found, its path is found again: at nodes spread over every shipped file.
func TestLocateAndPathAtAgree(t *testing.T) {
	for name, text := range shipped(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := spots(t, text)
			for i, s := range all {
				if every := len(all)/20 + 1; i%every > 0 {
					continue
				}
				at, _, _, err := Locate(name, []byte(text), s.path)
				if err != nil {
					t.Fatal(err)
				}
				path, err := PathAt(name, []byte(text), at.Line, at.Column)
				if err != nil || len(path) < len(s.path) || !cmp.Equal(path[:len(s.path)], s.path) {
					t.Errorf("%s is at %s, where %s is (%v)", pathText(s.path), at, pathText(path), err)
				}
			}
		})
	}
}
