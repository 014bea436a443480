// Command build bundles the workbench's page: it compiles workbench/ui/src, with
// the packages that npm has put into workbench/ui/node_modules, to the directory
// that its argument names. The script workbench/ui/check runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: build DIRECTORY")
		os.Exit(2)
	}
	if err := build("src", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build replaces what is in the directory out.
func build(src, out string) error {
	bundle := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(src, "app.tsx"), filepath.Join(src, "style.css")},
		Outdir:            out,
		EntryNames:        "[name]-[hash]",
		Bundle:            true,
		Format:            api.FormatESModule,
		Target:            api.ES2023,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Charset:           api.CharsetUTF8,
	})
	if len(bundle.Errors) > 0 {
		return fmt.Errorf("%s", strings.Join(api.FormatMessages(bundle.Errors, api.FormatMessagesOptions{}), ""))
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(src, "index.html"))
	if err != nil {
		return err
	}
	html := string(page)
	for _, file := range bundle.OutputFiles {
		name := filepath.Base(file.Path)
		if err := os.WriteFile(filepath.Join(out, name), file.Contents, 0o644); err != nil {
			return err
		}
		html = strings.ReplaceAll(html, "__"+strings.ToUpper(filepath.Ext(name)[1:])+"__", name)
	}
	return os.WriteFile(filepath.Join(out, "index.html"), []byte(html), 0o644)
}
