package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tbridge/config"
)

// starter is what init writes, beside the schemas.
//
//go:embed starter
var starter embed.FS

func (p *program) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a bridge directory to start from",
		Long: `Make a bridge directory to start from: a tbridge.yaml, a tools file, and the schemas that editors
complete and check them by. Nothing that is there is overwritten.`,
		Example: `  tbridge init            # here
  tbridge init my-bridge`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return p.initialize(dir)
		},
	}
}

func (p *program) initialize(dir string) error {
	files, err := starterFiles()
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.name)); !errors.Is(err, fs.ErrNotExist) {
			return &adviceError{fmt.Sprintf("%s is there already", filepath.Join(dir, f.name)), "name another directory; init overwrites nothing"}
		}
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(dir, f.name), f.text); err != nil {
			return err
		}
	}
	for _, f := range files {
		fmt.Fprintf(p.stdout, "made %s\n", filepath.Join(dir, f.name))
	}
	into := ""
	if dir != "." {
		into = "cd " + dir + " && "
	}
	_, err = fmt.Fprintf(p.stdout, `
Next:
  %stbridge validate
  tbridge demo --serve                 # a tracker to try it on: set the two variables that it prints
  tbridge call get_task task_id=TE-15
`, into)
	return err
}

// A starterFile is one file of a new bridge directory.
type starterFile struct {
	name string
	text []byte
}

func starterFiles() (files []starterFile, err error) {
	below, err := fs.Sub(starter, "starter")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(below, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(below, name)
		files = append(files, starterFile{filepath.FromSlash(name), text})
		return err
	})
	for kind, name := range schemaNames {
		var text bytes.Buffer
		if err := writeJSON(&text, schemaText(config.FileKind(kind))); err != nil {
			return nil, err
		}
		files = append(files, starterFile{filepath.Join(".tbridge", name+".schema.json"), text.Bytes()})
	}
	return files, err
}

// writeNew writes a file that must not be there, and the directories above it.
func writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
