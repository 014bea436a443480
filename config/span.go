package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// span is the place of a node, without its anchor and tag.
func (f *sourceFile) span(n *yaml.Node) Pos {
	if n == nil {
		return Pos{File: f.name}
	}
	start := f.start(n)
	return f.pos(start, f.end(n, start))
}

// start is the first byte of a node, after its anchor and tag.
func (f *sourceFile) start(n *yaml.Node) int {
	at := f.offset(n.Line, n.Column)
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return at
	}
	for at < len(f.text) && (f.text[at] == '&' || f.text[at] == '!') {
		end := " \t\r\n,[]{}"
		if strings.HasPrefix(f.text[at:], "!<") {
			end = " \t\r\n"
		}
		if i := strings.IndexAny(f.text[at:], end); i >= 0 {
			at += i
		} else {
			at = len(f.text)
		}
		next := f.skipBlank(at)
		if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0 && !strings.HasPrefix(f.text[next:], "&") && !strings.HasPrefix(f.text[next:], "!") {
			break // nothing follows: what stands next is not the node's
		}
		at = next
	}
	return at
}

// anchor is the place of a node's anchor.
func (f *sourceFile) anchor(n *yaml.Node) Pos {
	at := f.offset(n.Line, n.Column)
	if i := strings.Index(f.text[at:f.start(n)], "&"); i >= 0 {
		at += i
	}
	return f.pos(at, min(at+1+len(n.Anchor), len(f.text)))
}

// skipBlank steps over white space, line ends and comments.
func (f *sourceFile) skipBlank(at int) int {
	for at < len(f.text) {
		switch f.text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			if i := strings.IndexByte(f.text[at:], '\n'); i >= 0 {
				at += i
			} else {
				at = len(f.text)
			}
		default:
			return at
		}
	}
	return at
}

// end is the byte after a node that starts at start.
func (f *sourceFile) end(n *yaml.Node, start int) int {
	switch {
	case n.Kind == yaml.ScalarNode:
		return f.scalarEnd(n, start)
	case n.Kind == yaml.AliasNode:
		return min(start+1+len(n.Value), len(f.text))
	case n.Alias != nil: // a mapping with more in it than was written there
		return f.end(n.Alias, start)
	case n.Style&yaml.FlowStyle != 0:
		at := min(start+1, len(f.text))
		if len(n.Content) > 0 {
			last := n.Content[len(n.Content)-1]
			at = max(at, f.end(last, f.start(last)))
		}
		if n.Kind == yaml.MappingNode && !strings.HasPrefix(f.text[start:], "{") {
			return at // a pair in a list: [a: b]
		}
		for at = f.skipBlank(at); at < len(f.text) && f.text[at] == ','; {
			at = f.skipBlank(at + 1)
		}
		return min(at+1, len(f.text))
	case len(n.Content) > 0:
		last := n.Content[len(n.Content)-1]
		return max(start, f.end(last, f.start(last)))
	}
	return start
}

func (f *sourceFile) scalarEnd(n *yaml.Node, start int) int {
	rest := f.text[start:]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == '"' {
				return start + i + 1
			}
		}
		return len(f.text)
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if i++; i >= len(rest) || rest[i] != '\'' {
				return start + i
			}
		}
		return len(f.text)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		_, end := f.block(n.Value, start)
		return end
	case strings.HasPrefix(rest, n.Value):
		return start + len(n.Value)
	}
	return f.foldedEnd(n.Value, start)
}

// block finds the text of a block scalar: the columns its lines are indented by, and the end of its last line that is
// not blank. A value keeps the blanks by which its first such line is indented more.
func (f *sourceFile) block(value string, start int) (indent, end int) {
	header, _, _ := strings.Cut(f.text[start:], "\n")
	end = start + len(strings.TrimRight(header, " \t\r"))
	first := strings.TrimLeft(value, " \t\n")
	if first == "" {
		return 0, end
	}
	first = value[strings.LastIndexByte(value[:len(value)-len(first)], '\n')+1:]
	indent = -1
	for at := min(start+len(header)+1, len(f.text)); at < len(f.text); {
		line, _, _ := strings.Cut(f.text[at:], "\n")
		text := strings.TrimRight(line, " \t\r")
		switch {
		case text == "":
		case indent < 0:
			indent = max(spaces(text)-spaces(first), 0)
			end = at + len(text)
		case spaces(text) < indent:
			return indent, end
		default:
			end = at + len(text)
		}
		at += len(line) + 1
	}
	return max(indent, 0), end
}

// spaces is the number of spaces that a line begins with.
func spaces(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// foldedEnd is the end of a plain scalar over several lines, whose characters but white space are those of value.
func (f *sourceFile) foldedEnd(value string, start int) int {
	at := start
	for i := 0; i < len(value); i++ {
		if value[i] == ' ' || value[i] == '\n' || value[i] == '\t' {
			continue
		}
		at = f.skipSpace(at)
		if at >= len(f.text) || f.text[at] != value[i] {
			return max(at, start)
		}
		at++
	}
	return at
}

func (f *sourceFile) skipSpace(at int) int {
	for at < len(f.text) && strings.IndexByte(" \t\r\n", f.text[at]) >= 0 {
		at++
	}
	return at
}

// inside is the place of the bytes [i, j) of a scalar's value, or that of the scalar when escapes or
// folded lines lie between.
func (f *sourceFile) inside(n *yaml.Node, i, j int) Pos {
	start := f.start(n)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		start++
	}
	if n.Style&yaml.LiteralStyle != 0 {
		before := strings.Count(n.Value[:i], "\n")
		from := strings.LastIndexByte(n.Value[:i], '\n') + 1
		line, _, _ := strings.Cut(n.Value[from:], "\n")
		header, _ := f.place(start)
		written := strings.TrimRight(f.line(header+1+before), "\r\n")
		indent, ok := strings.CutSuffix(written, line)
		if ok && strings.Trim(indent, " ") == "" && j-from <= len(line) {
			at := f.offset(header+1+before, 1) + len(indent) - from
			return f.pos(at+i, at+j)
		}
		return f.span(n)
	}
	if start <= len(f.text) && strings.HasPrefix(f.text[start:], n.Value) {
		return f.pos(start+i, start+j)
	}
	return f.span(n)
}
