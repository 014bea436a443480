package config

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Change is one change to the text of a file: [Set], [Insert], [InsertText],
// [Remove], [Move], [Rename] or [Unshare]. It names what it changes by a path from the
// root of the document, as the file writes it: keys are strings, positions in
// lists ints.
type Change func(*document) (*document, error)

// Set gives the place at path a value. What is there and is the same already,
// as the declared type reads it, stays as it is, so that a mapping may be given
// whole and only what differs in it is written; the order of its keys counts for
// nothing. A key that is not there is put where the language has it among its
// neighbours, mappings above it that are not there are made, and a key that came
// through << or the head of the file is written out.
func Set(path []any, v JSON) Change {
	return func(d *document) (*document, error) { return d.set(path, v) }
}

// Insert puts a value into a list: it stands at path afterwards, whose last step
// is a position. A list that is not there is made.
func Insert(path []any, v JSON) Change {
	return func(d *document) (*document, error) { return d.insert(path, v, false) }
}

// InsertText puts a value written as YAML at a place where there is none: a
// position of a list, as in Insert, or a key. The text is one value by itself,
// indented from column 1, with comments, without anchors.
func InsertText(path []any, text string) Change {
	return func(d *document) (*document, error) { return d.insertText(path, text) }
}

// Remove takes a key or an element away, with its comments: that at the end of
// its line, and those right above it with its indentation.
func Remove(path []any) Change {
	return func(d *document) (*document, error) { return d.remove(path) }
}

// Move puts an element, or a key with its value, at another position of its list
// or mapping, with its comments.
func Move(path []any, to int) Change {
	return func(d *document) (*document, error) { return d.move(path, to) }
}

// Rename gives a key another name.
func Rename(path []any, key string) Change {
	return func(d *document) (*document, error) { return d.rename(path, key) }
}

// Edit makes changes to the text of a file, one after the other, each in what
// the ones before it made. It splices: what a change does not name stays as it
// is, byte for byte. A scalar keeps its style if the value allows it.
//
// Every change is checked: the text is read again, the value must read back as it
// was given, and all else must be as it was. Text that others share through an
// alias is not changed. An error is an [*EditError], and then nothing is changed.
// A change may leave the file wrong for the language, which [Load] finds, but not
// wrong as YAML where it was right.
func Edit(name string, src []byte, changes ...Change) ([]byte, error) {
	d, before, err := open(name, src)
	if err != nil {
		return nil, err
	}
	was := d
	for _, change := range changes {
		if d, err = change(d); err != nil {
			return nil, err
		}
	}
	if d == was {
		return src, nil
	}
	if after, _ := d.faults(); after.Count(Error) > before.Count(Error) {
		found := after[len(after)-1]
		return nil, &EditError{Pos: found.Pos, Message: "the change would break the file: " + found.Message, Hint: found.Hint}
	}
	mark := src[:len(src)-len(was.file.text)]
	return append(slices.Clip(mark), d.file.text...), nil
}

// An EditError says why a change cannot be made. Its place is one of the text
// as the changes before it left it.
type EditError struct {
	Pos
	Message string
	Hint    string
	Shared  Pos // where what was to change is written or used too, if that is why; [Unshare] helps
}

// Error is the place and the message.
func (e *EditError) Error() string { return e.Pos.String() + ": " + e.Message }

// A document is a file under edit.
type document struct {
	file    *sourceFile
	root    *yaml.Node                 // as written: aliases and merges are not followed; an empty scalar when there is none
	aliases map[*yaml.Node]*yaml.Node  // for each anchored node that is used, the first alias
	eol     string                     // how lines end
	style   struct{ step, offset int } // how far a mapping, and a list, is indented below its key
}

// open reads a text that can be decoded, and says what is wrong with it all the same.
func open(name string, src []byte) (*document, Diagnostics, error) {
	d, err := readDocument(newSourceFile(name, string(src)))
	if err != nil {
		return nil, nil, err
	}
	ds, sound := d.faults()
	if !sound {
		return nil, nil, asEditError(ds)
	}
	return d, ds, nil
}

// faults is what is wrong with a document as YAML, and whether it can be decoded all the same.
func (d *document) faults() (ds Diagnostics, sound bool) {
	root := settle(d.file, copyTree(d.root, map[*yaml.Node]*yaml.Node{}), &ds)
	return ds, root != nil
}

func asEditError(ds Diagnostics) error {
	found := ds[len(ds)-1]
	return &EditError{Pos: found.Pos, Message: found.Message, Hint: found.Hint}
}

// copyTree copies a tree, its aliases with it.
func copyTree(n *yaml.Node, copies map[*yaml.Node]*yaml.Node) *yaml.Node {
	c := *n
	copies[n] = &c
	if n.Kind == yaml.AliasNode {
		c.Alias = copies[n.Alias]
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyTree(child, copies)
	}
	return &c
}

// readDocument reads a text.
func readDocument(f *sourceFile) (*document, error) {
	d := &document{file: f, eol: "\n", aliases: map[*yaml.Node]*yaml.Node{}}
	if before, _, ok := strings.Cut(f.text, "\n"); ok && strings.HasSuffix(before, "\r") {
		d.eol = "\r\n"
	}
	var ds Diagnostics
	d.root = parseNodes(f, &ds)
	switch {
	case len(ds) > 0:
		return nil, asEditError(ds)
	case d.root == nil:
		d.root = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	d.style.step, d.style.offset = 0, -1
	d.survey(d.root)
	if d.style.step == 0 {
		d.style.step = 2
	}
	if d.style.offset < 0 {
		d.style.offset = d.style.step
	}
	return d, nil
}

// survey finds the aliases of a document and how it is indented.
func (d *document) survey(n *yaml.Node) {
	if n.Kind == yaml.AliasNode && d.aliases[n.Alias] == nil {
		d.aliases[n.Alias] = n
	}
	for i, child := range n.Content {
		d.survey(child)
		if n.Kind != yaml.MappingNode || i%2 == 0 || !isBlock(child) {
			continue
		}
		depth := d.column(child) - (n.Content[i-1].Column - 1)
		if child.Kind == yaml.SequenceNode && d.style.offset < 0 {
			d.style.offset = depth
		}
		if child.Kind == yaml.MappingNode && d.style.step == 0 {
			d.style.step = depth
		}
	}
}

// column is where the entries of a block collection begin, from 0.
func (d *document) column(n *yaml.Node) int {
	_, column := d.file.place(d.begin(n, 0))
	return column - 1
}

// isBlock says whether a node is a list or mapping written over lines.
func isBlock(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// errorf is an error at a node.
func (d *document) errorf(n *yaml.Node, hint, format string, args ...any) error {
	return &EditError{Pos: d.file.span(n), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// A splice puts text in the place of the bytes [start, end).
type splice struct {
	start, end int
	text       string
}

// revise makes the splices of one change. expect is given the revised document, and changes the tree of this one to
// what must have come of it.
func (d *document) revise(at *yaml.Node, splices []splice, expect func(*document) error) (*document, error) {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for _, s := range splices {
		if s.start < done || s.end < s.start {
			return nil, d.errorf(at, byHand, "this text cannot be changed by itself")
		}
		b.WriteString(d.file.text[done:s.start])
		b.WriteString(s.text)
		done = s.end
	}
	b.WriteString(d.file.text[done:])
	after, err := readDocument(newSourceFile(d.file.name, b.String()))
	if err == nil && done == len(d.file.text) && after.cutOff() {
		after, err = readDocument(newSourceFile(d.file.name, b.String()+d.eol))
	}
	if err != nil {
		return nil, d.errorf(at, byHand, "the change would break the file: %s", err.(*EditError).Message)
	}
	where := d.file.span(at)
	if err := expect(after); err != nil {
		return nil, err
	}
	if !(likeness{}).same(d.root, after.root) {
		return nil, &EditError{Pos: where, Message: "the change would touch more than what it names", Hint: byHand}
	}
	return after, nil
}

// cutOff says whether a text ends without a line's end in a block scalar that wants one.
func (d *document) cutOff() bool {
	n := d.root
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 || strings.HasSuffix(d.file.text, "\n") {
		return false
	}
	return !strings.Contains(strings.Fields(d.file.text[d.file.start(n):])[0], "-")
}

const byHand = "make this change in the text"

// A likeness compares two documents: to each anchored node of the one, that of the other.
type likeness map[*yaml.Node]*yaml.Node

// same says whether two trees say the same, in the same styles where a style can mean something.
func (l likeness) same(a, b *yaml.Node) bool {
	if a == b {
		return true
	}
	if a.Kind == yaml.AliasNode && b.Kind == yaml.AliasNode {
		return a.Value == b.Value && l[a.Alias] == b.Alias
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) ||
		a.Kind == yaml.ScalarNode && a.Style != b.Style {
		return false
	}
	if a.Anchor != "" {
		l[a] = b
	}
	for i := range a.Content {
		if !l.same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
