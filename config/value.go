package config

import (
	"strings"
)

// A Value is a string that may come from outside: from the environment, or
// from a file. It prints as its source (${TOKEN}), never as its content.
type Value struct {
	Source
	choices []choice // the first that is present wins
}

// A choice is one way to have a value: text with variables, or a file.
type choice struct {
	parts []valuePart // text with ${NAME} and ${NAME:-default}
	file  string      // {file: PATH}
	key   string      // {file: PATH, key: a.b}; empty: the whole file
	pos   Pos
}

// A valuePart is literal text, or a variable.
type valuePart struct {
	text     string // the literal, or the default
	name     string // of the variable; empty: a literal
	fallback bool   // a default was given
}

// A Lookup reads one environment variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// Resolved is the content of a Value.
type Resolved struct {
	Text    string
	Secrets []string // the pieces that were read from a variable or a file, never a default written in the file
}

// A MissingError says that a Value is absent, and everything that was tried for it.
type MissingError struct {
	Tried []string // $NAME, or file PATH, or key K of file PATH, in order
}

func (e *MissingError) Error() string {
	return "no value: tried " + strings.Join(e.Tried, ", ")
}
