package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tbridge/config"
)

var update = flag.Bool("update", false, "write what comes out into the scripts")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"tbridge": main}) }

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
