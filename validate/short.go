package validate

import (
	"os"
	"unicode/utf8"

	"tbridge/config"
)

// MinSecret is how many characters a secret must have to be masked. A shorter one would tear holes into every answer.
const MinSecret = 6

// Secrets warns of each secret of tbridge.yaml that is there and too short to be masked. It reads variables and files,
// which Catalog does not; env nil: os.LookupEnv. What cannot be read is passed over.
func Secrets(c *config.Catalog, env config.Lookup) config.Diagnostics {
	if env == nil {
		env = os.LookupEnv
	}
	var ds config.Diagnostics
	for _, v := range secrets(c) {
		r, err := v.Resolve(env)
		if err != nil {
			continue
		}
		for _, s := range r.Secrets {
			if utf8.RuneCountInString(s) < MinSecret {
				d := ds.Add(config.Warning, v.At(), ruleShortSecret, "what %s holds is shorter than %d characters, and so is not masked where it comes out", v, MinSecret)
				d.Hint = "use a longer secret"
				break
			}
		}
	}
	return ds
}

// secrets are the Values of tbridge.yaml that are secret when they come from outside; some may be nil.
func secrets(c *config.Catalog) (list []*config.Value) {
	for _, e := range c.APIs {
		if e.Value == nil {
			continue
		}
		if e.Value.Auth != nil {
			list = append(list, credentials(e.Value.Auth)...)
		}
		for _, pairs := range []config.Map[*config.Value]{e.Value.Headers, e.Value.Query} {
			for _, pair := range pairs {
				list = append(list, pair.Value)
			}
		}
	}
	if h := c.Server.HTTP; h != nil && h.Auth != nil {
		for _, t := range h.Auth.Tokens {
			list = append(list, t.Token)
		}
	}
	return list
}
