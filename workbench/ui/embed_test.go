package ui_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"tbridge/workbench/ui"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := fs.ReadFile(ui.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// The page is small enough to be there at once: under 200 KiB compressed, all files together.
func TestPageIsSmall(t *testing.T) {
	var all bytes.Buffer
	w, _ := gzip.NewWriterLevel(&all, gzip.BestCompression)
	err := fs.WalkDir(ui.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = w.Write(read(t, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if limit := 200 << 10; all.Len() >= limit {
		t.Errorf("the page has %d bytes compressed, the limit is %d", all.Len(), limit)
	}
}

// What index.html loads is there, under a name with a hash, and comes from nowhere else; nothing in it is a script
// or a style by itself, and the nonce has its place.
func TestIndexLoadsWhatIsThere(t *testing.T) {
	index := string(read(t, "index.html"))
	loaded := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(index, -1)
	var kinds []string
	for _, m := range loaded {
		if m[1] == "data:," { // no icon
			continue
		}
		name, ok := strings.CutPrefix(m[1], "/")
		if !ok || !regexp.MustCompile(`^[a-z]+-[A-Z0-9]{8}\.(js|css)$`).MatchString(name) {
			t.Errorf("index.html loads %q", m[1])
			continue
		}
		read(t, name)
		kinds = append(kinds, path.Ext(name))
	}
	if got := strings.Join(kinds, " "); got != ".css .js" {
		t.Errorf("index.html loads %s", got)
	}
	if n := strings.Count(index, "__NONCE__"); n != 1 {
		t.Errorf("the nonce has %d places", n)
	}
	for _, banned := range []string{"<style", "style=", "onclick", "onload", "javascript:"} {
		if strings.Contains(index, banned) {
			t.Errorf("index.html holds %q", banned)
		}
	}
	if scripts := regexp.MustCompile(`<script[^>]*></script>`).FindAllString(index, -1); len(scripts) != strings.Count(index, "<script") {
		t.Error("index.html holds a script by itself")
	}
}

// The script makes text nodes only: nothing in it hands text to the browser as HTML or as code.
func TestScriptHasNoSinks(t *testing.T) {
	names, err := fs.Glob(ui.Files, "*.js")
	if err != nil || len(names) != 1 {
		t.Fatalf("scripts are %q, %v", names, err)
	}
	script := string(read(t, names[0]))
	for _, sink := range []string{"insertAdjacentHTML", "document.write", "eval(", "new Function", "createContextualFragment", ".outerHTML=", "setHTMLUnsafe"} {
		if strings.Contains(script, sink) {
			t.Errorf("the script holds %q", sink)
		}
	}
}
