package validate

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tbridge/config"
)

// The pages of all rules make docs/rules.md:
//
//go:generate go test -run ^TestRulesPage$ -update .

const rulesIntro = `# Rules

What ` + "`tbridge validate`" + ` finds, by the word in brackets at the end of each finding. ` + "`tbridge explain RULE`" + ` prints one of these pages. This file is made
from the pages beside the rules: ` + "`go generate ./validate`" + `.

`

func TestRulesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(rulesIntro)
	for _, r := range Rules() {
		page, ok := Explain(r.ID)
		if !ok {
			t.Errorf("rule %s has no page rules/%s.md", r.ID, r.ID)
		}
		b.WriteString("#" + page + "\n")
	}
	want := strings.TrimRight(b.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile("../docs/rules.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rules.md is not what the pages say; run go generate ./validate")
	}
	files, err := pages.ReadDir("rules")
	if err != nil || len(files) != len(Rules()) {
		t.Errorf("%d pages for %d rules, %v", len(files), len(Rules()), err)
	}
	if _, ok := Explain("nonsense"); ok {
		t.Error("a page of a rule that is not there")
	}
}

var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// The file that is shown as wrong breaks its rule, and the one shown as right breaks none.
func TestExamplesOfThePages(t *testing.T) {
	const api, tools = "version: 1\napis:\n  tracker: {base_url: https://tracker.example}\n",
		"api: tracker\ntools:\n  - {name: ping, description: Ping., method: GET, path: /ping, arguments: []}\n"
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			page, _ := Explain(r.ID)
			shown := map[string]bool{}
			for _, block := range fence.FindAllStringSubmatch(page, -1) {
				files := map[string]string{"tbridge.yaml": api, "tools.d/t.yaml": tools}
				kind, wrong := strings.CutSuffix(block[1], " wrong")
				switch kind {
				case "yaml tools":
					files["tools.d/t.yaml"] = block[2]
				case "yaml tbridge.yaml":
					files["tbridge.yaml"] = block[2]
				case "text": // what no file can show
					shown["wrong"] = true
					continue
				default:
					t.Fatalf("the info string %q does not say what this is", block[1])
				}
				shown[map[bool]string{true: "wrong", false: "right"}[wrong]] = true
				_, ds := load(t, write(t, files))
				broken := false
				for _, d := range ds {
					broken = broken || d.Rule == r.ID
					if !wrong && (d.Severity != config.Note || d.Rule == r.ID && d.Rule != ruleNeeds) {
						t.Errorf("what is right: %s [%s]", d.Message, d.Rule)
					}
				}
				if wrong && !broken {
					t.Errorf("what is wrong breaks other rules: %v", ds)
				}
			}
			if !shown["wrong"] || !shown["right"] {
				t.Errorf("the page shows %v", shown)
			}
		})
	}
}
