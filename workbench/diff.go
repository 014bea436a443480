package workbench

import (
	"context"
	"strings"
)

// A hunk is a stretch of changed lines with three lines around them, as diff -u shows it.
type hunk struct {
	OldStart int      `json:"old_start"`
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Lines    []string `json:"lines"` // -, + or a space, and the line without its end
}

type difference struct {
	Hunks   []hunk `json:"hunks"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// diff compares a draft with its file as it is saved. A file that is not there is empty.
func (w *Workbench) diff(_ context.Context, d draft) (difference, error) {
	if err := local(d.Path); err != nil {
		return difference{}, err
	}
	v, err := w.view("", "")
	if err != nil {
		return difference{}, err
	}
	saved := ""
	if v.holds(d.Path) {
		if saved, err = w.files.read(d.Path); err != nil {
			return difference{}, err
		}
	}
	return compareLines(saved, d.Text), nil
}

// around is the number of unchanged lines shown around changed ones.
const around = 3

// compareLines compares two texts by their lines. A line's end is part of it, so that one with CRLF differs from one
// with LF.
func compareLines(from, to string) difference {
	d := difference{Hunks: []hunk{}}
	script := shortest(lines(from), lines(to))
	oldLine, newLine := 1, 1
	var open *hunk
	quiet := 0 // unchanged lines since the last changed one
	for i, step := range script {
		if step.kind == ' ' {
			quiet++
		} else {
			if open == nil {
				open = &hunk{OldStart: oldLine, NewStart: newLine}
				for j := max(i-min(quiet, around), 0); j < i; j++ {
					open.add(script[j])
					open.OldStart--
					open.NewStart--
				}
			}
			quiet = 0
		}
		if open != nil {
			open.add(step)
		}
		switch step.kind {
		case '-':
			d.Removed++
			oldLine++
		case '+':
			d.Added++
			newLine++
		default:
			oldLine++
			newLine++
		}
		if open != nil && quiet == 2*around+1 {
			d.Hunks = append(d.Hunks, open.cut(around+1))
			open, quiet = nil, around+1
		}
	}
	if open != nil {
		d.Hunks = append(d.Hunks, open.cut(max(quiet-around, 0)))
	}
	return d
}

func (h *hunk) add(s step) {
	h.Lines = append(h.Lines, string(s.kind)+strings.TrimSuffix(s.line, "\n"))
	if s.kind != '+' {
		h.OldLines++
	}
	if s.kind != '-' {
		h.NewLines++
	}
}

// cut is the hunk without its last n lines, which are unchanged.
func (h *hunk) cut(n int) hunk {
	h.Lines = h.Lines[:len(h.Lines)-n]
	h.OldLines -= n
	h.NewLines -= n
	return *h
}

func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// A step of a script keeps a line, removes one or adds one.
type step struct {
	kind byte // ' ', '-' or '+'
	line string
}

// maxScript bounds the search: beyond it the texts have so little in common that one simply replaces the other.
const maxScript = 1000

// shortest is the shortest script that makes b of a (Myers, 1986).
func shortest(a, b []string) []step {
	var head, tail []step
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, step{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, step{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	script := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		script = append(script, tail[i])
	}
	return script
}

// middle is the shortest script of texts that differ at both ends. furthest[d] holds, for each diagonal, how far into a
// d changes lead.
func middle(a, b []string) []step {
	var furthest []map[int]int
	reach := map[int]int{1: 0}
	for d := 0; d <= min(len(a)+len(b), maxScript); d++ {
		next := make(map[int]int, d+1)
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			next[k] = x
			if x >= len(a) && x-k >= len(b) {
				return trace(a, b, furthest, d)
			}
		}
		furthest = append(furthest, next)
		reach = next
	}
	var script []step
	for _, line := range a {
		script = append(script, step{'-', line})
	}
	for _, line := range b {
		script = append(script, step{'+', line})
	}
	return script
}

// trace goes back from the ends of both texts.
func trace(a, b []string, furthest []map[int]int, d int) []step {
	var back []step
	x, y := len(a), len(b)
	for ; d > 0; d-- {
		k, reach := x-y, furthest[d-1]
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			back = append(back, step{' ', a[x]})
		}
		if x > fromX {
			x--
			back = append(back, step{'-', a[x]})
		} else {
			y--
			back = append(back, step{'+', b[y]})
		}
	}
	for x > 0 {
		x--
		back = append(back, step{' ', a[x]})
	}
	script := make([]step, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		script = append(script, back[i])
	}
	return script
}
