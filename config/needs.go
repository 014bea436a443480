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
