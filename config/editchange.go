package config

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

func (d *document) set(path []any, v JSON) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	v = v.as(p.dues[len(path)])
	if !p.exists() {
		if p.merged != nil && read(p.merged, p.dues[len(path)]).same(v) {
			return d, nil
		}
		return d.create(p, v, false)
	}
	n := p.last()
	switch {
	case read(n, p.dues[len(path)]).same(v):
		return d, nil
	case n.Kind == yaml.MappingNode && v.Kind == KindObject && len(n.Content) > 0 && len(v.Items) > 0:
		return d.setMembers(path, n, v)
	case n.Kind == yaml.SequenceNode && v.Kind == KindArray && len(n.Content) > 0 && len(v.Items) > 0:
		return d.setElements(path, n, p.dues[len(path)], v)
	}
	return d.replace(p, len(path), v, false)
}

// setMembers changes what differs in a mapping.
func (d *document) setMembers(path []any, n *yaml.Node, v JSON) (after *document, err error) {
	var gone []string
	for _, key := range read(n, due{}).Keys {
		if !v.has(key) {
			gone = append(gone, key)
		}
	}
	after = d
	for i, key := range v.Keys {
		if after, err = after.setMember(join(path, key), v, i); err != nil {
			return nil, err
		}
	}
	for _, key := range gone {
		if after, err = after.remove(join(path, key)); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// setMember sets one member of v; one that is not there comes after that before it, unless the language says where.
func (d *document) setMember(path []any, v JSON, i int) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	_, ranked := p.dues[len(path)-1].rank(v.Keys[i])
	if p.exists() || p.merged != nil || ranked || i == 0 {
		return d.set(path, v.Items[i])
	}
	at, times := findKey(p.last(), v.Keys[i-1])
	if times == 0 {
		return d.set(path, v.Items[i])
	}
	return d.addPair(p, at/2+1, v.Items[i], false)
}

// setElements changes what differs in a list, between what is the same at both ends.
func (d *document) setElements(path []any, n *yaml.Node, due due, v JSON) (after *document, err error) {
	old := read(n, due).Items
	first, shorter := 0, min(len(old), len(v.Items))
	for first < shorter && old[first].same(v.Items[first]) {
		first++
	}
	last := 0
	for last < shorter-first && old[len(old)-1-last].same(v.Items[len(v.Items)-1-last]) {
		last++
	}
	after = d
	for i := first; i < len(v.Items)-last && err == nil; i++ {
		if i < len(old)-last {
			after, err = after.set(join(path, i), v.Items[i])
		} else {
			after, err = after.insert(join(path, i), v.Items[i], false)
		}
	}
	for i := len(old) - last - 1; i >= len(v.Items)-last && err == nil; i-- {
		after, err = after.remove(join(path, i))
	}
	return after, err
}

// join is a path and one step more.
func join(path []any, step any) []any { return append(slices.Clip(path), step) }

// create writes a value where there is none, with all that must be above it.
func (d *document) create(p *route, v JSON, block bool) (*document, error) {
	if err := d.own(p); err != nil {
		return nil, err
	}
	depth := p.depth()
	n := p.last()
	lowest := depth + 1
	if isEmpty(n) {
		lowest = depth
	}
	for i := len(p.path) - 1; i >= lowest; i-- {
		var err error
		if v, err = d.around(p, i, v); err != nil {
			return nil, err
		}
	}
	switch {
	case n == d.root && isEmpty(n):
		return d.begun(p, v, block)
	case isEmpty(n):
		return d.replace(p, depth, v, block)
	case n.Kind == yaml.MappingNode:
		return d.addPair(p, d.position(n, p.dues[depth], p.path[depth].(string)), v, block)
	}
	return d.addElement(p, p.path[depth].(int), v, block)
}

// around wraps a value into the list or mapping that step i of a path leads into.
func (d *document) around(p *route, i int, v JSON) (JSON, error) {
	switch step := p.path[i].(type) {
	case string:
		return JSON{Kind: KindObject, Keys: []string{step}, Items: []JSON{v}}, nil
	case int:
		if step == 0 {
			return JSON{Kind: KindArray, Items: []JSON{v}}, nil
		}
	}
	return v, d.errorf(p.last(), "", "%s is not there", pathText(p.path[:i+1]))
}

// begun writes the first keys of a file that has none.
func (d *document) begun(p *route, v JSON, block bool) (*document, error) {
	if v.Kind != KindObject {
		return nil, d.errorf(d.root, "", "a file is a mapping: its first step is a key")
	}
	if d.root.Line != 0 && d.root.Value != "" {
		return nil, d.errorf(d.root, byHand, "the file holds %s and no mapping", kindOf(d.root))
	}
	f := d.file
	text := strings.Join(d.lines(v, setting{due: p.dues[0], block: block}, 0), d.eol) + d.eol
	if f.text != "" && !strings.HasSuffix(f.text, "\n") {
		text = d.eol + text
	}
	return d.revise(d.root, []splice{{len(f.text), len(f.text), text}}, func(after *document) error {
		d.root = after.root
		return after.holds(p.path[:0], v)
	})
}

// position is where the language has a key among those of a mapping: after the last that comes before it.
func (d *document) position(n *yaml.Node, due due, key string) int {
	rank, ok := due.rank(key)
	if !ok {
		return len(n.Content) / 2
	}
	at := 0
	for i := 0; i < len(n.Content); i += 2 {
		other, known := due.rank(deref(n.Content[i]).Value)
		if known && other < rank || isMerge(n.Content[i]) {
			at = i/2 + 1
		}
	}
	return at
}

// holds checks that a value reads back as it was given.
func (d *document) holds(path []any, v JSON) error {
	p, err := d.resolve(path)
	if err != nil {
		return err
	}
	if !p.exists() {
		return d.errorf(d.root, byHand, "the change would lose %s", pathText(path))
	}
	due := p.dues[len(path)]
	if got := read(p.last(), due); !got.same(v.as(due)) {
		return d.errorf(p.last(), "", "%s cannot hold %s: it would be read as %s", pathText(path), excerpt(v.String()), excerpt(got.String()))
	}
	return nil
}

// replace writes a value in the place of what stands at path[:depth].
func (d *document) replace(p *route, depth int, v JSON, block bool) (*document, error) {
	n := p.nodes[depth]
	if err := d.unshared(p.path, p.nodes[:depth]); err != nil {
		return nil, err
	}
	if err := d.disposable(p.path[:depth], n); err != nil {
		return nil, err
	}
	s, err := d.slot(p, depth)
	if err != nil {
		return nil, err
	}
	w := d.write(v, setting{due: p.dues[depth], old: n, indent: s.column, item: s.item, flow: s.flow, block: block})
	return d.refill(p, depth, s, d.fill(s, w), func(after *document) error { return after.holds(p.path[:depth], v) })
}

// refill makes the splices that fill a slot.
func (d *document) refill(p *route, depth int, s slot, splices []splice, check func(*document) error) (*document, error) {
	return d.revise(s.value, splices, func(after *document) error {
		if err := check(after); err != nil {
			return err
		}
		q, err := after.resolve(p.path[:depth])
		if err != nil || !q.exists() {
			return d.errorf(s.value, byHand, "the change would lose %s", pathText(p.path[:depth]))
		}
		if q.last().Anchor == s.value.Anchor {
			parent := p.nodes[depth-1]
			parent.Content[slices.Index(parent.Content, s.value)] = q.last()
		}
		return nil
	})
}

// addPair writes a key that is not there before pair i of a mapping.
func (d *document) addPair(p *route, i int, v JSON, block bool) (*document, error) {
	depth := p.depth()
	n, key := p.last(), p.path[depth].(string)
	if err := d.unshared(p.path, p.nodes); err != nil {
		return nil, err
	}
	if len(n.Content) == 0 {
		return d.replace(p, depth, JSON{Kind: KindObject, Keys: []string{key}, Items: []JSON{v}}, block)
	}
	flow := slices.ContainsFunc(p.nodes, isFlow)
	s := setting{due: p.dues[depth+1], flow: flow, block: block}
	if !flow {
		s.indent = d.column(n)
	}
	w := d.write(v, s)
	head := keyText(key, nil, flow) + ":"
	if w.head != "" {
		head += " " + w.head
	}
	return d.revise(n, d.put(n, i, unindent(head, w.body, s.indent), false), func(after *document) error {
		if err := after.holds(p.path[:depth+1], v); err != nil {
			return err
		}
		q, _ := after.resolve(p.path[:depth+1])
		added := q.parent().Content[q.index-1 : q.index+1]
		n.Content = slices.Insert(n.Content, 2*i, added...)
		return nil
	})
}

// unindent takes from lines the indentation that put gives them again.
func unindent(head string, body []string, indent int) []string {
	lines := []string{head}
	for _, line := range body {
		lines = append(lines, line[min(indent, len(line)):])
	}
	return lines
}

func (d *document) insert(path []any, v JSON, block bool) (*document, error) {
	p, err := d.resolve(path)
	if err != nil {
		return nil, err
	}
	if !isPosition(path) {
		return nil, d.errorf(p.last(), "", "an element is inserted at a position, not at %q", pathText(path))
	}
	v = v.as(p.dues[len(path)])
	if p.depth() < len(path)-1 || isEmpty(p.last()) && !p.exists() {
		return d.create(p, v, block)
	}
	p.nodes = p.nodes[:len(path)]
	return d.addElement(p, path[len(path)-1].(int), v, block)
}

// addElement writes a value before element i of a list.
func (d *document) addElement(p *route, i int, v JSON, block bool) (*document, error) {
	depth := p.depth()
	n := p.last()
	if err := d.unshared(p.path, p.nodes); err != nil {
		return nil, err
	}
	if len(n.Content) == 0 {
		return d.replace(p, depth, JSON{Kind: KindArray, Items: []JSON{v}}, block)
	}
	flow := slices.ContainsFunc(p.nodes, isFlow)
	s := setting{due: p.dues[depth+1], flow: flow, item: true, inline: flowLike(n, i)}
	if !flow {
		s.indent = d.column(n)
	}
	w := d.write(v, s)
	head := w.head
	if !flow {
		head = "- " + head
	}
	return d.revise(n, d.put(n, i, unindent(head, w.body, s.indent), d.loose(p, n, i)), func(after *document) error {
		path := join(p.path[:depth], i)
		if err := after.holds(path, v); err != nil {
			return err
		}
		q, _ := after.resolve(path)
		n.Content = slices.Insert(n.Content, i, q.last())
		return nil
	})
}

// flowLike says whether the nearest element before position i, or else after it, is a list or mapping in one line.
func flowLike(n *yaml.Node, i int) bool {
	near := append(slices.Clone(n.Content[i:]), n.Content[:i]...)
	for _, item := range slices.Backward(near) {
		if item.Kind == yaml.MappingNode || item.Kind == yaml.SequenceNode {
			return isFlow(item)
		}
	}
	return false
}

// loose says whether blank lines stand between the elements of a list near position i. A list at the root of the file
// that has one element begins to be so.
func (d *document) loose(p *route, n *yaml.Node, i int) bool {
	if isFlow(n) {
		return false
	}
	all := d.entries(n)
	if len(all) == 1 {
		return p.depth() == 1 && strings.Contains(d.file.text[all[0].start:all[0].end], "\n")
	}
	i = min(max(i, 1), len(all)-1)
	return d.file.isBlankLine(d.file.nextLine(all[i-1].end))
}
