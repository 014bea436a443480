// Package workbench is the web page that edits the tools files of a bridge
// directory: an [http.Handler] for the page and for the JSON API behind it.
//
// # What it may do
//
// It edits the files below the tools directory and nothing else. An edit splices
// the text ([config.Edit]); a save replaces the file whole, and only if it is
// still the file that was opened. What does not validate is not saved.
// tbridge.yaml is shown as it is written: no secret is ever read for the page,
// but by the bridge that tries a call, and that masks what it shows.
//
// # Who may use it
//
// Whoever holds the token of this launch, from a page of this origin, on this
// machine (guard.go). Every threat has its test; docs/threats.md names them.
//
// The API is documented in docs/workbench.md.
package workbench

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"tbridge/bridge"
	"tbridge/config"
)

// Options are what a workbench is made of.
type Options struct {
	Config string         // path of tbridge.yaml
	Token  string         // what every request of the API must show; see NewToken
	State  string         // directory of the history; empty: none is kept
	Page   fs.FS          // the page: index.html and what it loads, below assets
	Bridge bridge.Options // of the calls that are tried; its Log is this Log
	Log    *slog.Logger   // nil: nothing is logged. Arguments, bodies and texts never are
}

// A Workbench serves the page and its API. It is safe for concurrent use.
type Workbench struct {
	options Options
	log     *slog.Logger
	mux     *http.ServeMux
	guard   guard
	files   *files
	history *history
	index   []byte
	tries   *rate.Limiter
	streams chan struct{} // a place for each stream of events

	mu     sync.Mutex // held while the directory is read or written
	loader *config.Loader
}

// triesPerMinute is how many calls can be tried: a page that runs away must not become a flood.
const triesPerMinute = 60

// maxStreams is how many pages can listen to events.
const maxStreams = 16

// New opens a bridge directory, which stays open until Close. Files that an earlier save left behind because its
// process was killed are removed.
func New(o Options) (*Workbench, error) {
	if len(o.Token) < 32 {
		return nil, errors.New("a token of at least 32 characters is needed")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Bridge.Log = slog.New(errorsOnly{o.Log.Handler()})
	w := &Workbench{options: o, log: o.Log, loader: config.NewLoader(o.Config), guard: newGuard(o.Token),
		tries: rate.NewLimiter(rate.Limit(triesPerMinute)/60, triesPerMinute), streams: make(chan struct{}, maxStreams)}
	var err error
	if w.index, err = fs.ReadFile(o.Page, "index.html"); err != nil {
		return nil, fmt.Errorf("the page cannot be read: %w", err)
	}
	v, err := w.load(nil)
	if err != nil {
		return nil, err
	}
	if w.files, err = openFiles(v.c.Directory()); err != nil {
		return nil, err
	}
	if w.history, err = openHistory(o.State, v.c.Directory()); err != nil {
		w.log.Warn("no history is kept: " + err.Error())
	}
	w.routes()
	return w, nil
}

// Close gives back what New opened. Requests must have ended.
func (w *Workbench) Close() error { return errors.Join(w.files.root.Close(), w.history.close()) }

// errorsOnly is the log of the calls that are tried: each compiles its tool anew, and would warn anew.
type errorsOnly struct{ slog.Handler }

func (h errorsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}

// NewToken makes a token of 256 random bits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather than give weak bytes
	return hex.EncodeToString(b[:])
}

// StateDirectory is where the history belongs by the XDG Base Directory Specification: tbridge below
// $XDG_STATE_HOME, or below ~/.local/state.
func StateDirectory() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if filepath.IsAbs(dir) {
		return filepath.Join(dir, "tbridge"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "tbridge"), nil
}

// ServeHTTP serves the page and its API.
func (w *Workbench) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if f := w.guard.admit(out, r); f != nil {
		f.write(out)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		w.mux.ServeHTTP(out, r)
		return
	}
	w.page(out, r)
}

// endpoints are the routes of the API. Those that begin with GET change nothing.
func (w *Workbench) endpoints() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /api/catalogue":          plain(w.catalogue),
		"GET /api/files/{path...}":    w.readFile,
		"PUT /api/files/{path...}":    w.saveFile,
		"DELETE /api/files/{path...}": w.deleteFile,
		"POST /api/check":             read(w.check),
		"POST /api/edit":              read(w.edit),
		"POST /api/diff":              read(w.diff),
		"POST /api/preview":           read(w.preview),
		"POST /api/try":               read(w.try),
		"POST /api/test":              read(w.test),
		"POST /api/keep-test":         read(w.keepTest),
		"POST /api/import/curl":       read(w.importCurl),
		"POST /api/export":            read(w.export),
		"GET /api/history/{path...}":  plain(w.listHistory),
		"GET /api/history-entry/{id}": plain(w.historyEntry),
		"GET /api/events":             w.events,
	}
}

func (w *Workbench) routes() {
	w.mux = http.NewServeMux()
	for pattern, handle := range w.endpoints() {
		w.mux.HandleFunc(pattern, handle)
	}
	w.mux.HandleFunc("/api/", func(out http.ResponseWriter, r *http.Request) {
		failf(http.StatusNotFound, "no_route", "there is no %s %s", r.Method, r.URL.Path).write(out)
	})
}

// A view is a catalogue and all that is found in it.
type view struct {
	c  *config.Catalog
	ds config.Diagnostics
}
