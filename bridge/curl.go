package bridge

import (
	"strings"
)

// Curl gives the request as a command for a POSIX shell. A secret is the expansion of its variable, or of the file it
// is read from; a key of a file is a variable of that name. A secret in a URL has to be safe there as it is. A file is
// named by its filename and read from the current directory; a body that is no text is read from a file named body, and such a
// field from one of its name. reads are these files.
func (p *Preview) Curl() (command string, reads []string) {
	words := []string{"curl", "-X", p.Method}
	if p.Method == "HEAD" {
		words = []string{"curl", "--head"}
	}
	words = append(words, "--globoff", markedWord(p.url))
	for _, h := range p.header {
		switch {
		case h.name == "Accept-Encoding":
			words = append(words, "--compressed")
		case h.name == "Content-Type" && p.Parts != nil: // curl makes it, with its own boundary
		case h.value == "":
			words = append(words, "-H", shellWord(h.name+";"))
		default:
			words = append(words, "-H", markedWord(h.name+": "+h.value))
		}
	}
	for _, part := range p.Parts {
		form, file := part.curl()
		words = append(words, form...)
		reads = append(reads, file...)
	}
	switch {
	case p.text:
		words = append(words, "--data-raw", shellWord(p.Body))
	case p.Body != "":
		words, reads = append(words, "--data-binary", "@body"), append(reads, "body")
	}
	return strings.Join(words, " "), reads
}

// curl gives the words that make curl send the part, and the files that it then reads.
func (p Part) curl() (words, reads []string) {
	switch {
	case p.Filename == "" && p.text:
		return []string{"--form-string", shellWord(p.Name + "=" + p.Text)}, nil
	case p.Filename == "":
		return []string{"-F", shellWord(p.Name + "=<" + p.Name)}, []string{p.Name}
	}
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	form := p.Name + "=@" + quote(p.Filename) + ";filename=" + quote(p.Filename)
	if p.MediaType != "" {
		form += ";type=" + p.MediaType
	}
	return []string{"-F", shellWord(form)}, []string{p.Filename}
}

// shellWord quotes a text for a POSIX shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// markedWord quotes a text with marks: their expansions in double quotes, all else in single ones.
func markedWord(s string) string {
	return splice(s, func(plain string) string {
		if plain == "" && s != "" {
			return ""
		}
		return shellWord(plain)
	}, func(_, shell string) string { return `"` + shell + `"` })
}

// quotedInShell escapes a text that stands within double quotes.
func quotedInShell(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s)
}
