// Command tbridge serves HTTP APIs, described in YAML, as MCP tools.
package main

import (
	"context"
	"io"
	"log"
	"os"
)

func main() {
	log.SetOutput(io.Discard) // net/http writes here, unmasked, what a server says unasked
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
