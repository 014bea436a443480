package validate

import (
	"regexp"

	"tbridge/config"
)

// guessed is plain text that some reader of YAML takes for a boolean, null, or a number written in another way.
var guessed = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null|~|0x[0-9a-f]+|0o?[0-9]+|[0-9]+(_[0-9]+)+|[0-9]+(\.[0-9]*)?e[+-]?[0-9]+|[0-9]+\.[0-9]*0)$`)

// ambiguous warns of plain scalars that are text here, and that those who know YAML read otherwise: once for
// each argument.
func (k *toolCheck) ambiguous(args []*config.Argument) {
	for _, a := range args {
		k.ambiguousValue(a)
		if a.Items != nil {
			k.ambiguous([]*config.Argument{a.Items})
		}
		k.ambiguous(a.Properties)
	}
}

func (k *toolCheck) ambiguousValue(a *config.Argument) {
	if kindOf(a) != "string" {
		return
	}
	doubt := func(v config.JSON, path ...any) bool {
		if v.Kind != config.KindString || len(v.Text) > 20 || !guessed.MatchString(v.Text) || !a.Plain(path...) {
			return false
		}
		k.warn(a.At(path...), ruleAmbiguousScalar, "%s is text here, because %s is a string; others read it as something else", v.Text, called(a)).Hint = "put it in quotes: " + quoted(v.Text)
		return true
	}
	if a.Default != nil && doubt(*a.Default, "default") {
		return
	}
	for i, v := range a.Enum {
		if doubt(v, "enum", i) {
			return
		}
	}
	for i, v := range a.Examples {
		if doubt(v, "examples", i) {
			return
		}
	}
}
