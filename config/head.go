package config

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

var toolType = reflect.TypeFor[Tool]()

// toolsFile reads a tools file: its tools, each with what stands at the head.
func (d *decoder) toolsFile(root *yaml.Node) []*Tool {
	if plain(root) && root.Value == "" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		d.wrongKind(root, "a tools file", `a mapping with "tools"`)
		return nil
	}
	h, list := d.head(root)
	switch {
	case list == nil || plain(list) && list.Value == "": // a file that is being written
		return nil
	case list.Kind != yaml.SequenceNode:
		d.wrongKind(list, "tools", "a list")
		return nil
	}
	tools := make([]*Tool, 0, len(list.Content))
	for i, node := range list.Content {
		tool := new(Tool)
		*tool = h.tool // what stands at the head is shared: nobody may change it
		tool.Index, tool.head = i, h.node
		own := d.over(h, deref(node))
		if d.into(own, "a tool", reflect.ValueOf(tool).Elem()) {
			tool.node = under(h.node, own)
			tools = append(tools, tool)
		}
	}
	return tools
}

// FromHead names the keys that the tool has from the head of its file alone, in their order there.
func (t *Tool) FromHead() (keys []string) {
	if t.head == nil || len(t.head.Content) == 0 {
		return nil
	}
	for i := 0; i+1 < len(t.head.Content); i += 2 {
		key := deref(t.head.Content[i]).Value
		if _, own := below(t.node.Alias, key); own == nil { // Alias is the tool as written, see over
			keys = append(keys, key)
		}
	}
	return keys
}

// FileTags are the labels that the tool has from the head of its file. They stand before its own in Tags.
func (t *Tool) FileTags() []string {
	if t.head == nil {
		return nil
	}
	_, above := below(t.head, "tags")
	if above == nil {
		return nil
	}
	return t.Tags[:min(len(deref(above).Content), len(t.Tags))]
}

// A head is what stands at the head of a tools file: the defaults of its tools.
type head struct {
	node     *yaml.Node         // a mapping of the keys that may stand there
	tool     Tool               // what they say
	sizes    map[*yaml.Node]int // of its values, in nodes
	repeated int                // nodes of the head that were merged into those of tools
}

// head splits a tools file into its head, checked, and the node of its tools.
func (d *decoder) head(root *yaml.Node) (h *head, list *yaml.Node) {
	keys := layoutOf(toolType)
	h = &head{node: &yaml.Node{Kind: yaml.MappingNode, Line: root.Line, Column: root.Column}, sizes: map[*yaml.Node]int{}}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name := deref(key).Value
		f := keys.byKey[name]
		switch {
		case name == "tools":
			list = deref(value)
		case f == nil:
			d.unknown(key, "a tools file", append([]string{"tools"}, keys.keys(func(f *field) bool { return f.head })...))
		case !f.head:
			d.errorf(d.file.span(key), ruleHeadKey, "%q is a tool's own key and cannot stand at the head of a file", name).Hint = "write it in each tool"
		default:
			h.node.Content = append(h.node.Content, key, value)
			h.sizes[deref(value)] = count(deref(value))
		}
	}
	d.partial = true
	d.into(h.node, "the head", reflect.ValueOf(&h.tool).Elem())
	d.partial = false
	return h, list
}

// over gives a tool's own keys, those merged that stand at the head too.
func (d *decoder) over(h *head, tool *yaml.Node) *yaml.Node {
	if tool.Kind != yaml.MappingNode || len(h.node.Content) == 0 {
		return tool
	}
	own := *tool
	own.Alias = tool // the extent in the file
	own.Content = make([]*yaml.Node, 0, len(tool.Content)+len(h.node.Content))
	for i := 0; i+1 < len(tool.Content); i += 2 {
		key, value := tool.Content[i], tool.Content[i+1]
		if _, above := below(h.node, deref(key).Value); above != nil {
			value = d.both(h, deref(key).Value, above, deref(value))
		}
		own.Content = append(own.Content, key, value)
	}
	return &own
}

// both merges a key that stands at the head and in the tool: mappings one level deep, the tool's keys win; tags are
// added; everything else is the tool's. The nodes stay those of the file, and with them their places.
func (d *decoder) both(h *head, key string, above, own *yaml.Node) *yaml.Node {
	tags := key == "tags" && own.Kind == yaml.SequenceNode
	if above.Kind != own.Kind || own.Kind != yaml.MappingNode && !tags {
		return own
	}
	if h.repeated > maxNodes { // which is said
		return own
	}
	if h.repeated += h.sizes[above]; h.repeated > maxNodes {
		d.errorf(d.beginning(own), ruleTooLarge, "%q at the head of this file, merged into each tool, makes more than %d nodes", key, maxNodes)
		return own
	}
	merged := *own
	merged.Alias = own
	merged.Content = nil
	if tags {
		merged.Content = slices.Concat(above.Content, own.Content)
		return &merged
	}
	name := func(key *yaml.Node) string { return strings.TrimSuffix(deref(key).Value, "?") } // of a body
	if key == "headers" {
		name = func(key *yaml.Node) string { return strings.ToLower(deref(key).Value) }
	}
	owned := make(map[string]bool, len(own.Content)/2)
	for i := 0; i+1 < len(own.Content); i += 2 {
		owned[name(own.Content[i])] = true
	}
	for i := 0; i+1 < len(above.Content); i += 2 {
		if !owned[name(above.Content[i])] {
			merged.Content = append(merged.Content, above.Content[i], above.Content[i+1])
		}
	}
	merged.Content = append(merged.Content, own.Content...)
	return &merged
}

// count is the number of nodes in a tree, aliases written out.
func count(n *yaml.Node) int {
	nodes := 1
	for _, child := range n.Content {
		nodes += count(deref(child))
	}
	return nodes
}

// under completes a tool's own keys with those that stand at the head alone.
func under(head, own *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(head.Content); i += 2 {
		if _, value := below(own, deref(head.Content[i]).Value); value == nil {
			own.Content = append(own.Content, head.Content[i], head.Content[i+1])
		}
	}
	return own
}
