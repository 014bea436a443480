package config

import (
	"regexp"
	"strings"
)

// A secretShape is what secrets of one kind look like.
type secretShape struct {
	what    string
	marks   []string // one of these stands in it
	pattern *regexp.Regexp
}

var secretShapes = []secretShape{
	{"a bearer token", []string{"earer ", "asic "}, regexp.MustCompile(`\b([Bb]earer|[Bb]asic) +[A-Za-z0-9._~+/-]{16,}=*`)},
	{"an API key", []string{"sk-", "sk_", "rk_", "AIza", "npm_", "ya29.", "SG."},
		regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}|\b[sr]k_(live|test)_[A-Za-z0-9]{12,}|\bAIza[A-Za-z0-9_-]{30,}|\bnpm_[A-Za-z0-9]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{"a token of a forge", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"},
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_-]{16,}`)},
	{"a token of a chat", []string{"xox", "hooks.slack.com/"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T\w+/B\w+/\w{16,}`)},
	{"a cloud's access key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a private key", []string{"PRIVATE KEY-----"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"a JSON web token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
}

// shortestSecret is the length of the shortest text that is looked at.
const shortestSecret = 16

// LooksSecret says what kind of secret a text holds, going by its shape alone, or
// nothing. Reading a file reports such a text wherever it stands.
func LooksSecret(text string) string {
	if len(text) < shortestSecret {
		return ""
	}
	for i := range secretShapes {
		for _, mark := range secretShapes[i].marks {
			if strings.Contains(text, mark) && secretShapes[i].pattern.MatchString(text) {
				return secretShapes[i].what
			}
		}
	}
	return ""
}

// secret warns of a scalar that looks like a secret. Its text is not shown.
func (c *checker) secret(what string, at Pos) {
	d := c.ds.Add(Warning, at, RuleLiteralSecret, "this looks like %s; everybody who reads the file has it", what)
	d.Hint = "withdraw it, and write ${NAME} or {file: PATH} in tbridge.yaml instead"
}
