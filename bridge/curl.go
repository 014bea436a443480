package bridge

import (
	"strings"
)

// Curl gives the request as a command for a POSIX shell. A secret is the expansion of its variable, or of the file it
// is read from; a key of a file is a variable of that name. A secret in a URL has to be safe there as it is. A file is
// named by its filename and read from the current directory; a body that is no text is read from a file named body.
func (p *Preview) Curl() string {
	words := []string{"curl", "-X", p.Method}
	if p.Method == "HEAD" {
		words = []string{"curl", "--head"}
	}
	words = append(words, "--globoff", shellWord(p.url))
	for _, h := range p.header {
		switch {
		case h.name == "Accept-Encoding":
			words = append(words, "--compressed")
		case h.name == "Content-Type" && p.Parts != nil: // curl makes it, with its own boundary
		case h.value == "":
			words = append(words, "-H", shellWord(h.name+";"))
		default:
			words = append(words, "-H", shellWord(h.name+": "+h.value))
		}
	}
	for _, part := range p.Parts {
		words = append(words, part.curl()...)
	}
	switch {
	case p.text:
		words = append(words, "--data-raw", shellWord(p.Body))
	case p.Body != "":
		words = append(words, "--data-binary", "@body")
	}
	return strings.Join(words, " ")
}

// curl gives the words that make curl send the part.
func (p Part) curl() []string {
	if p.Filename == "" {
		return []string{"--form-string", shellWord(p.Name + "=" + p.Text)}
	}
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	form := p.Name + "=@" + quote(p.Filename) + ";filename=" + quote(p.Filename)
	if p.MediaType != "" {
		form += ";type=" + p.MediaType
	}
	return []string{"-F", shellWord(form)}
}

// shellWord quotes a text for a POSIX shell, the expansions of its marks in double quotes, all else in single ones.
func shellWord(s string) string {
	return splice(s, func(plain string) string {
		if plain == "" && s != "" {
			return ""
		}
		return "'" + strings.ReplaceAll(plain, "'", `'\''`) + "'"
	}, func(_, shell string) string { return `"` + shell + `"` })
}

// quotedInShell escapes a text that stands within double quotes.
func quotedInShell(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s)
}
