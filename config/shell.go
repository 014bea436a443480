package config

import (
	"errors"
	"strings"
)

// Shell is the Value for the inside of double quotes in a POSIX shell: ${TOKEN},
// or $(cat 'FILE'). A key of a file, which no shell can read, is a variable that
// is named like it. Of a list it is the choice that is present, else the first.
func (v *Value) Shell(env Lookup) string {
	if v == nil || len(v.choices) == 0 {
		return ""
	}
	for _, c := range v.choices {
		var missing *MissingError
		if _, err := c.resolve(env); !errors.As(err, &missing) {
			return c.shell()
		}
	}
	return v.choices[0].shell()
}

var (
	inDoubleQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	inVariable     = strings.NewReplacer(".", "_", "-", "_")
)

func (c choice) shell() string {
	if c.isFile && c.key != "" {
		return "$" + inVariable.Replace(c.key)
	}
	var b strings.Builder
	for _, p := range c.parts {
		switch {
		case p.name == "":
			b.WriteString(inDoubleQuotes.Replace(p.text))
		case p.fallback:
			b.WriteString("${" + p.name + ":-" + inDoubleQuotes.Replace(p.text) + "}")
		default:
			b.WriteString("${" + p.name + "}")
		}
	}
	if !c.isFile {
		return b.String()
	}
	if home, ok := strings.CutPrefix(b.String(), "~/"); ok {
		return `$(cat "$HOME/` + home + `")`
	}
	return `$(cat "` + b.String() + `")`
}
