package validate

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"tbridge/config"
)

var types = []string{"string", "integer", "number", "boolean", "array", "object", "file"}

var argumentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// maxPattern is how long a regular expression may be, in bytes.
const maxPattern = 512

// where an argument is declared decides which of its keys mean something.
type where byte

const (
	topLevel where = iota // of a tool
	member                // of an object
	element               // of an array: it has no name
)

// arguments checks the arguments of the tool, and those that describe its result.
func (k *toolCheck) arguments() {
	if k.t.Arguments == nil {
		k.note(k.t.At("name"), ruleOpenArguments, "tool %s lists no arguments: whatever is sent is passed on", quoted(k.t.Name)).Hint = "write arguments: [] if it takes none"
	}
	k.list(k.t.Arguments, topLevel, true)
	if r := k.t.Response; r != nil {
		k.list(r.Output, topLevel, false)
	}
}

// list checks arguments of one level. input is false for those of a result.
func (k *toolCheck) list(args []*config.Argument, w where, input bool) {
	if w == member && input {
		k.memberNames(args)
	}
	seen := map[string]*config.Argument{}
	for _, a := range args {
		at := a.At("name")
		switch first := seen[a.Name]; {
		case !argumentName.MatchString(a.Name):
			d := k.error(at, ruleArgumentName, "argument name %s; want 1 to 64 of A-Z a-z 0-9 _ -, and a letter or _ first", quoted(a.Name))
			if a.Name == "" {
				d.Message = "an argument has no name; want 1 to 64 of A-Z a-z 0-9 _ -, and a letter or _ first"
			} else if w == topLevel && input {
				d.Hint = "if the API wants that name, write it under as"
			}
		case first != nil:
			d := k.error(at, ruleDuplicateArgument, "argument %s is declared already, in line %d", quoted(a.Name), first.At("name").Line)
			d.Related = []config.Related{{Pos: first.At("name"), Message: "the first of that name"}}
		default:
			seen[a.Name] = a
		}
		k.argument(a, w, input)
	}
}

// argument checks one argument and what is below it.
func (k *toolCheck) argument(a *config.Argument, w where, input bool) {
	k.argumentKeys(a, w, input)
	if a.Type == "" && !a.Has("type") {
		k.warn(a.At("name"), ruleNoType, "%s has no type, and is a string", called(a)).Hint = "write type: string"
	}
	if a.Type != "" && !slices.Contains(types, a.Type) {
		return // which is reported where the file is read
	}
	k.shape(a)
	k.constraints(a)
	for _, t := range []*config.Template{a.Filename, a.MediaType} {
		k.template(t, slot{what: "the name or type of a file", form: inText})
	}
	if sound := k.pattern(a) && k.format(a) && k.ranges(a); sound {
		k.values(a)
	}
	if a.Items != nil {
		k.argument(a.Items, element, input)
	}
	k.list(a.Properties, member, input)
}

// called is how messages call an argument.
func called(a *config.Argument) string {
	if a.Name == "" {
		return "the element"
	}
	return "argument " + quoted(a.Name)
}

// argumentKeys finds keys that mean nothing where the argument stands.
func (k *toolCheck) argumentKeys(a *config.Argument, w where, input bool) {
	refuse := func(place string, keys ...string) {
		for _, key := range keys {
			if a.Has(key) {
				k.error(a.KeyAt(key), ruleArgumentKey, "%s means nothing %s", key, place)
			}
		}
	}
	if a.Type != "file" {
		refuse("for anything but a file", "source", "filename", "media_type", "max_bytes")
	}
	switch {
	case !input:
		refuse("in a result", "in", "as", "style", "default")
		if a.Type == "file" {
			k.error(a.At("type"), ruleArgumentType, "a result holds no file; use string")
		}
	case w == element:
		refuse("for the elements of an array", "in", "as", "default")
	case w == member:
		refuse("for a member of an object: it goes where the object goes", "in")
	}
	if w == element {
		refuse("for the elements of an array", "name")
		if a.Required {
			refuse("for the elements of an array", "required")
		}
	}
}

// shape checks that an array has items and only objects have properties.
func (k *toolCheck) shape(a *config.Argument) {
	switch {
	case a.Type == "array" && a.Items == nil && !a.Has("items"):
		k.error(a.At("type"), ruleItems, "%s is an array without items", called(a)).Hint = "say what its elements are, as in items: {type: string}"
	case a.Type != "array" && a.Items != nil:
		k.error(a.KeyAt("items"), ruleItems, "%s has items but is no array", called(a)).Hint = "write type: array"
	}
	if a.Type != "object" && a.Properties != nil {
		k.error(a.KeyAt("properties"), ruleItems, "%s has properties but is no object", called(a)).Hint = "write type: object"
	}
	if a.Style != "" && !composite(a) {
		k.error(a.At("style"), ruleStyle, "style is for arrays and objects; %s is of type %s", called(a), kindOf(a))
	}
}

func composite(a *config.Argument) bool { return a.Type == "array" || a.Type == "object" }

// constraints finds those that the type of the argument does not know.
func (k *toolCheck) constraints(a *config.Argument) {
	kind := a.Type
	if kind == "" {
		kind = "string"
	}
	for _, c := range constraints(a) {
		if !slices.Contains(strings.Fields(c.kinds), kind) {
			k.error(a.KeyAt(c.key), ruleConstraint, "%s limits %s; %s is of type %s", c.key, strings.ReplaceAll(c.kinds, " ", " or "), called(a), kind)
		}
	}
	if a.Enum != nil && kind == "file" {
		k.error(a.KeyAt("enum"), ruleConstraint, "enum means nothing for a file")
	}
}

func (k *toolCheck) pattern(a *config.Argument) bool {
	if a.Pattern == "" {
		return true
	}
	if len(a.Pattern) > maxPattern {
		k.error(a.At("pattern"), rulePattern, "a pattern of %d bytes; at most %d are allowed", len(a.Pattern), maxPattern)
		return false
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		k.error(a.At("pattern"), rulePattern, "pattern %s is no regular expression: %s", quoted(a.Pattern), strings.TrimPrefix(err.Error(), "error parsing regexp: ")).Hint = "the syntax is RE2, which has no look-around and no back-references"
		return false
	}
	return true
}

func (k *toolCheck) format(a *config.Argument) bool {
	if a.Format == "" || formatNamed(a.Format) != nil {
		return true
	}
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	k.error(a.At("format"), ruleFormat, "unknown format %s; use %s", quoted(a.Format), strings.Join(names, ", ")).Hint = meant(a.Format, names)
	return false
}

// ranges finds limits that no value keeps.
func (k *toolCheck) ranges(a *config.Argument) bool {
	sound := true
	if m := rational(a.MultipleOf); m != nil && m.Sign() <= 0 {
		k.error(a.At("multipleOf"), ruleRange, "multipleOf is %s; want more than 0", *a.MultipleOf)
		sound = false
	}
	for _, r := range []struct {
		low, high string
		between   *big.Rat // from low to high; nil: one of them is not given
		strict    bool     // the same number is too small a range as well
	}{
		{"minLength", "maxLength", span(whole(a.MinLength), whole(a.MaxLength)), false},
		{"minItems", "maxItems", span(whole(a.MinItems), whole(a.MaxItems)), false},
		{"minimum", "maximum", span(rational(a.Minimum), rational(a.Maximum)), false},
		{"exclusiveMinimum", "maximum", span(rational(a.ExclusiveMinimum), rational(a.Maximum)), true},
		{"minimum", "exclusiveMaximum", span(rational(a.Minimum), rational(a.ExclusiveMaximum)), true},
		{"exclusiveMinimum", "exclusiveMaximum", span(rational(a.ExclusiveMinimum), rational(a.ExclusiveMaximum)), true},
	} {
		if r.between != nil && (r.between.Sign() < 0 || r.strict && r.between.Sign() == 0) {
			k.error(a.At(r.low), ruleRange, "%s and %s leave no value for %s", r.low, r.high, called(a)).Related =
				[]config.Related{{Pos: a.At(r.high), Message: "the other limit"}}
			sound = false
		}
	}
	return sound
}

func span(low, high *big.Rat) *big.Rat {
	if low == nil || high == nil {
		return nil
	}
	return new(big.Rat).Sub(high, low)
}

func whole(n *int) *big.Rat {
	if n == nil {
		return nil
	}
	return new(big.Rat).SetInt64(int64(*n))
}

func rational(n *config.Number) *big.Rat {
	if n == nil || !config.IsNumber(string(*n)) {
		return nil
	}
	r, _ := new(big.Rat).SetString(string(*n))
	return r
}

// values checks default, enum and examples against the argument's own schema.
func (k *toolCheck) values(a *config.Argument) {
	if a.DefaultVar != "" {
		k.defaultVar(a)
	}
	if a.Enum != nil {
		k.enum(a)
	}
	if a.Default == nil && a.Enum == nil && a.Examples == nil {
		return
	}
	bare := *a // for what enum lists: it needs no look at enum
	bare.Enum = nil
	full, others := k.valueSchema(a), k.valueSchema(&bare)
	check := func(v config.JSON, at config.Pos, what string) {
		s := full
		if slices.ContainsFunc(a.Enum, func(e config.JSON) bool { return e.Kind == v.Kind && e.String() == v.String() }) {
			s = others
		}
		for _, p := range s.validate(v) {
			k.error(at, ruleArgumentValue, "%s of %s: %s", what, called(a), (&Invalid{[]Problem{p}}).Error()).Hint = p.Hint
		}
	}
	if a.Default != nil && a.DefaultVar == "" {
		check(*a.Default, a.At("default"), "default")
	}
	for i, v := range a.Enum {
		check(v, a.At("enum", i), fmt.Sprintf("value %d of enum", i+1))
	}
	for i, v := range a.Examples {
		check(v, a.At("examples", i), fmt.Sprintf("example %d", i+1))
	}
}

// valueSchema is the schema of one argument's value. It is compiled only if there is more to fulfil than types,
// and once for all arguments that ask for the same.
func (k *checker) valueSchema(a *config.Argument) *Schema {
	bare := *a
	bare.Description, bare.Default, bare.DefaultVar, bare.Examples = "", nil, "", nil
	n, schema := deriver{closed: true}.node(&bare, a.Nullable)
	text := schema.Append(nil)
	s := k.schemas[string(text)]
	if s == nil {
		s = &Schema{root: n, text: text}
		k.schemas[string(text)] = s
	}
	return s
}

func (k *toolCheck) defaultVar(a *config.Argument) {
	at := a.At("default")
	k.variable(a.DefaultVar, at, "default")
	if composite(a) {
		k.error(at, ruleArgumentValue, "default of %s: a variable is text, and no default for an %s", called(a), a.Type)
		return
	}
	if v, _ := k.c.Vars.Get(a.DefaultVar); v != nil {
		text, literal := v.Literal()
		n, _ := deriver{closed: true}.node(a, false)
		if _, err := n.read(text); literal && err != nil {
			k.error(at, ruleArgumentValue, "default of %s: the variable %s: %s", called(a), quoted(a.DefaultVar), err)
		}
	}
}

func (k *toolCheck) enum(a *config.Argument) {
	if len(a.Enum) == 0 {
		k.error(a.At("enum"), ruleEnum, "enum of %s is empty, so that no value is allowed", called(a))
	}
	seen := map[string]int{}
	for i, v := range a.Enum {
		text := v.String()
		if v.Kind == config.KindNumber { // 1 and 1.0 are one value
			if n, ok := new(big.Rat).SetString(v.Text); ok {
				text = n.RatString()
			}
		}
		first, repeated := seen[text]
		if !repeated {
			seen[text] = i
		} else {
			k.error(a.At("enum", i), ruleEnum, "enum value %s of %s is there already", quote(v), called(a)).Related =
				[]config.Related{{Pos: a.At("enum", first), Message: "the first time"}}
		}
	}
}
