package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
	toolsKey  = regexp.MustCompile(`(?m)^tools[ \t]*:`)
)

// markdown checks the fenced YAML of a page, each block by itself: those that are a tbridge.yaml or a tools
// file. One whose info string has the word wrong, skip or ignore is left out.
func (f *found) markdown(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f.files++
	for _, block := range yamlBlocks(string(text)) {
		if configKey.MatchString(block) || toolsKey.MatchString(block) {
			before := f.files
			f.text(path, block)
			f.files = before
		}
	}
	return nil
}

// yamlBlocks gives the YAML of a page, each block below as many empty lines as stand above it: so its lines and
// columns are those of the page.
func yamlBlocks(page string) (blocks []string) {
	var block strings.Builder
	fence, wanted, number := "", false, 0
	for line := range strings.Lines(page) {
		number++
		bare := strings.TrimRight(line, "\r\n")
		m := fenceLine.FindStringSubmatch(bare)
		switch {
		case fence == "" && m != nil:
			fence, wanted = m[1], isYAMLBlock(m[2])
			block.Reset()
			block.WriteString(strings.Repeat("\n", number))
		case fence != "" && m != nil && strings.HasPrefix(m[1], fence) && strings.TrimSpace(m[2]) == "":
			if fence = ""; wanted {
				blocks = append(blocks, block.String())
			}
		case fence != "":
			block.WriteString(line)
		}
	}
	return blocks
}

func isYAMLBlock(info string) bool {
	words := strings.Fields(strings.ToLower(info))
	leftOut := func(word string) bool { return slices.Contains([]string{"wrong", "skip", "ignore"}, word) }
	return len(words) > 0 && (words[0] == "yaml" || words[0] == "yml") && !slices.ContainsFunc(words, leftOut)
}
