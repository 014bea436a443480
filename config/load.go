package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const (
	maxFiles = 10_000
	maxTools = 20_000

	defaultToolsDir = "tools.d"
)

// Load reads a bridge directory, given its tbridge.yaml. The error says that tbridge.yaml cannot be read; all
// else, a tools file that cannot be read among it, is in the Diagnostics, sorted. The Catalog is never nil
// without an error, and holds what could be read.
func Load(path string) (*Catalog, Diagnostics, error) { return NewLoader(path).Load(nil) }

// A Loader loads one bridge directory again and again. A file whose text is what it was the time before is not
// parsed again: its tools are the same *Tool. It must not be used from several goroutines at once.
type Loader struct {
	path string
	last map[string]reading // by the names of the files
}

// NewLoader makes a loader of a bridge directory, given its tbridge.yaml.
func NewLoader(path string) *Loader { return &Loader{path: path} }

// Load loads as the function Load does. drafts are texts that stand for tools files, by their paths below the tools
// directory, with slashes; they may be of files that are not there.
func (l *Loader) Load(drafts map[string]string) (*Catalog, Diagnostics, error) {
	text, err := readFile(l.path)
	if err != nil {
		return nil, nil, err
	}
	var ds Diagnostics
	c := parseCatalog(newSourceFile(l.path, text), &ds)
	c.File = l.path
	sum := sha256.Sum256([]byte(text))
	c.readTools(l, drafts, &ds, sum[:])
	ds.Sort()
	return c, ds, nil
}

// Directory is where the tools files are, or would be.
func (c *Catalog) Directory() string {
	dir := cmp.Or(c.ToolsDir, defaultToolsDir)
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(c.File), dir)
}

// parseCatalog reads a tbridge.yaml.
func parseCatalog(f *sourceFile, ds *Diagnostics) *Catalog {
	c := &Catalog{Source: Source{file: f}}
	root := parse(f, ds)
	if root == nil {
		if ds.Count(Error) == 0 {
			ds.Add(Error, Pos{File: f.name}, ruleMissingKey, "the file is empty; it must at least say version: 1")
		}
		return c
	}
	d := decoder{file: f, ds: ds}
	d.into(root, "tbridge.yaml", reflect.ValueOf(c).Elem())
	return c
}

// readTools reads all tools files. sum is that of the text of tbridge.yaml.
func (c *Catalog) readTools(l *Loader, drafts map[string]string, ds *Diagnostics, sum []byte) {
	dir := c.Directory()
	all := sha256.New()
	all.Write(sum)
	defer func() { c.Sum = [sha256.Size]byte(all.Sum(nil)) }()
	at := c.At("tools")
	if !c.Has("tools") {
		at = Pos{File: c.File}
	}
	w := walk{root: dir, ds: ds}
	if err := w.start(); err != nil {
		if errors.Is(err, fs.ErrNotExist) && !c.Has("tools") {
			ds.Add(Warning, at, ruleNoTools, "there is no directory %q beside the file, so that there are no tools", defaultToolsDir)
		} else {
			ds.Add(Error, at, ruleUnreadable, "the tools directory cannot be read: %s", reason(err))
		}
		return
	}
	if len(w.files) > maxFiles {
		ds.Add(Error, at, ruleTooLarge, "%q holds more than %d tools files", dir, maxFiles)
		w.files = w.files[:maxFiles]
	}
	for name := range drafts {
		if !slices.Contains(w.files, name) {
			w.files = append(w.files, name)
		}
	}
	slices.Sort(w.files)
	for _, r := range l.readAll(dir, w.files, drafts) {
		c.ToolsFiles = append(c.ToolsFiles, r.name)
		c.Tools = append(c.Tools, r.tools...)
		*ds = append(*ds, r.ds...)
		all.Write([]byte(r.name))
		all.Write(r.sum[:])
	}
	if len(c.Tools) > maxTools {
		ds.Add(Error, at, ruleTooLarge, "%d tools; at most %d are allowed", len(c.Tools), maxTools)
		c.Tools = c.Tools[:maxTools]
	}
}

// A reading is what one tools file gave.
type reading struct {
	name  string
	tools []*Tool
	ds    Diagnostics
	sum   [sha256.Size]byte // of its text; zero when it cannot be read
}

// readAll reads files side by side and gives what they hold in their order.
func (l *Loader) readAll(dir string, files []string, drafts map[string]string) []reading {
	all := make([]reading, len(files))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := range next {
				name := filepath.Join(dir, filepath.FromSlash(files[i]))
				if draft, ok := drafts[files[i]]; ok {
					all[i] = parseToolsFile(name, draft)
				} else {
					all[i] = l.read(name)
				}
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	workers.Wait()
	last := make(map[string]reading, len(all))
	for i, r := range all {
		if _, draft := drafts[files[i]]; draft {
			r = l.last[r.name]
		}
		last[r.name] = r
	}
	l.last = last
	return all
}

// read reads a tools file, as it was read the time before if its text is the same.
func (l *Loader) read(name string) reading {
	r := reading{name: name}
	text, err := readFile(name)
	if err != nil {
		r.ds.Add(Error, Pos{File: name}, ruleUnreadable, "the file cannot be read: %s", reason(err))
		return r
	}
	if last, ok := l.last[name]; ok && last.sum == sha256.Sum256([]byte(text)) {
		return last
	}
	return parseToolsFile(name, text)
}

// ParseTools reads one tools file by itself, under the name given. The Catalog has no File: it holds the tools alone.
func ParseTools(name, text string) (*Catalog, Diagnostics) {
	r := parseToolsFile(name, text)
	return &Catalog{Tools: r.tools, ToolsFiles: []string{name}}, r.ds
}

// ParseConfig reads a tbridge.yaml by itself, under the name given. The Catalog holds no tools.
func ParseConfig(name, text string) (*Catalog, Diagnostics) {
	var ds Diagnostics
	c := parseCatalog(newSourceFile(name, text), &ds)
	c.File = name
	ds.Sort()
	return c, ds
}

func parseToolsFile(name, text string) reading {
	r := reading{name: name, sum: sha256.Sum256([]byte(text))}
	f := newSourceFile(name, text)
	if root := parse(f, &r.ds); root != nil {
		d := decoder{file: f, ds: &r.ds, tools: true}
		r.tools = d.toolsFile(root)
	}
	r.ds.Sort()
	return r
}

// readFile reads a file, at most one byte beyond the limit.
func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return string(b), err
}

// reason is an error of the file system without what the message around it says already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return err.Error()
}

// ToolsFiles lists the tools files below a directory in byte order of their paths, which are relative, with slashes.
func ToolsFiles(dir string) ([]string, error) {
	var ds Diagnostics
	w := walk{root: dir, ds: &ds}
	err := w.start()
	slices.Sort(w.files)
	return w.files, err
}

// A walk finds the tools files below a directory. It follows links that stay inside.
type walk struct {
	root  string
	real  string   // root, links resolved
	files []string // relative, with slashes
	ds    *Diagnostics
}

func (w *walk) start() (err error) {
	if w.real, err = filepath.EvalSymlinks(w.root); err != nil {
		return err
	}
	return w.dir("", []string{w.real})
}

// dir reads a directory. open are the real paths of it and those above it.
func (w *walk) dir(rel string, open []string) error {
	entries, err := os.ReadDir(filepath.Join(w.root, rel))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || len(w.files) > maxFiles {
			continue
		}
		w.entry(filepath.Join(rel, e.Name()), open)
	}
	return nil
}

func (w *walk) entry(rel string, open []string) {
	path := filepath.Join(w.root, rel)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		w.ds.Add(Error, Pos{File: path}, ruleUnreadable, "the file cannot be read: %s", reason(err))
		return
	}
	if inside, err := filepath.Rel(w.real, real); err != nil || !filepath.IsLocal(inside) {
		w.ds.Add(Warning, Pos{File: path}, ruleSkippedFile, "not read: the link leads out of the tools directory")
		return
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		w.ds.Add(Error, Pos{File: path}, ruleUnreadable, "the file cannot be read: %s", reason(err))
	case info.IsDir() && slices.Contains(open, real):
		w.ds.Add(Warning, Pos{File: path}, ruleSkippedFile, "not read: the link leads to a directory that it stands in")
	case info.IsDir():
		if err := w.dir(rel, append(slices.Clip(open), real)); err != nil {
			w.ds.Add(Error, Pos{File: path}, ruleUnreadable, "the directory cannot be read: %s", reason(err))
		}
	case !info.Mode().IsRegular():
		w.ds.Add(Note, Pos{File: path}, ruleSkippedFile, "not read: this is no regular file")
	case !isYAML(rel):
		w.ds.Add(Note, Pos{File: path}, ruleSkippedFile, "not read: tools files are named .yaml or .yml")
	default:
		w.files = append(w.files, filepath.ToSlash(rel))
	}
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}
