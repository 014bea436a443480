package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A span is the bytes [start, end) of a text.
type span struct{ start, end int }

// A slot is where a value stands: after the colon of a key, or the dash of an element.
type slot struct {
	value  *yaml.Node
	after  int  // the byte after the colon or dash; of a value in a flow, where it may begin
	colon  bool // a colon is lacking
	flow   bool // inside [] or {}
	item   bool // after a dash
	column int  // of the key or dash, from 0
}

// slot finds the slot of what stands at path[:depth].
func (d *document) slot(p *route, depth int) (slot, error) {
	s := slot{value: p.nodes[depth]}
	if depth == 0 {
		return s, d.errorf(s.value, "", "a change cannot replace the whole file")
	}
	for _, n := range p.nodes[:depth] {
		s.flow = s.flow || isFlow(n)
	}
	parent, index := p.nodes[depth-1], 0
	for i, n := range parent.Content {
		if n == s.value {
			index = i
		}
	}
	begin := d.begin(parent, index)
	_, s.column = d.file.place(begin)
	s.column--
	switch {
	case parent.Kind == yaml.MappingNode:
		key := parent.Content[index-1]
		s.after = d.file.end(key, d.file.start(key))
		if at := d.file.skipBlank(s.after); strings.HasPrefix(d.file.text[at:], ":") && (at == s.after || !s.flow || d.file.offset(s.value.Line, s.value.Column) > at) {
			s.after = at + 1
		} else if s.colon = true; !s.flow {
			return s, d.errorf(s.value, byHand, "a key written with ? cannot be changed by itself")
		}
	case s.flow:
		s.after = begin
	default:
		s.item, s.after = true, begin+1
	}
	return s, nil
}

// begin is the first byte of an entry: of the pair of a mapping that the index lies in, with the anchor of its key, or
// of an element, with its dash.
func (d *document) begin(n *yaml.Node, index int) int {
	f := d.file
	switch {
	case n.Kind == yaml.MappingNode:
		key := n.Content[index&^1]
		return f.offset(key.Line, key.Column)
	case isFlow(n):
		return f.offset(n.Content[index].Line, n.Content[index].Column)
	case index == 0:
		return f.start(n)
	}
	before := n.Content[index-1]
	return f.skipBlank(f.end(before, f.start(before)))
}

// lineStart and lineEnd are the bounds of the line of a byte, without its end.
func (f *sourceFile) lineStart(at int) int { return strings.LastIndexByte(f.text[:at], '\n') + 1 }

func (f *sourceFile) lineEnd(at int) int {
	line, _, _ := strings.Cut(f.text[at:], "\n")
	return at + len(strings.TrimSuffix(line, "\r"))
}

// nextLine is the first byte after the line of a byte.
func (f *sourceFile) nextLine(at int) int {
	if i := strings.IndexByte(f.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(f.text)
}

// isBlankLine says whether the line that begins at a byte holds nothing.
func (f *sourceFile) isBlankLine(at int) bool {
	return at < len(f.text) && strings.Trim(f.text[at:f.nextLine(at)], " \t\r\n") == ""
}

// tail is the end of the last line of a node in block context, with its comment, and with the blank lines that a block
// scalar keeps.
func (d *document) tail(n *yaml.Node) int {
	f := d.file
	start := f.start(n)
	end := f.lineEnd(f.end(n, start))
	for isBlock(n) {
		n = n.Content[len(n.Content)-1]
	}
	if header := f.text[f.start(n):f.lineEnd(f.start(n))]; n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 || !strings.Contains(strings.Fields(header + " ")[0], "+") {
		return end
	}
	for next := f.nextLine(end); f.isBlankLine(next); next = f.nextLine(next) {
		end = f.lineEnd(next)
	}
	return end
}

// parts is what a slot holds: its part on the line of the slot, and the lines below it, from the end of that line on.
func (d *document) parts(s slot) (head, body span) {
	f, n := d.file, s.value
	at := s.after
	if n.Anchor != "" {
		at = f.offset(n.Line, n.Column) + 1 + len(n.Anchor)
	}
	start := f.start(n)
	if n.Style&yaml.TaggedStyle != 0 && n.Anchor == "" {
		start = f.offset(n.Line, n.Column)
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0:
		return span{at, at}, span{f.lineEnd(at), f.lineEnd(at)}
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		header := f.text[start:f.lineEnd(start)]
		if i := strings.IndexAny(header, " \t"); i >= 0 {
			header = header[:i]
		}
		return span{start, start + len(header)}, span{f.lineEnd(start), d.tail(n)}
	case !isBlock(n):
		end := f.end(n, f.start(n))
		return span{start, end}, span{f.lineEnd(end), f.lineEnd(end)}
	case strings.Contains(f.text[at:start], "\n"):
		return span{at, at}, span{f.lineEnd(at), d.tail(n)}
	}
	end := min(f.lineEnd(start), d.tail(n))
	return span{start, end}, span{end, d.tail(n)}
}

// fill puts a value into a slot.
func (d *document) fill(s slot, w written) []splice {
	head, body := d.parts(s)
	text := w.head
	switch {
	case text == "":
		head.start = s.after + len(strings.TrimRight(d.file.text[s.after:head.start], " "))
	case s.colon:
		text = ": " + text
	case head.start == head.end, head.start == s.after && !s.flow:
		text = " " + text
	}
	if s.flow {
		return []splice{{head.start, head.end, text}}
	}
	var lines strings.Builder
	for _, line := range w.body {
		lines.WriteString(d.eol)
		lines.WriteString(line)
	}
	return []splice{{head.start, head.end, text}, {body.start, body.end, lines.String()}}
}

// entries gives the text of each entry of a block collection: from its leading comments on to the end of its last line.
// In a flow it is the entry alone.
func (d *document) entries(n *yaml.Node) []span {
	f := d.file
	width := 1
	if n.Kind == yaml.MappingNode {
		width = 2
	}
	var all []span
	from := 0
	for i := 0; i < len(n.Content); i += width {
		value := n.Content[i+width-1]
		e := span{start: max(d.begin(n, i), from)} // after a key written with ? it may seem to lie before: revise refuses what comes of it
		if isFlow(n) {
			e.end = max(d.flowEnd(n, i+width-1), e.start)
		} else {
			e.start = d.leading(n, e.start, from)
			e.end = max(d.tail(value), f.lineEnd(e.start))
		}
		from = e.end
		all = append(all, e)
	}
	return all
}

// flowEnd is the end of a value in a flow, or of its key when there is no value.
func (d *document) flowEnd(n *yaml.Node, index int) int {
	f, value := d.file, n.Content[index]
	if n.Kind == yaml.MappingNode && value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0 && value.Anchor == "" {
		key := n.Content[index-1]
		end := f.end(key, f.start(key))
		if at := f.skipBlank(end); strings.HasPrefix(f.text[at:], ":") {
			return f.skipSpaceInLine(at + 1)
		}
		return end
	}
	return f.end(value, f.start(value))
}

// leading is where the comments begin that stand right above an entry with its indentation, but not above from, nor
// those that begin the file.
func (d *document) leading(n *yaml.Node, start, from int) int {
	f := d.file
	line := f.lineStart(start)
	indent := f.text[line:start]
	if strings.Trim(indent, " ") != "" {
		return start
	}
	first := start
	for line > from {
		above := f.lineStart(line - 1)
		if above < from || !strings.HasPrefix(f.text[above:], indent+"#") {
			break
		}
		line, first = above, above+len(indent)
	}
	if before := strings.TrimSpace(f.text[:line]); n == d.root && (before == "" || before == "---") {
		return start
	}
	return first
}

// alone says whether nothing but white space stands before a byte in its line.
func (f *sourceFile) alone(at int) bool {
	return strings.Trim(f.text[f.lineStart(at):at], " \t") == ""
}

// cut takes entry i of a collection that has more of them.
func (d *document) cut(n *yaml.Node, i int) []splice {
	f, all := d.file, d.entries(n)
	e := all[i]
	switch {
	case isFlow(n):
		return []splice{d.cutFlow(all, i)}
	case !f.alone(e.start) && i < len(all)-1 && strings.TrimSpace(f.text[e.end:all[i+1].start]) == "":
		return []splice{{e.start, all[i+1].start, ""}}
	case !f.alone(e.start):
		return []splice{{len(strings.TrimRight(f.text[:e.start], " ")), e.end, ""}}
	}
	start, end := f.lineStart(e.start), f.nextLine(e.end)
	switch {
	case i == 0 && (n != d.root || start == 0):
		for f.isBlankLine(end) && end < all[1].start {
			end = f.nextLine(end)
		}
	case i > 0 && (i == len(all)-1 || f.isBlankLine(end)):
		for start > all[i-1].end+len(d.eol) && f.isBlankLine(f.lineStart(start-1)) {
			start = f.lineStart(start - 1)
		}
	}
	if end == len(f.text) && !strings.HasSuffix(f.text, "\n") && start > 0 { // the file ends without a line's end
		start = f.lineEnd(f.lineStart(start - 1))
	}
	return []splice{{start, end, ""}}
}

func (d *document) cutFlow(all []span, i int) splice {
	f, e := d.file, all[i]
	after := f.skipBlank(e.end)
	if strings.HasPrefix(f.text[after:], ",") {
		after++
	} else {
		after = e.end
	}
	rest := strings.TrimSpace(f.text[after:f.lineEnd(after)])
	switch {
	case f.alone(e.start) && (rest == "" || rest[0] == '#'): // on lines of its own
		return splice{f.lineStart(e.start), f.nextLine(after), ""}
	case i == len(all)-1:
		return splice{all[i-1].end, e.end, ""}
	}
	return splice{e.start, all[i+1].start, ""}
}

// put writes an entry before entry i of a collection that has some; loose leaves a blank line between them.
func (d *document) put(n *yaml.Node, i int, lines []string, loose bool) []splice {
	all := d.entries(n)
	if isFlow(n) {
		return d.putFlow(all, i, lines[0])
	}
	between := d.eol
	if loose {
		between += d.eol
	}
	indent := strings.Repeat(" ", d.column(n))
	text := strings.Join(lines, d.eol+indent)
	text = strings.ReplaceAll(text, d.eol+indent+d.eol, d.eol+d.eol)
	if i == 0 {
		at := all[0].start
		return []splice{{at, at, text + between + indent}}
	}
	at := all[i-1].end
	return []splice{{at, at, between + indent + text}}
}

func (d *document) putFlow(all []span, i int, text string) []splice {
	f := d.file
	if i == 0 {
		if at := all[0].start; !f.alone(at) {
			return []splice{{at, at, text + d.comma(all)}}
		}
		at := f.lineStart(all[0].start)
		return []splice{{at, at, f.text[at:all[0].start] + text + "," + d.eol}}
	}
	before := all[i-1]
	if !f.alone(before.start) {
		return []splice{{before.end, before.end, d.comma(all) + text}}
	}
	line := f.lineStart(before.start)
	indent := f.text[line:before.start]
	comma := f.skipBlank(before.end)
	if strings.HasPrefix(f.text[comma:], ",") {
		at := f.lineEnd(comma)
		return []splice{{at, at, d.eol + indent + text + ","}}
	}
	at := f.lineEnd(before.end)
	if rest := strings.TrimSpace(f.text[before.end:at]); rest != "" && rest[0] != '#' { // the bracket closes on this line
		return []splice{{before.end, before.end, "," + d.eol + indent + text}}
	}
	return []splice{{before.end, before.end, ","}, {at, at, d.eol + indent + text}}
}

// comma is what stands between the first two entries of a flow, if that is no more than a comma and spaces.
func (d *document) comma(all []span) string {
	if len(all) > 1 {
		between := d.file.text[all[0].end:all[1].start]
		if strings.Trim(between, " ") == "," {
			return between
		}
	}
	return ", "
}
