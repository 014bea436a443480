package validate

import "tbridge/config"

// Fill puts defaults where an argument is absent, also inside objects that were
// sent; it never invents an object, and null is a value. A default {vars.NAME}
// is asked of vars; its error ends Fill.
func (s *Schema) Fill(args *config.JSON, vars func(name string) (string, error)) error {
	return s.root.fill(args, vars)
}

func (n *node) fill(v *config.JSON, vars func(name string) (string, error)) error {
	if n == nil || !n.hasDefaults {
		return nil
	}
	switch v.Kind {
	case config.KindArray:
		for i := range v.Items {
			if err := n.items.fill(&v.Items[i], vars); err != nil {
				return err
			}
		}
	case config.KindObject:
		return n.fillObject(v, vars)
	}
	return nil
}

func (n *node) fillObject(v *config.JSON, vars func(name string) (string, error)) error {
	given := make([]bool, len(n.props))
	for i, key := range v.Keys {
		for j, p := range n.props {
			if p.name != key {
				continue
			}
			given[j] = true
			if err := p.fill(&v.Items[i], vars); err != nil {
				return err
			}
			break
		}
	}
	for j, p := range n.props {
		switch {
		case given[j]:
		case p.fallback != nil:
			put(v, p.name, *p.fallback)
		case p.fallbackVar != "":
			text, err := vars(p.fallbackVar)
			if err != nil {
				return err
			}
			put(v, p.name, config.StringJSON(text))
		}
	}
	return nil
}
