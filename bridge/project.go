package bridge

import (
	"tbridge/config"
)

// A projection is compiled: paths, or fields that build an object, or neither.
type projection struct {
	paths  places
	fields []member
}

// A member is one member of an object that a projection builds.
type member struct {
	key string // quoted, with its colon
	at  places
}

func compileProjection(from *config.Projection) projection {
	if from == nil {
		return projection{}
	}
	p := projection{paths: compilePaths(from.Paths)}
	for _, f := range from.Fields {
		p.fields = append(p.fields, member{string(append(config.AppendQuoted(nil, f.Key), ':')), compilePaths(f.Value)})
	}
	return p
}

// build makes the object. What is not there is null.
func (p *projection) build(s scope) string {
	b := []byte{'{'}
	for i := range p.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p.fields[i].key...)
		raw := p.fields[i].at.find(s).Raw
		if raw == "" {
			raw = "null"
		}
		b = append(b, raw...)
	}
	return string(append(b, '}'))
}
