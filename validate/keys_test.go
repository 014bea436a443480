package validate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tbridge/config"
)

// What the schema for editors lists is what the rules accept.
func TestKeysListWhatTheRulesAccept(t *testing.T) {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	want := map[string][]string{"argument.format": names, "argument.type": types, "tool.method": methods}
	for _, k := range config.Keys() {
		words, ok := want[k.Where+"."+k.Name]
		if !ok {
			continue
		}
		delete(want, k.Where+"."+k.Name)
		if diff := cmp.Diff(slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(k.Values))); diff != "" {
			t.Errorf("%s.%s (-rules +keys)\n%s", k.Where, k.Name, diff)
		}
	}
	if len(want) > 0 {
		t.Errorf("no such keys: %v", want)
	}
}
