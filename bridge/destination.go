package bridge

import "tbridge/config"

// Destinations says where each argument goes, in their order: path, query, header, cookie, body or none.
func Destinations(t *config.Tool) []string {
	holes := map[string]string{}
	name := func(place string, tpl *config.Template) {
		if tpl == nil {
			return
		}
		for _, p := range tpl.Parts {
			if p.Hole == nil || p.Hole.From != config.FromArgument && p.Hole.From != config.FromRest {
				continue
			}
			if holes[p.Hole.Name] == "" {
				holes[p.Hole.Name] = place
			}
		}
	}
	name("path", t.Path)
	eachTemplate(t.Query, func(tpl *config.Template) { name("query", tpl) })
	for _, e := range t.Headers {
		name("header", e.Value)
	}
	for _, e := range t.Cookies {
		name("cookie", e.Value)
	}
	eachTemplate(t.Body, func(tpl *config.Template) { name("body", tpl) })
	places := make([]string, len(t.Arguments))
	for i, a := range t.Arguments {
		switch {
		case holes[a.Name] != "":
			places[i] = holes[a.Name]
		case a.In != "":
			places[i] = a.In
		case holes["*"] != "":
			places[i] = holes["*"]
		default:
			places[i] = byMethod(t.Method)
		}
	}
	return places
}

// eachTemplate gives the templates of a tree, from its beginning to its end.
func eachTemplate(t *config.Tree, use func(*config.Template)) {
	if t == nil {
		return
	}
	if t.Template != nil {
		use(t.Template)
	}
	for _, item := range t.Items {
		eachTemplate(item, use)
	}
	for _, f := range t.Fields {
		eachTemplate(f.Value, use)
	}
}
