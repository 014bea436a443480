package validate

import (
	"cmp"
	"slices"

	"tbridge/config"
)

const (
	ruleAccess            = "access"
	ruleAlikeTools        = "alike-tools"
	ruleAmbiguousScalar   = "ambiguous-scalar"
	ruleArgumentKey       = "argument-key"
	ruleArgumentName      = "argument-name"
	ruleArgumentType      = "argument-type"
	ruleArgumentValue     = "argument-value"
	ruleAuth              = "auth"
	ruleBaseURL           = "base-url"
	ruleBody              = "body"
	ruleConstraint        = "constraint"
	ruleContent           = "content"
	ruleDuplicateArgument = "duplicate-argument"
	ruleDuplicateTool     = "duplicate-tool"
	ruleEnum              = "enum"
	ruleEnvelope          = "envelope"
	ruleErrorRow          = "error-row"
	ruleFormat            = "format"
	ruleForward           = "forward"
	ruleHeader            = "header"
	ruleHiddenText        = "hidden-text"
	ruleHole              = "hole"
	ruleHoleType          = "hole-type"
	ruleInsecureTLS       = "insecure-tls"
	ruleItems             = "items"
	ruleLimit             = "limit"
	ruleLink              = "link"
	ruleMethod            = "method"
	ruleNeeds             = "needs"
	ruleNoConfig          = "no-config"
	ruleNoDescription     = "no-description"
	ruleNoType            = "no-type"
	ruleOneOf             = "one-of"
	ruleOpenArguments     = "open-arguments"
	ruleOptionalInPath    = "optional-in-path"
	ruleOptionalKey       = "optional-key"
	rulePath              = "path"
	rulePathSyntax        = "path-syntax"
	rulePattern           = "pattern"
	rulePlace             = "place"
	rulePlainHTTP         = "plain-http"
	rulePoisonedText      = "poisoned-text"
	ruleRange             = "range"
	ruleReadOnly          = "read-only"
	ruleReservedName      = "reserved-name"
	ruleScope             = "scope"
	ruleShortSecret       = "short-secret"
	ruleStatus            = "status"
	ruleStyle             = "style"
	ruleTokens            = "tokens"
	ruleTest              = "test"
	ruleTestMatch         = "test-match"
	ruleToolName          = "tool-name"
	ruleToolNameHidden    = "tool-name-hidden"
	ruleUnknownAPI        = "unknown-api"
	ruleUntested          = "untested"
	ruleUnknownHole       = "unknown-hole"
	ruleUnprojected       = "unprojected-list"
	ruleUnusedAPI         = "unused-api"
	ruleUnusedVariable    = "unused-variable"
	ruleVariableName      = "variable-name"
	ruleVersion           = "version"
	ruleWireName          = "wire-name"
)

// own are the rules of this package.
var own = []config.Rule{
	{ID: ruleAccess, About: "server.http knows its callers by tokens or by one OpenID issuer, and lists hosts and origins as clients send them."},
	{ID: ruleAlikeTools, About: "Two tools whose names differ only in case, - or _ are mixed up by models."},
	{ID: ruleAmbiguousScalar, About: "A default, an example or a value of enum is text that other readers of YAML take for something else."},
	{ID: ruleArgumentKey, About: "A key that means nothing for the type of an argument, or where the argument stands."},
	{ID: ruleArgumentName, About: "The name of an argument is 1 to 64 of A-Z a-z 0-9 _ -, and begins with a letter or _; what the API calls it stands under as."},
	{ID: ruleArgumentType, About: "A result is JSON or the body as it is, and describes no file."},
	{ID: ruleArgumentValue, About: "A default, an example or a value of enum must itself be valid for its argument."},
	{ID: ruleAuth, About: "A credential is one of bearer, basic, api_key and oauth2; a client certificate goes with its key."},
	{ID: ruleBaseURL, About: "base_url is an absolute http or https URL whose host is fixed; a user and a password belong under auth."},
	{ID: ruleBody, About: "GET and HEAD send no body; elsewhere the body is what its encoding can write."},
	{ID: ruleConstraint, About: "A constraint limits values of one type, and is given for an argument of another."},
	{ID: ruleContent, About: "content: text and content: file pass the body on as it is, so that nothing can be read from it."},
	{ID: ruleDuplicateArgument, About: "Two arguments of one tool, or two properties of one object, have the same name."},
	{ID: ruleDuplicateTool, About: "The name of a tool stands once over all files; the later one is left out with its file."},
	{ID: ruleEnum, About: "enum lists at least one value, and each once."},
	{ID: ruleEnvelope, About: "ok is a path, {path: P, equals: V} or {absent: P}."},
	{ID: ruleErrorRow, About: "A row of errors must be able to match, and say what it makes of the answer."},
	{ID: ruleFormat, About: "A format that would not be checked is refused: what is advertised is what is enforced."},
	{ID: ruleForward, About: "A header that is forwarded has a name, goes to one header of the API, and is not the one that admits the caller to tbridge."},
	{ID: ruleHeader, About: "Names of headers and cookies are tokens; those that frame the message and the one that carries the credential cannot be set."},
	{ID: ruleHiddenText, About: "A text for models holds characters that people do not see: invisible ones, bidirectional controls, tags, escape codes."},
	{ID: ruleHole, About: "{*} stands alone in body and query only, {+name} in a path only."},
	{ID: ruleHoleType, About: "In longer text only scalars can stand; a file goes into a body."},
	{ID: ruleInsecureTLS, About: "Without verification of its certificate anybody can pretend to be the API."},
	{ID: ruleItems, About: "An array says what its elements are, and only an array has items, only an object properties."},
	{ID: ruleLimit, About: "A limit, a time or a number of tries is outside of what makes sense."},
	{ID: ruleLink, About: "A text for models holds an address, which a model may follow."},
	{ID: ruleMethod, About: "The method of a tool is GET, HEAD, POST, PUT, PATCH or DELETE."},
	{ID: ruleNeeds, About: "A variable or file that must be there where the bridge runs."},
	{ID: ruleNoConfig, About: "There is no tbridge.yaml above a tools file, so that what it refers to there is not checked."},
	{ID: ruleNoDescription, About: "A model chooses tools by their descriptions."},
	{ID: ruleNoType, About: "An argument without a type is a string, which should be written."},
	{ID: ruleOneOf, About: "one_of names two or more arguments that may be left out."},
	{ID: ruleOpenArguments, About: "A tool without arguments takes whatever is sent; [] means none."},
	{ID: ruleOptionalInPath, About: "An argument in the path is required, whatever required says, unless it has a default."},
	{ID: ruleOptionalKey, About: "A key with a question mark goes with the arguments below it, and there are none."},
	{ID: rulePath, About: "A path is relative, and holds no spaces, no braces but those of holes, no fragment and no dot segments; its query is constant."},
	{ID: rulePathSyntax, About: "A path into an answer is a gjson path, after $body, $status, $headers.NAME or $args if it starts elsewhere."},
	{ID: rulePattern, About: "A pattern is a regular expression in RE2 syntax of at most 512 bytes."},
	{ID: rulePlace, About: "Each argument goes where a hole names it, or where in says, or into the query or body; one that goes nowhere is a mistake."},
	{ID: rulePlainHTTP, About: "Plain http to another machine shows credentials and data to everybody on the way."},
	{ID: rulePoisonedText, About: "A text for models gives orders: to drop instructions, to keep something from the user, to fetch secrets."},
	{ID: ruleRange, About: "Limits between which there is no value."},
	{ID: ruleReadOnly, About: "A client calls a read-only tool without asking; what the method does must not belie it."},
	{ID: ruleReservedName, About: "A name that clients or the language use for something of their own."},
	{ID: ruleScope, About: "A scope is one word without spaces and quotes, and somebody must hold it."},
	{ID: ruleShortSecret, About: "A secret of fewer than 6 characters is not masked: that would tear holes into every answer."},
	{ID: ruleStatus, About: "An HTTP status is 100 to 599."},
	{ID: ruleStyle, About: "A style can write the shape of the array or object that it is given for."},
	{ID: ruleTokens, About: "A definition is part of every conversation: one tool stays under 1,000 tokens, all together under 25,000."},
	{ID: ruleTest, About: "A test says one thing: a result or an error, one kind of body, a target below base_url, and its own name."},
	{ID: ruleTestMatch, About: "A test that cannot pass, whatever the API answers: the tool refuses the call, or sends another request."},
	{ID: ruleToolName, About: "The name of a tool is 1 to 128 of A-Z a-z 0-9 _ . -."},
	{ID: ruleToolNameHidden, About: "Many clients hide tools whose names have a dot or more than 64 characters."},
	{ID: ruleUnknownAPI, About: "A tool names one of the apis of tbridge.yaml."},
	{ID: ruleUnknownHole, About: "A hole names an argument, a property, a variable of tbridge.yaml or {call.id}."},
	{ID: ruleUnprojected, About: "A tool that lists things and projects nothing gives the model every field of each."},
	{ID: ruleUnusedAPI, About: "An API that no tool calls."},
	{ID: ruleUnusedVariable, About: "A variable that no tool names."},
	{ID: ruleUntested, About: "A tool without tests changes without anybody noticing."},
	{ID: ruleVariableName, About: "A variable has a name that {vars.NAME} can hold."},
	{ID: ruleVersion, About: "This tbridge reads version 1 of the language."},
	{ID: ruleWireName, About: "In the query, the headers, the cookies and a body an argument does not take the name of another, of what is written there, or of the credential."},
}

// Rules are all rules that a file is held against, those of reading it too, by ID.
func Rules() []config.Rule {
	rules := slices.Concat(config.Rules, own)
	slices.SortFunc(rules, func(a, b config.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}
