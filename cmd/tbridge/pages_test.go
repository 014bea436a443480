package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tbridge/demo"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	comment      = regexp.MustCompile(`\s+# .*$`)
)

// The commands that README and docs show run, in the root of the project and against a tracker, and print what
// is shown below them.
func TestCommandsOfThePages(t *testing.T) {
	t.Chdir("../..")
	tracker, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tracker.Close()
	t.Setenv("TRACKER_URL", tracker.URL)
	t.Setenv("TRACKER_TOKEN", tracker.Token)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
			for _, shown := range strings.Split(block[1], "$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				ran += runShown(t, tracker, comment.ReplaceAllString(command, ""), want)
			}
		}
	}
	if ran == 0 {
		t.Error("no command was run")
	}
}

// runShown runs one command of a page, if it is one of tbridge, and gives how many it ran.
func runShown(t *testing.T, tracker *demo.Server, command, want string) int {
	command = strings.Replace(command, "go run ./cmd/tbridge", "tbridge", 1)
	words := splitWords(command)
	if words[0] != "tbridge" {
		return 0
	}
	t.Run(command, func(t *testing.T) {
		var out bytes.Buffer
		code := run(t.Context(), words[1:], strings.NewReader(""), &out, &out)
		if code > exitFound {
			t.Errorf("exit code %d: %s", code, out.String())
		}
		got := strings.ReplaceAll(out.String(), tracker.URL, "http://127.0.0.1:8090/api/v1")
		if want != "" && strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("it prints\n%s\nand the page shows\n%s", got, want)
		}
	})
	return 1
}

// splitWords splits a command as a shell does, as far as the pages need it: 'quoted text' is kept together.
func splitWords(command string) []string {
	parts := strings.Split(command, "'")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", "\x00")
	}
	words := strings.Fields(strings.Join(parts, ""))
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "\x00", " ")
	}
	return words
}
