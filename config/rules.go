package config

// A Rule is one thing that reading a file may find. Its ID stands at the end of each finding.
type Rule struct {
	ID    string // a word, as tbridge explain takes it
	About string // one sentence
}

const (
	ruleAlias        = "alias"
	ruleDuplicateKey = "duplicate-key"
	ruleEncoding     = "encoding"
	ruleEnvInTools   = "env-in-tools"
	ruleHeadKey      = "head-key"
	ruleMerge        = "merge"
	ruleMissingKey   = "missing-key"
	ruleNoTools      = "no-tools"
	ruleSecondDoc    = "second-document"
	ruleSkippedFile  = "skipped-file"
	ruleSyntax       = "syntax"
	ruleTag          = "yaml-tag"
	ruleTemplate     = "template"
	ruleTooDeep      = "too-deep"
	ruleTooLarge     = "too-large"
	ruleUnknownKey   = "unknown-key"
	ruleUnusedAnchor = "unused-anchor"
	ruleUnreadable   = "unreadable"
	ruleValue        = "value"
	ruleWrongKind    = "wrong-kind"
	ruleWrongValue   = "wrong-value"
)

// RuleLiteralSecret is the rule whose findings stand on secrets: what shows the text of a file stars them out.
const RuleLiteralSecret = "literal-secret"

// Rules are all rules of this package, by ID.
var Rules = []Rule{
	{ruleAlias, "An alias stands for itself, or aliases stand for too much: at most 100 aliases and 10,000 repeated nodes a file."},
	{ruleDuplicateKey, "A key stands twice in one mapping, so that nobody can know which one counts."},
	{ruleEncoding, "A file is not UTF-8, or holds a control character."},
	{ruleEnvInTools, "A tools file reads no environment: the variable belongs under vars in tbridge.yaml, and {vars.name} into the tool."},
	{ruleHeadKey, "A key that is a tool's own (name, title, description, arguments, tests) stands at the head of a tools file."},
	{RuleLiteralSecret, "A secret that is written out is known to everybody who reads the file."},
	{ruleMerge, "What << merges is a mapping, or a list of mappings."},
	{ruleMissingKey, "A key that must be there is not."},
	{ruleNoTools, "There is no directory of tools files, so that there are no tools."},
	{ruleSecondDoc, "A file holds one YAML document."},
	{ruleSkippedFile, "A file below the tools directory that is not read: no .yaml or .yml file, or a link that leads out of the directory."},
	{ruleSyntax, "The file is not YAML."},
	{ruleTag, "YAML tags such as !foo mean nothing here: the key says what type its value has."},
	{ruleTemplate, "A hole in a template is not closed after its name or path."},
	{ruleTooDeep, "Lists and mappings are nested in more than 32 levels."},
	{ruleTooLarge, "Over a limit: 1 MiB a file, 64 KiB a scalar, 8 KiB a description, 1,000 keys a mapping, 100,000 nodes a file, 10,000 files, 20,000 tools."},
	{ruleUnknownKey, "A key that nobody reads, mostly a misspelling."},
	{ruleUnusedAnchor, "An anchor that no alias names: a leftover, or a misspelt name."},
	{ruleUnreadable, "A file or directory cannot be read."},
	{ruleValue, "A value from outside is written ${NAME}, ${NAME:-default} or {file: PATH, key: KEY}; $$ is a dollar sign."},
	{ruleWrongKind, "A list, a mapping or a scalar stands where another of them is due."},
	{ruleWrongValue, "A scalar that its key cannot take: the declared type reads it, never YAML's guess."},
}
