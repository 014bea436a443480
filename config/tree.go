package config

// A Tree is a value with holes: what body and query are written as. It is
// never text: strings in it are templates, and a string that is exactly one
// hole stands for the value itself.
type Tree struct {
	Source
	Kind     TreeKind
	Template *Template // of a TreeText
	Literal  JSON      // of a TreeLiteral: null, a boolean, a number, as JSON reads the plain scalar
	Typed    string    // of a TreeLiteral: its characters as typed, for places where text is due
	Items    []*Tree   // of a TreeList
	Fields   []Field   // of a TreeMapping
}

// TreeKind is the kind of node a Tree is.
type TreeKind byte

const (
	TreeText    TreeKind = iota // text with or without holes
	TreeLiteral                 // null, true, false or a number, written plain
	TreeList
	TreeMapping
)

// A Field is one pair of a TreeMapping.
type Field struct {
	Key      string // without the question mark
	KeyPos   Pos
	Optional bool // written key?: the whole pair goes when no argument below it has a value
	Value    *Tree
}
