package main

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"tbridge/config"
	"tbridge/validate"
)

// The parts of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0) that findings need.
type (
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifPlace struct {
		ID       int        `json:"id,omitempty"`
		Message  *sarifText `json:"message,omitempty"`
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifResult struct {
		RuleID    string       `json:"ruleId"`
		RuleIndex int          `json:"ruleIndex"`
		Level     string       `json:"level"`
		Message   sarifText    `json:"message"`
		Locations []sarifPlace `json:"locations"`
		Related   []sarifPlace `json:"relatedLocations,omitempty"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
)

// sarif prints the Static Analysis Results Interchange Format, with the pages of the rules that found something.
func sarif(w io.Writer, ds config.Diagnostics, _ map[string]string) error {
	r := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	rules := sarifRules(ds)
	r.Tool.Driver = sarifDriver{"tbridge", versionOf(), rules}
	for _, d := range ds {
		result := sarifResult{
			RuleID:    d.Rule,
			RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == d.Rule }),
			Level:     d.Severity.String(),
			Message:   sarifText{Text: advised(d)},
			Locations: []sarifPlace{sarifAt(d.Pos)},
		}
		for i, other := range d.Related {
			at := sarifAt(other.Pos)
			at.ID, at.Message = i+1, &sarifText{Text: other.Message}
			result.Related = append(result.Related, at)
		}
		r.Results = append(r.Results, result)
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{r}})
}

// sarifRules are the rules of findings, by ID.
func sarifRules(ds config.Diagnostics) []sarifRule {
	rules := []sarifRule{}
	for _, r := range validate.Rules() {
		if slices.ContainsFunc(ds, func(d config.Diagnostic) bool { return d.Rule == r.ID }) {
			page, _ := validate.Explain(r.ID)
			rules = append(rules, sarifRule{r.ID, sarifText{Text: r.About}, sarifText{Text: plainPage(page), Markdown: page}})
		}
	}
	return rules
}

func sarifAt(at config.Pos) (p sarifPlace) {
	p.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(at.File)}).String()
	if at.Line > 0 {
		p.Physical.Region = &sarifRegion{at.Line, max(at.Column, 1), at.EndLine, max(at.EndColumn, 1)}
	}
	return p
}
