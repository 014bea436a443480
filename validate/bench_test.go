package validate

import (
	"encoding/json"
	"testing"

	"tbridge/config"
)

// BenchmarkCall is the work of a call on five scalar arguments, one of them by default.
func BenchmarkCall(b *testing.B) {
	twenty := config.JSON{Kind: config.KindNumber, Text: "20"}
	min, max := config.Number("1"), config.Number("100")
	s := For(&config.Tool{Arguments: []*config.Argument{
		{Name: "project", Type: "string", Required: true},
		{Name: "status", Type: "string", Enum: []config.JSON{config.StringJSON("open"), config.StringJSON("done")}},
		{Name: "limit", Type: "integer", Minimum: &min, Maximum: &max, Default: &twenty},
		{Name: "offset", Type: "integer"},
		{Name: "all", Type: "boolean"},
	}})
	raw := json.RawMessage(`{"project":"te","status":"open","limit":50,"offset":7,"all":false}`)
	b.ReportAllocs()
	for b.Loop() {
		args, err := s.Check(raw, false)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Fill(&args); err != nil {
			b.Fatal(err)
		}
	}
}
