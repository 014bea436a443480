package workbench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// snapshot gives all files below a directory with their texts and modes.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(b)
		}
		found[strings.TrimPrefix(path, dir)] = info.Mode().String() + " " + text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (d *desk) remove(name string) {
	d.Helper()
	if err := os.Remove(filepath.Join(d.dir, name)); err != nil {
		d.Fatal(err)
	}
}

// rules are those of findings, in their order.
func rules(ds []diagnostic) string {
	var all []string
	for _, d := range ds {
		all = append(all, d.Rule)
	}
	return strings.Join(all, " ")
}

func texted(text string) map[string]any { return map[string]any{"text": text} }

// W7: a save that does not know the file as it is is refused, with both versions.
func TestSave(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tools.d/sub/more.yaml": "tools: []\n"})
	f := d.file("tasks.yaml")
	equal(t, f, fileText{"tasks.yaml", tasks, etag(tasks)})
	changed := strings.Replace(tasks, "Show a task.", "Show one task.", 1)
	saved := get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(changed), "If-Match", f.ETag)
	equal(t, saved.ETag, etag(changed))
	equal(t, rules(saved.Diagnostics), "untested untested")
	equal(t, d.read("tools.d/tasks.yaml"), changed)

	type conflict struct {
		Error   struct{ Code string }
		Current struct{ Text, ETag string }
	}
	c := get[conflict](d, 412, "PUT", "/api/files/tasks.yaml", texted(tasks), "If-Match", f.ETag)
	equal(t, c.Error.Code, "changed")
	equal(t, c.Current.Text, changed)
	equal(t, c.Current.ETag, saved.ETag)
	d.write("tools.d/tasks.yaml", tasks) // by an editor
	equal(t, refusal(d, 412, "PUT", "/api/files/tasks.yaml", texted(changed), "If-Match", saved.ETag), "changed")
	equal(t, refusal(d, 428, "PUT", "/api/files/tasks.yaml", texted(changed)), "precondition")
	equal(t, refusal(d, 400, "PUT", "/api/files/tasks.yaml", map[string]any{}, "If-Match", f.ETag), "bad_request")
	equal(t, refusal(d, 413, "PUT", "/api/files/tasks.yaml", texted(strings.Repeat("#", maxFile+1)), "If-Match", f.ETag), "too_large")

	get[savedFile](d, 200, "PUT", "/api/files/new.yaml", texted("tools: []\n"), "If-None-Match", "*")
	equal(t, refusal(d, 412, "PUT", "/api/files/new.yaml", texted(""), "If-None-Match", "*"), "changed")
	get[savedFile](d, 200, "PUT", "/api/files/sub/more.yaml", texted("# none\ntools: []\n"), "If-Match", etag("tools: []\n"))
	equal(t, d.read("tools.d/sub/more.yaml"), "# none\ntools: []\n")
	equal(t, d.leftovers(), nil)
}

// W9: what does not validate is not saved, nor what would break another file; what was broken before is no hindrance.
func TestInvalidIsNotSaved(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tools.d/broken.yaml": "tools: 1\n", "tools.d/zebra.yaml": "api: tracker\ntools: [{name: zebra, description: Z., method: GET, path: /z, arguments: []}]\n"})
	type refused struct {
		Error       struct{ Code string }
		Diagnostics []struct {
			Rule, File string
			Line       int
		}
	}
	for bad, want := range map[string]string{
		"tools: [": "syntax tasks.yaml 1",
		strings.Replace(tasks, "method: GET", "method: GETS", 1):    "method tasks.yaml 6",
		strings.Replace(tasks, "name: take_task", "name: zebra", 1): "duplicate-tool zebra.yaml 2",
	} {
		r := get[refused](d, 422, "PUT", "/api/files/tasks.yaml", texted(bad), "If-Match", etag(tasks))
		if len(r.Diagnostics) == 0 || r.Error.Code != "invalid" {
			t.Fatalf("%+v", r)
		}
		equal(t, fmt.Sprint(r.Diagnostics[0].Rule, " ", r.Diagnostics[0].File, " ", r.Diagnostics[0].Line), want)
	}
	equal(t, d.read("tools.d/tasks.yaml"), tasks)
	get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(tasks+"# more\n"), "If-Match", etag(tasks))
	warned := get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(strings.Replace(tasks, "    description: Take a task.\n", "", 1)), "If-Match", etag(tasks+"# more\n"))
	equal(t, rules(warned.Diagnostics), "untested no-description untested")
}

// W5: no path leads to a file that is no tools file, and nothing is made but below names that are allowed.
func TestPathsStayInside(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tools.d/README": "x", "outside.yaml": "tools: []\n", "tools.d/.hidden.yaml": "tools: []\n", "far/away.yaml": "tools: []\n"})
	for name, to := range map[string]string{"tools.d/out.yaml": "../outside.yaml", "tools.d/dir": "../far", "tools.d/gone.yaml": "nowhere.yaml"} {
		if err := os.Symlink(to, filepath.Join(d.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, d.dir)
	for _, path := range []string{"%2e%2e/outside.yaml", "..%2foutside.yaml", "%2fetc%2fpasswd", "a/%2e%2e/%2e%2e/outside.yaml", "a%00.yaml", ".hidden.yaml", "README", "out.yaml",
		"dir/away.yaml", "dir%2faway.yaml", "%2e", "gone.yaml", "..%5coutside.yaml", "tasks.yaml%2f", "%2ftasks.yaml", "tasks.yaml/x.yaml", "UP.yaml", "new.txt", "sub/new.yaml",
		strings.Repeat("a", 70) + ".yaml", "%d0%b0.yaml", "-a.yaml", "a b.yaml", "a.yaml.tmp", "con:.yaml"} {
		route := "/api/files/" + path
		for _, ask := range []struct {
			method  string
			headers []string
		}{
			{"GET", nil}, {"PUT", []string{"If-None-Match", "*"}}, {"PUT", []string{"If-Match", etag("tools: []\n")}}, {"DELETE", []string{"If-Match", etag("tools: []\n")}},
		} {
			status, answer := d.ask(ask.method, route, texted("tools: []\n"), ask.headers...)
			if status < 400 || status >= 500 || strings.Contains(string(answer), "root:") {
				t.Errorf("%s %s: %d %s", ask.method, path, status, answer)
			}
		}
	}
	equal(t, snapshot(t, d.dir), before)
	equal(t, refusal(d, 404, "GET", "/api/files/nothing.yaml", nil), "not_found")
	equal(t, refusal(d, 400, "PUT", "/api/files/UP.yaml", texted(""), "If-None-Match", "*"), "bad_path")
	for _, route := range []string{"check", "diff"} {
		equal(t, refusal(d, 400, "POST", "/api/"+route, map[string]any{"path": "../outside.yaml", "text": ""}), "bad_path")
	}
}

// W6: saving through a link would replace the link, or what it leads to: it is refused.
func TestLinksAreNotSaved(t *testing.T) {
	d := open(t, map[string]string{"tools.d/..data/tasks.yaml": tasks, "tools.d/..data/sub/more.yaml": "tools: []\n"})
	for name, to := range map[string]string{"tools.d/tasks.yaml": "..data/tasks.yaml", "tools.d/sub": "..data/sub"} {
		if err := os.Symlink(to, filepath.Join(d.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, d.dir)
	equal(t, d.file("tasks.yaml").Text, tasks)
	equal(t, refusal(d, 409, "PUT", "/api/files/tasks.yaml", texted("tools: []\n"), "If-Match", etag(tasks)), "is_symlink")
	equal(t, refusal(d, 409, "PUT", "/api/files/sub/more.yaml", texted("tools: []\n"), "If-Match", etag("tools: []\n")), "is_symlink")
	equal(t, refusal(d, 409, "DELETE", "/api/files/sub/more.yaml", nil, "If-Match", etag("tools: []\n")), "is_symlink")
	equal(t, snapshot(t, d.dir), before)
}

// W8: a save keeps the file's permissions, and leaves nothing beside it, however many there are.
func TestManySaves(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	path := filepath.Join(d.dir, "tools.d/tasks.yaml")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	texts := [2]string{tasks, tasks + "# more\n"}
	for i := range 200 {
		answer, err := d.bench.save("tasks.yaml", texts[(i+1)%2], etag(texts[i%2]), "")
		if err != nil || answer.ETag != etag(texts[(i+1)%2]) {
			t.Fatal(err)
		}
	}
	equal(t, snapshot(t, filepath.Join(d.dir, "tools.d")), map[string]string{"/tasks.yaml": "-rw-r----- " + tasks})
	entries, err := d.bench.history.list("tasks.yaml")
	if err != nil || len(entries) != maxSaves {
		t.Errorf("%d saves are kept, %v", len(entries), err)
	}
}

// What the page could not give back as it was is not opened; what it can is, byte for byte.
func TestOnlyTextIsOpened(t *testing.T) {
	const windows = "\uFEFFtools: []\r\n# ü\r\n"
	d := open(t, map[string]string{"tools.d/latin.yaml": "# \xfc\n", "tools.d/large.yaml": strings.Repeat("#\n", maxFile), "tools.d/windows.yaml": windows})
	equal(t, refusal(d, 409, "GET", "/api/files/latin.yaml", nil), "encoding")
	equal(t, refusal(d, 409, "GET", "/api/files/large.yaml", nil), "too_large")
	equal(t, d.file("windows.yaml").Text, windows)
	get[savedFile](d, 200, "PUT", "/api/files/windows.yaml", texted(windows+"# more\r\n"), "If-Match", etag(windows))
	equal(t, d.read("tools.d/windows.yaml"), windows+"# more\r\n")
}

// An unchanged save writes nothing.
func TestUnchangedSave(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	path := filepath.Join(d.dir, "tools.d/tasks.yaml")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(tasks), "If-Match", etag(tasks))
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the file was written, %v", err)
	}
	equal(t, get[saves](d, 200, "GET", "/api/history/tasks.yaml", nil), saves{[]entry{}})
}

func TestDelete(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks, "tools.d/none.yaml": "# none\n", "tools.d/broken.yaml": "[\n"})
	equal(t, refusal(d, 409, "DELETE", "/api/files/tasks.yaml", nil, "If-Match", etag(tasks)), "not_empty")
	equal(t, refusal(d, 409, "DELETE", "/api/files/broken.yaml", nil, "If-Match", etag("[\n")), "not_empty")
	equal(t, refusal(d, 428, "DELETE", "/api/files/none.yaml", nil), "precondition")
	equal(t, refusal(d, 412, "DELETE", "/api/files/none.yaml", nil, "If-Match", etag("x")), "changed")
	get[struct{}](d, 200, "DELETE", "/api/files/none.yaml", nil, "If-Match", etag("# none\n"))
	equal(t, refusal(d, 404, "GET", "/api/files/none.yaml", nil), "not_found")
	kept := get[saves](d, 200, "GET", "/api/history/none.yaml", nil).Saves
	if len(kept) != 1 || kept[0].Note != "deleted" {
		t.Fatalf("%+v", kept)
	}
	equal(t, get[keptText](d, 200, "GET", "/api/history-entry/"+kept[0].ID, nil), keptText{"none.yaml", "# none\n"})
}

func TestHistory(t *testing.T) {
	d := open(t, map[string]string{"tools.d/tasks.yaml": tasks})
	before := snapshot(t, d.dir)
	text := tasks
	for i := range 3 {
		next := fmt.Sprintf("%s# %d\n", tasks, i)
		get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(next), "If-Match", etag(text))
		text = next
	}
	var shown []string
	kept := get[saves](d, 200, "GET", "/api/history/tasks.yaml", nil).Saves
	for _, e := range kept {
		k := get[keptText](d, 200, "GET", "/api/history-entry/"+e.ID, nil)
		equal(t, k.Path, "tasks.yaml")
		equal(t, int64(len(k.Text)), e.Bytes)
		shown = append(shown, e.Note+" "+strings.TrimPrefix(k.Text, tasks))
	}
	equal(t, shown, []string{"saved # 2\n", "saved # 1\n", "saved # 0\n", "before "})
	d.write("tools.d/tasks.yaml", tasks) // restored; nothing of the history lies here
	equal(t, snapshot(t, d.dir), before)
	for _, id := range []string{"x", "..%2f..%2fpath", strings.Replace(kept[0].ID, "saved", "deleted", 1), strings.Repeat("0", 32) + kept[0].ID[32:]} {
		equal(t, refusal(d, 404, "GET", "/api/history-entry/"+id, nil), "not_found")
	}
	for path, text := range snapshot(t, d.state) {
		if !strings.HasPrefix(text, "-rw------- ") {
			t.Errorf("%s can be read by others: %s", path, text[:10])
		}
	}
}

// A history that cannot be written keeps nobody from saving.
func TestSaveWithoutHistory(t *testing.T) {
	d := &desk{T: t, dir: t.TempDir()}
	d.write("tbridge.yaml", apis)
	d.write("tools.d/tasks.yaml", tasks)
	d.write("state", "a file")
	d.state = filepath.Join(d.dir, "state")
	d.serve()
	get[savedFile](d, 200, "PUT", "/api/files/tasks.yaml", texted(tasks+"# more\n"), "If-Match", etag(tasks))
	equal(t, get[saves](d, 200, "GET", "/api/history/tasks.yaml", nil), saves{[]entry{}})
	equal(t, refusal(d, 404, "GET", "/api/history-entry/"+strings.Repeat("0", 32)+"-1000000000000000000-saved", nil), "not_found")
}

func TestUnwritten(t *testing.T) {
	for err, want := range map[error]string{
		&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}:         "507 disk_full the disk is full; the file is as it was",
		&fs.PathError{Op: "write", Path: "/x", Err: syscall.EDQUOT}:         "507 disk_full the disk is full; the file is as it was",
		&fs.PathError{Op: "open", Path: "/x", Err: syscall.EROFS}:           "500 read_only the file cannot be written: read-only file system",
		&os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: syscall.EIO}: "500 unwritten the file cannot be written: input/output error",
		errors.New("odd"): "500 unwritten the file cannot be written: odd",
	} {
		f := unwritten(err).(*failure)
		equal(t, fmt.Sprint(f.status, " ", f.Code, " ", f.Message), want)
	}
}
