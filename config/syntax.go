package config

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var (
	yamlLine   = regexp.MustCompile(`^line (\d+): `)
	yamlAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
)

// syntaxError reports what yaml.v3 says, in its place as near as can be.
func syntaxError(f *sourceFile, err error, ds *Diagnostics) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	if strings.HasPrefix(message, "exceeded max depth") {
		ds.Add(Error, f.pos(len(f.text), len(f.text)), ruleTooDeep, "nested deeper than %d levels", MaxDepth)
		return
	}
	if m := yamlAnchor.FindStringSubmatch(message); m != nil {
		at := max(strings.Index(f.text, "*"+m[1]), 0)
		ds.Add(Error, f.pos(at, at+1+len(m[1])), ruleAlias, "alias %q has no anchor above it", "*"+m[1])
		return
	}
	at := reach(f.text)
	if found, _ := f.place(at); strings.HasPrefix(message, "did not find expected") || line == 0 {
		line = found
	}
	start := f.skipSpaceInLine(f.offset(line, 1))
	end := start + len(strings.TrimRight(f.text[start:f.offset(line+1, 1)], " \t\r\n"))
	d := ds.Add(Error, f.pos(start, end), ruleSyntax, "not YAML: %s", message)
	d.Hint = remedy(message)
	if text := f.text[f.offset(line, 1):start]; strings.Contains(text, "\t") {
		at := f.offset(line, 1) + strings.IndexByte(text, '\t')
		d.Pos, d.Hint = f.pos(at, at+1), "indent with spaces; YAML forbids tabs"
	}
}

// remedy says what mostly helps.
func remedy(message string) string {
	for _, r := range [...]struct{ of, remedy string }{
		{"mapping values are not allowed", `put text that holds ": " in quotes, and check the indentation`},
		{"cannot start any token", "put text that begins with @, ` or % in quotes"},
		{"expected ',' or", "close the bracket, and put text that holds a comma, a bracket or a ? in quotes"},
		{"could not find expected ':'", "write key: value, with a space after the colon"},
		{"end of stream", "close the quote"},
		{"'-' indicator", "indent all keys of an element alike, and begin each element with -"},
		{"expected key", "indent all keys of a mapping alike"},
	} {
		if strings.Contains(message, r.of) {
			return r.remedy
		}
	}
	return ""
}

func (f *sourceFile) skipSpaceInLine(at int) int {
	for at < len(f.text) && (f.text[at] == ' ' || f.text[at] == '\t') {
		at++
	}
	return at
}

// reach is how far yaml.v3 reads before it gives up: it knows the line of an error badly, but it reads no further
// than it must.
func reach(text string) int {
	r := &oneByOne{text: text}
	docs := yaml.NewDecoder(r)
	for {
		if _, err := decodeDocument(docs); err != nil {
			break
		}
	}
	return len(strings.TrimRight(text[:r.at], " \t\r\n"))
}

// oneByOne gives a text byte by byte.
type oneByOne struct {
	text string
	at   int
}

func (r *oneByOne) Read(b []byte) (int, error) {
	if r.at >= len(r.text) {
		return 0, io.EOF
	}
	b[0] = r.text[r.at]
	r.at++
	return 1, nil
}
