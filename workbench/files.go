package workbench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// maxFile is the largest text that is saved: what config reads of a file at most.
const maxFile = 1 << 20

// newName is what a new file may be called. It stands right in the tools directory.
var newName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}\.ya?ml$`)

// files is the tools directory. Whatever a path says, nothing outside is reached: os.Root sees to that.
type files struct {
	dir  string
	root *os.Root
	made atomic.Int64 // names of files being written
}

// openFiles opens a tools directory and removes what killed saves left in it.
func openFiles(dir string) (*files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the tools directory cannot be opened: %s: %s", dir, plainly(err))
	}
	f := &files{dir: dir, root: root}
	f.sweep()
	return f, nil
}

// partial names a file while it is written: .NAME.PID.N.tmp. The leading dot keeps it from being read as a tools file.
var partial = regexp.MustCompile(`^\..+\.([0-9]+)\.[0-9]+\.tmp$`)

// sweep removes the files of saves whose process is gone. One that cannot be removed harms nobody.
func (f *files) sweep() {
	_ = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if m := partial.FindStringSubmatch(d.Name()); m != nil && d.Type().IsRegular() {
			if pid, err := strconv.Atoi(m[1]); err == nil && pid != os.Getpid() && !alive(pid) {
				_ = f.root.Remove(name)
			}
		}
		return nil
	})
}

// alive says whether there is a process of that id.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // nothing was started
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// etag stands for a text: its SHA-256, quoted as RFC 9110, section 8.8.3 wants it.
func etag(text string) string {
	sum := sha256.Sum256([]byte(text))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// read reads a file.
func (f *files) read(name string) (string, error) {
	file, err := f.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	return string(text), err
}

// writable says why a file cannot be replaced: it, or a directory above it, is a symbolic link, which a rename would
// destroy; or it is no regular file.
func (f *files) writable(name string) error {
	for at := range len(name) + 1 {
		if at < len(name) && name[at] != '/' {
			continue
		}
		info, err := f.root.Lstat(name[:at])
		switch {
		case errors.Is(err, fs.ErrNotExist) && at == len(name):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return failf(http.StatusConflict, "is_symlink", "%q is a symbolic link, which saving would destroy", name[:at]).
				hinted("edit the file that it leads to")
		case at == len(name) && !info.Mode().IsRegular():
			return failf(http.StatusConflict, "no_file", "%q is no regular file", name)
		}
	}
	return nil
}

// replace puts a text in the place of a file, all of it or nothing: whoever reads the file, also after a crash, finds
// the old text or the new one. The file keeps its permissions; a new one has 0644 less the umask.
func (f *files) replace(name, text string) (err error) {
	mode, known := fs.FileMode(0o644), false
	if info, err := f.root.Lstat(name); err == nil {
		mode, known = info.Mode().Perm(), true
	}
	dir, base := path.Split(name)
	tmp := fmt.Sprintf("%s.%s.%d.%d.tmp", dir, base, os.Getpid(), f.made.Add(1))
	file, err := f.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.root.Remove(tmp)
		}
	}()
	if err := fill(file, text, mode, known); err != nil {
		return err
	}
	if err := f.root.Rename(tmp, name); err != nil {
		return err
	}
	return f.settle(path.Dir(name))
}

// fill writes a file and has it reach the disk. An existing file's permissions are not narrowed by the umask.
func fill(file *os.File, text string, mode fs.FileMode, exactly bool) error {
	_, err := io.WriteString(file, text)
	if err == nil && exactly {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// settle has the entries of a directory reach the disk.
func (f *files) settle(dir string) error {
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // file systems that know no such thing
		err = nil
	}
	return errors.Join(err, d.Close())
}

// remove removes a file.
func (f *files) remove(name string) error {
	if err := f.root.Remove(name); err != nil {
		return err
	}
	return f.settle(path.Dir(name))
}

// unwritten is an error of the disk as the API answers it.
func unwritten(err error) error {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return failf(http.StatusInsufficientStorage, "disk_full", "the disk is full; the file is as it was").hinted("make room and save again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return failf(http.StatusInternalServerError, "read_only", "the file cannot be written: %s", plainly(err)).
			hinted("check who may write to the tools directory")
	}
	return failf(http.StatusInternalServerError, "unwritten", "the file cannot be written: %s", plainly(err))
}

// plainly is an error of the file system without the path, which the page knows.
func plainly(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err.Error()
	}
	return strings.TrimSpace(err.Error())
}
