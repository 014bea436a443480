package config

import "gopkg.in/yaml.v3"

// A Source is embedded in each struct of the model: the node it was read from.
type Source struct {
	file *sourceFile
	node *yaml.Node
}

type sourceFile struct {
	name string
	text []byte
}

// At is the place of a value below this one: keys are strings, list positions ints. A place that is not there
// is that of the nearest one above it.
func (s Source) At(path ...any) Pos { panic("to be built") }

// KeyAt is the place of a key below this one.
func (s Source) KeyAt(path ...any) Pos { panic("to be built") }

// Has says whether the key was written.
func (s Source) Has(key string) bool { panic("to be built") }
