package config

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// paths reads a path, or a list of them.
func (d *decoder) paths(n *yaml.Node, label string, p *Paths) bool {
	nodes := []*yaml.Node{n}
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		nodes = n.Content
	case n.Kind != yaml.ScalarNode:
		return d.wrongKind(n, label, "a path or a list of paths")
	}
	for _, node := range nodes {
		node := deref(node)
		if node.Kind != yaml.ScalarNode || plain(node) && node.Value == "" {
			return d.wrongKind(node, label, "a path or a list of paths")
		}
		d.noEnv(node)
		*p = append(*p, parsePath(node.Value, d.file.inside(node, 0, len(node.Value))))
	}
	return true
}

// verdict reads a path, a list of paths, or the mapping with path, equals or absent.
func (d *decoder) verdict(n *yaml.Node, label string) *Verdict {
	v := &Verdict{Source: Source{d.file, n}}
	if n.Kind != yaml.MappingNode {
		if !d.paths(n, label, &v.Path) {
			return nil
		}
		return v
	}
	if !d.into(n, label, reflect.ValueOf(v).Elem()) {
		return nil
	}
	return v
}

// projection reads a path, a list of paths, or a mapping that builds an object.
func (d *decoder) projection(n *yaml.Node, label string) *Projection {
	p := &Projection{Source: Source{d.file, n}}
	ok := false
	if n.Kind == yaml.MappingNode {
		ok = d.ordered(n, label, nil, &p.Fields)
	} else {
		ok = d.paths(n, label, &p.Paths)
	}
	if !ok {
		return nil
	}
	return p
}

// template reads a scalar and gives each hole its place.
func (d *decoder) template(n *yaml.Node, label string, scan scanner) *Template {
	if _, ok := d.text(n, label); !ok {
		return nil
	}
	clean := d.noEnv(n)
	t, starts, faults := parseTemplate(n.Value, scan)
	t.Pos = d.file.span(n)
	for _, fault := range faults {
		if !clean {
			break // {NAME:-default} is no hole either
		}
		d.errorf(d.file.inside(n, fault.start, fault.end), ruleTemplate, "%s", fault.message).Hint = fault.hint
	}
	for i := range t.Parts {
		if part := &t.Parts[i]; part.Hole != nil {
			part.Pos = d.file.inside(n, starts[0], starts[0]+len(part.Text))
			part.Hole.Value.Pos = part.Pos
			starts = starts[1:]
		}
	}
	return t
}
