package config

import "testing"

func TestSetText(t *testing.T) {
	const src = "tools:\n  - name: a\n    body: {x: 1, y: 2} # kept\n    method: POST\n  - {name: b, body: {x: 1}}\n"
	tests := []struct {
		path       []any
		text, want string
	}{
		{[]any{"tools", 0, "body"}, "{x: 1, y: 3}", "tools:\n  - name: a\n    body: {x: 1, y: 3} # kept\n    method: POST\n  - {name: b, body: {x: 1}}\n"},
		{[]any{"tools", 0, "body"}, "# why\nx: 1\ny: 2 # two\n", "tools:\n  - name: a\n    body: # kept\n      # why\n      x: 1\n      y: 2 # two\n    method: POST\n  - {name: b, body: {x: 1}}\n"},
		{[]any{"tools", 1, "timeout"}, "1.50", "tools:\n  - name: a\n    body: {x: 1, y: 2} # kept\n    method: POST\n  - {name: b, body: {x: 1}, timeout: \"1.50\"}\n"},
	}
	for _, tt := range tests {
		got, err := Edit("a.yaml", []byte(src), SetText(tt.path, tt.text))
		if err != nil || string(got) != tt.want {
			t.Errorf("%q: %v\n%s\nwant\n%s", tt.text, err, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"a: [":                 `:1:1: not YAML: did not find expected node content`,
		"{a: 1, a: 2}":         `:1:8: "a" is given twice, first on line 1`,
		"# why\nx: 1 # inside": `a.yaml:5:21: tools[1] stands inside brackets, where text over lines cannot go`,
	} {
		if _, err := Edit("a.yaml", []byte(src), SetText([]any{"tools", 1, "body"}, text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestParseValue(t *testing.T) {
	for text, want := range map[string]string{
		"": "null", "no": `"no"`, "1.10": "1.10", "'1'": `"1"`, "[true, ~]": "[true,null]",
		"a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}": `{"a":{"b":1},"c":{"b":1},"d":{"e":2,"b":1}}`,
	} {
		if got, err := ParseValue(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}
