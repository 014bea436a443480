package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tbridge/config"
)

// schemaNames are the kinds of file, in the order of config.FileKind.
var schemaNames = []string{"config", "tools"}

func (p *program) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [config|tools]",
		Short: "Print the JSON Schema of tbridge.yaml or of a tools file, for editors",
		Long: `Print the JSON Schema (draft-07) of tbridge.yaml (config) or of a tools file (tools); both, in one
object, without an argument. Editors read it by a first line in the YAML file:
# yaml-language-server: $schema=tools.schema.json`,
		Example: `  tbridge schema tools > tools.schema.json
  tbridge schema config | jq '.properties.apis'`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: schemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				both := map[string]json.RawMessage{}
				for kind, name := range schemaNames {
					both[name] = schemaText(config.FileKind(kind))
				}
				return writeJSON(p.stdout, both)
			}
			kind := slices.Index(schemaNames, args[0])
			if kind < 0 {
				return unknown("kind of file", args[0], schemaNames, "use "+strings.Join(schemaNames, " or "))
			}
			return writeJSON(p.stdout, schemaText(config.FileKind(kind)))
		},
	}
}

func schemaText(kind config.FileKind) json.RawMessage {
	return json.RawMessage(config.JSONSchema(kind).String())
}
