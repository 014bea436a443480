//go:build unix

package workbench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tbridge/config"
)

func init() {
	children["save"] = saveForever
	children["full"] = saveOnFullDisk
}

// big is a text that takes a moment to write.
func big(mark string) string {
	return "api: tracker\n" + strings.Repeat("# "+mark+strings.Repeat("x", 60)+"\n", 1000) + "tools:\n- {name: " + mark + ", description: A., method: GET, path: /x, arguments: []}\n"
}

// child starts this test binary as another process, in a directory.
func child(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "WORKBENCH_CHILD="+what, "XDG_STATE_HOME="+dir, "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0") // or else -race waits at the end
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	return cmd
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// bench opens the directory that a child runs in.
func bench() *Workbench {
	return must(New(Options{Config: "tbridge.yaml", Token: token, State: must(StateDirectory()), Page: page}))
}

func saveForever() {
	w := bench()
	must(w.save("a.yaml", big("new1"), etag(must(w.files.read("a.yaml"))), ""))
	fmt.Println("saving")
	for i := 0; ; i++ { // what a save does last, without pauses, so that a kill comes in the middle of it
		must(0, w.files.replace("a.yaml", big("new"+strconv.Itoa(i%2))))
	}
}

// P8: killed at any moment, a save leaves the old text or the new one, and the next start clears up.
func TestKilledSaves(t *testing.T) {
	for range 5 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"tbridge.yaml": apis, "tools.d/a.yaml": big("old")} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for range 40 {
				killSave(t, dir)
			}
		})
	}
}

// killSave kills a child while it saves, and looks at what it leaves.
func killSave(t *testing.T, dir string) {
	t.Helper()
	cmd := child(t, "save", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // the moment is what is tried
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "tools.d", "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); s != big("old") && s != big("new0") && s != big("new1") {
		t.Fatalf("the file is %d bytes of a mixture", len(s))
	}
	if _, ds := config.ParseTools("a.yaml", string(text)); ds.Count(config.Error) > 0 {
		t.Fatal("the file does not parse")
	}
	w, err := New(Options{Config: filepath.Join(dir, "tbridge.yaml"), Token: token, Page: page})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "tools.d", ".*.tmp")); len(found) > 0 {
		t.Fatalf("left behind: %q", found)
	}
}

// Files of another workbench that is saving just now stay.
func TestSweepSparesTheLiving(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	living := fmt.Sprintf("tools.d/.tasks.yaml.%d.1.tmp", os.Getppid())
	d.write(living, "half")
	d.write("tools.d/.tasks.yaml.2147483646.1.tmp", "half")
	d.write("tools.d/.other.tmp", "not ours")
	d.bench.files.sweep()
	equal(t, d.leftovers(), []string{".other.tmp", strings.TrimPrefix(living, "tools.d/")})
}

func saveOnFullDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	w := bench()
	text := must(w.files.read("a.yaml"))
	limit := syscall.Rlimit{Cur: 100, Max: 100}
	must(0, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	_, err := w.save("a.yaml", big("new"), etag(text), "")
	fmt.Print(err.(*failure).status, " ", err)
	if now := must(w.files.read("a.yaml")); now != text {
		fmt.Print(" and the file is another")
	}
}

// P10: when a file cannot be written whole, the old one stays, and whoever saves is told.
func TestFullDisk(t *testing.T) {
	d := open(t, map[string]string{"tools.d/a.yaml": "tools: []\n"})
	out, err := child(t, "full", d.dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(out), "507 the disk is full; the file is as it was")
	equal(t, d.read("tools.d/a.yaml"), "tools: []\n")
	equal(t, d.leftovers(), nil)
}
