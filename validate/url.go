package validate

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

var (
	errNoURL    = errors.New("is no absolute URL; want one like https://api.example/v1")
	errUserInfo = errors.New("holds a user name or password")
	errFragment = errors.New("has a fragment, which is never sent")
	errSpace    = errors.New("holds a space or control character; write %20 for a space")
	errPercent  = errors.New("holds a % without two hexadecimal digits behind it; write %25 for the character")
	errHost     = errors.New("names no host that can be")
)

// URL says why a text is no absolute http or https URL that can be called; nil: it is one. The error does not quote
// the text, which may hold a secret.
func URL(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || isControl(r) }) {
		return errSpace
	}
	if percent.MatchString(text) {
		return errPercent
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errNoURL
	}
	switch port, err := strconv.Atoi(u.Port()); {
	case u.User != nil:
		return errUserInfo
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return errFragment
	case u.Port() != "" && (err != nil || port < 1 || port > 65535):
		return fmt.Errorf("has the port %s; want 1 to 65535", u.Port())
	case !isNamed(u.Hostname()):
		return errHost
	}
	return nil
}

// isNamed says whether a name can be that of a machine: an address, or labels of RFC 1123, where resolvers also take _
// and letters beyond ASCII.
func isNamed(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	for _, label := range strings.Split(strings.TrimSuffix(name, "."), ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notInHost) {
			return false
		}
	}
	return true
}

func notInHost(r rune) bool {
	return r < 0x80 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}
