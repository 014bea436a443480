package bridge

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"sync"
)

// names are those of the members of the objects that are open while a JSON text is read, so that one that stands
// twice in an object is found. They are compared one by one while they are few, and looked up in a table when
// they are many.
type names struct {
	list   []string           // of all that is open, the innermost last
	begin  [maxDepth]int      // of those of each level in list
	tables [maxDepth][]uint32 // of those of a level: 1 + the place of a name, at the place of its hash or behind
	twice  *repeated          // the first that was found
}

// A repeated name is why a JSON text is not taken: which of the two members counts, readers disagree on.
type repeated struct{ name string }

func (r *repeated) Error() string { return "an object repeats a key" }

const (
	fewNames  = 8       // are compared one by one
	keptNames = 1 << 10 // that room is kept for
)

var (
	nameSeed  = maphash.MakeSeed()
	namesPool = sync.Pool{New: func() any { return new(names) }}
)

// release gives the room back for another text. Nothing of this one is held.
func (n *names) release() {
	if cap(n.list) > keptNames {
		return
	}
	clear(n.list[:cap(n.list)])
	n.list, n.twice = n.list[:0], nil
	namesPool.Put(n)
}

// open begins an object or list at a level.
func (n *names) open(level int) { n.begin[level] = len(n.list) }

// close ends that of a level.
func (n *names) close(level int) { n.list = n.list[:n.begin[level]] }

// add adds a name, as it is quoted in the text, to the object of a level.
func (n *names) add(level int, quoted string, escaped bool) {
	name := quoted[1 : len(quoted)-1]
	if escaped {
		name = unquoted(quoted)
	}
	own := n.list[n.begin[level]:]
	n.list = append(n.list, name)
	if len(own) < fewNames {
		for _, other := range own {
			if other == name {
				n.found(name)
			}
		}
		return
	}
	n.enter(level, n.list[n.begin[level]:])
}

// unquoted is what a JSON string says.
func unquoted(quoted string) (text string) {
	_ = json.Unmarshal([]byte(quoted), &text) // a string it is
	return text
}

func (n *names) found(name string) {
	if n.twice == nil {
		n.twice = &repeated{strings.Clone(name)}
	}
}

// enter puts the last of many names into the table of its level.
func (n *names) enter(level int, own []string) {
	table, first := n.tables[level], len(own)-1
	if first == fewNames || 2*len(own) > len(table) { // a table of its own, or a larger one
		size := 8 * first
		if size > cap(table) {
			table = make([]uint32, size)
		}
		table, first = table[:size], 0
		clear(table)
		n.tables[level] = table
	}
	mask := uint64(len(table) - 1) // a power of two, as fewNames is one
	for i, name := range own[first:] {
		at := maphash.String(nameSeed, name) & mask
		for ; table[at] != 0; at = (at + 1) & mask {
			if own[table[at]-1] == name {
				n.found(name)
				return
			}
		}
		table[at] = uint32(first + i + 1)
	}
}
