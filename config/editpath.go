package config

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A route is where a path leads in a document, as far as there is something.
type route struct {
	path   []any
	nodes  []*yaml.Node // what stands at path[:i], as written; all but the last are lists and mappings
	dues   []due        // what is due at path[:i], for the whole path
	index  int          // of the last node in the content of the one above it
	merged *yaml.Node   // what << gives for the first step that leads nowhere
}

// depth is the number of steps that lead somewhere.
func (p *route) depth() int { return len(p.nodes) - 1 }

func (p *route) exists() bool { return p.depth() == len(p.path) }

// last is the last node there is, and parent the one above it.
func (p *route) last() *yaml.Node { return p.nodes[len(p.nodes)-1] }

func (p *route) parent() *yaml.Node { return p.nodes[len(p.nodes)-2] }

// isEmpty says whether a node is a value that has yet to be written.
func isEmpty(n *yaml.Node) bool {
	return plain(n) && (n.Value == "" || n.Value == "null" || n.Value == "~")
}

// resolve follows a path. It is an error when it leads through an alias, or into a scalar.
func (d *document) resolve(path []any) (*route, error) {
	p := &route{path: path, nodes: []*yaml.Node{d.root}, dues: []due{documentDue(d.root)}}
	for i, step := range path {
		n := p.last()
		if p.depth() < i || isEmpty(n) {
			p.dues = append(p.dues, p.dues[i].below(JSON{}, step))
			continue
		}
		p.dues = append(p.dues, p.dues[i].in(n, step))
		if n.Kind == yaml.AliasNode {
			return nil, &EditError{Pos: d.file.span(n), Shared: d.file.span(n.Alias),
				Message: fmt.Sprintf("%s is shared: *%s stands for what line %d says", pathText(path[:i]), n.Value, n.Alias.Line),
				Hint:    fmt.Sprintf("write it out here, or edit line %d for all that use it", n.Alias.Line)}
		}
		if err := d.step(p, n, step); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// step goes one step down, if something is there.
func (d *document) step(p *route, n *yaml.Node, step any) error {
	i := p.depth()
	switch step := step.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return d.errorf(n, "", "%s is %s, which has no key %q", pathText(p.path[:i]), kindOf(n), step)
		}
		at, times := findKey(n, step)
		switch {
		case times > 1:
			return d.errorf(n.Content[at-1], "keep one of them", "%q is given twice", step)
		case times == 1:
			p.nodes, p.index = append(p.nodes, n.Content[at]), at
			return nil
		}
		if p.merged = mergedValue(n, step); p.merged != nil && i+1 < len(p.path) {
			return d.errorf(p.merged, "set all of it at its own place, or edit line "+strconv.Itoa(p.merged.Line),
				"%s comes through <<, from line %d", pathText(p.path[:i+1]), p.merged.Line)
		}
	case int:
		if n.Kind != yaml.SequenceNode {
			return d.errorf(n, "", "%s is %s, which has no elements", pathText(p.path[:i]), kindOf(n))
		}
		if step < 0 || step > len(n.Content) || step == len(n.Content) && i+1 < len(p.path) {
			return d.errorf(n, "", "%s has %d elements; there is none at position %d", pathText(p.path[:i]), len(n.Content), step)
		}
		if step < len(n.Content) {
			p.nodes, p.index = append(p.nodes, n.Content[step]), step
		}
	default:
		return d.errorf(n, "", "a step of a path is a key or a position, not %v", step)
	}
	return nil
}

// findKey gives the position of a key's value and how often the key is there. What merges is no key.
func findKey(n *yaml.Node, name string) (at, times int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := deref(n.Content[i]); key.Kind == yaml.ScalarNode && key.Value == name && !isMerge(key) {
			if times++; times == 1 {
				at = i + 1
			}
		}
	}
	return at, times
}

// mergedValue is what << gives a mapping for a key, or nil.
func mergedValue(n *yaml.Node, name string) *yaml.Node {
	var found *yaml.Node
	eachMerged(n, map[*yaml.Node]bool{}, func(m *yaml.Node) {
		if at, times := findKey(m, name); times > 0 && found == nil && m != n {
			found = deref(m.Content[at])
		}
	})
	return found
}

// eachMerged visits a mapping and those it merges, in the order in which they count, each once.
func eachMerged(n *yaml.Node, seen map[*yaml.Node]bool, visit func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode || seen[n] {
		return
	}
	seen[n] = true
	visit(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if list := deref(sources[0]); list.Kind == yaml.SequenceNode {
			sources = list.Content
		}
		for _, source := range sources {
			eachMerged(deref(source), seen, visit)
		}
	}
}

// pathText prints a path: tools[3].arguments[1].type.
func pathText(path []any) string {
	if len(path) == 0 {
		return "the file"
	}
	var b strings.Builder
	for i, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// unshared refuses to change nodes that stand for others too.
func (d *document) unshared(path []any, nodes []*yaml.Node) error {
	for i, n := range nodes {
		if alias := d.aliases[n]; alias != nil {
			return d.shared(pathText(path[:min(i, len(path))]), n, alias)
		}
	}
	return nil
}

// disposable refuses to take away a node of which something is used elsewhere.
func (d *document) disposable(path []any, n *yaml.Node) error {
	within := map[*yaml.Node]bool{}
	anchored := eachNode(n, nil, func(n *yaml.Node) bool { within[n] = true; return d.aliases[n] != nil })
	for _, m := range anchored {
		uses := eachNode(d.root, nil, func(n *yaml.Node) bool { return n.Kind == yaml.AliasNode && n.Alias == m && !within[n] })
		if len(uses) > 0 {
			return d.shared(pathText(path), m, uses[0])
		}
	}
	return nil
}

func (d *document) shared(what string, n, alias *yaml.Node) error {
	return &EditError{Pos: d.file.span(n), Shared: d.file.span(alias),
		Message: fmt.Sprintf("%s is shared: line %d uses it as *%s", what, alias.Line, alias.Value),
		Hint:    fmt.Sprintf("edit the text if all are meant, or write it out on line %d", alias.Line)}
}

// eachNode collects the nodes of a tree that pass.
func eachNode(n *yaml.Node, found []*yaml.Node, pass func(*yaml.Node) bool) []*yaml.Node {
	if pass(n) {
		found = append(found, n)
	}
	for _, child := range n.Content {
		found = eachNode(child, found, pass)
	}
	return found
}

// own refuses to write a key of a tool by which it would lose what stands at the head of the file: of two mappings
// only the first level is merged.
func (d *document) own(p *route) error {
	depth := p.depth()
	if depth < 2 || depth > 3 || len(p.path) <= depth+1 || p.path[0] != "tools" {
		return nil
	}
	name, ok := p.path[2].(string)
	if !ok || name == "tags" { // those of the file and of the tool are added
		return nil
	}
	_, above := below(d.root, name)
	steps := p.path[3:]
	if above != nil && above.Kind == yaml.MappingNode && len(steps) > 0 {
		_, above = below(above, steps[0])
		steps = steps[1:]
	}
	if above == nil || len(steps) == 0 || isEmpty(above) {
		return nil
	}
	return d.errorf(above, "set all of it in the tool, or edit line "+strconv.Itoa(above.Line)+" for all tools",
		"%s comes from the head of the file, line %d", pathText(p.path[:len(p.path)-len(steps)]), above.Line)
}
