package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tbridge/config"
)

var update = flag.Bool("update", false, "write what comes out into the scripts")

// TestMain lets the test's binary be tbridge, where it is called so. With -race, a program sleeps a second before it ends,
// in case that another goroutine has a race to report: too much for the hundreds of commands of these tests.
func TestMain(m *testing.M) {
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){"tbridge": main})
}

// asTbridge gives a directory in which the test's binary is called tbridge.
func asTbridge(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "tbridge")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestScripts runs testdata/script: whole command lines, against a server that answers with what it was asked.
// $UP is its URL.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds:          map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			s := httptest.NewServer(http.HandlerFunc(answer))
			env.Defer(s.Close)
			env.Setenv("UP", s.URL)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}

// exits runs a command and demands its exit code: exits 2 tbridge validat.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// answer says what was asked for; /picture is one, /broken is not found.
func answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/picture":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n"))
	case "/broken":
		http.Error(w, "{}", http.StatusNotFound)
	case "/hang":
		<-r.Context().Done()
	default:
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"asked":%s}`, config.StringJSON(r.Method+" "+r.URL.String()+" "+string(body)))
	}
}
