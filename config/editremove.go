package config

import (
	"slices"

	"gopkg.in/yaml.v3"
)

func (d *document) remove(path []any) (*document, error) {
	p, err := d.resolve(path)
	switch {
	case err != nil:
		return nil, err
	case len(path) == 0:
		return nil, d.errorf(d.root, "", "a change cannot remove the whole file")
	case p.merged != nil:
		return nil, d.errorf(p.merged, "remove it there, or set it to something else here", "%s comes through <<, from line %d", pathText(path), p.merged.Line)
	case !p.exists():
		return nil, d.absent(p)
	}
	n, parent := p.last(), p.parent()
	if err := d.unshared(p.path, p.nodes[:len(path)]); err != nil {
		return nil, err
	}
	if err := d.disposable(path, n); err != nil {
		return nil, err
	}
	width := 1
	if parent.Kind == yaml.MappingNode {
		width = 2
	}
	if len(parent.Content) == width {
		return d.empty(p)
	}
	i := p.index / width
	return d.revise(n, d.cut(parent, i), func(*document) error {
		parent.Content = slices.Delete(parent.Content, i*width, i*width+width)
		return nil
	})
}

// absent says that there is nothing at a path, and whether the head of the file gives it.
func (d *document) absent(p *route) error {
	if len(p.path) == 3 && p.path[0] == "tools" {
		if _, above := below(d.root, p.path[2]); above != nil {
			return d.errorf(above, "remove it there, or set it to something else in the tool", "%s comes from the head of the file, line %d", pathText(p.path), above.Line)
		}
	}
	return d.errorf(p.last(), "", "%s is not there", pathText(p.path))
}

// empty takes the only entry of a list or mapping.
func (d *document) empty(p *route) (*document, error) {
	depth := len(p.path) - 1
	parent := p.parent()
	if depth == 0 {
		e := d.entries(parent)[0]
		return d.revise(parent, []splice{{d.file.lineStart(e.start), d.file.nextLine(e.end), ""}}, func(after *document) error {
			if isEmpty(after.root) {
				d.root = after.root
			}
			return nil
		})
	}
	v := JSON{Kind: KindArray}
	if parent.Kind == yaml.MappingNode {
		v.Kind = KindObject
	}
	return d.replace(p, depth, v, false)
}

func (d *document) move(path []any, to int) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	if !p.exists() || len(path) == 0 {
		return nil, d.absent(p)
	}
	parent, width := p.parent(), 1
	if parent.Kind == yaml.MappingNode {
		width = 2
	}
	count, from := len(parent.Content)/width, p.index/width
	if to < 0 || to >= count {
		return nil, d.errorf(parent, "", "%s has positions 0 to %d, not %d", pathText(path[:len(path)-1]), count-1, to)
	}
	if to == from {
		return d, nil
	}
	if err := d.unshared(p.path, p.nodes[:len(path)]); err != nil {
		return nil, err
	}
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	order = slices.Insert(slices.Delete(order, from, from+1), to, from)
	all := d.entries(parent)
	var splices []splice
	for i, e := range all {
		if was := all[order[i]]; order[i] != i {
			splices = append(splices, splice{e.start, e.end, d.file.text[was.start:was.end]})
		}
	}
	return d.revise(p.last(), splices, func(*document) error {
		content := slices.Clone(parent.Content)
		for i, was := range order {
			copy(parent.Content[i*width:], content[was*width:was*width+width])
		}
		return nil
	})
}

func (d *document) rename(path []any, name string) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	if !p.exists() || len(path) == 0 {
		return nil, d.absent(p)
	}
	parent := p.parent()
	if parent.Kind != yaml.MappingNode {
		return nil, d.errorf(p.last(), "", "%s is an element of a list, which has no name", pathText(path))
	}
	key := parent.Content[p.index-1]
	switch _, times := findKey(parent, name); {
	case deref(key).Value == name:
		return d, nil
	case times > 0:
		return nil, d.errorf(key, "", "%s has a key %q already", pathText(path[:len(path)-1]), name)
	}
	if err := d.unshared(p.path, append(slices.Clone(p.nodes[:len(path)]), key)); err != nil {
		return nil, err
	}
	start := d.file.start(key)
	text := keyText(name, key, slices.ContainsFunc(p.nodes[:len(path)], isFlow))
	return d.revise(key, []splice{{start, d.file.end(key, start), text}}, func(after *document) error {
		q, err := after.resolve(join(path[:len(path)-1], name))
		if err != nil || !q.exists() {
			return d.errorf(key, "", "%q cannot be a key here", excerpt(name))
		}
		parent.Content[p.index-1] = q.parent().Content[q.index-1]
		return nil
	})
}
