package config

import (
	"strings"
	"unicode/utf8"
)

// Nearest gives the candidate that a misspelt word was most probably meant to be, or "". Case and the
// difference of - and _ do not count; else one edit in a short word and two in a longer one do
// (a letter too many, too few or wrong, or two that changed places). Where nothing is that near, it is the one candidate
// that has whole words at its begin or end left out, or too many: task_id for task or id.
func Nearest(word string, candidates []string) string {
	best, least := "", 3
	plainWord := fold(word)
	if len(plainWord) > 200 {
		return ""
	}
	for _, candidate := range candidates {
		most := 2
		if n := min(utf8.RuneCountInString(word), utf8.RuneCountInString(candidate)); n < 5 {
			most = min(1, n-1)
		}
		if d := distance(plainWord, fold(candidate)); d <= most && d < least && candidate != word {
			best, least = candidate, d
		}
	}
	if best != "" {
		return best
	}
	for _, candidate := range candidates {
		if plain := fold(candidate); extends(plain, plainWord) || extends(plainWord, plain) {
			if best != "" {
				return "" // it may be either
			}
			best = candidate
		}
	}
	return best
}

// extends says whether long is short with words before or after it.
func extends(long, short string) bool {
	return len(short) > 1 && (strings.HasPrefix(long, short+"_") || strings.HasSuffix(long, "_"+short))
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance counts the edits between two words (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d > 2 || d < -2 {
		return 3
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
