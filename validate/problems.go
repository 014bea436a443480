package validate

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"tbridge/config"
)

const (
	maxProblems = 100 // of one call, so that a long list of wrong elements stays readable
	maxExcerpt  = 40  // runes of a value in a message
	maxListed   = 20  // names or values in a message
)

// A place is one value that the library found fault with.
type place struct {
	path  string // stops[1].place
	order []int  // position by position, so that problems come in the order of their declaration
	node  *node
	value config.JSON
	rules []string // the keywords that it breaks
}

// problems makes one Problem of each offending place of the library's tree.
func (n *node) problems(tree *jsonschema.ValidationError, v config.JSON) []Problem {
	broken := map[string][]string{}
	collect(tree, broken)
	places := make([]place, 0, len(broken))
	for location, rules := range broken {
		p := n.find(location, v)
		p.rules = rules
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(slices.Compare(a.order, b.order), cmp.Compare(a.path, b.path))
	})
	var problems []Problem
	for _, p := range places {
		problems = append(problems, p.problems()...)
	}
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], Problem{Message: fmt.Sprintf("and %d more problems", more)})
	}
	return problems
}

// collect gathers the broken keywords by the place of the value. Of a nullable place only the branch that is
// not null counts: everybody knows that a wrong value is not null either.
func collect(e *jsonschema.ValidationError, broken map[string][]string) {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	switch {
	case keyword == "anyOf" && e.Message != "" && len(e.Causes) > 0: // not an argument of that name
		collect(e.Causes[0], broken)
	case len(e.Causes) == 0:
		broken[e.InstanceLocation] = append(broken[e.InstanceLocation], keyword)
	default:
		for _, c := range e.Causes {
			collect(c, broken)
		}
	}
}

// find walks down to the place of a JSON pointer as the library writes it.
func (n *node) find(pointer string, v config.JSON) place {
	p := place{node: n, value: v}
	if pointer == "" {
		return p
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		name, _ := url.PathUnescape(token)
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if p.value.Kind == config.KindArray {
			i, _ := strconv.Atoi(name)
			p.path = fmt.Sprintf("%s[%d]", p.path, i)
			p.order = append(p.order, i)
			p.node, p.value = p.node.items, p.value.Items[i]
			continue
		}
		p.order = append(p.order, slices.Index(p.node.names, name))
		p.path = memberPath(p.path, name)
		p.value, _ = p.value.Get(name)
		p.node = p.node.prop(name)
	}
	return p
}

// memberPath is the path of a member.
func memberPath(path, name string) string {
	if path == "" {
		return excerpt(name)
	}
	return path + "." + excerpt(name)
}

// problems says what is wrong at a place: with the value itself in one Problem,
// with each name that is missing or unknown in one of its own.
func (p place) problems() []Problem {
	var list []Problem
	var wants []string
	counted := false
	for _, rule := range p.rules {
		switch rule {
		case "required":
			list = append(list, p.missing()...)
		case "additionalProperties":
			list = append(list, p.unknown()...)
		default:
			wants = append(wants, p.want(rule))
			counted = counted || strings.HasSuffix(rule, "Length") || strings.HasSuffix(rule, "Items")
		}
	}
	if len(wants) == 0 {
		return list
	}
	got := quote(p.value)
	if p.rules[0] == "type" || p.value.Kind == config.KindArray || p.value.Kind == config.KindObject {
		got = found(p.value)
	} else if counted {
		got += fmt.Sprintf(" (%s)", plural(len([]rune(p.value.Text)), "character"))
	}
	message := fmt.Sprintf("want %s, got %s", strings.Join(wants, " and "), got)
	return append([]Problem{{Path: p.path, Message: message}}, list...)
}

func (p place) missing() (list []Problem) {
	required, _ := p.node.schema.Get("required")
	for _, name := range required.Items {
		if _, ok := p.value.Get(name.Text); !ok {
			list = append(list, Problem{Path: memberPath(p.path, name.Text), Message: "required, but not given"})
		}
	}
	return list
}

func (p place) unknown() (list []Problem) {
	for _, name := range p.value.Keys {
		if slices.Contains(p.node.names, name) {
			continue
		}
		problem := Problem{Path: memberPath(p.path, name), Message: "unknown argument; there are none"}
		if len(p.node.names) > 0 {
			problem.Message = "unknown argument; the known ones are " + listed(p.node.names)
		}
		if near := config.Nearest(name, p.node.names); near != "" {
			problem.Hint = fmt.Sprintf("did you mean %q instead of %q?", near, excerpt(name))
		}
		list = append(list, problem)
	}
	return list
}

// want says what a keyword asks for.
func (p place) want(keyword string) string {
	limit, _ := p.node.schema.Get(keyword)
	switch keyword {
	case "type":
		if p.node.nullable {
			return p.node.kind + " or null"
		}
		return p.node.kind
	case "enum":
		var values []string
		for _, v := range limit.Items {
			values = append(values, quote(v))
		}
		return "one of " + listed(values)
	case "format":
		return formatNamed(limit.Text).want
	case "pattern":
		return "text that matches " + limit.Text
	case "minLength", "maxLength":
		return bound(keyword) + count(limit.Text, "character")
	case "minItems", "maxItems":
		return bound(keyword) + count(limit.Text, "element")
	case "minimum", "maximum":
		return bound(keyword) + limit.Text
	case "exclusiveMinimum":
		return "more than " + limit.Text
	case "exclusiveMaximum":
		return "less than " + limit.Text
	case "multipleOf":
		return "a multiple of " + limit.Text
	case "uniqueItems":
		return "no element twice"
	}
	return keyword + " " + limit.String()
}

// bound is the side of a limit.
func bound(keyword string) string {
	if strings.HasPrefix(keyword, "min") {
		return "at least "
	}
	return "at most "
}

func count(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

func plural(n int, noun string) string { return count(strconv.Itoa(n), noun) }

// listed is a list of names or values, cut where it would be too long to read.
func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// found is a value with its type: string "12abc".
func found(v config.JSON) string {
	switch v.Kind {
	case config.KindArray:
		return fmt.Sprintf("array of %s", plural(len(v.Items), "element"))
	case config.KindNull, config.KindObject:
		return v.Kind.String()
	}
	return v.Kind.String() + " " + quote(v)
}

// quote is a short excerpt of a value on one line, control characters escaped.
func quote(v config.JSON) string {
	switch v.Kind {
	case config.KindString:
		return `"` + excerpt(v.Text) + `"`
	case config.KindArray, config.KindObject:
		return found(v)
	}
	return excerpt(v.String())
}

// excerpt is the beginning of a text, what does not print escaped.
func excerpt(s string) string {
	cut := ""
	if r := []rune(s[:min(len(s), 4*maxExcerpt+4)]); len(r) > maxExcerpt {
		s, cut = string(r[:maxExcerpt]), "…"
	}
	q := strconv.Quote(s)
	return q[1:len(q)-1] + cut
}
