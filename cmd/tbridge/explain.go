package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tbridge/validate"
)

func (p *program) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Say what a rule of validate finds, why, and what to do",
		Example: `  tbridge explain                # all rules
  tbridge explain unknown-hole   # the word in brackets at the end of a finding`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listRules(p.stdout)
			}
			id := strings.Trim(args[0], "[]")
			page, ok := validate.Explain(id)
			if !ok {
				return unknown("rule", id, ruleNames(), `"tbridge explain" lists the rules`)
			}
			_, err := io.WriteString(p.stdout, plainPage(page))
			return err
		},
	}
}

func ruleNames() (names []string) {
	for _, r := range validate.Rules() {
		names = append(names, r.ID)
	}
	return names
}

func listRules(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range validate.Rules() {
		fmt.Fprintf(table, "%s\t%s\n", r.ID, r.About)
	}
	return table.Flush()
}

// plainPage is a page of Markdown for a terminal: its heading bare, its blocks indented.
func plainPage(page string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
			continue
		case inside && strings.TrimSpace(line) != "":
			b.WriteString("    ")
		case !inside:
			line = strings.TrimPrefix(line, "# ")
		}
		b.WriteString(line)
	}
	return b.String()
}
