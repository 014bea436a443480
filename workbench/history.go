package workbench

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxSaves is how many texts of one file are kept.
const maxSaves = 50

// A history keeps what was saved, outside of the repository: STATE/history/DIRECTORY/FILE/TIME-NOTE.yaml, where
// DIRECTORY and FILE are hashes of the paths, TIME counts nanoseconds since 1970 and NOTE is why the text is kept. A nil
// history keeps nothing.
type history struct{ root *os.Root }

// openHistory opens the history of a tools directory; empty state: nil.
func openHistory(state, dir string) (*history, error) {
	if state == "" {
		return nil, nil
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(state, "history", short(full))
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(place)
	if err != nil {
		return nil, err
	}
	return &history{root}, nil
}

func (h *history) close() error {
	if h == nil {
		return nil
	}
	return h.root.Close()
}

// short is a name for a path.
func short(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16])
}

// An entry is one text that was kept.
type entry struct {
	ID    string    `json:"id"`
	At    time.Time `json:"at"`
	Bytes int64     `json:"bytes"`
	Note  string    `json:"note"` // saved; before: as a save found it; deleted
}

var (
	entryName = regexp.MustCompile(`^([0-9]{19})-(saved|before|deleted)\.yaml$`)
	entryID   = regexp.MustCompile(`^([0-9a-f]{32})-([0-9]{19}-(?:saved|before|deleted))$`)
)

// list gives what is kept of a file, the newest first.
func (h *history) list(path string) ([]entry, error) {
	entries := []entry{}
	if h == nil {
		return entries, nil
	}
	found, err := fs.ReadDir(h.root.FS(), short(path))
	if errors.Is(err, fs.ErrNotExist) {
		return entries, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Backward(found) {
		m := entryName.FindStringSubmatch(f.Name())
		info, err := f.Info()
		if m == nil || err != nil {
			continue
		}
		nano, _ := strconv.ParseInt(m[1], 10, 64) // 19 digits
		entries = append(entries, entry{short(path) + "-" + strings.TrimSuffix(f.Name(), ".yaml"), time.Unix(0, nano).UTC(), info.Size(), m[2]})
	}
	return entries, nil
}

// text gives an entry, and the path of its file.
func (h *history) text(id string) (path, text string, err error) {
	m := entryID.FindStringSubmatch(id)
	if m == nil || h == nil {
		return "", "", fs.ErrNotExist
	}
	name, err := fs.ReadFile(h.root.FS(), m[1]+"/path")
	if err != nil {
		return "", "", err
	}
	b, err := fs.ReadFile(h.root.FS(), m[1]+"/"+m[2]+".yaml")
	return string(name), string(b), err
}

// keep keeps a text, unless it is the one that was kept last, and lets go of the oldest.
func (h *history) keep(path, text, note string) error {
	if h == nil {
		return nil
	}
	entries, err := h.list(path)
	if err != nil {
		return err
	}
	now := time.Now()
	if len(entries) > 0 {
		if _, last, err := h.text(entries[0].ID); err == nil && last == text && note == "before" {
			return nil
		}
		if !now.After(entries[0].At) { // a clock that was set back
			now = entries[0].At.Add(1)
		}
	}
	dir := short(path)
	if err := h.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := h.write(dir+"/path", path); err != nil {
		return err
	}
	if err := h.write(fmt.Sprintf("%s/%019d-%s.yaml", dir, now.UnixNano(), note), text); err != nil {
		return err
	}
	for i := maxSaves - 1; i < len(entries); i++ {
		_ = h.root.Remove(dir + "/" + strings.TrimPrefix(entries[i].ID, dir+"-") + ".yaml")
	}
	return nil
}

// write writes a file whole. Half of one, after a crash, is a name that nothing reads.
func (h *history) write(name, text string) error {
	file, err := h.root.OpenFile(name+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	if err = cmp.Or(err, file.Close()); err != nil {
		_ = h.root.Remove(name + ".part")
		return err
	}
	return h.root.Rename(name+".part", name)
}

// note keeps a text, or logs why it cannot.
func (w *Workbench) note(path, text, note string) {
	if err := w.history.keep(path, text, note); err != nil {
		w.log.Warn("history not kept: "+err.Error(), "file", path)
	}
}

type saves struct {
	Saves []entry `json:"saves"`
}

func (w *Workbench) listHistory(r *http.Request) (saves, error) {
	entries, err := w.history.list(r.PathValue("path"))
	return saves{entries}, err
}

type keptText struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func (w *Workbench) historyEntry(r *http.Request) (keptText, error) {
	path, text, err := w.history.text(r.PathValue("id"))
	if errors.Is(err, fs.ErrNotExist) {
		return keptText{}, failf(http.StatusNotFound, "not_found", "nothing is kept under this id")
	}
	return keptText{path, text}, err
}
