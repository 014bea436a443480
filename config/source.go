package config

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A Source is embedded in each struct of the model: the node it was read from.
type Source struct {
	file *sourceFile
	node *yaml.Node
}

// At is the place of a value below this one: keys are strings, list positions ints. A place that is not there
// is that of the nearest one above it.
func (s Source) At(path ...any) Pos {
	if s.node == nil {
		return Pos{}
	}
	n := s.node
	for _, step := range path {
		_, child := below(n, step)
		if child == nil {
			break
		}
		n = child
	}
	return s.file.span(n)
}

// KeyAt is the place of a key below this one. A key that is not there, and a list position, are as in At.
func (s Source) KeyAt(path ...any) Pos {
	n := s.node
	for i, step := range path {
		if n == nil {
			break
		}
		key, child := below(n, step)
		if i == len(path)-1 && key != nil {
			return s.file.span(key)
		}
		n = child
	}
	return s.At(path...)
}

// Locate is where a path that was written in this file leads: ~/ is the home directory, and a relative path begins
// beside the file, whatever the working directory is. The error is a *MissingError when there is no home directory.
func (s Source) Locate(path string, env Lookup) (string, error) {
	if s.file == nil {
		return path, nil
	}
	return s.file.locate(path, env)
}

func (f *sourceFile) locate(path string, env Lookup) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, ok := env("HOME")
		if !ok || home == "" {
			return "", &MissingError{Tried: []string{"$HOME"}}
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Join(f.dir, path), nil
}

// Has says whether the key was written.
func (s Source) Has(key string) bool {
	if s.node == nil {
		return false
	}
	_, child := below(s.node, key)
	return child != nil
}

// below is one step down: into a mapping by key, into a list by position.
func below(n *yaml.Node, step any) (key, value *yaml.Node) {
	switch step := step.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return nil, nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if deref(n.Content[i]).Value == step {
				return n.Content[i], deref(n.Content[i+1])
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && step >= 0 && step < len(n.Content) {
			return nil, deref(n.Content[step])
		}
	}
	return nil, nil
}

// deref gives what an alias stands for.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// A sourceFile is the text of a file, and where its lines and characters are.
type sourceFile struct {
	name  string
	dir   string // that it stands in, absolute
	text  string
	lines []int // for each line, the number of characters before it
	marks []int // for each 64th character, its byte; nil when all characters are ASCII
}

const markEvery = 64

// newSourceFile indexes a text. A byte order mark at its start is not part of it.
func newSourceFile(name, text string) *sourceFile {
	f := &sourceFile{name: name, dir: filepath.Dir(name), text: strings.TrimPrefix(text, "\uFEFF"), lines: []int{0}}
	if dir, err := filepath.Abs(f.dir); err == nil {
		f.dir = dir
	}
	ascii := strings.IndexFunc(f.text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	n := 0
	for i, r := range f.text {
		if !ascii && n%markEvery == 0 {
			f.marks = append(f.marks, i)
		}
		n++
		switch r {
		case '\r':
			if strings.HasPrefix(f.text[i+1:], "\n") {
				continue
			}
			fallthrough
		case '\n', '\u0085', '\u2028', '\u2029': // what YAML 1.1 takes for a line's end
			f.lines = append(f.lines, n)
		}
	}
	return f
}

// offset is the byte of a line and column as yaml.v3 counts them: from 1, in characters.
func (f *sourceFile) offset(line, column int) int {
	if line < 1 || line > len(f.lines) {
		return len(f.text)
	}
	char := f.lines[line-1] + max(column, 1) - 1
	if f.marks == nil {
		return min(char, len(f.text))
	}
	if char/markEvery >= len(f.marks) {
		return len(f.text)
	}
	at := f.marks[char/markEvery]
	for range char % markEvery {
		_, size := utf8.DecodeRuneInString(f.text[at:])
		at += size
	}
	return at
}

// place is the line and column of a byte.
func (f *sourceFile) place(at int) (line, column int) {
	char := at
	if f.marks != nil {
		i := max(sort.SearchInts(f.marks, at+1)-1, 0)
		char = i*markEvery + runes(f.text[f.marks[i]:at])
	}
	line = sort.SearchInts(f.lines, char+1)
	return line, char - f.lines[line-1] + 1
}

// pos is the span of the bytes [start, end).
func (f *sourceFile) pos(start, end int) Pos {
	p := Pos{File: f.name}
	p.Line, p.Column = f.place(start)
	p.EndLine, p.EndColumn = f.place(max(start, end))
	return p
}

// line is the text of a line, with its end.
func (f *sourceFile) line(number int) string {
	return f.text[f.offset(number, 1):f.offset(number+1, 1)]
}

// Inside is the place of the bytes [start, end) of the text of a scalar, or that
// of the whole scalar when escapes or folded lines lie between.
func (s Source) Inside(start, end int, path ...any) Pos {
	n := s.find(path)
	if n == nil || n.Kind != yaml.ScalarNode || end > len(n.Value) {
		return s.At(path...)
	}
	return s.file.inside(n, start, end)
}

// Plain says whether the value below is a scalar without quotes, which YAML would guess the type of.
func (s Source) Plain(path ...any) bool {
	n := s.find(path)
	return n != nil && plain(n)
}

// Same says whether two values were written the same, wherever they stand: an alias is what it stands for, and what
// << merges has been merged.
func (s Source) Same(other Source) bool {
	return s.node != nil && other.node != nil && alike(s.node, other.node)
}

func alike(a, b *yaml.Node) bool {
	a, b = deref(a), deref(b)
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, alike)
}

// find gives the node at a path, or nil.
func (s Source) find(path []any) *yaml.Node {
	n := s.node
	for _, step := range path {
		if n == nil {
			return nil
		}
		_, n = below(n, step)
	}
	return n
}
