package config

import (
	"time"

	"gopkg.in/yaml.v3"
)

// A Tool is one MCP tool: one endpoint of one API. Keys that stood at the head
// of its file are merged in already.
type Tool struct {
	Source
	head  *yaml.Node // the keys at the head of its file
	Index int        `yaml:"-"` // its position in the list of its file
	// What clients call the tool by: 1 to 128 of A-Z a-z 0-9 _ . -, unique over all files.
	Name string `yaml:"name,required" pattern:"^[A-Za-z0-9_.-]{1,128}$" example:"take_task"`
	// A name for people.
	Title string `yaml:"title,prose" example:"Take a task"`
	// What the tool does and when to use it. Models choose tools by it.
	Description string `yaml:"description,prose" example:"Atomically assign a free task to an agent."`
	// What the model supplies, in order. []: nothing. Absent: whatever is sent is passed on.
	Arguments []*Argument `yaml:"arguments" example:"[{name: task_id, type: string, description: Task id or key}]"` // nil: open, whatever is sent is passed on; empty: none
	// Calls with what must come of them, without network.
	Tests []*Test `yaml:"tests" example:"[{name: taken, arguments: {task_id: TE-15}, request: {method: POST}}]"`
	// The name of the API in tbridge.yaml.
	API string `yaml:"api,head" example:"tracker"`
	// Labels, for serve --tags. Those of the tool are added to those of its file.
	Tags []string `yaml:"tags,head" example:"[tasks]"`
	// The method of the request.
	Method string `yaml:"method,head" words:"GET HEAD POST PUT PATCH DELETE" example:"POST"`
	// The path below base_url, with {argument} for values. Absent: base_url as it stands.
	Path *Template `yaml:"path,head,request" example:"'/tasks/{task_id}/take'"`
	// Arguments of which exactly one must be given.
	OneOf []string `yaml:"one_of,head" example:"[chat_id, task_id]"`
	// Query pairs, with {argument} for values.
	Query *Tree `yaml:"query,head" example:"{limit: '{count}', sort: created}"` // a mapping, or the template {*}
	// Headers, with {argument} for values.
	Headers Map[*Template] `yaml:"headers,head,request" example:"{Idempotency-Key: '{call.id}'}"`
	// Cookies, with {argument} for values.
	Cookies Map[*Template] `yaml:"cookies,head,request" example:"{session: '{session}'}"`
	// The body as a tree; a string that is one hole keeps its value's type.
	Body *Tree `yaml:"body,head" example:"{title: '{title}', done: false}"`
	// How the body is written. Default: json.
	Encoding string `yaml:"encoding,head" oneof:"json form multipart text xml ndjson bytes" example:"form"`
	// The Content-Type, when it is not that of the encoding.
	ContentType *Template `yaml:"content_type,head,request" example:"application/merge-patch+json"`
	// What of the answer becomes the result.
	Response *Response `yaml:"response,head" example:"{projection: items, each: '{key}: {title}'}"`
	// As for the API; replaces the keys it gives.
	Envelope *Envelope `yaml:"envelope,head" example:"{data: result}"`
	// As for the API; these rows come first.
	Errors []*ErrorRow `yaml:"errors,head" example:"[{status: 404, kind: not_found, hint: List the tasks first.}]"`
	// As for the API; replaces that one.
	ErrorText *Template `yaml:"error_text,head,text" example:"'❌ {message}'"`
	// As for the API; replaces that one.
	Timeout time.Duration `yaml:"timeout,head" example:"30s"`
	// As for the API; replaces that one.
	Retry *Retry `yaml:"retry,head" example:"{attempts: 3}"`
	// As for the API; replaces the keys it gives.
	Limits *Limits `yaml:"limits,head" example:"{result: 64KiB}"`
	// What a caller over HTTP must hold to see and call the tool.
	Scopes []string `yaml:"scopes,head" example:"[tasks.write]"`
	// What clients are told of the tool, where the method says it wrong.
	Annotations *Annotations `yaml:"annotations,head" example:"{read_only: true}"`
	// A sentence that is put into the description.
	Deprecated string `yaml:"deprecated,head,prose" example:"Use take_task instead."`
}

// Annotations override what the method says of a tool. nil: not given.
type Annotations struct {
	Source
	// It changes nothing. Default: true for GET and HEAD.
	ReadOnly *bool `yaml:"read_only" example:"true"`
	// It may destroy something. Default: true for DELETE.
	Destructive *bool `yaml:"destructive" example:"false"`
	// Twice is as good as once. Default: true for GET, HEAD, PUT and DELETE.
	Idempotent *bool `yaml:"idempotent" example:"true"`
	// It reaches beyond a closed system. Default: true.
	OpenWorld *bool `yaml:"open_world" example:"false"`
}

// An Argument is one named value that the model supplies (or, in Output, that a result holds).
type Argument struct {
	Source
	// What the model sees: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first.
	Name string `yaml:"name" pattern:"^[A-Za-z_][A-Za-z0-9_-]{0,63}$" example:"task_id"` // empty in Items
	// The type of its value. Default: string, with a warning.
	Type string `yaml:"type" oneof:"string integer number boolean array object file" example:"string"`
	// What the value is, for the model.
	Description string `yaml:"description,prose" example:"Task id or key (TE-15)"`
	// It must be given. Arguments in the path always are. Default: false.
	Required bool `yaml:"required" example:"true"`
	// null is a value, and is sent.
	Nullable bool `yaml:"nullable" example:"true"`
	// What is sent when it is absent.
	Default    *JSON  `yaml:"default,later" example:"20"` // read by Type
	DefaultVar string `yaml:"-"`                          // default "{vars.NAME}": NAME
	// The only values allowed.
	Enum []JSON `yaml:"enum,later" example:"[open, done]"` // read by Type; nil: not given
	// Values that show what is meant.
	Examples []JSON `yaml:"examples,later" example:"[TE-15]"` // read by Type
	// Where it goes when no hole names it. Default: query for GET, HEAD and DELETE, else body.
	In string `yaml:"in" oneof:"path query header cookie body none" example:"query"`
	// Its name in the request, when that differs.
	As string `yaml:"as" example:"X-Trace"`
	// How a list or object is written outside a JSON body. Default: repeat for lists, brackets for objects.
	Style string `yaml:"style" oneof:"repeat comma space pipe brackets json" example:"comma"`
	// What each element of a list is.
	Items *Argument `yaml:"items" example:"{type: string}"`
	// The members of an object. Absent: free-form.
	Properties []*Argument `yaml:"properties" example:"[{name: place, type: string}]"` // nil: free-form

	// A format of JSON Schema, checked.
	Format string `yaml:"format" words:"date date-time time duration email hostname ipv4 ipv6 uri uri-reference iri iri-reference uri-template uuid json-pointer relative-json-pointer regex" example:"date"`
	// A regular expression (RE2) that occurs in the value.
	Pattern string `yaml:"pattern" example:"'^TE-[0-9]+$'"`
	// The least number of characters.
	MinLength *int `yaml:"minLength" example:"1"`
	// The greatest number of characters.
	MaxLength *int `yaml:"maxLength" example:"200"`
	// The least value.
	Minimum *Number `yaml:"minimum" example:"1"`
	// The greatest value.
	Maximum *Number `yaml:"maximum" example:"100"`
	// The value is greater than this.
	ExclusiveMinimum *Number `yaml:"exclusiveMinimum" example:"0"`
	// The value is less than this.
	ExclusiveMaximum *Number `yaml:"exclusiveMaximum" example:"100"`
	// The value is a multiple of this.
	MultipleOf *Number `yaml:"multipleOf" example:"0.01"`
	// The least number of elements.
	MinItems *int `yaml:"minItems" example:"1"`
	// The greatest number of elements.
	MaxItems *int `yaml:"maxItems" example:"50"`
	// No element stands twice.
	UniqueItems bool `yaml:"uniqueItems" example:"true"`

	// How a file is given: its content in base64 (default) or as text, or a path below files.roots.
	FileSource string `yaml:"source" oneof:"base64 text path" example:"path"` // of a file; empty: base64
	// The name of the file in the request.
	Filename *Template `yaml:"filename,request" example:"'{name}.pdf'"`
	// The media type of the file in the request.
	MediaType *Template `yaml:"media_type,request" example:"application/pdf"`
	// The greatest size of the file.
	MaxBytes Size `yaml:"max_bytes" example:"10MiB"`
}

// A Number is a JSON number literal with every digit as written.
type Number string

// A Response says what of an answer becomes the result, and how it reads as text.
type Response struct {
	Source
	// The path of what is kept, or a mapping that builds an object of paths.
	Projection *Projection `yaml:"projection" example:"{id: id, owner: assignee.name}"`
	// The path, in what is kept, of the list that each, max_items and cuts act on.
	List Paths `yaml:"list" example:"items"`
	// The text the model reads; holes are paths.
	Text *Template `yaml:"text,text" example:"'✅ Task {key} taken'"`
	// A line for each element of the list.
	Each *Template `yaml:"each,text" example:"'- {key}: {title}'"`
	// What the result is, as an array like arguments.
	Output []*Argument `yaml:"output" example:"[{name: id, type: integer}]"` // nil: not given
	// What is done with a result that output does not describe. Default: warn.
	Check string `yaml:"check" oneof:"warn strict off" example:"strict"`
	// What the body is. Default: auto.
	Content string `yaml:"content" oneof:"auto json text file" example:"text"`
	// The most elements given to the model.
	MaxItems int `yaml:"max_items" example:"50"` // 0: not given
}

// A Projection is a path (or list of paths), or a mapping that builds an object.
type Projection struct {
	Source
	Paths  Paths      // set: the first that exists
	Fields Map[Paths] // set: an object of these, in order
}

// Paths are the places where a value may be; the first that is there and not null counts.
type Paths []Path

// A Path is a gjson path and the document it starts in.
type Path struct {
	Text string // as written
	Root Root
	Expr string // what follows the root: a gjson path, a header's name, an argument's path. Empty: the whole document
	Pos  Pos
}

// Root is the document a Path starts in.
type Root byte

const (
	RootData    Root = iota // the envelope's data in a response, the whole body in an envelope
	RootBody                // $body: the whole body
	RootStatus              // $status: the HTTP status
	RootHeaders             // $headers.NAME: a response header
	RootArgs                // $args.PATH: the arguments of the call
)
