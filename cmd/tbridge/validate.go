package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tbridge/config"
	"tbridge/validate"
)

func (p *program) validateCommand() *cobra.Command {
	format, strict := "auto", false
	cmd := &cobra.Command{
		Use:   "validate [PATH...]",
		Short: "Find what is wrong with a bridge directory, without network and secrets",
		Long: `Find what is wrong, without network and secrets. Without PATH: the tbridge.yaml of --config
and its tools. PATH is a bridge directory, a tbridge.yaml, one tools file, a page of Markdown
with YAML in it, or - for a file on stdin. Exit code 1: something is wrong. 2: something cannot be read.`,
		Example: `  tbridge validate
  tbridge validate tools.d/tasks.yaml
  tbridge validate --strict --format json`,
		RunE: func(_ *cobra.Command, paths []string) error {
			show, ok := styles[format]
			if format == "auto" {
				show, ok = auto(p.stdout), true
			}
			if !ok {
				return unknownFormat(format, styles, "auto")
			}
			found, err := p.check(paths)
			if err != nil {
				return err
			}
			if err := show(p.stdout, found.ds, found.sources); err != nil {
				return err
			}
			if format != "json" && format != "sarif" {
				fmt.Fprintln(p.stderr, found.summary())
			}
			if found.ds.Count(config.Error) > 0 || strict && found.ds.Count(config.Warning) > 0 {
				return exitCode(exitFound)
			}
			return nil
		},
	}
	formatFlag(cmd, &format, styles, "auto")
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on warnings too")
	return cmd
}

// found is what validate found, and in how much.
type found struct {
	ds                   config.Diagnostics
	sources              map[string]string // of files that are not on the disk
	files, tools, tokens int
}

// check checks all paths; none: the directory of --config.
func (p *program) check(paths []string) (*found, error) {
	if len(paths) == 0 {
		paths = []string{p.config}
	}
	all := &found{sources: map[string]string{}}
	for _, path := range paths {
		var err error
		switch info, statErr := os.Stat(path); {
		case path == "-":
			err = all.stdin(p.stdin)
		case statErr != nil:
			err = unreadable(path, statErr)
		case info.IsDir():
			err = all.directory(filepath.Join(path, "tbridge.yaml"))
		case strings.EqualFold(filepath.Ext(path), ".md"):
			err = all.markdown(path)
		case path == p.config || isConfig(path):
			err = all.directory(path)
		default:
			err = all.toolsFile(path)
		}
		if err != nil {
			return nil, err
		}
	}
	all.ds.Sort()
	return all, nil
}

var configKey = regexp.MustCompile(`(?m)^\x{FEFF}?(version|apis|server)[ \t]*:`)

// isConfig says whether a file is a tbridge.yaml, whatever its name.
func isConfig(path string) bool {
	if filepath.Base(path) == "tbridge.yaml" {
		return true
	}
	text, err := os.ReadFile(path)
	return err == nil && configKey.Match(text)
}

// directory checks a tbridge.yaml and its tools.
func (f *found) directory(path string) error {
	c, ds, err := validate.Load(path)
	if err != nil {
		return unreadable(path, err)
	}
	f.add(c, append(ds, validate.Secrets(c, nil)...))
	f.files++
	return nil
}

// add adds what was found in the tools of a catalogue.
func (f *found) add(c *config.Catalog, ds config.Diagnostics) {
	f.ds = append(f.ds, ds...)
	f.files += len(c.ToolsFiles)
	f.tools += len(c.Tools)
	sound, _ := validate.Servable(c, ds)
	for _, t := range sound.Tools {
		f.tokens += tokens(t)
	}
}

// toolsFile checks one tools file as part of the bridge directory above it.
func (f *found) toolsFile(path string) error {
	for dir := filepath.Dir(path); ; dir = filepath.Join(dir, "..") {
		c, ds, err := validate.Load(filepath.Join(dir, "tbridge.yaml"))
		if err == nil {
			if listed, ok := listedAs(c, path); ok {
				f.part(c, ds, listed, path)
				return nil
			}
			break
		}
		full, absErr := filepath.Abs(dir)
		if !errors.Is(err, fs.ErrNotExist) || absErr != nil {
			return err
		}
		if full == filepath.Dir(full) {
			break
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f.alone(path, string(text))
	return nil
}

// listedAs gives the name under which a catalogue has read a file.
func listedAs(c *config.Catalog, path string) (string, bool) {
	want, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	i := slices.IndexFunc(c.ToolsFiles, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(info, want)
	})
	if i < 0 {
		return "", false
	}
	return c.ToolsFiles[i], true
}

// part adds what concerns one file of a catalogue, under the name it was asked for.
func (f *found) part(c *config.Catalog, ds config.Diagnostics, listed, path string) {
	one := *c
	one.ToolsFiles = []string{listed}
	one.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t *config.Tool) bool { return t.At().File != listed })
	own := slices.DeleteFunc(ds, func(d config.Diagnostic) bool { return d.File != listed })
	f.add(&one, own)
	for i := range f.ds {
		if f.ds[i].File == listed {
			f.ds[i].File = path
		}
	}
}

// stdin checks a tools file that stands nowhere.
func (f *found) stdin(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f.sources["-"] = string(text)
	f.text("-", string(text))
	return nil
}

// text checks what stands nowhere, a tbridge.yaml or a tools file.
func (f *found) text(name, text string) {
	if !configKey.MatchString(text) {
		f.alone(name, text)
		return
	}
	c, ds := validate.ConfigFile(name, text)
	f.add(c, ds)
	f.files++
}

// alone checks a tools file without a tbridge.yaml.
func (f *found) alone(name, text string) {
	c, ds := validate.ToolsFile(name, text)
	f.add(c, ds)
}

// summary counts what was found, in words.
func (f *found) summary() string {
	errors, warnings, notes := f.ds.Count(config.Error), f.ds.Count(config.Warning), f.ds.Count(config.Note)
	text := "no problems"
	if errors+warnings > 0 {
		text = fmt.Sprintf("%s (%s, %s)", count(errors+warnings, "problem"), count(errors, "error"), count(warnings, "warning"))
	}
	if notes > 0 {
		text += " and " + count(notes, "note")
	}
	return fmt.Sprintf("%s in %s, %s, %s", text, count(f.files, "file"), count(f.tools, "tool"), count(f.tokens, "token"))
}
