package validate

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"tbridge/config"
)

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	braces       = regexp.MustCompile(`\{[^{}]*\}|[{}]`)
)

// configuration checks tbridge.yaml.
func (k *checker) configuration() {
	if k.c.Version != 1 && k.c.Has("version") {
		k.error(k.c.At("version"), ruleVersion, "version %d; this tbridge reads version 1", k.c.Version)
	}
	for _, e := range k.c.Vars {
		if !variableName.MatchString(e.Key) {
			k.error(e.KeyPos, ruleVariableName, "variable name %s; want A-Z a-z 0-9 _ -, and a letter or _ first, so that {vars.NAME} can name it", quoted(e.Key))
		}
	}
	k.access()
	for _, e := range k.c.APIs {
		k.checkAPI(e.Value)
	}
	k.serverTexts()
	k.needs()
}

func (k *checker) checkAPI(a *config.API) {
	if a == nil {
		return
	}
	k.auth(a.Auth)
	k.baseURL(a)
	k.apiHeaders(a)
	k.forward(a)
	k.envelope(a.Envelope, nil)
	k.errorText(a.ErrorText)
	k.errors(a.Errors)
	k.limits(a.Source, a.Timeout, a.Retry)
	if t := a.TLS; t != nil {
		if t.InsecureSkipVerify {
			k.warn(t.At("insecure_skip_verify"), ruleInsecureTLS, "insecure_skip_verify: the certificate of api %s is not verified; anybody on the way can read and change what is sent", quoted(a.Name)).Hint = "give ca_file instead"
		}
		if t.Has("client_cert") != t.Has("client_key") {
			k.error(t.At(), ruleAuth, "client_cert and client_key go together")
		}
	}
}

// auth checks that a credential is of one kind, and not written out.
func (k *checker) auth(a *config.Auth) {
	if a == nil {
		return
	}
	given := 0
	for _, key := range []string{"bearer", "basic", "api_key", "oauth2"} {
		if a.Has(key) {
			given++
		}
	}
	if given != 1 {
		k.error(a.At(), ruleAuth, "auth has %s; use one of bearer, basic, api_key or oauth2", plural(given, "credential"))
	}
	k.secret(a.Bearer, "bearer token")
	if a.Basic != nil {
		k.secret(a.Basic.Password, "password")
	}
	if a.OAuth2 != nil {
		k.secret(a.OAuth2.ClientSecret, "client secret")
		for _, text := range a.OAuth2.TokenURL.Written() {
			k.absolute(text, a.OAuth2.TokenURL.At(), "token_url")
		}
	}
	if key := a.APIKey; key != nil {
		k.secret(key.Value, "key")
		k.apiKey(key)
	}
}

func (k *checker) apiKey(a *config.APIKey) {
	switch a.In {
	case "header":
		k.headerName(a.Name, a.At("name"))
	case "cookie":
		k.cookieName(a.Name, a.At("name"))
	default:
		if a.Name == "" {
			k.error(a.At("name"), ruleAuth, "the key has no name")
		}
	}
}

// secret warns of a credential that is written out. It is not shown.
func (k *checker) secret(v *config.Value, what string) {
	if text, literal := v.Literal(); literal && config.LooksSecret(text) == "" {
		k.warn(v.At(), config.RuleLiteralSecret, "a literal %s; everybody who reads the file has it", what).Hint = "write ${NAME} and set the variable, or {file: PATH}"
	}
}

// absolute checks that a text is an absolute URL over HTTP, and warns where it goes unencrypted.
func (k *checker) absolute(text string, at config.Pos, what string) bool {
	if err := URL(text); err != nil {
		shown := " " + quoted(text)
		if strings.Contains(text, "@") {
			shown = "" // it may hold a password
		}
		d := k.error(at, ruleBaseURL, "%s%s %s", what, shown, err)
		if errors.Is(err, errUserInfo) {
			d.Hint = "write them under auth: {basic: {username: .., password: ..}}"
		}
		return false
	}
	if u, err := url.Parse(text); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
		k.warn(at, rulePlainHTTP, "%s: plain http to %s; anybody on the way can read and change what is sent", what, quoted(u.Host)).Hint = "use https"
	}
	return true
}

func loopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// baseURL checks a base_url as far as it is written out, defaults too. The rest is seen once its variables are there.
func (k *checker) baseURL(a *config.API) {
	hole := ""
	if a.Auth != nil && a.Auth.APIKey != nil && a.Auth.APIKey.In == "path" {
		hole = "{" + a.Auth.APIKey.Name + "}"
	}
	for _, text := range a.BaseURL.Written() {
		k.writtenURL(text, hole, a.BaseURL.At())
	}
}

// writtenURL checks one text of a base_url. hole is that of a key in the path.
func (k *checker) writtenURL(text, hole string, at config.Pos) {
	if authority, _, _ := strings.Cut(scheme.ReplaceAllString(text, ""), "/"); strings.ContainsAny(authority, "{}") {
		k.error(at, ruleBaseURL, "a brace in the host of base_url %s; the host is fixed in tbridge.yaml", quoted(text))
		return
	}
	if !k.absolute(text, at, "base_url") {
		return
	}
	path, _, _ := strings.Cut(text, "?")
	for _, found := range braces.FindAllString(text, -1) {
		if hole == "" || found != hole {
			k.error(at, ruleBaseURL, "%s in base_url: only the name of an api_key with in: path can stand in braces", found)
			return
		}
	}
	if hole != "" && strings.Count(path, hole) != 1 {
		k.error(at, ruleBaseURL, "the path of base_url holds %s %s; the api_key with in: path wants it there once", hole, plural(strings.Count(path, hole), "time"))
	}
}

// apiHeaders checks the names of the headers and cookies that an API is always sent.
func (k *checker) apiHeaders(a *config.API) {
	for _, pairs := range []config.Map[*config.Value]{a.Headers, a.Query} {
		for _, e := range pairs {
			if text, literal := e.Value.Literal(); literal {
				k.constant(e.Key, text, e.Value.At())
			}
		}
	}
	for _, e := range a.Headers {
		if !k.headerName(e.Key, e.KeyPos) || a.Auth == nil {
			continue
		}
		if strings.EqualFold(e.Key, authHeader(a.Auth)) {
			k.error(e.KeyPos, ruleHeader, "header %s carries the credential under auth already", quoted(e.Key))
		}
	}
}

// needs notes each variable and file that must be there for the bridge to work, once, where it is named first.
func (k *checker) needs() {
	noted := map[string]bool{}
	for _, v := range k.values() {
		for _, name := range v.Needs() {
			if !noted["$"+name] {
				k.note(v.At(), ruleNeeds, "needs the environment variable %s", name)
			}
			noted["$"+name] = true
		}
		for _, path := range v.Files() {
			if !noted[path] {
				k.note(v.At(), ruleNeeds, "reads the file %s", quoted(path))
			}
			noted[path] = true
		}
	}
}

// values are all Values of tbridge.yaml; some may be nil.
func (k *checker) values() []*config.Value {
	var list []*config.Value
	for _, e := range k.c.Vars {
		list = append(list, e.Value)
	}
	list = append(list, k.c.Files.Roots...)
	for _, t := range k.serverAuth().Tokens {
		list = append(list, t.Token)
	}
	for _, e := range k.c.APIs {
		a := e.Value
		list = append(list, a.BaseURL)
		if a.Auth != nil {
			list = append(list, credentials(a.Auth)...)
		}
		for _, pairs := range []config.Map[*config.Value]{a.Headers, a.Query} {
			for _, e := range pairs {
				list = append(list, e.Value)
			}
		}
		if a.TLS != nil {
			list = append(list, a.TLS.CAFile, a.TLS.ClientCert, a.TLS.ClientKey)
		}
	}
	return list
}

func credentials(a *config.Auth) []*config.Value {
	list := []*config.Value{a.Bearer}
	if a.Basic != nil {
		list = append(list, a.Basic.Username, a.Basic.Password)
	}
	if a.APIKey != nil {
		list = append(list, a.APIKey.Value)
	}
	if a.OAuth2 != nil {
		list = append(list, a.OAuth2.TokenURL, a.OAuth2.ClientID, a.OAuth2.ClientSecret)
	}
	return list
}
