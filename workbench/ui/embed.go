// Package ui holds the workbench's page: TypeScript sources in src, and in dist
// what the program in build makes of them. The output is committed, so that
// neither Node nor npm is needed to build or run tbridge.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed dist
var built embed.FS

// Files are the files of the page: index.html, and a script and a style sheet
// whose names hold a hash of their content. In index.html the text __NONCE__
// stands for the nonce of the policy under which the page is served; it must be
// replaced by one of letters, digits, "-", "_", "+", "/" and "=".
var Files = must(fs.Sub(built, "dist"))

// must is for what embedding has settled.
func must(files fs.FS, err error) fs.FS {
	if err != nil {
		panic(err)
	}
	return files
}
