package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readers is how long a test waits for what must come, on a machine with much else to do.
const readers = time.Minute

// A log that nobody reads keeps nobody waiting; when somebody does, it says how much is missing.
func TestALogThatNobodyReads(t *testing.T) {
	r, w := io.Pipe()
	l := startLogLines(w, slog.New(slog.NewTextHandler(w, nil)))
	const more = 100
	for n := range logHeld + more + 1 { // one is being written
		fmt.Fprintf(l, "line %d\n", n)
		if n == 0 {
			for len(l.held) > 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	closed := make(chan bool)
	go func() {
		l.close()
		close(closed)
	}()
	var lines, lost int
	s := bufio.NewScanner(r)
	for lines+lost < logHeld+more+1 && s.Scan() {
		if _, n, found := strings.Cut(s.Text(), `msg="lines of the log were dropped: nobody read it" lines=`); found {
			lost, _ = strconv.Atoi(n)
		} else if lines++; s.Text() != fmt.Sprintf("line %d", lines-1) {
			t.Fatalf("line %d is %q", lines, s.Text())
		}
	}
	if lost != more {
		t.Errorf("%d lines came, %d were dropped, want %d", lines, lost, more)
	}
	<-closed
}

// What is logged when a program ends is there when it has ended.
func TestALogIsWrittenToItsEnd(t *testing.T) {
	out := &output{}
	p := &program{stderr: out}
	log, err := p.newLog("info", "json")
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		log.Info("said")
	}
	p.lines.close()
	if n := strings.Count(out.String(), `"msg":"said"`); n != 1000 {
		t.Errorf("%d lines", n)
	}
}

// A client that never reads stderr gets all its answers, and the program ends.
func TestAClientThatNeverReadsTheLog(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(answer))
	defer up.Close()
	dir := t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \""+up.URL+"\"}}\n")
	write(t, dir, "tools.d/a.yaml", tools(get("one", "One.")))
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	unread, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close() // and with it the write that hangs
	code := make(chan int, 1)
	go func() {
		code <- run(context.Background(), []string{"serve", "--config", filepath.Join(dir, "tbridge.yaml"), "--log-level", "debug"}, stdin, stdout, stderr)
		stdout.Close()
	}()
	const calls = 1000 // two lines each: a pipe holds 64 KiB
	go func() {
		defer in.Close()
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		for id := 1; id <= calls; id++ {
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one"}}`+"\n", id)
		}
	}()
	answers := make(chan int, 1)
	go func() {
		n := 0
		for s := bufio.NewScanner(out); s.Scan(); {
			if regexp.MustCompile(`^{"jsonrpc":"2.0","id":[0-9]+,"result"`).MatchString(s.Text()) {
				n++
			}
		}
		answers <- n
	}()
	select {
	case c := <-code:
		if n := <-answers; c != 0 || n != calls+1 {
			t.Errorf("exit code %d, %d answers", c, n)
		}
	case <-time.After(readers):
		t.Fatal("calls wait for the log to be read")
	}
}
