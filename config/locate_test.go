package config

import (
	"os"
	"path/filepath"
	"testing"
)

// What a path leads to does not depend on how the file was named, nor on the working directory later.
func TestPathsLeadFromTheFile(t *testing.T) {
	path := write(t, map[string]string{
		"tbridge.yaml":       "version: 1\nvars: {v: {file: keys/a}}\n",
		"keys/a":             "text\n",
		"tools.d/empty.yaml": "",
	})
	dir := filepath.Dir(path)
	t.Chdir(dir)
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, ds := load(t, "tbridge.yaml")
	if len(ds) > 0 || c.File != "tbridge.yaml" || c.At("vars").File != "tbridge.yaml" {
		t.Fatal(c.File, ds)
	}
	t.Chdir("/")
	env := lookup(map[string]string{"HOME": "/home/me"})
	for _, tt := range []struct{ path, want string }{
		{"share", filepath.Join(working, "share")},
		{"../x/./y", filepath.Join(filepath.Dir(working), "x/y")},
		{"~/a", "/home/me/a"},
		{"~a", filepath.Join(working, "~a")},
		{"/etc/ssl/ca.pem", "/etc/ssl/ca.pem"},
	} {
		if got, err := c.Locate(tt.path, env); err != nil || got != tt.want {
			t.Errorf("%s leads to %s, %v; want %s", tt.path, got, err, tt.want)
		}
	}
	if got, err := c.Locate("~/a", lookup(nil)); errText(err) != "no value: tried $HOME" {
		t.Errorf("without a home directory: %q, %v", got, err)
	}
	if got, err := (Source{}).Locate("a", env); got != "a" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
	if r, err := c.Vars[0].Value.Resolve(env); err != nil || r.Text != "text" {
		t.Errorf("got %q, %v", r.Text, err)
	}
}

func TestHeadersOfTheHeadMindNoCase(t *testing.T) {
	path := write(t, map[string]string{
		"tbridge.yaml": "version: 1\n",
		"tools.d/a.yaml": "headers: {X-H: head, X-Other: o}\ncookies: {S: head}\nbody: {K: head}\ntools:\n" +
			"  - {name: t, headers: {x-h: tool}, cookies: {s: tool}, body: {k: tool}}\n",
	})
	c, ds := load(t, path)
	if len(ds) > 0 {
		t.Fatal(render(ds, filepath.Dir(path)))
	}
	got := ""
	for _, m := range []Map[*Template]{c.Tools[0].Headers, c.Tools[0].Cookies} {
		for _, e := range m {
			got += e.Key + "=" + e.Value.Text + " "
		}
	}
	if want := "X-Other=o x-h=tool S=head s=tool "; got != want || len(c.Tools[0].Body.Fields) != 2 {
		t.Errorf("got %q, want %q; body %v", got, want, c.Tools[0].Body.Fields)
	}
}
