package workbench

import (
	"regexp"
	"strings"

	"tbridge/config"
)

var (
	// secretWords are what names of credentials are made of, in small letters without - and _.
	secretWords = regexp.MustCompile(`(token|secret|passw|apikey|accesskey|privatekey|authkey|credential|authorization|signature|session|csrf|xsrf|jwt|bearer)`)
	// secretNames are names that are a credential's only as a whole.
	secretNames = regexp.MustCompile(`^(auth|key|sig|pwd|pass|cookie|sid|appid|appkey|clientid|xkey|proxyauthorization)$`)
	// secretShapes are what credentials look like, also those that documentation has shortened.
	secretShapes = regexp.MustCompile(`^(?:sk|pk|rk|ak|gh[pousr]|github_pat|glpat|xox[abeoprs]|npm)[-_][A-Za-z0-9_-]{10,}|^AKIA[A-Z0-9]{12,}|` +
		`^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.|^(?i:bearer|basic|token) \S{6,}|^[0-9]{6,}:[A-Za-z0-9_-]{20,}$`)
	// shellVariable stands for something that whoever wrote the command did not want to show.
	shellVariable = regexp.MustCompile(`\$\{?[A-Za-z_][A-Za-z0-9_]*\}?`)
	longRandom    = regexp.MustCompile(`^[A-Za-z0-9_+/=-]{40,}$`)
)

// secretName says whether a name is that of a credential.
func secretName(name string) bool {
	plain := strings.NewReplacer("-", "", "_", "", ".", "", "[", "", "]", "").Replace(strings.ToLower(name))
	return secretWords.MatchString(plain) || secretNames.MatchString(plain)
}

// secretValue says whether a value looks like a credential: by its prefix, or because it is long and random.
func secretValue(value string) bool {
	value = strings.TrimSpace(value)
	return config.LooksSecret(value) != "" || secretShapes.MatchString(value) ||
		longRandom.MatchString(value) && strings.ContainsAny(value, "0123456789") && strings.ToLower(value) != value
}
