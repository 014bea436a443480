package config

import (
	"errors"
	"fmt"
	"strings"
)

// envKey reads NAME=value lines: comments, export and quotes are understood as a shell does, nothing is expanded. Of
// a name that stands twice the later one counts. The error names a line and never quotes it.
func envKey(text, key string) (value string, found bool, err error) {
	for line := 1; text != ""; {
		first, rest, _ := strings.Cut(text, "\n")
		name, raw, ok := strings.Cut(first, "=")
		if !ok || strings.HasPrefix(strings.TrimSpace(first), "#") {
			text, line = rest, line+1
			continue
		}
		v, n, err := envValue(text[len(name)+1:], raw)
		if err != nil {
			return "", false, fmt.Errorf("line %d: %w", line, err)
		}
		if envName(name) == key {
			value, found = v, true
		}
		used := text[:min(len(name)+1+n, len(text))]
		text, line = text[len(used):], line+strings.Count(used, "\n")
	}
	return value, found, nil
}

// envName is the name before an equals sign, without export.
func envName(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "export"); ok && strings.TrimLeft(rest, " \t") != rest {
		s = strings.TrimSpace(rest)
	}
	return s
}

var (
	errOpenQuote  = errors.New("a quote that is not closed")
	errAfterQuote = errors.New("text after a closing quote")
)

// envValue reads the value at the start of text, whose first line is line, and says how long it is with its line's
// end. A value in quotes may go over several lines.
func envValue(text, line string) (value string, length int, err error) {
	start := len(text) - len(strings.TrimLeft(text, " \t"))
	if start == len(text) || text[start] != '"' && text[start] != '\'' {
		return envPlain(line), len(line) + 1, nil
	}
	value, end, ok := envQuoted(text[start:])
	if !ok {
		return "", 0, errOpenQuote
	}
	after, _, _ := strings.Cut(text[start+end:], "\n")
	if trimmed := strings.TrimSpace(after); trimmed != "" && trimmed[0] != '#' {
		return "", 0, errAfterQuote
	}
	return value, start + end + len(after) + 1, nil
}

// envPlain is a value without quotes: up to a # that follows white space.
func envPlain(line string) string {
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
		}
	}
	return strings.TrimSpace(line)
}

// envQuoted reads a value in quotes and gives the place behind the closing one. Single quotes hold text as it is; in
// double quotes \n, \r, \t and a backslash before " \ $ or ` are escapes, and any other backslash is itself.
func envQuoted(text string) (value string, end int, closed bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == text[0]:
			return b.String(), i + 1, true
		case c == '\\' && text[0] == '"' && i+1 < len(text):
			if k := strings.IndexByte("nrt\"\\$`", text[i+1]); k >= 0 {
				c = "\n\r\t\"\\$`"[k]
				i++
			}
		}
		b.WriteByte(c)
	}
	return "", 0, false
}
