package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// text is the characters of a scalar as typed.
func (d *decoder) text(n *yaml.Node, label string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		return "", d.wrongKind(n, label, "text")
	}
	return n.Value, true
}

var envPattern = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// noEnv refuses ${NAME} in a tools file. It says whether there is none.
func (d *decoder) noEnv(n *yaml.Node) bool {
	if !d.tools || !strings.Contains(n.Value, "${") {
		return true
	}
	clean := true
	for _, m := range envPattern.FindAllStringSubmatchIndex(n.Value, -1) {
		name := n.Value[m[2]:m[3]]
		diag := d.errorf(d.file.inside(n, m[0], m[1]), ruleEnvInTools, "${%s} means nothing in a tools file, which reads no environment", name)
		diag.Hint = "write a variable under vars in tbridge.yaml and {vars.NAME} here; for a dollar sign before the text {" + name + "} write ${{" + name + "}}"
		clean = false
	}
	return clean
}

func (d *decoder) str(n *yaml.Node, label string, f *field, p *string) bool {
	s, ok := d.text(n, label)
	if !ok {
		return false
	}
	*p = s
	if !f.prose {
		d.noEnv(n)
	}
	if f.key == "description" && len(s) > maxDescription {
		d.errorf(d.file.span(n), ruleTooLarge, "a description of %d bytes; at most 8 KiB are allowed", len(s))
	}
	if len(f.oneof) > 0 && !slices.Contains(f.oneof, s) {
		d.wrongValue(n, label, list(f.oneof, "or"))
		if near := Nearest(s, f.oneof); near != "" {
			d.last().Message += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return true
}

// boolean reads true or false and nothing else.
func (d *decoder) boolean(n *yaml.Node, label string, p *bool) bool {
	switch {
	case n.Kind != yaml.ScalarNode:
		return d.wrongKind(n, label, "true or false")
	case !plain(n) || n.Value != "true" && n.Value != "false":
		return d.wrongValue(n, label, "true or false")
	}
	*p = n.Value == "true"
	return true
}

var integerPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// integer reads a plain decimal.
func (d *decoder) integer(n *yaml.Node, label string, least int, p *int) bool {
	due := "a whole number in plain decimal, " + strconv.Itoa(least) + " or more"
	if n.Kind != yaml.ScalarNode {
		return d.wrongKind(n, label, due)
	}
	i, err := strconv.ParseInt(n.Value, 10, 32)
	if !plain(n) || !integerPattern.MatchString(n.Value) || err != nil || int(i) < least {
		return d.wrongValue(n, label, due)
	}
	*p = int(i)
	return true
}

// number reads a JSON number.
func (d *decoder) number(n *yaml.Node, label string, p *Number) bool {
	switch {
	case n.Kind != yaml.ScalarNode:
		return d.wrongKind(n, label, "a number")
	case !plain(n) || !IsNumber(n.Value):
		return d.wrongValue(n, label, "a number as JSON writes it")
	}
	*p = Number(n.Value)
	return true
}

func (d *decoder) duration(n *yaml.Node, label string, p *time.Duration) bool {
	const due = "a time such as 30s, 400ms or 2m"
	if n.Kind != yaml.ScalarNode {
		return d.wrongKind(n, label, due)
	}
	t, err := time.ParseDuration(n.Value)
	if err != nil || t <= 0 {
		d.wrongValue(n, label, due)
		if integerPattern.MatchString(n.Value) && n.Value != "0" {
			d.last().Hint = "give the unit: " + n.Value + "s"
		}
		return false
	}
	*p = t
	return true
}

var sizePattern = regexp.MustCompile(`^([1-9][0-9]{0,17})(|kB|KB|MB|GB|KiB|MiB|GiB)$`)

var sizeUnits = map[string]int64{"": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

func (d *decoder) size(n *yaml.Node, label string, p *Size) bool {
	const due = "a size such as 512, 256KiB, 16MiB or 1MB"
	if n.Kind != yaml.ScalarNode {
		return d.wrongKind(n, label, due)
	}
	m := sizePattern.FindStringSubmatch(n.Value)
	if m == nil {
		return d.wrongValue(n, label, due)
	}
	count, _ := strconv.ParseInt(m[1], 10, 64)
	if count > math.MaxInt64/sizeUnits[m[2]] {
		return d.wrongValue(n, label, due)
	}
	*p = Size(count * sizeUnits[m[2]])
	return true
}

var ratePattern = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,9})?)/([smh])$`)

func (d *decoder) rate(n *yaml.Node, label string, p *Rate) bool {
	const due = "a rate such as 20/s, 100/m or 1000/h"
	if n.Kind != yaml.ScalarNode {
		return d.wrongKind(n, label, due)
	}
	m := ratePattern.FindStringSubmatch(n.Value)
	if m == nil {
		return d.wrongValue(n, label, due)
	}
	count, _ := strconv.ParseFloat(m[1], 64)
	if count == 0 {
		return d.wrongValue(n, label, due)
	}
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[m[2]]
	whole := max(1, math.Floor(count))
	*p = Rate{int(whole), time.Duration(float64(per) * whole / count)}
	return true
}

// literal reads a node whose type nobody declared, as JSON would: plain null, true, false and numbers are those,
// other scalars text.
func literal(n *yaml.Node) JSON {
	switch n.Kind {
	case yaml.SequenceNode:
		v := JSON{Kind: KindArray, Items: make([]JSON, len(n.Content))}
		for i, item := range n.Content {
			v.Items[i] = literal(deref(item))
		}
		return v
	case yaml.MappingNode:
		v := JSON{Kind: KindObject}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v.Keys = append(v.Keys, deref(n.Content[i]).Value)
			v.Items = append(v.Items, literal(deref(n.Content[i+1])))
		}
		return v
	}
	if v, ok := plainLiteral(n); ok {
		return v
	}
	return StringJSON(n.Value)
}

// plainLiteral reads a plain scalar that is no text in JSON.
func plainLiteral(n *yaml.Node) (JSON, bool) {
	switch {
	case !plain(n):
		return JSON{}, false
	case n.Value == "" || n.Value == "~" || n.Value == "null":
		return JSON{}, true
	case n.Value == "true" || n.Value == "false":
		return JSON{Kind: KindBool, Text: n.Value}, true
	case IsNumber(n.Value):
		return JSON{Kind: KindNumber, Text: n.Value}, true
	}
	return JSON{}, false
}
