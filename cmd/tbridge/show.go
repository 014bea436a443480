package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tbridge/bridge"
	"tbridge/config"
	"tbridge/validate"
)

func (p *program) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show TOOL",
		Short:   "Show one tool: what the model sees, and the request that is made of it",
		Example: "  tbridge show take_task",
		Args:    cobra.MatchAll(namesTool, cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := p.open()
			if err != nil {
				return err
			}
			t, err := tool(c, args[0])
			if err != nil {
				return err
			}
			return p.show(c, t)
		},
		ValidArgsFunction: p.completeTool,
	}
}

// show prints a tool as its model and its API see it.
func (p *program) show(c *config.Catalog, t *config.Tool) error {
	definition, err := json.MarshalIndent(validate.Describe(t), "", "  ")
	if err != nil {
		return err
	}
	arguments := sampleArguments(t)
	example := "tbridge call " + t.Name + words(arguments)
	request := t.Method + " " + pathText(t)
	b, err := bridge.New(c, bridge.Options{Version: versionOf()})
	if err != nil {
		return err
	}
	if preview, err := b.Preview(t.Name, arguments.Append(nil)); err == nil {
		request += "\n\n" + indent(requestText(preview))
	}
	at := t.At()
	_, err = fmt.Fprintf(p.stdout, "%s:%d, ≈%s tokens\n\n%s\n\nRequest: %s\n\nExample: %s\n",
		at.File, at.Line, thousands(tokens(t)), definition, request, example)
	return err
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// sampleArguments gives a value for each argument that must be given: an example where the file has one.
func sampleArguments(t *config.Tool) config.JSON {
	args := config.JSON{Kind: config.KindObject}
	for _, a := range t.Arguments {
		if bridge.MustGive(t, a) || len(t.OneOf) > 0 && a.Name == t.OneOf[0] {
			args.Put(a.Name, sample(a))
		}
	}
	return args
}

// sample gives a value that fits an argument as far as can be guessed.
func sample(a *config.Argument) config.JSON {
	switch {
	case len(a.Examples) > 0:
		return a.Examples[0]
	case a.Default != nil:
		return *a.Default
	case len(a.Enum) > 0:
		return a.Enum[0]
	}
	switch a.Type {
	case "integer", "number":
		n := config.Number("1")
		if a.Minimum != nil {
			n = *a.Minimum
		}
		return config.JSON{Kind: config.KindNumber, Text: string(n)}
	case "boolean":
		return config.JSON{Kind: config.KindBool, Text: "true"}
	case "array":
		list := config.JSON{Kind: config.KindArray}
		if a.Items != nil {
			list.Items = []config.JSON{sample(a.Items)}
		}
		return list
	case "object":
		object := config.JSON{Kind: config.KindObject}
		for _, p := range a.Properties {
			if p.Required && p.Default == nil {
				object.Put(p.Name, sample(p))
			}
		}
		return object
	case "file":
		return config.StringJSON("dGV4dA==")
	}
	return config.StringJSON(a.Name)
}

// words writes arguments as the words of tbridge call, for a shell.
func words(args config.JSON) string {
	var b strings.Builder
	for i, a := range args.Keys {
		value := args.Items[i].String()
		if args.Items[i].Kind == config.KindString {
			value = args.Items[i].Text
		}
		b.WriteString(" " + a + "=" + shellQuote(value))
	}
	return b.String()
}

// shellQuote quotes a word for a POSIX shell, when it must be.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=", r)
	}
	if s != "" && strings.IndexFunc(s, plain) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
