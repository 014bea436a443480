package config

import "slices"

// Needs are the variables without which the Value may be absent, in order, each
// once: those that have no default, unless another choice is always there.
func (v *Value) Needs() []string {
	if v == nil {
		return nil
	}
	var names []string
	for _, c := range v.choices {
		optional := !c.isFile
		for _, p := range c.parts {
			if p.name == "" || p.fallback {
				continue
			}
			optional = false
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
		if optional {
			return nil
		}
	}
	return names
}

// Unset is what a Value is where nothing comes from outside: the content of the
// first choice that needs neither a variable nor a file, which is known; or else
// the first choice as it is written.
func (v *Value) Unset() (text string, known bool) {
	if v == nil || len(v.choices) == 0 {
		return "", false
	}
	for _, c := range v.choices {
		if c.isFile {
			continue
		}
		if r, err := c.expand(func(string) (string, bool) { return "", false }); err == nil {
			return r.Text, true
		}
	}
	first := Value{choices: v.choices[:1]}
	return first.String(), false
}
