package main

import (
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// secondLook is how long after a file was found empty its tools go: editors write in two steps.
const secondLook = 2 * time.Second

// A reloader serves what the bridge directory holds now.
type reloader struct {
	path   string
	bridge *bridge.Bridge
	log    *slog.Logger
	last   *config.Catalog // as served
}

// reloadOnSignal reloads with each SIGHUP, until the function it gives is called.
func reloadOnSignal(r *reloader) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	quit := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		var again <-chan time.Time
		for {
			patient := true
			select {
			case <-signals:
			case <-again:
				patient = false
			case <-quit:
				return
			}
			again = nil
			if r.reload(patient) {
				again = time.After(secondLook)
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(quit)
		running.Wait()
	}
}

// reload loads the directory aside and, unless tbridge.yaml is faulty, serves it. Of a faulty tools file the
// tools served before stay; when patient, also those of a file that is empty now, and again is true then.
func (r *reloader) reload(patient bool) (again bool) {
	c, ds, err := validate.Load(r.path)
	if err != nil {
		r.log.Error("reload failed, all stays as it was: " + err.Error())
		return false
	}
	if own := faults(ds, c.File); len(own) > 0 {
		for _, d := range own {
			r.log.Error("reload failed, all stays as it was: "+advised(d), "at", d.Pos.String(), "rule", d.Rule)
		}
		return false
	}
	next, left := validate.Servable(c, ds)
	for _, d := range faults(ds, left...) {
		r.log.Error("faulty tools file, its tools stay as they were: "+advised(d), "at", d.Pos.String(), "rule", d.Rule)
	}
	kept := left
	if patient {
		emptied := r.emptied(c)
		again = len(emptied) > 0
		kept = append(kept, emptied...)
	}
	next = withToolsOf(next, r.last, kept)
	changed, err := r.bridge.Replace(next)
	if err != nil {
		r.log.Error("reload failed, all stays as it was: " + err.Error())
		return again
	}
	r.last = next
	r.log.Info("reloaded", "tools", len(next.Tools), "changed", changed)
	return again
}

// emptied names the files that are there and have lost all their tools.
func (r *reloader) emptied(c *config.Catalog) (files []string) {
	for _, t := range r.last.Tools {
		file := t.At().File
		fromFile := func(t *config.Tool) bool { return t.At().File == file }
		if slices.Contains(c.ToolsFiles, file) && !slices.Contains(files, file) && !slices.ContainsFunc(c.Tools, fromFile) {
			files = append(files, file)
		}
	}
	return files
}

// withToolsOf adds the tools that some files had when old was loaded, in their place. A tool whose name is
// taken now, or whose API is gone, is not added.
func withToolsOf(c, old *config.Catalog, files []string) *config.Catalog {
	taken := map[string]bool{}
	for _, t := range c.Tools {
		taken[t.Name] = true
	}
	merged := *c
	merged.Tools = slices.Clone(c.Tools)
	for _, t := range old.Tools {
		if slices.Contains(files, t.At().File) && !taken[t.Name] && c.API(t.API) != nil {
			merged.Tools = append(merged.Tools, t)
		}
	}
	slices.SortStableFunc(merged.Tools, func(a, b *config.Tool) int { return strings.Compare(a.At().File, b.At().File) })
	return &merged
}
