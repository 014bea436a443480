package bridge

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFileFromPath(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "secret.txt", "not for upload")
	write(t, dir, "share/a.bin", "\x00\xff\r\n")
	write(t, dir, "share/sub/b.txt", "hello")
	write(t, dir, "share/big.txt", strings.Repeat("x", 21))
	write(t, dir, "other/o.txt", "other")
	for name, target := range map[string]string{"out": "../secret.txt", "in": "sub/b.txt", "far": dir, "abs": filepath.Join(dir, "share/a.bin"), "gone": "none"} {
		if err := os.Symlink(target, filepath.Join(dir, "share", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "share/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := compileIn(t, dir, "files: {roots: [gone, \"${ABSENT}\", share, \"~/x\", \""+dir+"/other\"]}", `
method: POST
path: /u
encoding: bytes
arguments: [{name: doc, type: file, source: path, required: true, max_bytes: 20, description: D}]
body: "{doc}"
`, map[string]string{"HOME": dir})
	if err != nil {
		t.Fatal(err)
	}
	const head = "POST u\napplication/octet-stream\n\n"
	const refused = "!invalid_arguments: doc: no regular file of that path below a folder that files.roots permits (gone, share, x, other)"
	for path, want := range map[string]string{
		dir + "/share/a.bin":           head + "\x00\xff\r\n",
		dir + "/share/in":              head + "hello",
		dir + "/share/abs":             head + "\x00\xff\r\n",
		dir + "/share/./sub/../a.bin":  head + "\x00\xff\r\n",
		dir + "/other/o.txt":           head + "other",
		"sub/b.txt":                    head + "hello",
		"o.txt":                        head + "other",
		dir + "/secret.txt":            refused,
		dir + "/share/../secret.txt":   refused,
		dir + "/share/out":             refused,
		dir + "/share/far/secret.txt":  refused,
		dir + "/share/gone":            refused,
		dir + "/share/none.txt":        refused,
		dir + "/share":                 refused,
		dir + "/share/pipe":            refused,
		dir + "/sharex/a.bin":          refused,
		"../secret.txt":                refused,
		"../../../../../../etc/passwd": refused,
		"/etc/passwd":                  refused,
		"/dev/zero":                    refused,
		"":                             refused,
		dir + "/share/a\x00.bin":       refused,
		dir + "/share/big.txt":         "!invalid_arguments: doc: 21 bytes, more than the 20 allowed",
	} {
		args := `{"doc":` + quote(path) + `}`
		renderCase{path, args, want}.run(t, p)
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer("\x00", `\u0000`).Replace(s) + `"`
}

func TestNoRoots(t *testing.T) {
	p := planOf(t, "", `
method: POST
path: /u
arguments: [{name: doc, type: file, source: path, description: D}]
`, nil)
	renderCase{"none", `{"doc":"/etc/hosts"}`, "!invalid_arguments: doc: no regular file of that path below a folder that files.roots permits (none)"}.run(t, p)
}

func TestFilesAsText(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "in/a.txt", "räd\n")
	p, err := compileIn(t, dir, "files: {roots: [in]}", `
method: POST
path: /u
arguments:
  - {name: text, type: file, source: text, max_bytes: 3, description: T}
  - {name: raw, type: file, description: R}
  - {name: at, type: file, source: path, description: P}
  - {name: all, type: object, description: A, properties: [{name: f, as: F, type: file, source: text, description: F}]}
body: {files: [{content: "{text}"}, {content: "{raw}"}, {content: "{at}"}], all: "{all}", one: "{all.f}"}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	const head = "POST u\napplication/json\n\n"
	runAll(t, p, []renderCase{
		{"all", `{"text":"é","raw":"AP8N","at":"a.txt","all":{"f":"x"}}`,
			head + `{"files":[{"content":"w6k="},{"content":"AP8N"},{"content":"csOkZAo="}],"all":{"F":"eA=="},"one":"eA=="}`},
		{"empty", `{"text":"","raw":""}`, head + `{"files":[{"content":""},{"content":""}]}`},
		{"without padding", `{"raw":"w6k"}`, head + `{"files":[{"content":"w6k="}]}`},
		{"too long", `{"text":"abcd"}`, "!invalid_arguments: text: 4 bytes, more than the 3 allowed"},
		{"no base64", `{"raw":"A"}`, "!invalid_arguments: raw: not valid base64"},
		{"base64 of the URL kind", `{"raw":"_-8="}`, "!invalid_arguments: raw: not valid base64"},
		{"line breaks", `{"raw":"AP8N\n"}`, "!invalid_arguments: raw: not valid base64"},
		{"bits left over", `{"raw":"AB=="}`, "!invalid_arguments: raw: not valid base64"},
	})
}

// A file that is too long for a body of text is refused before it is read.
func TestFileTooLongForText(t *testing.T) {
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "big"), maxInline+1)
	p, err := compileIn(t, dir, "files: {roots: [.]}", `
method: POST
path: /u
arguments: [{name: doc, type: file, source: path, description: D}]
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	renderCase{"big", `{"doc":"big"}`, "!invalid_arguments: doc: 16777217 bytes, more than the 16777216 that fit into a body of text"}.run(t, p)
}

func sparse(t *testing.T, path string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
}

// A large file goes from the disk to the wire without standing in memory, with its length announced.
func TestLargeFileIsStreamed(t *testing.T) {
	const size = 100 << 20
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "big"), size)
	p, err := compileIn(t, dir, "files: {roots: [.]}", `
method: POST
path: /u
encoding: multipart
arguments: [{name: doc, type: file, source: path, description: D}]
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got int64
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		part, err := parts.NextPart()
		if err != nil {
			t.Error(err)
			return
		}
		n, _ := io.Copy(io.Discard, part)
		got = n
		if r.ContentLength < size {
			t.Errorf("length %d announced", r.ContentLength)
		}
	}))
	defer s.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, e := p.render(callOf(t, `{"doc":"big"}`))
	if e != nil {
		t.Fatal(e)
	}
	defer r.close()
	body, err := r.body.open()
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", s.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = r.body.length
	req.Header.Set("Content-Type", r.body.contentType)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	runtime.ReadMemStats(&after)
	if got != size {
		t.Errorf("%d bytes arrived, want %d", got, size)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated on the way", used)
	}
}

// What rendering opened is closed with the request, and when rendering fails.
func TestFilesAreClosed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "a")
	p, err := compileIn(t, dir, "files: {roots: [.]}", `
method: POST
path: /u
encoding: multipart
arguments:
  - {name: doc, type: file, source: path, description: D}
  - {name: raw, type: file, description: R}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, e := p.render(callOf(t, `{"doc":"a"}`))
	if e != nil {
		t.Fatal(e)
	}
	if n := timesOpen(t, filepath.Join(dir, "a")); n != 1 {
		t.Errorf("the file is open %d times while the request lives", n)
	}
	r.close()
	if _, e = p.render(callOf(t, `{"doc":"a","raw":"!"}`)); e == nil {
		t.Error("bad base64 passes")
	}
	if n := timesOpen(t, filepath.Join(dir, "a")); n != 0 {
		t.Errorf("the file is open %d times in the end", n)
	}
}

// openFiles names what this process holds open.
func openFiles(t *testing.T) (names []string) {
	t.Helper()
	dir := "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		dir = "/dev/fd"
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names
}

// timesOpen is how often a file is held open.
func timesOpen(t *testing.T, path string) (n int) {
	t.Helper()
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range openFiles(t) {
		if open, err := os.Stat(name); err == nil && os.SameFile(file, open) {
			n++
		}
	}
	return n
}

func TestDecodeBase64(t *testing.T) {
	for _, s := range []string{"", "\x00\xff\r\n", strings.Repeat("ab", 99)} {
		for _, encoded := range []string{base64.StdEncoding.EncodeToString([]byte(s)), base64.RawStdEncoding.EncodeToString([]byte(s))} {
			got, err := decodeBase64(encoded)
			if err != nil {
				t.Errorf("%q: %v", encoded, err)
			}
			if diff := cmp.Diff(s, string(got)); diff != "" {
				t.Error(diff)
			}
		}
	}
}
