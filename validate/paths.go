package validate

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// gjson never complains of a faulty path, it finds nothing. So the syntax is
// checked here: https://github.com/tidwall/gjson/blob/master/SYNTAX.md.

// A pathParser walks over the text of a path.
type pathParser struct {
	text string
	at   int
}

// checkPath says what is wrong with a gjson path, or nothing.
func checkPath(text string) string {
	p := &pathParser{text: text}
	if fault := p.path(""); fault != "" {
		return fault
	}
	if p.at < len(p.text) {
		return fmt.Sprintf("%q closes nothing", p.text[p.at:p.at+1])
	}
	return ""
}

// path reads components up to the end, or to one of the bytes that end a path inside another.
func (p *pathParser) path(ends string) string {
	for {
		if fault := p.component(ends); fault != "" {
			return fault
		}
		if p.at >= len(p.text) || p.text[p.at] != '.' && p.text[p.at] != '|' {
			return ""
		}
		p.at++
	}
}

func (p *pathParser) component(ends string) string {
	rest := p.text[p.at:]
	switch {
	case rest == "" || strings.IndexByte(".|"+ends, rest[0]) >= 0:
		return "a part of it is empty"
	case rest[0] == '@':
		return p.modifier(ends)
	case rest[0] == '!':
		p.at++
		return p.literal(ends)
	case rest[0] == '{' || rest[0] == '[':
		return p.multipath()
	case strings.HasPrefix(rest, "#("):
		return p.query()
	}
	return p.key(ends)
}

// key reads the name of a member, a position, a pattern or #.
func (p *pathParser) key(ends string) string {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\':
			if p.at++; p.at >= len(p.text) {
				return `it ends in a \`
			}
		case c == '.' || c == '|' || strings.IndexByte(ends, c) >= 0:
			return ""
		case strings.IndexByte(`()[]{}"`, c) >= 0:
			if c == '[' {
				return `a [ in a name; write items.0 for a position, or \[ for the character`
			}
			return fmt.Sprintf(`a %c in a name; write \%c for the character`, c, c)
		}
	}
	return ""
}

// query reads #(..) or #(..)#.
func (p *pathParser) query() string {
	start := p.at
	p.at++
	inner, fault := p.balanced()
	if fault != "" {
		return fault
	}
	if strings.HasPrefix(p.text[p.at:], "#") {
		p.at++
	}
	if p.at < len(p.text) && strings.IndexByte(".|,}])", p.text[p.at]) < 0 {
		return fmt.Sprintf("after the query %s a dot is missing", excerpt(p.text[start:p.at]))
	}
	return condition(inner)
}

// condition checks what stands inside of #(..): a path, and mostly an operator and a value.
func condition(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "an empty query #()"
	}
	end := operatorAt(text)
	left, value := strings.TrimSpace(text[:end]), text[end:]
	if left != "" {
		if fault := checkPath(left); fault != "" {
			return fmt.Sprintf("in the query %s: %s", excerpt(text), fault)
		}
	}
	if value == "" {
		return ""
	}
	value = strings.TrimSpace(strings.TrimLeft(value, "=!<>%"))
	if value == "" {
		return fmt.Sprintf("the query %s compares with nothing", excerpt(text))
	}
	if value[0] == '"' && (len(value) < 2 || quotedEnd(value) != len(value)) {
		return fmt.Sprintf("in the query %s a quote is not closed", excerpt(text))
	}
	return ""
}

// operatorAt is where the operator of a query begins, or its length when it has none.
func operatorAt(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			i += quotedEnd(text[i:]) - 1
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.IndexByte("=!<>%", c) >= 0:
			return i
		}
	}
	return len(text)
}

// modifier reads @name or @name:argument.
func (p *pathParser) modifier(ends string) string {
	start := p.at + 1
	for p.at = start; p.at < len(p.text) && strings.IndexByte(":.|"+ends, p.text[p.at]) < 0; p.at++ {
	}
	name := p.text[start:p.at]
	if !gjson.ModifierExists(name, nil) {
		return fmt.Sprintf(`unknown modifier @%s; write \@ for the character`, excerpt(name))
	}
	if p.at < len(p.text) && p.text[p.at] == ':' {
		p.at++
		return p.literal("|" + ends)
	}
	return ""
}

// literal reads a JSON value, or text without quotes.
func (p *pathParser) literal(ends string) string {
	if p.at >= len(p.text) {
		return "a value is missing at its end"
	}
	switch p.text[p.at] {
	case '{', '[', '(':
		_, fault := p.balanced()
		return fault
	case '"':
		n := quotedEnd(p.text[p.at:])
		if p.at += n; n < 2 || p.text[p.at-1] != '"' {
			return "a quote is not closed"
		}
		return ""
	}
	for p.at < len(p.text) && strings.IndexByte(".|"+ends, p.text[p.at]) < 0 {
		p.at++
	}
	return ""
}

// multipath reads {..} or [..]: paths with commas between, each perhaps with a name before it.
func (p *pathParser) multipath() string {
	open := p.text[p.at]
	end := "}"
	if open == '[' {
		end = "]"
	}
	p.at++
	for {
		if open == '{' {
			if fault := p.memberName(); fault != "" {
				return fault
			}
		}
		if fault := p.path("," + end); fault != "" {
			return fault
		}
		if p.at >= len(p.text) {
			return fmt.Sprintf("a %c is not closed", open)
		}
		p.at++
		if p.text[p.at-1] == end[0] {
			break
		}
	}
	if p.at < len(p.text) && strings.IndexByte(".|,}])", p.text[p.at]) < 0 {
		return fmt.Sprintf("after %s a dot is missing", end)
	}
	return ""
}

// memberName reads "name": before a path of {..}, if there is one.
func (p *pathParser) memberName() string {
	if !strings.HasPrefix(p.text[p.at:], `"`) {
		return ""
	}
	n := quotedEnd(p.text[p.at:])
	if !strings.HasPrefix(p.text[p.at+n:], ":") {
		return "a name in quotes has no colon behind it"
	}
	p.at += n + 1
	return ""
}

// balanced reads a bracket and all up to its counterpart, and gives what is between.
func (p *pathParser) balanced() (string, string) {
	start := p.at
	var open []byte
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '\\':
			p.at++
		case '"':
			n := quotedEnd(p.text[p.at:])
			if n < 2 || p.text[p.at+n-1] != '"' {
				return "", "a quote is not closed"
			}
			p.at += n - 1
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			if open[len(open)-1] != c {
				return "", fmt.Sprintf("a %c stands where a %c is due", c, open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				p.at++
				return p.text[start+1 : p.at-1], ""
			}
		}
	}
	p.at = len(p.text)
	return "", fmt.Sprintf("a %c is not closed", p.text[start])
}

// quotedEnd is the length of the quoted text that s begins with; all of s when the quote is not closed.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
