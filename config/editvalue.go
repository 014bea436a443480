package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// written is a value as YAML: what stands on the line of its key or dash, and whole lines below it.
type written struct {
	head string
	body []string
}

// A setting is where a value is written.
type setting struct {
	due    due
	old    *yaml.Node // what stood there, whose style is kept, or nil
	indent int        // the column of the key or dash
	item   bool       // after a dash
	flow   bool       // inside [] or {}
	block  bool       // lists and mappings are written over lines
	inline bool       // lists and mappings are written in one line
}

// widest is how long a line may be for a list or mapping to be written in it unasked.
const widest = 100

// write writes a value.
func (d *document) write(v JSON, s setting) written {
	if v.Kind != KindArray && v.Kind != KindObject {
		return d.scalar(v, s)
	}
	if s.flow || s.inline || len(v.Items) == 0 || s.old != nil && isFlow(s.old) && len(s.old.Content) > 0 || d.fits(v, s) {
		return written{head: d.flowText(v, s.due)}
	}
	column := s.indent
	switch {
	case s.item:
		column += 2
	case v.Kind == KindObject:
		column += d.style.step
	default:
		column += d.style.offset
	}
	lines := d.lines(v, s, column)
	if s.item {
		return written{head: strings.TrimLeft(lines[0], " "), body: lines[1:]}
	}
	return written{body: lines}
}

// fits says whether a list or mapping of scalars is short enough for one line.
func (d *document) fits(v JSON, s setting) bool {
	if s.block || s.old != nil && isBlock(s.old) {
		return false
	}
	for _, item := range v.Items {
		if len(item.Items) > 0 || strings.Contains(item.Text, "\n") {
			return false
		}
	}
	return s.indent+utf8.RuneCountInString(d.flowText(v, s.due)) <= widest
}

// lines writes a list or mapping over lines, its entries at a column.
func (d *document) lines(v JSON, of setting, column int) []string {
	var all []string
	for i, item := range v.Items {
		s := setting{due: of.due.below(v, v.step(i)), indent: column, item: v.Kind == KindArray, block: of.block}
		first := strings.Repeat(" ", column) + "-"
		if v.Kind == KindObject {
			first = strings.Repeat(" ", column) + keyText(v.Keys[i], nil, false) + ":"
		}
		w := d.write(item, s)
		if w.head != "" {
			first += " " + w.head
		}
		all = append(append(all, first), w.body...)
	}
	return all
}

// flowText writes a value in one line.
func (d *document) flowText(v JSON, due due) string {
	if v.Kind != KindArray && v.Kind != KindObject {
		return d.scalar(v, setting{due: due, flow: true}).head
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = d.flowText(item, due.below(v, v.step(i)))
		if v.Kind == KindObject {
			parts[i] = keyText(v.Keys[i], nil, true) + ": " + parts[i]
		}
	}
	if v.Kind == KindObject {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// scalar writes a scalar in the style of the old one if it can.
func (d *document) scalar(v JSON, s setting) written {
	switch v.Kind {
	case KindNull:
		return written{head: "null"}
	case KindBool, KindNumber:
		return written{head: v.Text}
	}
	var old yaml.Style
	if s.old != nil && s.old.Kind == yaml.ScalarNode {
		old = s.old.Style &^ yaml.TaggedStyle
	}
	quoted := old == yaml.DoubleQuotedStyle || old == yaml.SingleQuotedStyle
	isText, null := s.due.text()
	kept := s.old != nil && s.old.Kind == yaml.ScalarNode && old == 0 && s.old.Value != ""
	if !s.flow && (old&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.Contains(v.Text, "\n") && !(quoted && strings.Contains(s.old.Value, "\n"))) {
		if w, ok := d.block(v.Text, s); ok {
			return w
		}
	}
	switch {
	case old == yaml.SingleQuotedStyle && printable(v.Text):
		return written{head: "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"}
	case !quoted && canBePlain(v.Text, s.flow) && (kept && isText && !(null && v.Text == "null") || !looksTyped(v.Text, kept)):
		return written{head: v.Text}
	}
	return written{head: quote(v.Text)}
}

// keyText writes a key in the style of the old one if it can.
func keyText(key string, old *yaml.Node, flow bool) string {
	switch {
	case old != nil && old.Style&yaml.SingleQuotedStyle != 0 && printable(key):
		return "'" + strings.ReplaceAll(key, "'", "''") + "'"
	case old != nil && old.Style&yaml.DoubleQuotedStyle != 0 || !canBePlain(key, flow):
		return quote(key)
	}
	return key
}

// printable says whether text can stand in a line as it is.
func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || special(r) }) < 0
}

// special are the characters beyond ASCII that YAML wants escaped, or takes for a line's end.
func special(r rune) bool {
	return r >= 0x7F && r < 0xA0 || r == '\u2028' || r == '\u2029' || r == '\uFEFF' || r == 0xFFFE || r == 0xFFFF
}

// quote writes text in double quotes.
func quote(s string) string {
	var b []byte
	for _, r := range string(AppendQuoted(nil, s)) {
		if special(r) {
			b = fmt.Appendf(b, `\u%04X`, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

// canBePlain says whether text without quotes is still that text, and no other part of YAML.
func canBePlain(s string, flow bool) bool {
	if s == "" || s == "<<" || !printable(s) || strings.TrimSpace(s) != s ||
		strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") ||
		strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") ||
		flow && strings.ContainsAny(s, ",[]{}?") {
		return false
	}
	if strings.IndexByte("-?:", s[0]) >= 0 {
		return !flow && len(s) > 1 && s[1] != ' '
	}
	return strings.IndexByte("!&*|>'\"%@`#,[]{}", s[0]) < 0
}

// looksTyped says whether plain text would be no text for us or, unless somebody wrote such text plain before, for
// others who read YAML.
func looksTyped(s string, plainBefore bool) bool {
	n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if _, ok := plainLiteral(&n); ok || plainBefore {
		return ok
	}
	return n.ShortTag() != "!!str" || slices.Contains([]string{"y", "n", "yes", "no", "on", "off"}, strings.ToLower(s))
}

// block writes text over several lines, if it can be written so.
func (d *document) block(s string, at setting) (written, bool) {
	body := strings.TrimRight(s, "\n")
	if strings.TrimSpace(body) == "" || !printable(strings.NewReplacer("\n", "", "\t", "").Replace(body)) {
		return written{}, false
	}
	indent, header := d.blockHeader(s, at)
	if header == "" {
		return written{}, false
	}
	lines := strings.Split(body, "\n")
	if header[0] == '>' {
		lines = d.fold(lines, at.old)
	}
	for range len(s) - len(body) - 1 {
		lines = append(lines, "")
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", indent) + line
		}
	}
	return written{head: header, body: lines}, true
}

// blockHeader gives the indentation and the header of a block scalar; none if it cannot be one.
func (d *document) blockHeader(s string, at setting) (indent int, header string) {
	indent, header = at.indent+2, "|"
	if !at.item {
		indent = at.indent + d.style.step
	}
	keeps := false
	if old := at.old; old != nil && old.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		start := d.file.start(old)
		if found, _ := d.file.block(old.Value, start); found > at.indent {
			indent = found
		}
		keeps = strings.Contains(strings.Fields(d.file.text[start:] + " ")[0], "+")
		if old.Style&yaml.FoldedStyle != 0 && foldable(s) {
			header = ">"
		}
	}
	if first := strings.TrimLeft(s, "\n"); first[0] == ' ' || first[0] == '\t' {
		if indent-at.indent > 9 {
			return 0, ""
		}
		header += fmt.Sprint(indent - at.indent)
	}
	switch ends := len(s) - len(strings.TrimRight(s, "\n")); {
	case ends == 0:
		header += "-"
	case keeps:
		header += "+"
	case ends > 1:
		return 0, ""
	}
	return indent, header
}

// foldable says whether no line of a text begins or ends with white space, so that its lines may be broken.
func foldable(s string) bool {
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); strings.Trim(line, " \t") != line {
			return false
		}
	}
	return true
}

// fold breaks paragraphs into lines: where the old ones break as long as the text is the same, then at their width.
func (d *document) fold(paragraphs []string, old *yaml.Node) []string {
	start := d.file.start(old)
	_, end := d.file.block(old.Value, start)
	was := strings.Split(d.file.text[start:end], "\n")[1:]
	width := 60
	for i := range was {
		was[i] = strings.TrimSpace(was[i])
		width = max(width, utf8.RuneCountInString(was[i]))
	}
	var lines []string
	for _, rest := range paragraphs {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		for rest != "" {
			n := lineBreak(rest, width)
			if k := len(lines); k < len(was) && was[k] != "" && slices.Equal(was[:k], lines) && (rest == was[k] || strings.HasPrefix(rest, was[k]+" ")) && !strings.HasPrefix(rest[len(was[k]):], "  ") {
				n = len(was[k])
			}
			lines, rest = append(lines, rest[:n]), strings.TrimPrefix(rest[n:], " ")
		}
	}
	return lines
}

// lineBreak is the byte of the last single space within a width, or of the first one after it; else the length.
func lineBreak(s string, width int) int {
	best, runes := len(s), 0
	for i, r := range s {
		if r == ' ' && s[i-1] != ' ' && s[i+1] != ' ' {
			if best == len(s) || runes <= width {
				best = i
			}
		}
		if runes++; runes > width && best < len(s) {
			return best
		}
	}
	if runes <= width {
		return len(s)
	}
	return best
}
