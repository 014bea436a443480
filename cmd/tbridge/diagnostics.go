package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"tbridge/config"
)

// A style is a way to print findings. sources gives the text of files that are not on the disk.
type style func(w io.Writer, ds config.Diagnostics, sources map[string]string) error

var styles = map[string]style{
	"compact": compact,
	"pretty":  pretty,
	"json":    asJSON,
	"github":  github,
	"sarif":   sarif,
}

// auto is the style for where the findings go.
func auto(w io.Writer) style {
	switch {
	case os.Getenv("GITHUB_ACTIONS") == "true":
		return github
	case terminal(w):
		return pretty
	}
	return compact
}

// terminal says whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// compact prints one finding a line.
func compact(w io.Writer, ds config.Diagnostics, _ map[string]string) error {
	for _, d := range ds {
		if _, err := fmt.Fprintln(w, oneLine(d, d.Severity.String())); err != nil {
			return err
		}
	}
	return nil
}

// oneLine is a finding as text, with the word for its severity.
func oneLine(d config.Diagnostic, severity string) string {
	var b strings.Builder
	if at := d.Pos.String(); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(severity + ": " + advised(d))
	for _, r := range d.Related {
		fmt.Fprintf(&b, " (%s: %s)", r.Pos, r.Message)
	}
	return b.String() + " [" + d.Rule + "]"
}

// advised is the message with its hint.
func advised(d config.Diagnostic) string {
	if d.Hint == "" {
		return d.Message
	}
	return d.Message + "; " + d.Hint
}

// github prints the workflow commands of GitHub Actions.
func github(w io.Writer, ds config.Diagnostics, _ map[string]string) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, d := range ds {
		command := [...]string{"error", "warning", "notice"}[d.Severity]
		at := "file=" + property.Replace(d.File)
		if d.Line > 0 {
			at += fmt.Sprintf(",line=%d,col=%d,endLine=%d,endColumn=%d", d.Line, d.Column, d.EndLine, d.EndColumn)
		}
		if _, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", command, at, property.Replace(d.Rule), data.Replace(advised(d))); err != nil {
			return err
		}
	}
	return nil
}

// A report is what --format json prints.
type report struct {
	FormatVersion string    `json:"format_version"`
	Valid         bool      `json:"valid"`
	Errors        int       `json:"errors"`
	Warnings      int       `json:"warnings"`
	Notes         int       `json:"notes"`
	Diagnostics   []finding `json:"diagnostics"`
}

type finding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	place
	Related []related `json:"related"`
}

type related struct {
	Message string `json:"message"`
	place
}

// A place is a span of a file; line 0 is the file as a whole.
type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

func asJSON(w io.Writer, ds config.Diagnostics, _ map[string]string) error {
	r := report{
		FormatVersion: "1",
		Valid:         ds.Count(config.Error) == 0,
		Errors:        ds.Count(config.Error),
		Warnings:      ds.Count(config.Warning),
		Notes:         ds.Count(config.Note),
		Diagnostics:   []finding{},
	}
	for _, d := range ds {
		f := finding{Severity: d.Severity.String(), Rule: d.Rule, Message: d.Message, Hint: d.Hint, place: place(d.Pos), Related: []related{}}
		for _, other := range d.Related {
			f.Related = append(f.Related, related{Message: other.Message, place: place(other.Pos)})
		}
		r.Diagnostics = append(r.Diagnostics, f)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(r)
}

// pretty prints each finding with the line it is about.
func pretty(w io.Writer, ds config.Diagnostics, sources map[string]string) error {
	paint := colours(w)
	src := sourceLines{texts: sources, lines: map[string][]string{}, hidden: ds}
	for _, d := range ds {
		if _, err := fmt.Fprintln(w, oneLine(d, paint(d.Severity))); err != nil {
			return err
		}
		if text, marks := src.excerpt(d.Pos); marks != "" {
			if _, err := fmt.Fprintf(w, "%5d | %s\n      | %s\n", d.Line, text, marks); err != nil {
				return err
			}
		}
	}
	return nil
}

// colours gives the word for a severity, in its colour on a terminal.
func colours(w io.Writer) func(config.Severity) string {
	if !terminal(w) || os.Getenv("NO_COLOR") != "" {
		return config.Severity.String
	}
	return func(s config.Severity) string {
		return [...]string{"\x1b[31m", "\x1b[33m", "\x1b[36m"}[s] + s.String() + "\x1b[0m"
	}
}

// sourceLines are the lines of the files that findings are about.
type sourceLines struct {
	texts  map[string]string
	lines  map[string][]string
	hidden config.Diagnostics // literal secrets among them are not shown again
}

// line gives the characters of a line, secrets starred out.
func (s *sourceLines) line(file string, number int) []rune {
	lines, ok := s.lines[file]
	if !ok {
		text, given := s.texts[file]
		if !given {
			b, _ := os.ReadFile(file) // without the file there is no excerpt
			text = string(b)
		}
		lines = strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		s.lines[file] = lines
	}
	if number < 1 || number > len(lines) {
		return nil
	}
	line := []rune(strings.TrimRight(lines[number-1], "\r"))
	for _, d := range s.hidden {
		if d.Rule != config.RuleLiteralSecret || d.File != file || d.Line > number || d.EndLine < number {
			continue
		}
		from, to := columns(d.Pos, number, len(line))
		for i := from; i < to; i++ {
			line[i] = '*'
		}
	}
	return line
}

// columns gives the characters [from, to) of a line that a span covers.
func columns(at config.Pos, number, length int) (from, to int) {
	from, to = 0, length
	if at.Line == number {
		from = min(max(at.Column-1, 0), length)
	}
	if at.EndLine == number {
		to = min(max(at.EndColumn-1, from), length)
	}
	return from, to
}

// excerptWidth is how many characters of a line are shown.
const excerptWidth = 120

// excerpt gives the first line of a span and the carets below it; no carets where there is nothing to show.
func (s *sourceLines) excerpt(at config.Pos) (text, marks string) {
	line := s.line(at.File, at.Line)
	if at.Column < 1 || line == nil {
		return "", ""
	}
	from, to := columns(at, at.Line, len(line))
	to = max(to, from+1)
	begin := max(0, from-excerptWidth/2)
	end := min(len(line), begin+excerptWidth)
	var pad, carets strings.Builder
	for i, r := range line[begin:end] {
		switch {
		case begin+i < from && r == '\t':
			pad.WriteRune(r)
		case begin+i < from:
			pad.WriteString(strings.Repeat(" ", cells(r)))
		case begin+i < to:
			carets.WriteString(strings.Repeat("^", cells(r)))
		}
	}
	if carets.Len() == 0 {
		carets.WriteByte('^') // the place after the end of the line
	}
	shown := slices.Clone(line[begin:end])
	for i, r := range shown {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			shown[i] = '�' // it would act on the terminal
		}
	}
	return string(shown), pad.String() + carets.String()
}

// cells is how many columns of a terminal a character takes.
func cells(r rune) int {
	switch {
	case unicode.Is(unicode.Bidi_Control, r):
		return 1 // it is shown as �
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}
