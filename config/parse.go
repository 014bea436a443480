package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of a file. They keep a file that somebody else wrote from costing more than it is worth.
const (
	maxFile        = 1 << 20
	maxScalar      = 64 << 10
	maxDescription = 8 << 10
	maxKeys        = 1000
	maxNodes       = 100_000
	maxAliases     = 100
	maxExpanded    = 10_000
)

// parse reads the one document of a file. The root is nil when there is none, or none that could be decoded.
// Aliases in it are sound, and merges are done.
func parse(f *sourceFile, ds *Diagnostics) *yaml.Node {
	root := parseNodes(f, ds)
	if root == nil {
		return nil
	}
	return settle(f, root, ds)
}

// parseNodes reads a file as it is written.
func parseNodes(f *sourceFile, ds *Diagnostics) *yaml.Node {
	if len(f.text) > maxFile {
		ds.Add(Error, Pos{File: f.name}, ruleTooLarge, "the file is larger than 1 MiB").Hint = "split it into several files"
		return nil
	}
	if at := badText(f.text); at >= 0 {
		_, size := utf8.DecodeRuneInString(f.text[at:])
		ds.Add(Error, f.pos(at, at+size), ruleEncoding, "%s is not text in UTF-8", strconv.QuoteToASCII(f.text[at:at+size]))
		return nil
	}
	docs := yaml.NewDecoder(strings.NewReader(f.text))
	doc, err := decodeDocument(docs)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		syntaxError(f, err, ds)
		return nil
	}
	second, err := decodeDocument(docs)
	if err != nil && err != io.EOF {
		syntaxError(f, err, ds)
		return nil
	}
	if second != nil {
		ds.Add(Error, f.span(second), ruleSecondDoc, "a second document begins; a file holds one")
		return nil
	}
	return doc.Content[0]
}

// settle checks a document, and does its merges. It gives nil when the document cannot be decoded.
func settle(f *sourceFile, root *yaml.Node, ds *Diagnostics) *yaml.Node {
	c := checker{file: f, ds: ds, anchors: map[*yaml.Node]extent{}}
	if !c.document(root) {
		return nil
	}
	return deref(root)
}

// badText is the first byte that is not UTF-8 or not allowed in YAML, or -1.
func badText(text string) int {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"),
			r < 0x20 && r != '\t' && r != '\n' && r != '\r', r == 0x7F, r >= 0x80 && r < 0xA0 && r != 0x85,
			r == 0xFFFE, r == 0xFFFF, r == 0xFEFF && i > 0:
			return i
		}
	}
	return -1
}

// decodeDocument reads one document. yaml.v3 reports most of what it cannot do as an error, the rest as a panic.
func decodeDocument(docs *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	var n yaml.Node
	if err := docs.Decode(&n); err != nil {
		return nil, err
	}
	return &n, nil
}

// A checker walks a document once, before anything is decoded: limits, tags, keys, aliases and merges.
type checker struct {
	file    *sourceFile
	ds      *Diagnostics
	nodes   int
	aliases int
	last    *yaml.Node            // the last alias seen
	unused  []*yaml.Node          // anchored nodes that no alias has named
	anchors map[*yaml.Node]extent // of anchored nodes seen to their end; 0 while inside
}

// An extent is the size of a node with its aliases written out.
type extent struct{ nodes, levels int }

// errGiveUp ends the walk of a document that cannot be decoded.
var errGiveUp = errors.New("give up")

// document says whether the document can be decoded.
func (c *checker) document(root *yaml.Node) bool {
	size, err := c.node(root, 1)
	if err != nil {
		return false
	}
	for _, n := range c.unused {
		c.ds.Add(Note, c.file.anchor(n), ruleUnusedAnchor, "no alias names the anchor %q", "&"+n.Anchor).Hint = "write *" + n.Anchor + " where it is meant, or leave it out"
	}
	if size.nodes-c.nodes > maxExpanded {
		c.ds.Add(Error, c.file.span(c.last), ruleAlias, "the aliases of this file repeat more than %d nodes", maxExpanded)
		return false
	}
	return true
}

func (c *checker) fail(n *yaml.Node, rule, format string, args ...any) error {
	c.ds.Add(Error, c.file.span(n), rule, format, args...)
	return errGiveUp
}

// node walks one node that stands at a level.
func (c *checker) node(n *yaml.Node, level int) (extent, error) {
	if c.nodes++; c.nodes > maxNodes {
		return extent{}, c.fail(n, ruleTooLarge, "more than %d nodes in one file", maxNodes)
	}
	if n.Anchor != "" {
		c.unused = append(c.unused, n)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.alias(n, level)
	case yaml.ScalarNode:
		c.scalar(n)
		return extent{nodes: 1}, nil
	}
	c.tag(n)
	if level > MaxDepth {
		at := c.file.start(n)
		c.ds.Add(Error, c.file.pos(at, min(at+1, len(c.file.text))), ruleTooDeep, "nested deeper than %d levels", MaxDepth)
		return extent{}, errGiveUp
	}
	if n.Anchor != "" {
		c.anchors[n] = extent{}
	}
	size := extent{nodes: 1}
	for _, child := range n.Content {
		below, err := c.node(child, level+1)
		if err != nil {
			return size, err
		}
		size.nodes = min(size.nodes+below.nodes, 1<<30)
		size.levels = max(size.levels, below.levels)
	}
	size.levels++
	if n.Kind == yaml.MappingNode {
		c.keys(n)
	}
	if n.Anchor != "" {
		c.anchors[n] = size
	}
	return size, nil
}

func (c *checker) alias(n *yaml.Node, level int) (extent, error) {
	if c.aliases++; c.aliases > maxAliases {
		return extent{}, c.fail(n, ruleAlias, "more than %d aliases in one file", maxAliases)
	}
	c.last = n
	c.unused = slices.DeleteFunc(c.unused, func(anchored *yaml.Node) bool { return anchored == n.Alias })
	if n.Alias.Kind == yaml.ScalarNode {
		return extent{nodes: 1}, nil
	}
	size := c.anchors[n.Alias]
	switch {
	case size.nodes == 0:
		return size, c.fail(n, ruleAlias, "alias %q stands inside what it stands for", "*"+n.Value)
	case size.nodes > maxExpanded:
		return size, c.fail(n, ruleAlias, "the aliases of this file repeat more than %d nodes", maxExpanded)
	case level-1+size.levels > MaxDepth:
		return size, c.fail(n, ruleTooDeep, "nested deeper than %d levels", MaxDepth)
	}
	return size, nil
}

func (c *checker) scalar(n *yaml.Node) {
	c.tag(n)
	if len(n.Value) > maxScalar {
		at := c.file.start(n)
		c.ds.Add(Error, c.file.pos(at, at), ruleTooLarge, "a value of %d bytes; at most 64 KiB are allowed", len(n.Value))
	}
	if what := LooksSecret(n.Value); what != "" {
		c.secret(what, c.file.span(n))
	}
}

func (c *checker) tag(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	switch n.Tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map":
	default:
		c.ds.Add(Error, c.file.span(n), ruleTag, "tag %q means nothing here", n.Tag).Hint = "leave it out; the key says what type its value has"
	}
}

// keys checks the keys of a mapping, drops those that cannot count, and does its merges.
func (c *checker) keys(n *yaml.Node) {
	if len(n.Content)/2 > maxKeys {
		at := c.file.start(n)
		c.ds.Add(Error, c.file.pos(at, at), ruleTooLarge, "a mapping of %d keys; at most %d are allowed", len(n.Content)/2, maxKeys)
		n.Content = n.Content[:2*maxKeys]
	}
	written := *n
	var mergeKey, merge *yaml.Node
	own := newPairs(len(n.Content))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := deref(key)
		if name.Kind != yaml.ScalarNode {
			c.ds.Add(Error, c.file.span(key), ruleWrongKind, "a key must be a word, not %s", kindOf(name))
			continue
		}
		first := own.key(name.Value)
		if isMerge(key) {
			first = mergeKey
		}
		switch {
		case first != nil:
			c.twice(first, key)
		case isMerge(key):
			mergeKey, merge = key, value
		default:
			own.add(key, value)
		}
	}
	if merge != nil {
		c.merge(&own, merge)
		n.Alias = &written // its extent in the file
	}
	n.Content = own.nodes
}

func (c *checker) twice(first, second *yaml.Node) {
	at := c.file.span(first)
	d := c.ds.Add(Error, c.file.span(second), ruleDuplicateKey, "%q is given twice, first on line %d", excerpt(deref(second).Value), at.Line)
	d.Related = []Related{{at, "first given here"}}
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

// merge adds the pairs of a << whose keys are not there already. Of several mappings the earlier wins.
func (c *checker) merge(own *pairs, from *yaml.Node) {
	sources := []*yaml.Node{from}
	if list := deref(from); list.Kind == yaml.SequenceNode {
		sources = list.Content
	}
	for _, source := range sources {
		source := deref(source)
		if source.Kind != yaml.MappingNode {
			c.ds.Add(Error, c.file.span(from), ruleMerge, "<< merges a mapping or a list of mappings, not %s", kindOf(source))
			continue
		}
		for i := 0; i+1 < len(source.Content); i += 2 {
			if own.key(deref(source.Content[i]).Value) == nil {
				own.add(source.Content[i], source.Content[i+1])
			}
		}
	}
}

// pairs is the content of a mapping while it is put together.
type pairs struct {
	nodes  []*yaml.Node
	byName map[string]*yaml.Node // the keys; nil while a scan of nodes is quick
}

func newPairs(size int) pairs { return pairs{nodes: make([]*yaml.Node, 0, size)} }

// key gives the key of that name, or nil.
func (p *pairs) key(name string) *yaml.Node {
	if p.byName != nil {
		return p.byName[name]
	}
	for i := 0; i < len(p.nodes); i += 2 {
		if deref(p.nodes[i]).Value == name {
			return p.nodes[i]
		}
	}
	return nil
}

func (p *pairs) add(key, value *yaml.Node) {
	p.nodes = append(p.nodes, key, value)
	switch {
	case p.byName != nil:
		p.byName[deref(key).Value] = key
	case len(p.nodes) > 40:
		p.byName = make(map[string]*yaml.Node, len(p.nodes))
		for i := 0; i < len(p.nodes); i += 2 {
			p.byName[deref(p.nodes[i]).Value] = p.nodes[i]
		}
	}
}
