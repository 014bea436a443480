package config

import "gopkg.in/yaml.v3"

// Locate gives the place of the value at a path of a text, as [Edit] takes it, and its bytes [start, end) in src. What
// is not there, or comes through an alias, is an error.
func Locate(name string, src []byte, path []any) (at Pos, start, end int, err error) {
	d, _, err := open(name, src)
	if err != nil {
		return Pos{}, 0, 0, err
	}
	p, err := d.resolve(path)
	if err != nil {
		return Pos{}, 0, 0, err
	}
	if !p.exists() {
		return Pos{}, 0, 0, d.absent(p)
	}
	start = d.file.start(p.last())
	end = d.file.end(p.last(), start)
	mark := len(src) - len(d.file.text)
	return d.file.pos(start, end), start + mark, end + mark, nil
}

// PathAt gives the path of the innermost key or element of a text that a line and column lie in, counted as in [Pos].
// Between two of them it is that of what is around them.
func PathAt(name string, src []byte, line, column int) ([]any, error) {
	d, _, err := open(name, src)
	if err != nil {
		return nil, err
	}
	at := min(d.file.offset(line, column), d.file.lineEnd(d.file.offset(line, 1)))
	path := []any{}
	for n := d.root; len(n.Content) > 0; {
		i := d.entryAt(n, at)
		if i < 0 {
			break
		}
		if n.Kind == yaml.SequenceNode {
			path, n = append(path, i), n.Content[i]
		} else {
			path, n = append(path, deref(n.Content[2*i]).Value), n.Content[2*i+1]
		}
	}
	return path, nil
}

// entryAt is the entry of a list or mapping that a byte lies in, or -1.
func (d *document) entryAt(n *yaml.Node, at int) int {
	for i, e := range d.entries(n) {
		if d.file.alone(e.start) {
			e.start = d.file.lineStart(e.start)
		}
		if e.start <= at && at <= e.end {
			return i
		}
	}
	return -1
}
