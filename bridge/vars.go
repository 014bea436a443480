package bridge

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tbridge/config"
)

// vars is what plans take from tbridge.yaml beside the APIs, resolved once: the
// variables of {vars.NAME}, and the folders that file arguments may read. They
// are no secrets.
type vars struct {
	texts map[string]variable
	roots roots
}

// A variable is the text of one variable, or why there is none.
type variable struct {
	text string
	err  error
}

func newVars(c *config.Catalog, env config.Lookup) *vars {
	v := &vars{texts: make(map[string]variable, len(c.Vars))}
	for _, e := range c.Vars {
		resolved, err := e.Value.Resolve(env)
		v.texts[e.Key] = variable{text: resolved.Text, err: err}
	}
	for _, value := range c.Files.Roots {
		if r, err := value.Resolve(env); err == nil { // an absent root permits nothing
			v.roots = append(v.roots, rootPath(r.Text, filepath.Dir(c.File), env))
		}
	}
	return v
}

// rootPath is a root as written: relative to the folder of tbridge.yaml, or below ~.
func rootPath(path, base string, env config.Lookup) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, _ := env("HOME"); home != "" {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// text gives the text of a variable.
func (v *vars) text(name string) (string, error) {
	found, ok := v.texts[name]
	if !ok {
		return "", fmt.Errorf("unknown variable %q; declare it under vars in tbridge.yaml", name)
	}
	if found.err != nil {
		return "", fmt.Errorf("variable %s: %w", name, found.err)
	}
	return found.text, nil
}

// variableError is the failure of a call that needs a variable.
func variableError(err error) *Error {
	e := errorf(kindInternal, "%s", err)
	if missing := (*config.MissingError)(nil); errors.As(err, &missing) {
		e.Hint = "the operator sets it in the environment of tbridge, or in tbridge.yaml"
		return e.coded("missing_value")
	}
	return e.coded("invalid_value")
}
