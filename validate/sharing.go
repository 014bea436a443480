package validate

import (
	"regexp"
	"slices"
	"strings"

	"tbridge/config"
)

const (
	toolTokens = 1_000  // what one tool may cost
	allTokens  = 25_000 // what all may cost
)

var listName = regexp.MustCompile(`(?i)(^|[_.-])(list|search|find)([_.-]|$)`)

// sharing notes a tool that gives the model lists of everything the API says.
func (k *toolCheck) sharing() {
	if r := k.t.Response; k.t.Method != "GET" || !listName.MatchString(k.t.Name) || r != nil && (r.Projection != nil || r.Content == "text" || r.Content == "file") {
		return
	}
	k.note(k.t.At("name"), ruleUnprojected, "%s lists things and has no projection: the model is given every field of each", quoted(k.t.Name)).Hint =
		`keep what is of use, as in projection: "items.#.{id,title}"`
}

// cost notes a tool that costs a model much, and adds up what all do.
func (k *toolCheck) cost() {
	tokens := Describe(k.t).Tokens()
	k.tokens += tokens
	if tokens > toolTokens {
		k.note(k.t.At("name"), ruleTokens, "tool %s costs a model about %d tokens in every conversation; up to %d are usual", quoted(k.t.Name), tokens/10*10, toolTokens).Hint =
			"shorten descriptions, or split the tool"
	}
}

func (k *checker) catalogueTokens() {
	if k.tokens > allTokens && k.c.File != "" {
		k.note(config.Pos{File: k.c.File}, ruleTokens, "all %d tools together cost a model about %d tokens in every conversation; up to %d are usual", len(k.c.Tools), k.tokens/100*100, allTokens).Hint =
			"serve each agent what it needs: tbridge serve --tags"
	}
}

// unused notes APIs and variables that nothing refers to. While a file gives no tools nothing is said:
// it may be the one that does.
func (k *checker) unused() {
	if k.c.File == "" || len(k.c.Tools) == 0 || !k.allGiveTools() {
		return
	}
	for _, e := range k.c.APIs {
		if !slices.ContainsFunc(k.c.Tools, func(t *config.Tool) bool { return t.API == e.Key }) {
			k.note(e.KeyPos, ruleUnusedAPI, "no tool calls the api %s", quoted(e.Key)).Hint = "leave it out, or write tools with api: " + e.Key
		}
	}
	for _, e := range k.c.Vars {
		if !k.used[e.Key] {
			k.note(e.KeyPos, ruleUnusedVariable, "no tool names the variable %s", quoted(e.Key)).Hint = "write {vars." + e.Key + "} where it is meant, or leave it out"
		}
	}
}

func (k *checker) allGiveTools() bool {
	gives := map[string]bool{}
	for _, t := range k.c.Tools {
		gives[t.At().File] = true
	}
	return !slices.ContainsFunc(k.c.ToolsFiles, func(file string) bool { return !gives[file] })
}

// toolsOfClients are the names under which clients have tools of their own.
var toolsOfClients = []string{"bash", "shell", "computer", "str_replace_editor", "str_replace_based_edit_tool", "text_editor",
	"code_execution", "code_interpreter", "web_search", "web_fetch", "apply_patch"}

// reserved finds names that mean something else to clients, or to this language.
func (k *toolCheck) reserved() {
	name := strings.ToLower(k.t.Name)
	switch {
	case strings.HasPrefix(name, "mcp__"):
		k.warn(k.t.At("name"), ruleReservedName, "tool name %s begins with mcp__, which clients put before the names of tools", quoted(k.t.Name)).Hint = "leave it out"
	case slices.Contains(toolsOfClients, name):
		k.warn(k.t.At("name"), ruleReservedName, "clients have a tool %s of their own, and mix the two up", quoted(k.t.Name)).Hint = "say what it is for, as in tracker_" + name
	}
	for _, a := range k.t.Arguments {
		if (a.Name == "vars" || a.Name == "call") && a.Type == "object" {
			k.warn(a.At("name"), ruleReservedName, "argument %s: {%s.NAME} is never a member of it, but a variable or the call's own", quoted(a.Name), a.Name).Hint = "rename it, and give the API's name under as"
		}
	}
}
