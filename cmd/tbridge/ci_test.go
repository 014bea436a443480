package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// ciProject is a project with one faulty tool, in which the commands of the recipes run. $GITHUB_ACTION_PATH and
// the like point to this repository.
func ciProject(t *testing.T) (dir string, env []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	write(t, dir, "tbridge.yaml", "version: 1\napis: {up: {base_url: \"http://127.0.0.1:1\"}}\n")
	write(t, dir, "tools.d/a.yaml", "api: up\ntools:\n  - {name: a, description: A., method: GET, path: \"/{b}\", arguments: []}\n")
	env = append(os.Environ(), "PATH="+asTbridge(t)+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_ACTION_PATH="+root, "TBRIDGE_SOURCE="+root,
		"RUNNER_TEMP="+dir, "INPUT_PATH=tbridge.yaml tools.d/a.yaml", "INPUT_STRICT=false", "GITHUB_ACTIONS=", "TBRIDGE_CONFIG=")
	return dir, env
}

// shell runs a script in a directory and gives its exit code and what it printed.
func shell(t *testing.T, dir string, env []string, script string) (int, string) {
	t.Helper()
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func parseYAML(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The steps of action.yml run: the fault is marked in its place, and what is mended passes.
func TestAction(t *testing.T) {
	dir, env := ciProject(t)
	var action struct {
		Runs struct {
			Steps []struct{ Name, Run string }
		}
	}
	parseYAML(t, readFile(t, "../../action.yml"), &action)
	ran := map[string]string{}
	steps := func() (codes string) {
		for _, s := range action.Runs.Steps {
			if s.Run == "" {
				continue
			}
			code, out := shell(t, dir, env, s.Run)
			ran[s.Name] = out
			codes += s.Name + string(rune('0'+code)) + " "
		}
		return codes
	}
	if got := steps(); !strings.HasPrefix(got, "build0 validate1 test") {
		t.Errorf("the steps end with %s: %v", got, ran)
	}
	if want := "::error file=tools.d/a.yaml,line=3,col=60,endLine=3,endColumn=63,title=unknown-hole::"; !strings.Contains(ran["validate"], "title=unknown-hole::") {
		t.Errorf("no %s in %s", want, ran["validate"])
	}
	write(t, dir, "tools.d/a.yaml", "api: up\ntools:\n  - {name: a, description: A., method: GET, path: /b, arguments: []}\n")
	if got := steps(); got != "build0 validate0 test0 " {
		t.Errorf("the steps end with %s: %v", got, ran)
	}
}

// The commands of docs/ci.md and of the hook for pre-commit find the fault; those that only print end well.
func TestCommandsOfCI(t *testing.T) {
	dir, env := ciProject(t)
	page := string(readFile(t, "../../docs/ci.md"))
	var hooks []struct{ Entry, Files string }
	parseYAML(t, readFile(t, "../../.pre-commit-hooks.yaml"), &hooks)
	if len(hooks) != 1 || !regexp.MustCompile(hooks[0].Files).MatchString("bridge/tools.d/x/a.yaml") || !regexp.MustCompile(hooks[0].Files).MatchString("tbridge.yaml") {
		t.Errorf("the hook is %v", hooks)
	}
	commands := []string{hooks[0].Entry}
	for _, block := range regexp.MustCompile("(?ms)^```(sh|text [^\n]*)\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		if block[1] == "sh" {
			commands = append(commands, strings.Split(strings.TrimSpace(block[2]), "\n")...)
			continue
		}
		var recipe map[string]any
		parseYAML(t, []byte(block[2]), &recipe)
		if job, ok := recipe["tools"].(map[string]any); ok {
			for _, line := range job["script"].([]any) {
				commands = append(commands, line.(string))
			}
		}
	}
	if len(commands) < 9 {
		t.Errorf("only %d commands: %q", len(commands), commands)
	}
	for _, command := range commands {
		want := 0
		if strings.Contains(command, " validate ") {
			want = exitFound
		}
		code, out := shell(t, dir, env, command)
		if strings.HasSuffix(command, " test") {
			continue // how a faulty file is tested is for its own tests
		}
		if code != want {
			t.Errorf("%s: exit code %d\n%s", command, code, out)
		}
	}
}
