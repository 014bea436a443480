package validate

import (
	"math"
	"regexp"
	"strings"

	"tbridge/config"
)

// entropy is that of the characters of a text, in bits (Shannon).
func entropy(text string) float64 {
	var counts [256]int
	for i := 0; i < len(text); i++ {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

var (
	secretName = regexp.MustCompile(`(?i)(^|[-_.])(authorization|api-?key|apikey|token|secret|password|passwd|credentials?|access-?key|private-?key|sig|signature)$`)
	randomText = regexp.MustCompile(`^[A-Za-z0-9+/_=.-]{20,}$`)
	manyDigits = regexp.MustCompile(`[0-9].*[0-9].*[0-9]`)
)

// random says whether a text looks drawn by lot, as keys are, rather than written by people.
func random(text string) bool {
	return randomText.MatchString(text) && manyDigits.MatchString(text) && strings.ContainsFunc(text, isLetter) && entropy(text) > 3.6
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// constant warns of a header, query pair or cookie whose constant is a secret by its name or by its looks.
func (k *checker) constant(name, text string, at config.Pos) {
	switch {
	case len(text) < MinSecret || config.LooksSecret(text) != "": // the latter is reported where the file is read
	case secretName.MatchString(name):
		k.warn(at, config.RuleLiteralSecret, "a literal %s; everybody who reads the file has it", name).Hint = secretRemedy
	case random(text):
		k.warn(at, config.RuleLiteralSecret, "%s holds what looks like a secret, written out; everybody who reads the file has it", name).Hint = secretRemedy
	}
}

const secretRemedy = "write it under auth, headers or query of the api in tbridge.yaml, as ${NAME} or {file: PATH}"

// constants looks at what a tool always sends.
func (k *toolCheck) constants() {
	for _, pairs := range []config.Map[*config.Template]{k.t.Headers, k.t.Cookies} {
		for _, e := range pairs {
			if e.Value.Constant() {
				k.constant(e.Key, e.Value.Literal(), e.Value.Pos)
			}
		}
	}
	if q := k.t.Query; q != nil && q.Kind == config.TreeMapping {
		for _, f := range q.Fields {
			if t := f.Value.Template; f.Value.Kind == config.TreeText && t.Constant() {
				k.constant(f.Key, t.Literal(), t.Pos)
			}
		}
	}
}
