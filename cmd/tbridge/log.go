package main

import (
	"bytes"
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	logHeld  = 4096        // lines that wait for whoever reads the log; more are dropped
	logFlush = time.Second // for those that are left at the end of the program
)

// newLog makes the log of a command that serves. run closes it.
func (p *program) newLog(level, format string) (*slog.Logger, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	l, ok := levels[level]
	if !ok {
		return nil, unknown("log level", level, []string{"debug", "info", "warn", "error"}, "use debug, info, warn or error")
	}
	o := &slog.HandlerOptions{Level: l}
	formats := map[string]func(io.Writer) slog.Handler{
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, o) },
		"json": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, o) },
	}
	handler, ok := formats[format]
	if !ok {
		return nil, unknown("log format", format, []string{"text", "json"}, "use text or json")
	}
	p.lines = startLogLines(p.stderr, slog.New(handler(p.stderr)))
	return slog.New(handler(p.lines)), nil
}

// logLines write the lines of a log one after the other, and keep nobody waiting: calls go on when the program that
// started this one never reads its stderr. What cannot be held until it does is dropped, and counted.
type logLines struct {
	to      io.Writer
	direct  *slog.Logger // to the same place, past the lines that are held
	held    chan []byte
	dropped atomic.Int64
	quit    chan struct{}
	done    chan struct{}
}

func startLogLines(to io.Writer, direct *slog.Logger) *logLines {
	l := &logLines{to: to, direct: direct, held: make(chan []byte, logHeld), quit: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

// Write takes one line. It never waits.
func (l *logLines) Write(line []byte) (int, error) {
	select {
	case l.held <- bytes.Clone(line):
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

// close writes the lines that are held, as long as somebody reads them.
func (l *logLines) close() {
	close(l.quit)
	select {
	case <-l.done:
	case <-time.After(logFlush):
	}
}

func (l *logLines) run() {
	defer close(l.done)
	for {
		select {
		case line := <-l.held:
			l.write(line)
		case <-l.quit:
			for len(l.held) > 0 {
				l.write(<-l.held)
			}
			return
		}
	}
}

// write writes a line, and how many had to be dropped before it could be.
func (l *logLines) write(line []byte) {
	_, _ = l.to.Write(line) // there is nobody to tell
	if n := l.dropped.Swap(0); n > 0 {
		l.direct.Error("lines of the log were dropped: nobody read it", "lines", n)
	}
}
