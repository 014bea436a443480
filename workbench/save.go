package workbench

import (
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"tbridge/config"
	"tbridge/validate"
)

// load reads the directory, with drafts in the place of files. w.mu must be held, or New not done.
func (w *Workbench) load(drafts map[string]string) (*view, error) {
	c, ds, err := w.loader.Load(drafts)
	if err != nil {
		return nil, err
	}
	ds = append(ds, validate.Catalog(c)...)
	ds.Sort()
	return &view{c, ds}, nil
}

// view reads the directory as it is now, with a draft in the place of one file unless its path is empty.
func (w *Workbench) view(path, text string) (*view, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if path == "" {
		return w.load(nil)
	}
	return w.load(map[string]string{path: text})
}

// relative is the path of a file as the page knows it: below the tools directory, with slashes, or tbridge.yaml.
func (v *view) relative(name string) string {
	if name == v.c.File {
		return "tbridge.yaml"
	}
	rel, err := filepath.Rel(v.c.Directory(), name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// holds says whether a path is that of a tools file.
func (v *view) holds(path string) bool {
	return slices.ContainsFunc(v.c.ToolsFiles, func(name string) bool { return v.relative(name) == path })
}

// local says why a path leads out of the tools directory.
func local(path string) error {
	if !fs.ValidPath(path) || path == "." {
		return failf(http.StatusBadRequest, "bad_path", "%q is no path below the tools directory", path)
	}
	return nil
}

// known says why a path is none that can be opened: only tools files can.
func (v *view) known(path string) error {
	if err := local(path); err != nil {
		return err
	}
	if !v.holds(path) {
		return failf(http.StatusNotFound, "not_found", "there is no tools file %q", path)
	}
	return nil
}

// creatable says why a new file cannot have a name.
func creatable(path string) error {
	if !newName.MatchString(path) {
		return failf(http.StatusBadRequest, "bad_path", "%q cannot be the name of a new file", path).
			hinted("use up to 64 of a-z 0-9 . _ -, and .yaml at the end")
	}
	return nil
}

type fileText struct {
	Path string `json:"path"`
	Text string `json:"text"`
	ETag string `json:"etag"`
}

// readFile gives the text of a tools file.
func (w *Workbench) readFile(out http.ResponseWriter, r *http.Request) {
	path := r.PathValue("path")
	v, err := w.view("", "")
	if err == nil {
		err = v.known(path)
	}
	var text string
	if err == nil {
		text, err = w.files.read(path)
	}
	if err == nil {
		err = editable(path, text)
	}
	if err != nil {
		fail(out, err)
		return
	}
	out.Header().Set("ETag", etag(text))
	writeJSON(out, http.StatusOK, fileText{path, text, etag(text)})
}

// editable says why a text cannot be edited here without being damaged.
func editable(path, text string) error {
	switch {
	case len(text) > maxFile:
		return failf(http.StatusConflict, "too_large", "%q is larger than 1 MiB", path).hinted("split it into several files")
	case !utf8.ValidString(text):
		return failf(http.StatusConflict, "encoding", "%q is not text in UTF-8", path).hinted("convert it with an editor")
	}
	return nil
}

type savedFile struct {
	ETag        string       `json:"etag"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// saveFile replaces a tools file, or makes a new one.
func (w *Workbench) saveFile(out http.ResponseWriter, r *http.Request) {
	q, err := body[struct {
		Text *string `json:"text"`
	}](r)
	if err == nil && q.Text == nil {
		err = failf(http.StatusBadRequest, "bad_request", "the body lacks %q", "text")
	}
	var answer savedFile
	if err == nil {
		answer, err = w.save(r.PathValue("path"), *q.Text, r.Header.Get("If-Match"), r.Header.Get("If-None-Match"))
	}
	if err != nil {
		fail(out, err)
		return
	}
	out.Header().Set("ETag", answer.ETag)
	writeJSON(out, http.StatusOK, answer)
}

func (w *Workbench) save(path, text, match, noneMatch string) (answer savedFile, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, err := w.load(nil)
	if err != nil {
		return answer, err
	}
	old, err := w.expected(before, path, match, noneMatch)
	if err != nil {
		return answer, err
	}
	if len(text) > maxFile {
		return answer, failf(http.StatusRequestEntityTooLarge, "too_large", "a file of more than 1 MiB").hinted("split it into several files")
	}
	after, err := w.load(map[string]string{path: text})
	if err != nil {
		return answer, err
	}
	if broken := newFaults(before, after, path); len(broken) > 0 {
		return answer, failf(http.StatusUnprocessableEntity, "invalid", "what has errors is not saved").
			hinted("mend what is marked; the draft is kept").beside("diagnostics", after.shown(broken))
	}
	if old == nil || *old != text {
		if err := w.replace(path, old, text); err != nil {
			return answer, err
		}
	}
	return savedFile{etag(text), after.in(path)}, nil
}

// replace writes the file and the history. A history that cannot be written does not keep anybody from saving.
func (w *Workbench) replace(path string, old *string, text string) error {
	if old != nil {
		w.note(path, *old, "before")
	}
	if err := w.files.replace(path, text); err != nil {
		return unwritten(err)
	}
	w.note(path, text, "saved")
	return nil
}

// expected gives the text of a file as it is, nil for a new one, or says why it is not what whoever saves thinks it is.
func (w *Workbench) expected(v *view, path, match, noneMatch string) (*string, error) {
	if noneMatch == "*" {
		if err := creatable(path); err != nil {
			return nil, err
		}
		if err := w.files.writable(path); err != nil {
			return nil, err
		}
		if text, err := w.files.read(path); err == nil {
			return nil, changed(path, text)
		}
		return nil, nil
	}
	if err := v.known(path); err != nil {
		return nil, err
	}
	if match == "" {
		return nil, failf(http.StatusPreconditionRequired, "precondition", "say in If-Match which version was edited, or in If-None-Match: * that the file is new")
	}
	if err := w.files.writable(path); err != nil {
		return nil, err
	}
	text, err := w.files.read(path)
	if err != nil {
		return nil, failf(http.StatusInternalServerError, "unreadable", "the file cannot be read: %s", plainly(err))
	}
	if etag(text) != match {
		return nil, changed(path, text)
	}
	return &text, nil
}

func changed(path, text string) error {
	return failf(http.StatusPreconditionFailed, "changed", "%q has changed since it was opened", path).
		hinted("compare both versions, and save again").
		beside("current", map[string]string{"text": text, "etag": etag(text)})
}

// newFaults gives the errors that keep a draft from being saved: those in it, and those that it brings to other files.
func newFaults(before, after *view, path string) (faults config.Diagnostics) {
	type fault struct{ file, rule, message string }
	known := map[fault]bool{}
	for _, d := range before.ds {
		known[fault{d.File, d.Rule, d.Message}] = true
	}
	for _, d := range after.ds {
		if d.Severity == config.Error && d.File != after.c.File && (after.relative(d.File) == path || !known[fault{d.File, d.Rule, d.Message}]) {
			faults = append(faults, d)
		}
	}
	return faults
}

// deleteFile removes a file that holds no tools.
func (w *Workbench) deleteFile(out http.ResponseWriter, r *http.Request) {
	if err := w.delete(r.PathValue("path"), r.Header.Get("If-Match")); err != nil {
		fail(out, err)
		return
	}
	writeJSON(out, http.StatusOK, struct{}{})
}

func (w *Workbench) delete(path, match string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	v, err := w.load(nil)
	if err != nil {
		return err
	}
	text, err := w.expected(v, path, match, "")
	if err != nil {
		return err
	}
	c, ds := config.ParseTools(path, *text)
	if len(c.Tools) > 0 || ds.Count(config.Error) > 0 {
		return failf(http.StatusConflict, "not_empty", "%q holds tools", path).hinted("remove its tools first")
	}
	w.note(path, *text, "deleted")
	if err := w.files.remove(path); err != nil {
		return unwritten(err)
	}
	return nil
}
