package bridge

import (
	"errors"
	"fmt"

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
			if root, err := c.Locate(r.Text, env); err == nil {
				v.roots = append(v.roots, root)
			}
		}
	}
	return v
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
