package config

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// change reads a change as the cases write it: a verb, a path as a JSON array, and what the verb needs.
func change(line string, text string) (Change, error) {
	verb, rest, _ := strings.Cut(line, " ")
	steps, rest, _ := strings.Cut(rest, "] ")
	list, err := ParseJSON(strings.TrimSuffix(steps, "]")+"]", MaxDepth)
	if err != nil {
		return nil, err
	}
	value := JSON{}
	if rest != "" {
		if value, err = ParseJSON(rest, MaxDepth); err != nil {
			return nil, err
		}
	}
	path := pathOf(list)
	switch verb {
	case "set":
		return Set(path, value), nil
	case "insert":
		return Insert(path, value), nil
	case "text":
		return InsertText(path, text), nil
	case "remove":
		return Remove(path), nil
	case "move":
		to := 0
		_, err := fmt.Sscan(value.Text, &to)
		return Move(path, to), err
	case "rename":
		return Rename(path, value.Text), nil
	case "unshare":
		return Unshare(path), nil
	}
	return nil, fmt.Errorf("no verb %q", verb)
}

func pathOf(list JSON) []any {
	path := []any{}
	for _, step := range list.Items {
		if i := 0; step.Kind == KindNumber {
			fmt.Sscan(step.Text, &i)
			path = append(path, i)
		} else {
			path = append(path, step.Text)
		}
	}
	return path
}

// changes reads the lines of a case.
func changes(t *testing.T, lines, text string) (all []Change) {
	t.Helper()
	for s := bufio.NewScanner(strings.NewReader(lines)); s.Scan(); {
		c, err := change(s.Text(), text)
		if err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		all = append(all, c)
	}
	return all
}

// Each case is a text before a change, the change, and the text after it, or the error. It holds too when lines end
// with CR LF, behind a byte order mark, and without an end of the last line.
func TestEdit(t *testing.T) {
	archives, err := filepath.Glob("testdata/edit/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range archives {
		for title, parts := range readCases(t, name) {
			t.Run(filepath.Base(name)+"/"+title, func(t *testing.T) { editCase(t, parts) })
		}
	}
}

// readCases gives the parts of each case of an archive.
func readCases(t testing.TB, name string) map[string]map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]string{}
	for _, f := range archive.Files {
		title, part, _ := strings.Cut(f.Name, ": ")
		if cases[title] == nil {
			cases[title] = map[string]string{}
		}
		cases[title][part] = string(f.Data)
	}
	return cases
}

func editCase(t *testing.T, parts map[string]string) {
	crlf := strings.NewReplacer("\n", "\r\n")
	forms := map[string]func(string) string{
		"as written": func(s string) string { return s },
		"CR LF":      crlf.Replace,
		"marked":     func(s string) string { return "\uFEFF" + s },
		"cut off":    func(s string) string { return strings.TrimSuffix(s, "\n") },
	}
	for form, write := range forms {
		got, err := Edit("t.yaml", []byte(write(parts["before"])), changes(t, parts["change"], parts["text"])...)
		if err != nil {
			got = []byte(write(err.Error() + "\n"))
		}
		want := parts["after"]
		if message, ok := parts["error"]; ok {
			want = message
		}
		if form == "cut off" && !strings.HasSuffix(string(got), "\n") {
			got = append(got, '\n')
			want = strings.TrimSuffix(want, "\n") + "\n"
		}
		if diff := cmp.Diff(write(want), write(strings.TrimPrefix(strings.ReplaceAll(string(got), "\r\n", "\n"), "\uFEFF"))); diff != "" {
			t.Errorf("%s:\n%s\ngot\n%s", form, diff, got)
		}
	}
}
