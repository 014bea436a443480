// Package tbridge carries the shipped bridge directory, so that the binary can
// serve it against the embedded tracker from anywhere.
package tbridge

import "embed"

// Catalogue is tbridge.yaml and tools.d as they stand beside this file.
//
//go:embed tbridge.yaml tools.d/*.yaml
var Catalogue embed.FS
