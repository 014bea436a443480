package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"tbridge/config"
)

const (
	lookEvery  = 400 * time.Millisecond
	beatEvery  = 15 * time.Second
	streamLife = 10 * time.Minute // then the page opens another
)

// A change is a file whose text is another now. ETag is nil when the file is gone.
type change struct {
	Path string  `json:"path"`
	ETag *string `json:"etag"`
}

// events tells a page of changed files, whoever changed them, until it goes or ten minutes have passed. It looks
// at the files' times, and reads only those that were touched.
func (w *Workbench) events(out http.ResponseWriter, r *http.Request) {
	select {
	case w.streams <- struct{}{}:
		defer func() { <-w.streams }()
	default:
		failf(http.StatusServiceUnavailable, "busy", "%d pages listen already", maxStreams).write(out)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), streamLife)
	defer cancel()
	out.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(out)
	seen := w.look(nil)
	send := func(text string) bool {
		_, err := fmt.Fprint(out, text)
		return err == nil && rc.Flush() == nil
	}
	if !send(": connected\n\n") {
		return
	}
	look, beat := time.NewTicker(lookEvery), time.NewTicker(beatEvery)
	defer look.Stop()
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if !send(": beat\n\n") {
				return
			}
		case <-look.C:
			now := w.look(seen)
			for _, c := range compare(seen, now) {
				data, _ := json.Marshal(c) // text always can be
				if !send("event: changed\ndata: " + string(data) + "\n\n") {
					return
				}
			}
			seen = now
		}
	}
}

// A glimpse is what a look at a file showed.
type glimpse struct {
	info fs.FileInfo
	etag string
}

// look looks at all files. Of one that was not touched since the last look, what was seen then still counts.
func (w *Workbench) look(last map[string]glimpse) map[string]glimpse {
	seen := map[string]glimpse{}
	see := func(path string, info fs.FileInfo, err error, read func() (string, error)) {
		before, known := last[path]
		switch {
		case err != nil || !info.Mode().IsRegular():
			return
		case known && before.info.ModTime().Equal(info.ModTime()) && before.info.Size() == info.Size() && os.SameFile(before.info, info):
			seen[path] = glimpse{info, before.etag}
			return
		}
		if text, err := read(); err == nil {
			seen[path] = glimpse{info, etag(text)}
		}
	}
	info, err := os.Stat(w.options.Config)
	see("tbridge.yaml", info, err, func() (string, error) {
		text, err := os.ReadFile(w.options.Config)
		return string(text), err
	})
	paths, _ := config.ToolsFiles(w.files.dir)
	for _, path := range paths {
		info, err := w.files.root.Stat(path)
		see(path, info, err, func() (string, error) { return w.files.read(path) })
	}
	return seen
}

// compare gives what is another now, was not there before, or is gone.
func compare(before, now map[string]glimpse) (changes []change) {
	for path, g := range now {
		if before[path].etag != g.etag {
			changes = append(changes, change{path, &g.etag})
		}
	}
	for path := range before {
		if _, there := now[path]; !there {
			changes = append(changes, change{Path: path})
		}
	}
	return changes
}
