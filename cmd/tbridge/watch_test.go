package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"tbridge/config"
)

// expect waits for a notice, and for the text in the list after it.
func (s *server) expect(step, text string) {
	s.t.Helper()
	if line := s.line(); !strings.Contains(line, changedNotice) {
		s.t.Errorf("%s: %s", step, line)
	}
	s.listWith(step, text)
}

func TestChangesAreSeen(t *testing.T) {
	s := startServer(t)
	write(t, s.dir, "tools.d/a.yaml", tools(get("one", "First.")))
	s.expect("a file is overwritten", "First.")
	write(t, s.dir, "new", tools(get("one", "Second.")))
	if err := os.Rename(filepath.Join(s.dir, "new"), filepath.Join(s.dir, "tools.d/a.yaml")); err != nil {
		t.Fatal(err)
	}
	s.expect("a file is replaced by a rename", "Second.")
	write(t, s.dir, "aside/c.yaml", tools(get("three", "Third.")))
	if err := os.Rename(filepath.Join(s.dir, "aside"), filepath.Join(s.dir, "tools.d/sub")); err != nil {
		t.Fatal(err)
	}
	s.expect("a directory is moved in", "Third.")
	write(t, s.dir, "tools.d/sub/c.yaml", tools(get("three", "Fourth.")))
	s.expect("a file in the new directory", "Fourth.")
	if err := os.RemoveAll(filepath.Join(s.dir, "tools.d/sub")); err != nil {
		t.Fatal(err)
	}
	s.expect("a directory is removed", "Second.")
	main, err := os.ReadFile(filepath.Join(s.dir, "tbridge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.dir, "other/o.yaml", tools(get("other", "Other.")))
	write(t, s.dir, "tbridge.yaml", string(main)+"tools: other\n")
	s.expect("another tools directory", "Other.")
	write(t, s.dir, "other/o.yaml", tools(get("other", "Fifth.")))
	s.expect("a file in it", "Fifth.")
}

// A container platform mounts files as links into a directory that it replaces as a whole.
func TestAReplacedMountIsSeen(t *testing.T) {
	s := startServer(t)
	dir := filepath.Join(s.dir, "tools.d")
	write(t, dir, "..v1/m.yaml", tools(get("mounted", "First.")))
	write(t, dir, "..v2/m.yaml", tools(get("mounted", "Second.")))
	for link, target := range map[string]string{"..data": "..v1", "m.yaml": "..data/m.yaml"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s.expect("the mount appears", "First.")
	if err := os.Symlink("..v2", filepath.Join(dir, "..data_tmp")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	s.expect("the mount is replaced", "Second.")
}

func TestConcerns(t *testing.T) {
	c := &config.Catalog{File: "b/tbridge.yaml"}
	tests := []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"b/tbridge.yaml", fsnotify.Write, true},
		{"b/tools.d", fsnotify.Create, true},
		{"b/..data", fsnotify.Create, true},
		{"b/tools.d/x.yaml", fsnotify.Remove, true},
		{"b/tools.d/x.yaml", fsnotify.Chmod, false},
		{"b/server.log", fsnotify.Write, false},
	}
	for _, tt := range tests {
		if got := concerns(fsnotify.Event{Name: tt.name, Op: tt.op}, c); got != tt.want {
			t.Errorf("%s of %s: %v", tt.op, tt.name, got)
		}
	}
}

// Where nothing can be watched, the zero watch stands in.
func TestTheZeroWatch(t *testing.T) {
	var w watch
	w.follow(&config.Catalog{File: "tbridge.yaml"})
	if w.events() != nil || w.errors() != nil {
		t.Error("it tells something")
	}
	w.close()
}
