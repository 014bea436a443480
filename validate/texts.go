package validate

import (
	"strings"

	"tbridge/config"
)

// A model takes whatever it is shown for true, so each text that reaches it is looked at: what people do not see
// in it, what gives it orders, and where it leads.

// serverTexts looks at what tbridge.yaml shows to models.
func (k *checker) serverTexts() {
	s := &k.c.Server
	k.shown(s.Name, "name", s.Source, "name")
	k.prose(s.Title, "title", s.Source, "title")
	k.prose(s.Instructions, "instructions", s.Source, "instructions")
	for _, e := range k.c.APIs {
		k.errorTexts(e.Value.Errors, e.Value.ErrorText)
	}
}

// texts looks at what is shown of a tool.
func (k *toolCheck) texts() {
	t := k.t
	k.shown(t.Name, "name", t.Source, "name")
	k.prose(t.Title, "title", t.Source, "title")
	k.prose(t.Description, "description", t.Source, "description")
	k.prose(t.Deprecated, "deprecated", t.Source, "deprecated")
	k.argumentTexts(t.Arguments)
	k.errorTexts(t.Errors, t.ErrorText)
	if r := t.Response; r != nil {
		k.templateText(r.Text, "text", r.Source, "text")
		k.templateText(r.Each, "each", r.Source, "each")
		k.argumentTexts(r.Output)
	}
}

func (k *checker) argumentTexts(args []*config.Argument) {
	for _, a := range args {
		k.shown(a.Name, "name", a.Source, "name")
		k.prose(a.Description, "description", a.Source, "description")
		if a.Type != "file" {
			k.valueTexts(a)
		}
		if a.Items != nil {
			k.argumentTexts([]*config.Argument{a.Items})
		}
		k.argumentTexts(a.Properties)
	}
}

// valueTexts looks at the values that the schema of an argument lists.
func (k *checker) valueTexts(a *config.Argument) {
	if a.Default != nil {
		k.shownJSON(*a.Default, "default", a.Source, "default")
	}
	for i, v := range a.Enum {
		k.shownJSON(v, "enum", a.Source, "enum", i)
	}
	for i, v := range a.Examples {
		k.shownJSON(v, "examples", a.Source, "examples", i)
	}
}

func (k *checker) shownJSON(v config.JSON, what string, at config.Source, path ...any) {
	if v.Kind == config.KindString {
		k.shown(v.Text, what, at, path...)
	}
	for i, item := range v.Items {
		if v.Kind == config.KindObject {
			k.shown(v.Keys[i], what, at, path...)
		}
		k.shownJSON(item, what, at, path...)
	}
}

func (k *checker) errorTexts(rows []*config.ErrorRow, text *config.Template) {
	for _, r := range rows {
		k.shown(r.Kind, "kind", r.Source, "kind")
		k.prose(r.Hint, "hint", r.Source, "hint")
	}
	if text != nil {
		k.shownAt(text.Text, "error_text", func(int, int) config.Pos { return text.Pos })
	}
}

func (k *checker) templateText(t *config.Template, what string, at config.Source, path ...any) {
	if t != nil {
		k.shown(t.Text, what, at, path...)
	}
}

// prose looks at a text for people and models, in which an address is worth knowing of too.
func (k *checker) prose(text, what string, at config.Source, path ...any) {
	k.shown(text, what, at, path...)
	i := strings.Index(text, "://")
	if i < 0 {
		return
	}
	start := strings.LastIndexFunc(text[:i], func(r rune) bool { return r < 'a' || r > 'z' }) + 1
	end := start + len(strings.Fields(text[start:])[0])
	k.note(at.Inside(start, end, path...), ruleLink, "%s sends the model to %s; it may follow the address, and what stands there can change", what, quoted(text[start:end]))
}

// shown looks at one text.
func (k *checker) shown(text, what string, at config.Source, path ...any) {
	k.shownAt(text, what, func(i, j int) config.Pos { return at.Inside(i, j, path...) })
}

func (k *checker) shownAt(text, what string, place func(start, end int) config.Pos) {
	if len(text) == 0 {
		return
	}
	if found, i, j := hidden(text); found != "" {
		k.error(place(i, j), ruleHiddenText, "%s holds %s: a model reads it, and people do not see it; want visible text", what, found).Hint = "delete the character, or type the text anew"
		return
	}
	if len(text) < 8 {
		return // too short for an order
	}
	if found := commanding(text); found != "" {
		k.warn(place(0, len(text)), rulePoisonedText, "%s holds %s; such a text says what the tool does, and gives the model no orders", what, found).Hint = "take it out, and ask who wrote it"
	}
}
