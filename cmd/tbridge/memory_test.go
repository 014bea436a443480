//go:build linux && !race

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What large files and answers take of the memory of a process that serves: the most that was ever resident. The race
// detector has memory of its own for each byte.
func TestMemoryOfAProcess(t *testing.T) {
	zeros := make([]byte, 16<<20)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(zeros)
	_ = z.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/endless":
			for _, err := io.WriteString(w, `["`); err == nil; {
				_, err = w.Write(zeros[:32<<10])
			}
		case "/bomb": // 1 GiB in 1 MB
			w.Header().Set("Content-Encoding", "gzip")
			for range 64 {
				_, _ = w.Write(zipped.Bytes())
			}
		default:
			n, _ := io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, `{"got":%d}`, n)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\nfiles: {roots: [.]}\napis: {up: {base_url: \""+s.URL+"\"}}\n")
	write(t, dir, "tools.d/a.yaml", tools(get("endless", "E."), get("bomb", "B."),
		"{name: upload, description: U., method: POST, path: /u, encoding: multipart, arguments: [{name: doc, type: file, source: path, required: true, description: D.}]}"))
	write(t, dir, "small", "x")
	big, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	if err := big.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ tool, arguments, want string }{
		{"upload", `{"doc":"big"}`, `{"got":1048`},
		{"endless", `{}`, `"kind":"response_too_large"`},
		{"bomb", `{}`, `"kind":"response_too_large"`},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			p := startPiped(t, dir)
			if got := p.call(1, "upload", `{"doc":"small"}`); !strings.Contains(got, `{"got":`) {
				t.Fatal(got)
			}
			before := residentMost(t, p.cmd.Process.Pid)
			if got := p.call(2, tc.tool, tc.arguments); !strings.Contains(got, tc.want) {
				t.Errorf("got %.300s", got)
			}
			after := residentMost(t, p.cmd.Process.Pid)
			t.Logf("%d MiB, %d MiB before", after>>20, before>>20)
			if after-before > 32<<20 || tc.tool == "upload" && after > 40<<20 {
				t.Errorf("the process grew by %d MiB to %d MiB", (after-before)>>20, after>>20)
			}
		})
	}
}

// residentMost is the most that a process ever had in memory, in bytes.
func residentMost(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
