package config

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mistyped gives a word with one slip of each kind: a letter left out, one too many, a wrong one, two that changed places.
func mistyped(word string, r *rand.Rand) []string {
	letter := func() string { return string(rune('a' + r.IntN(26))) }
	i := r.IntN(len(word))
	slips := []string{word[:i] + word[i+1:], word[:i] + letter() + word[i:], word[:i] + letter() + word[i+1:]}
	if len(word) > 1 {
		j := r.IntN(len(word) - 1)
		slips = append(slips, word[:j]+string(word[j+1])+string(word[j])+word[j+2:])
	}
	return slips
}

// Nearly every slip in a key, or in a word that a key takes, gets the right proposal.
func TestSuggestions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tried, right := 0, 0
	var missed []string
	try := func(where, word string, known []string) {
		for range 8 {
			for _, slip := range mistyped(word, r) {
				if slip == "" || slices.Contains(known, slip) {
					continue
				}
				if tried++; Nearest(slip, known) == word {
					right++
				} else {
					missed = append(missed, fmt.Sprintf("%s: %s for %s gives %q", where, slip, word, Nearest(slip, known)))
				}
			}
		}
	}
	byPlace := map[string][]string{}
	for _, k := range Keys() {
		byPlace[k.Where] = append(byPlace[k.Where], k.Name)
	}
	for _, k := range Keys() {
		try(k.Where, k.Name, byPlace[k.Where])
		for _, value := range k.Values {
			if value != "1" {
				try(k.Where+"."+k.Name, value, k.Values)
			}
		}
	}
	share := float64(right) / float64(tried)
	t.Logf("%d of %d, %.1f %%", right, tried, 100*share)
	if share < 0.95 {
		t.Errorf("only %.1f %% of %d slips get the right proposal:\n%s", 100*share, tried, strings.Join(missed, "\n"))
	}
}

// The decoder proposes what Nearest gives, for keys and for values.
func TestSuggestionsAreShown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"tools: [{name: a, metod: GET}]", `a tool has no key "metod"; did you mean "method"?`},
		{"tools: [{name: a, encoding: jsn}]", `encoding must be json, form, multipart, text, xml, ndjson or bytes, not "jsn"; did you mean "json"?`},
	} {
		_, ds := ParseTools("a.yaml", tt.text)
		if len(ds) != 1 || ds[0].Message != tt.want {
			t.Errorf("%s: %v", tt.text, ds)
		}
	}
}
