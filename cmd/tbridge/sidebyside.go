package main

import (
	"fmt"
	"strings"
)

// sides is how wide the left side may be.
const sides = 58

// sideBySide lays out two texts by line, the lines that differ marked between them.
func sideBySide(want, got string) string {
	rows := align(strings.Split(want, "\n"), strings.Split(got, "\n"))
	wide := cellsOf("expected")
	for _, r := range rows {
		wide = max(wide, min(cellsOf(r.left), sides))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s", padded("expected", wide), "got")
	for _, r := range rows {
		left, right := folded(r.left, wide), folded(r.right, sides)
		for i := range max(len(left), len(right)) {
			var row [2]string
			for side, lines := range [2][]string{left, right} {
				if i < len(lines) {
					row[side] = lines[i]
				}
			}
			b.WriteString("\n" + strings.TrimRight(padded(row[0], wide)+" "+r.mark+" "+row[1], " "))
		}
	}
	return b.String()
}

func cellsOf(s string) (n int) {
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func padded(s string, wide int) string { return s + strings.Repeat(" ", max(wide-cellsOf(s), 0)) }

// folded breaks a line into pieces of so many columns at most.
func folded(s string, wide int) []string {
	var pieces []string
	start, at := 0, 0
	for i, r := range s {
		if at+cells(r) > wide {
			pieces = append(pieces, s[start:i])
			start, at = i, 0
		}
		at += cells(r)
	}
	return append(pieces, s[start:])
}

// A row is one line of both sides. The mark is | where they differ, < and > where one of them has none.
type row struct{ left, right, mark string }

// align pairs the lines of two texts so that as many as possible are the same.
func align(a, b []string) (rows []row) {
	common := commonLines(a, b)
	i, j := 0, 0
	for _, at := range append(common, [2]int{len(a), len(b)}) {
		for i < at[0] || j < at[1] {
			r := row{mark: "|"}
			switch {
			case i == at[0]:
				r.mark = ">"
			case j == at[1]:
				r.mark = "<"
			}
			if i < at[0] {
				r.left = a[i]
				i++
			}
			if j < at[1] {
				r.right = b[j]
				j++
			}
			rows = append(rows, r)
		}
		if i < len(a) && j < len(b) {
			rows = append(rows, row{a[i], b[j], " "})
			i, j = i+1, j+1
		}
	}
	return rows
}

// maxAligned bounds the work of aligning two texts; longer ones are compared line by line.
const maxAligned = 1 << 22

// commonLines gives the positions of a longest common subsequence.
func commonLines(a, b []string) (at [][2]int) {
	if len(a)*len(b) > maxAligned {
		for i := range min(len(a), len(b)) {
			if a[i] == b[i] {
				at = append(at, [2]int{i, i})
			}
		}
		return at
	}
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			at = append(at, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return at
}
