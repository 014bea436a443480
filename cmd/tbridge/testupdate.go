package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tbridge/bridge"
	"tbridge/config"
)

// updateTests writes what came into the tests that failed or expect nothing, and gives how many they were. It splices:
// all else in the files stays as it is. What cannot be written is told on stderr, and counted as left.
func updateTests(stderr io.Writer, c *config.Catalog, ran *testRun) (updated, left int, err error) {
	changes, tests := map[string][]config.Change{}, map[string]int{}
	for i, r := range ran.reports {
		if own := corrections(c, r, ran.tests[i]); own != nil {
			file := r.Pos.File
			changes[file] = append(changes[file], own...)
			tests[file]++
		}
	}
	for _, file := range c.ToolsFiles {
		if changes[file] == nil {
			continue
		}
		err := edit(file, changes[file])
		if refused, ok := errors.AsType[*config.EditError](err); ok {
			fmt.Fprintf(stderr, "error: %s\n", refused)
			if refused.Hint != "" {
				fmt.Fprintf(stderr, "hint: %s\n", refused.Hint)
			}
			left += tests[file]
			continue
		}
		if err != nil {
			return updated, left, err
		}
		updated += tests[file]
	}
	return updated, left, nil
}

// corrections are the changes that make a test pass and expect something.
func corrections(c *config.Catalog, r *bridge.TestReport, test *config.Test) (changes []config.Change) {
	right := r.Right(test)
	at := placeOfTest(c, test)
	for _, part := range []struct {
		key   string
		value *config.JSON
		due   bool // it may be missing
	}{
		{"request", right.Request, test.Response == nil && test.Error == nil},
		{"result", right.Result, test.Response != nil && test.Error == nil},
		{"error", right.Error, test.Result == nil},
	} {
		path := append(at[:len(at):len(at)], part.key)
		switch given := test.Has(part.key); {
		case given && part.value == nil && !r.Passed():
			changes = append(changes, config.Remove(path))
		case part.value != nil && (given && !r.Passed() || !given && (part.due || !r.Passed())):
			changes = append(changes, config.Set(path, *part.value))
		}
	}
	return changes
}

// placeOfTest is the path of a test in its file.
func placeOfTest(c *config.Catalog, test *config.Test) []any {
	i := 0
	for _, t := range c.Tools {
		if t.At().File != test.At().File {
			continue
		}
		for k, other := range t.Tests {
			if other == test {
				return []any{"tools", i, "tests", k}
			}
		}
		i++
	}
	return nil
}

// edit makes changes to a file, all or none.
func edit(file string, changes []config.Change) error {
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	after, err := config.Edit(file, before, changes...)
	if err != nil {
		return err
	}
	return replace(file, after)
}

// replace puts a text in the place of a file: whoever reads it finds the old one or the new one.
func replace(file string, text []byte) (err error) {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(file), ".tbridge-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name())
		}
	}()
	_, err = next.Write(text)
	if err := errors.Join(err, next.Chmod(info.Mode().Perm()), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), file)
}
