package validate

import (
	"fmt"

	"tbridge/config"
)

// Resolve reads the defaults {vars.NAME} with vars, once, each as the type of its argument and held against its
// rules. What is wrong with one ends the Fill that needs it. It must not be called beside any other method.
func (s *Schema) Resolve(vars func(name string) (string, error)) { s.root.resolve(vars) }

func (n *node) resolve(vars func(name string) (string, error)) {
	if n == nil || !n.hasDefaults {
		return
	}
	n.items.resolve(vars)
	for _, p := range n.props {
		p.resolve(vars)
		if p.fallbackVar == "" {
			continue
		}
		text, err := vars(p.fallbackVar)
		if err != nil {
			p.unset = err
			continue
		}
		v, err := p.read(text)
		if p.fallback = &v; err != nil {
			p.unset = fmt.Errorf("variable %s, the default of %s: %w", p.fallbackVar, p.name, err)
		}
	}
}

// read reads the text of a variable as a value of the place. The error is an *Invalid.
func (n *node) read(text string) (config.JSON, error) {
	v := config.StringJSON(text)
	if repaired, ok := n.repair(text, 1); ok {
		v = repaired
	}
	alone := *n
	alone.nullable = false
	s := &Schema{root: &alone, text: n.schema.Append(nil)}
	if problems := s.validate(v); problems != nil {
		return v, &Invalid{problems}
	}
	return v, nil
}

// Fill puts defaults where an argument is absent, also inside objects that were sent; it never invents an object,
// and null is a value. The error is that of a variable which is a default and cannot be one, see Resolve.
func (s *Schema) Fill(args *config.JSON) error { return s.root.fill(args) }

func (n *node) fill(v *config.JSON) error {
	if n == nil || !n.hasDefaults {
		return nil
	}
	switch v.Kind {
	case config.KindArray:
		for i := range v.Items {
			if err := n.items.fill(&v.Items[i]); err != nil {
				return err
			}
		}
	case config.KindObject:
		return n.fillObject(v)
	}
	return nil
}

func (n *node) fillObject(v *config.JSON) error {
	given := make([]bool, len(n.props))
	for i, key := range v.Keys {
		for j, p := range n.props {
			if p.name != key {
				continue
			}
			given[j] = true
			if err := p.fill(&v.Items[i]); err != nil {
				return err
			}
			break
		}
	}
	for j, p := range n.props {
		switch {
		case given[j]:
		case p.unset != nil:
			return p.unset
		case p.fallback != nil:
			put(v, p.name, *p.fallback)
		}
	}
	return nil
}
