package config

import (
	"reflect"
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
	head, list := d.head(root)
	switch {
	case list == nil || plain(list) && list.Value == "": // a file that is being written
		return nil
	case list.Kind != yaml.SequenceNode:
		d.wrongKind(list, "tools", "a list")
		return nil
	}
	tools := make([]*Tool, 0, len(list.Content))
	for _, node := range list.Content {
		node = deref(node)
		tool := new(Tool)
		if node.Kind == yaml.MappingNode {
			node = under(head, node)
		}
		if d.into(node, "a tool", reflect.ValueOf(tool).Elem()) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// head splits a tools file into its head, checked, and the node of its tools.
func (d *decoder) head(root *yaml.Node) (head, list *yaml.Node) {
	keys := layoutOf(toolType)
	head = &yaml.Node{Kind: yaml.MappingNode, Line: root.Line, Column: root.Column}
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
			head.Content = append(head.Content, key, value)
		}
	}
	d.partial = true
	d.into(head, "the head", reflect.New(toolType).Elem())
	d.partial = false
	return head, list
}

// under lays a tool over the head of its file: its own keys win, mappings are merged one level deep, tags are
// added, everything else is replaced. The nodes stay those of the file, and with them their places.
func under(head, tool *yaml.Node) *yaml.Node {
	if len(head.Content) == 0 {
		return tool
	}
	merged := *tool
	merged.Alias = tool
	merged.Content = make([]*yaml.Node, 0, len(tool.Content)+len(head.Content))
	for i := 0; i+1 < len(tool.Content); i += 2 {
		key, own := tool.Content[i], tool.Content[i+1]
		if _, above := below(head, deref(key).Value); above != nil {
			own = both(deref(key).Value, above, deref(own))
		}
		merged.Content = append(merged.Content, key, own)
	}
	for i := 0; i+1 < len(head.Content); i += 2 {
		if _, own := below(tool, deref(head.Content[i]).Value); own == nil {
			merged.Content = append(merged.Content, head.Content[i], head.Content[i+1])
		}
	}
	return &merged
}

// both is one key that stands at the head and in the tool.
func both(key string, head, tool *yaml.Node) *yaml.Node {
	merged := *tool
	merged.Alias = tool
	merged.Content = nil
	switch {
	case head.Kind != tool.Kind:
		return tool
	case key == "tags" && tool.Kind == yaml.SequenceNode:
		merged.Content = append(append(merged.Content, head.Content...), tool.Content...)
		return &merged
	case tool.Kind != yaml.MappingNode:
		return tool
	}
	own := newPairs(len(tool.Content))
	for i := 0; i+1 < len(tool.Content); i += 2 {
		own.add(tool.Content[i], tool.Content[i+1])
	}
	for i := 0; i+1 < len(head.Content); i += 2 {
		if name := strings.TrimSuffix(deref(head.Content[i]).Value, "?"); own.key(name) == nil && own.key(name+"?") == nil {
			merged.Content = append(merged.Content, head.Content[i], head.Content[i+1])
		}
	}
	merged.Content = append(merged.Content, tool.Content...)
	return &merged
}
