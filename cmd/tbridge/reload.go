package main

import (
	"crypto/sha256"
	"errors"
	"io/fs"
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
	env    config.Lookup
	last   *config.Catalog   // as served
	sum    [sha256.Size]byte // of what was read last, served or not
	again  <-chan time.Time  // the second look at a file that was found empty
}

// start serves every change of the directory, and reads it again with each SIGHUP, until the function it gives is
// called. Where nothing can be watched, SIGHUP is all there is.
func (r *reloader) start() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	w, err := startWatch(r.last)
	if err != nil {
		r.log.Warn("changes are not seen, SIGHUP is needed: " + err.Error())
	}
	quit := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { r.run(signals, w, quit) })
	return func() {
		signal.Stop(signals)
		close(quit)
		running.Wait()
		w.close()
	}
}

func (r *reloader) run(signals <-chan os.Signal, w watch, quit <-chan struct{}) {
	var settled <-chan time.Time
	for {
		select {
		case e := <-w.events():
			if settled == nil && concerns(e, r.last) {
				settled = time.After(settleTime)
			}
		case <-w.errors(): // changes were lost
			settled = time.After(settleTime)
		case <-settled:
			settled = r.look(w, ifChanged)
		case <-signals:
			settled = r.look(w, always)
		case <-r.again:
			r.reload(always, impatient)
		case <-quit:
			return
		}
	}
}

// look reads the directory again, with all there is in it watched before that: what changes afterwards is seen.
// When tbridge.yaml names another directory now, a further look is due.
func (r *reloader) look(w watch, always bool) (due <-chan time.Time) {
	before := r.last.Directory()
	w.follow(r.last)
	r.reload(always, patient)
	if r.last.Directory() == before {
		return nil
	}
	w.follow(r.last)
	return time.After(settleTime)
}

// How a directory is read again.
const (
	always    = true
	ifChanged = false
	patient   = true // with a file that has lost all its tools
	impatient = false
)

// reload loads the directory aside and, unless tbridge.yaml is faulty, serves it. Of a faulty tools file the
// tools served before stay; for a time also those of a file that is empty now.
func (r *reloader) reload(always, patient bool) {
	c, ds, err := validate.Load(r.path)
	if err != nil {
		r.bridge.ReloadFailed()
		r.log.Error("reload failed, all stays as it was: " + err.Error())
		return
	}
	if c.Sum == r.sum && !always {
		return
	}
	r.sum, r.again = c.Sum, nil
	if own := faults(ds, c.File); len(own) > 0 {
		r.bridge.ReloadFailed()
		r.logAll("reload failed, all stays as it was", own)
		return
	}
	next, kept := validate.Servable(c, ds)
	left := faults(ds, kept...)
	r.logAll("faulty tools file, its tools stay as they were", left)
	if emptied := r.emptied(c); patient && len(emptied) > 0 {
		kept = append(kept, emptied...)
		r.again = time.After(secondLook)
	}
	next = r.withToolsOf(next, kept)
	changed, err := r.bridge.Replace(next)
	if err != nil {
		r.bridge.ReloadFailed()
		r.log.Error("reload failed, all stays as it was: " + err.Error())
		return
	}
	logSecrets(r.log, next, r.env)
	r.last = next
	r.bridge.Degraded(filesOf(left)...)
	r.log.Info("reloaded", "tools", len(next.Tools), "changed", changed)
}

// logAll logs findings, each with what comes of it.
func (r *reloader) logAll(effect string, ds config.Diagnostics) {
	for _, d := range ds {
		r.log.Error(effect+": "+advised(d), "at", d.Pos.String(), "rule", d.Rule)
	}
}

// emptied names the files that are there and have lost all their tools; all files, while their directory is not there.
func (r *reloader) emptied(c *config.Catalog) (files []string) {
	_, err := os.Stat(c.Directory())
	away := errors.Is(err, fs.ErrNotExist)
	for _, t := range r.last.Tools {
		file := t.At().File
		fromFile := func(t *config.Tool) bool { return t.At().File == file }
		if (away || slices.Contains(c.ToolsFiles, file)) && !slices.Contains(files, file) && !slices.ContainsFunc(c.Tools, fromFile) {
			files = append(files, file)
		}
	}
	return files
}

// withToolsOf adds the tools that are served of some files, in their place. A tool whose name is taken now, or whose
// API is gone, is not added, which is logged.
func (r *reloader) withToolsOf(c *config.Catalog, files []string) *config.Catalog {
	taken := map[string]bool{}
	for _, t := range c.Tools {
		taken[t.Name] = true
	}
	merged := *c
	merged.Tools = slices.Clone(c.Tools)
	for _, t := range r.last.Tools {
		switch file := t.At().File; {
		case !slices.Contains(files, file):
		case taken[t.Name]:
			r.log.Error("a tool is served no more: another file has its name", "tool", t.Name, "file", file)
		case c.API(t.API) == nil:
			r.log.Error("a tool is served no more: its API is gone from tbridge.yaml", "tool", t.Name, "file", file, "api", t.API)
		default:
			merged.Tools = append(merged.Tools, t)
		}
	}
	slices.SortStableFunc(merged.Tools, func(a, b *config.Tool) int { return strings.Compare(a.At().File, b.At().File) })
	return &merged
}
