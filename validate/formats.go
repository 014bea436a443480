package validate

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// A format is one that is asserted, with the words for what it wants.
type format struct {
	name  string
	want  string
	check func(any) bool // nil: the library's own is good enough
}

// formats are all that an argument may have. The library passes over a format
// that it does not know, so any other is refused when the file is read.
var formats = []format{
	{"date", "a date like 2031-05-28", nil},
	{"date-time", "a date and time like 2031-05-28T14:30:00Z", both("date-time", signless)},
	{"time", "a time like 14:30:00Z", both("time", signless)},
	{"duration", "a duration like P3DT4H", nil},
	{"email", "an e-mail address like name@example.com", nil},
	{"hostname", "a host name like www.example.com", both("hostname", labels)},
	{"ipv4", "an IPv4 address like 192.0.2.7", text(isIPv4)},
	{"ipv6", "an IPv6 address like 2001:db8::7", text(isIPv6)},
	{"uri", "an absolute URL like https://example.com/a", both("uri", spaceless)},
	{"uri-reference", "a URL like /a?b=c", both("uri-reference", spaceless)},
	{"iri", "an absolute URL like https://example.com/a", both("iri", spaceless)},
	{"iri-reference", "a URL like /a?b=c", both("iri-reference", spaceless)},
	{"uri-template", "a URL template like /a/{b}", nil},
	{"uuid", "a UUID like 123e4567-e89b-12d3-a456-426614174000", nil},
	{"json-pointer", "a JSON pointer like /a/0", nil},
	{"relative-json-pointer", "a relative JSON pointer like 1/a", nil},
	{"regex", "a regular expression", nil},
}

// text makes a check of strings the check of a format: other types pass.
func text(check func(string) bool) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		return !ok || check(s)
	}
}

// both asks the library's check of a format and one that mends what it lets through.
func both(name string, check func(string) bool) func(any) bool {
	library, strict := jsonschema.Formats[name], text(check)
	return func(v any) bool { return library(v) && strict(v) }
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// signless refuses +1:00:00, which the library reads as a number.
func signless(s string) bool {
	clock := s
	if _, after, ok := strings.Cut(strings.ToUpper(s), "T"); ok {
		clock = after
	}
	clock = clock[:min(len(clock), len(time.TimeOnly))]
	return !strings.ContainsAny(clock, "+-")
}

// labels refuses a label that begins with a hyphen, of which the library looks at the first alone.
func labels(s string) bool { return !strings.Contains(s, ".-") }

// spaceless refuses what cannot stand in a URL though Go reads it.
func spaceless(s string) bool {
	if strings.ContainsAny(s, `<>"{}|\^`+"`") || strings.ContainsFunc(s, unicode.IsSpace) {
		return false
	}
	_, err := url.Parse(s)
	return err == nil
}
