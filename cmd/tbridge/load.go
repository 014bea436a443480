package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tbridge/config"
	"tbridge/validate"
)

// load loads the bridge directory of --config for serving: without the tools of faulty files, whose findings
// it gives beside it. A faulty tbridge.yaml, told on stderr, ends the command.
func (p *program) load() (*config.Catalog, config.Diagnostics, error) {
	c, ds, err := validate.Load(p.config)
	if err != nil {
		return nil, nil, unreadable(p.config, err)
	}
	if own := faults(ds, c.File); len(own) > 0 {
		if err := auto(p.stderr)(p.stderr, own, nil); err != nil {
			return nil, nil, err
		}
		return nil, nil, exitCode(exitUsage)
	}
	kept, left := validate.Servable(c, ds)
	return kept, faults(ds, left...), nil
}

// unreadable is the error of a bridge directory that cannot be read.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &adviceError{fmt.Sprintf("there is no %s", path), "run tbridge in a bridge directory, or name its tbridge.yaml with --config"}
	}
	return err
}

// faults gives the errors in some files.
func faults(ds config.Diagnostics, files ...string) (own config.Diagnostics) {
	for _, d := range ds {
		for _, file := range files {
			if d.Severity == config.Error && d.File == file {
				own = append(own, d)
			}
		}
	}
	return own
}

// open loads the bridge directory for one command that needs it, and tells on stderr what is left out.
func (p *program) open() (*config.Catalog, error) {
	c, left, err := p.load()
	if err != nil {
		return nil, err
	}
	if err := auto(p.stderr)(p.stderr, left, nil); err != nil {
		return nil, err
	}
	return c, nil
}

// tool finds a tool by its name.
func tool(c *config.Catalog, name string) (*config.Tool, error) {
	var names []string
	for _, t := range c.Tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return nil, unknown("tool", name, names, `"tbridge list" lists the tools`)
}

// tokens estimates what a tool costs a model's context.
func tokens(t *config.Tool) int { return validate.Describe(t).Tokens() }

// filesOf names the files of findings, each once, in their order.
func filesOf(ds config.Diagnostics) (files []string) {
	for _, d := range ds {
		if !slices.Contains(files, d.File) {
			files = append(files, d.File)
		}
	}
	return files
}
