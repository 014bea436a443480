package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

// listings are the formats of tbridge list.
var listings = map[string]func(w io.Writer, tools []*config.Tool) error{
	"table":      listTable,
	"json":       listJSON,
	"mcp":        listMCP,
	"anthropic":  listExports("anthropic"),
	"openai":     listExports("openai"),
	"trustgraph": listExports("trustgraph"),
	"prompt":     listPrompt,
	"markdown":   listMarkdown,
}

func (p *program) listCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools and what they cost a model's context",
		Example: `  tbridge list
  tbridge list --format anthropic > tools.json   # definitions for a model's API`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, ok := listings[format]
			if !ok {
				return unknownFormat(format, listings)
			}
			c, err := p.open()
			if err != nil {
				return err
			}
			return list(p.stdout, c.Tools)
		},
	}
	formatFlag(cmd, &format, listings)
	return cmd
}

// formatFlag adds --format, with the names of the formats there are.
func formatFlag[F any](cmd *cobra.Command, format *string, formats map[string]F, more ...string) {
	names := slices.Sorted(maps.Keys(formats))
	names = append(more, names...)
	cmd.Flags().StringVar(format, "format", *format, strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

func unknownFormat[F any](format string, formats map[string]F, more ...string) error {
	names := append(more, slices.Sorted(maps.Keys(formats))...)
	return unknown("format", format, names, "use "+strings.Join(names, ", "))
}

func listTable(w io.Writer, tools []*config.Tool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tMETHOD\tPATH\tARGUMENTS\t≈TOKENS\tWHERE")
	total := 0
	for _, t := range tools {
		n := tokens(t)
		total += n
		at := t.At()
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s:%d\n", t.Name, t.Method, pathText(t), signature(t), thousands(n), at.File, at.Line)
	}
	fmt.Fprintf(table, "\n%s, ≈%s tokens\n", count(len(tools), "tool"), thousands(total))
	return table.Flush()
}

// pathText is the path as written; - when the base URL is all there is.
func pathText(t *config.Tool) string {
	if t.Path == nil || t.Path.Text == "" {
		return "-"
	}
	return t.Path.Text
}

// signature names the arguments, a question mark behind those that need not be given.
func signature(t *config.Tool) string {
	if t.Arguments == nil {
		return "(any)"
	}
	if len(t.Arguments) == 0 {
		return "-"
	}
	names := make([]string, len(t.Arguments))
	for i, a := range t.Arguments {
		names[i] = a.Name
		if !bridge.MustGive(t, a) {
			names[i] += "?"
		}
	}
	return strings.Join(names, " ")
}

// count is a number and its noun, in the plural when that is due.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// writeJSON writes indented JSON, letters of all scripts as they are.
func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// mapTools gives something for each tool; an empty list, not null, for none.
func mapTools[T any](tools []*config.Tool, f func(*config.Tool) T) []T {
	list := make([]T, len(tools))
	for i, t := range tools {
		list[i] = f(t)
	}
	return list
}

func listJSON(w io.Writer, tools []*config.Tool) error {
	type entry struct {
		Name      string               `json:"name"`
		Title     string               `json:"title,omitempty"`
		API       string               `json:"api"`
		Tags      []string             `json:"tags,omitempty"`
		Method    string               `json:"method"`
		Path      string               `json:"path"`
		Arguments []string             `json:"arguments"` // null: whatever is given
		Tokens    int                  `json:"tokens"`
		File      string               `json:"file"`
		Line      int                  `json:"line"`
		MCP       *validate.Definition `json:"definition"`
	}
	return writeJSON(w, mapTools(tools, func(t *config.Tool) entry {
		at := t.At()
		e := entry{Name: t.Name, Title: t.Title, API: t.API, Tags: t.Tags, Method: t.Method, Tokens: tokens(t),
			File: at.File, Line: at.Line, MCP: validate.Describe(t)}
		if t.Path != nil {
			e.Path = t.Path.Text
		}
		if t.Arguments != nil {
			e.Arguments = argumentNames(t.Arguments)
		}
		return e
	}))
}

func argumentNames(args []*config.Argument) []string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
	}
	return names
}

// listMCP prints what tools/list answers.
func listMCP(w io.Writer, tools []*config.Tool) error {
	return writeJSON(w, map[string]any{"tools": mapTools(tools, validate.Describe)})
}

// listExports lists the tools as another system wants them.
func listExports(format string) func(io.Writer, []*config.Tool) error {
	return func(w io.Writer, tools []*config.Tool) error {
		return writeJSON(w, mapTools(tools, bridge.Exports[format]))
	}
}

// listPrompt prints the tools as the prompts of agents without function calling show them.
func listPrompt(w io.Writer, tools []*config.Tool) error {
	for _, t := range tools {
		if _, err := io.WriteString(w, bridge.Prompt(t)); err != nil {
			return err
		}
	}
	return nil
}

func need(t *config.Tool, a *config.Argument) string {
	if bridge.MustGive(t, a) {
		return "required"
	}
	return "optional"
}

func listMarkdown(w io.Writer, tools []*config.Tool) error {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`, "\n", "<br>")
	for i, t := range tools {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n", t.Name)
		if text := validate.Description(t); text != "" {
			b.WriteString(text + "\n\n")
		}
		fmt.Fprintf(&b, "`%s %s`\n", t.Method, pathText(t))
		if len(t.Arguments) == 0 {
			continue
		}
		b.WriteString("\n| argument | type | | description |\n|---|---|---|---|\n")
		for _, a := range t.Arguments {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, bridge.TypeName(a), need(t, a), cell.Replace(a.Description))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
