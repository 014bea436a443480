package config

// Load reads a bridge directory, given its tbridge.yaml. The error says that a
// file or directory cannot be read; all else is in the Diagnostics. The Catalog
// is never nil without an error, and holds what could be read.
func Load(path string) (*Catalog, Diagnostics, error) { panic("to be built") }
