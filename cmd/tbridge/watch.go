package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"tbridge/config"
)

// settleTime is how long after a first change the directory is read: one save is several changes.
const settleTime = 75 * time.Millisecond

// A watch tells of changes below a bridge directory. Directories are watched, not files: editors and container
// platforms replace a file, or a link above it, by a rename. The zero watch never tells anything.
type watch struct{ fs *fsnotify.Watcher }

// startWatch begins to watch the directories of a catalogue.
func startWatch(c *config.Catalog) (watch, error) {
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return watch{}, err
	}
	w := watch{fsw}
	w.follow(c)
	return w, nil
}

func (w watch) events() <-chan fsnotify.Event {
	if w.fs == nil {
		return nil
	}
	return w.fs.Events
}

func (w watch) errors() <-chan error {
	if w.fs == nil {
		return nil
	}
	return w.fs.Errors
}

func (w watch) close() {
	if w.fs != nil {
		_ = w.fs.Close()
	}
}

// follow watches the directories that there are now; those that are watched already stay so. A directory that
// is not there, or gone since it was listed, is told by the one above it when it comes.
func (w watch) follow(c *config.Catalog) {
	if w.fs == nil {
		return
	}
	_ = w.fs.Add(filepath.Dir(c.File))
	root, err := filepath.EvalSymlinks(c.Directory())
	if err != nil {
		return
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = w.fs.Add(path)
		}
		return nil
	})
}

// concerns says whether an event may be a change of what a catalogue is read from. Beside tbridge.yaml there may
// be anything, a log that is written all the time.
func concerns(e fsnotify.Event, c *config.Catalog) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	if filepath.Dir(e.Name) != filepath.Dir(c.File) {
		return true
	}
	name := filepath.Base(e.Name)
	return name == filepath.Base(c.File) || name == filepath.Base(c.Directory()) || strings.HasPrefix(name, "..")
}
