package validate

import (
	"embed"
	"slices"

	"tbridge/config"
)

//go:embed rules/*.md
var pages embed.FS

// Explain is the page of a rule, in Markdown: what it finds, why that matters, a
// file that breaks it, one that keeps it, and how to get from one to the other.
// ok is false when there is no such rule.
func Explain(id string) (page string, ok bool) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r config.Rule) bool { return r.ID == id })
	if i < 0 {
		return "", false
	}
	text, err := pages.ReadFile("rules/" + id + ".md")
	if err != nil {
		return "", false
	}
	return "# " + id + "\n\n" + rules[i].About + "\n\n" + string(text), true
}
