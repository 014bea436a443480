package bridge

import (
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"tbridge/config"
)

// noticeRoom is kept for saying that a list was cut, in bytes.
const noticeRoom = 100

// A listing is the list in a projected value.
type listing struct {
	raw     string // JSON; empty: there is none
	at      int    // where it stands in the value
	inPlace bool   // it is a piece of the value, which can be cut there
}

// listOf finds the list that each, max_items and a size cut act on.
func (g *reading) listOf(s scope) listing {
	if g.list == nil {
		if s.data[0] != '[' {
			return listing{}
		}
		return listing{raw: s.data, inPlace: true}
	}
	for i := range g.list {
		p := &g.list[i]
		r := p.find(s)
		if r.Type == gjson.Null {
			continue
		}
		if !r.IsArray() {
			return listing{}
		}
		whole := len(r.Raw) == len(s.data)
		return listing{raw: r.Raw, at: r.Index, inPlace: p.root == config.RootData && (whole || p.plain && r.Index > 0)}
	}
	return listing{}
}

// count is the number of a list's elements.
func (l listing) count() int {
	if l.raw == "" {
		return 0
	}
	return int(gjson.Get(l.raw, "#").Num)
}

// A portion is what is given of a list.
type portion struct {
	items []byte // the elements, compact, commas between them
	lines []byte // the line of each, after a line break
	shown int
	total int
}

func (p *portion) cut() bool { return p.shown < p.total }

// notice says in words that the list was cut.
func (p *portion) notice() string {
	return fmt.Sprintf("(truncated: %d of %d shown)", p.shown, p.total)
}

// take takes as many elements as there are, but at most max_items, and as many as fit: room bytes for the items,
// lineRoom for the lines, less room for the notice once any is left out. It looks at each element once.
func (g *reading) take(s scope, l listing, room, lineRoom, count int) portion {
	var p portion
	var items, lines int // how much of both is sure to stay
	full := false
	gjson.Parse(l.raw).ForEach(func(_, e gjson.Result) bool {
		p.total++
		if full || g.maxItems > 0 && p.total > g.maxItems {
			full = true
			return true
		}
		if l.inPlace {
			if p.total > 1 {
				p.items = append(p.items, ',')
			}
			p.items = appendCompact(p.items, e.Raw)
		}
		if g.each != nil {
			p.lines = g.each.append(append(p.lines, '\n'), scope{answer: s.answer, data: e.Raw}, count)
		}
		full = len(p.items) > room || len(p.lines) > lineRoom
		if len(p.items)+noticeRoom <= room && len(p.lines)+noticeRoom <= lineRoom {
			p.shown, items, lines = p.total, len(p.items), len(p.lines)
		}
		return true
	})
	if !full {
		p.shown, items, lines = p.total, len(p.items), len(p.lines)
	}
	p.items, p.lines = p.items[:items], p.lines[:lines]
	return p
}

// appendNotice gives an object the members that say that its list was cut. They take the place of scalars of the
// same names.
func appendNotice(object []byte, p *portion) []byte {
	b := append(make([]byte, 0, len(object)+noticeRoom), '{')
	taken := map[string]bool{}
	gjson.ParseBytes(object).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "truncated", "shown", "total":
			if value.Type != gjson.JSON {
				return true
			}
			taken[key.Str] = true
		}
		b = append(append(append(b, key.Raw...), ':'), value.Raw...)
		b = append(b, ',')
		return true
	})
	for _, m := range []struct{ name, value string }{
		{"truncated", "true"}, {"shown", strconv.Itoa(p.shown)}, {"total", strconv.Itoa(p.total)},
	} {
		if !taken[m.name] {
			b = append(append(append(append(append(b, '"'), m.name...), '"', ':'), m.value...), ',')
		}
	}
	b[len(b)-1] = '}'
	return b
}
