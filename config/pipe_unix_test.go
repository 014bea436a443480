//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe would make reading wait for a writer.
func TestPipe(t *testing.T) {
	path := write(t, map[string]string{"tools.d/a.yaml": tool("a")})
	dir := filepath.Dir(path)
	if err := syscall.Mkfifo(filepath.Join(dir, "tools.d", "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, ds := load(t, path)
	if got := render(ds, dir); got != "tools.d/pipe.yaml-0:0: note: not read: this is no regular file [skipped-file]\n" {
		t.Errorf("found %s", got)
	}
}
