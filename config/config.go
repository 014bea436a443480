// Package config is the tbridge configuration language: it reads a bridge
// directory into a [Catalog] and says, with file, line and column, what is
// wrong with it.
//
// # Two kinds of file
//
// tbridge.yaml says what the bridge may talk to (APIs, credentials, limits);
// the files below tools.d say what the tools are. [Load] reads both. The
// declared type of a key reads its scalar, never YAML's guess: where text is
// due, no and 0123 are text.
//
// # Findings and failures
//
// What is wrong inside a file is a [Diagnostic], a value. An error is returned
// only when a file cannot be read at all. Everything is collected, nothing
// stops at the first problem.
//
// # Positions
//
// Each struct of the model embeds a [Source], which knows the node it was read
// from: tool.At("arguments", 1, "type") is the place of that value in its file.
//
// The package knows nothing of HTTP or MCP.
package config

import (
	"crypto/sha256"
	"time"

	"gopkg.in/yaml.v3"
)

// A Catalog is everything one bridge directory declares, in file order. It is
// read-only once loaded.
type Catalog struct {
	Source
	File     string      `yaml:"-"` // path of tbridge.yaml, as given to Load
	Version  int         `yaml:"version,required"`
	ToolsDir string      `yaml:"tools"` // directory of the tools files, relative to File; default tools.d
	Server   Server      `yaml:"server"`
	Vars     Map[*Value] `yaml:"vars"`
	Files    Files       `yaml:"files"`
	APIs     Map[*API]   `yaml:"apis"`

	// Tools are the tools of all files, in byte order of the files' paths, then by position.
	Tools []*Tool `yaml:"-"`
	// ToolsFiles are the files read below ToolsDir, in the same order, also those that hold no tools.
	ToolsFiles []string `yaml:"-"`
	// Sum stands for all that was read: the names and the texts of the files.
	Sum [sha256.Size]byte `yaml:"-"`
}

// API gives the API of that name, or nil.
func (c *Catalog) API(name string) *API {
	a, _ := c.APIs.Get(name)
	return a
}

// A Map is a YAML mapping in the order of its file.
type Map[T any] []Entry[T]

// An Entry is one pair of a Map.
type Entry[T any] struct {
	Key    string
	KeyPos Pos
	Value  T
}

// Get gives the value of a key.
func (m Map[T]) Get(key string) (T, bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	var zero T
	return zero, false
}

// Server is how the bridge shows itself to its clients.
type Server struct {
	Source
	Name         string      `yaml:"name"` // default tbridge
	Title        string      `yaml:"title,prose"`
	Version      string      `yaml:"version"`
	Instructions string      `yaml:"instructions"`
	Coerce       bool        `yaml:"coerce"`
	HTTP         *ServerHTTP `yaml:"http"`
}

// ServerHTTP is how a team's server admits its callers.
type ServerHTTP struct {
	Source
	Auth    *ServerAuth   `yaml:"auth"`
	Hosts   []string      `yaml:"hosts"`
	Origins []string      `yaml:"origins"`
	Limits  *ServerLimits `yaml:"limits"`
}

// ServerAuth is one way to know a caller: static tokens or an OpenID issuer.
type ServerAuth struct {
	Source
	Tokens []*ServerToken `yaml:"tokens"`
	OIDC   *ServerOIDC    `yaml:"oidc"`
}

// ServerToken is one static token of a caller.
type ServerToken struct {
	Source
	Name   string   `yaml:"name,required"`
	Token  *Value   `yaml:"token,required"`
	Scopes []string `yaml:"scopes"`
}

// ServerOIDC names the issuer whose access tokens are accepted.
type ServerOIDC struct {
	Source
	Issuer   string   `yaml:"issuer,required"`
	Audience string   `yaml:"audience,required"`
	Scopes   []string `yaml:"scopes"`
}

// ServerLimits bound what all callers together may hold.
type ServerLimits struct {
	Source
	Calls    int           `yaml:"calls"`
	Sessions int           `yaml:"sessions"`
	Idle     time.Duration `yaml:"idle"`
}

// Files says where file arguments may read.
type Files struct {
	Source
	Roots []*Value `yaml:"roots"`
}

// An API is one upstream: where it is, who we are there, how it answers.
type API struct {
	Source
	Name      string        `yaml:"-"`
	BaseURL   *Value        `yaml:"base_url,required"`
	Auth      *Auth         `yaml:"auth"`
	Headers   Map[*Value]   `yaml:"headers"`
	Query     Map[*Value]   `yaml:"query"`
	Envelope  *Envelope     `yaml:"envelope"`
	Errors    []*ErrorRow   `yaml:"errors"`
	ErrorText *Template     `yaml:"error_text,text"`
	Timeout   time.Duration `yaml:"timeout"` // 0: not given
	Retry     *Retry        `yaml:"retry"`
	Limits    *Limits       `yaml:"limits"`
	Breaker   *Breaker      `yaml:"breaker"`
	Redirects string        `yaml:"redirects" oneof:"same_origin none"`
	TLS       *TLS          `yaml:"tls"`
	Forward   Map[string]   `yaml:"forward"`
}

// Auth is the credential shown to an API. Exactly one of its fields is set.
type Auth struct {
	Source
	Bearer *Value  `yaml:"bearer"`
	Basic  *Basic  `yaml:"basic"`
	APIKey *APIKey `yaml:"api_key"`
	OAuth2 *OAuth2 `yaml:"oauth2"`
}

// Basic is a name and a password (RFC 7617).
type Basic struct {
	Source
	Username *Value `yaml:"username,required"`
	Password *Value `yaml:"password,required"`
}

// APIKey is a key in a header, the query, a cookie or, for {Name} in BaseURL, the path.
type APIKey struct {
	Source
	In    string `yaml:"in,required" oneof:"header query cookie path"`
	Name  string `yaml:"name,required"`
	Value *Value `yaml:"value,required"`
}

// OAuth2 is the client credentials grant (RFC 6749, section 4.4).
type OAuth2 struct {
	Source
	TokenURL     *Value   `yaml:"token_url,required"`
	ClientID     *Value   `yaml:"client_id,required"`
	ClientSecret *Value   `yaml:"client_secret,required"`
	Scopes       []string `yaml:"scopes"`
}

// An Envelope says where a response tells yes from no, and where its parts are.
type Envelope struct {
	Source
	OK        *Verdict      `yaml:"ok"`
	Data      Paths         `yaml:"data"`
	Error     EnvelopeError `yaml:"error"`
	RequestID Paths         `yaml:"request_id"`
}

// A Verdict is a path whose value decides: true by default, one of Equals when
// that is given, or, with Absent set instead of Path, absent or null.
type Verdict struct {
	Source
	Path   Paths    `yaml:"path"`
	Equals []string `yaml:"equals,single"` // texts of scalars as typed; nil: the value must be true
	Absent Paths    `yaml:"absent"`
}

// EnvelopeError holds the paths of an error's parts.
type EnvelopeError struct {
	Source
	Code       Paths `yaml:"code"`
	Message    Paths `yaml:"message"`
	Details    Paths `yaml:"details"`
	RetryAfter Paths `yaml:"retry_after"`
}

// An ErrorRow says what kind of failure a status or code is. All given keys must match.
type ErrorRow struct {
	Source
	Status    []int    `yaml:"status,single"`
	Code      []string `yaml:"code,single"`
	Kind      string   `yaml:"kind"`
	Hint      string   `yaml:"hint,prose"`
	Retryable *bool    `yaml:"retryable"`
	OK        bool     `yaml:"ok"`
}

// Retry is when a request is tried again. Attempts counts all tries.
type Retry struct {
	Source
	Attempts int   `yaml:"attempts,required"`
	Statuses []int `yaml:"statuses"`
}

// Limits bound what is read, what is given to the model and how often an API is called. 0: not given.
type Limits struct {
	Source
	Response    Size `yaml:"response"`
	Result      Size `yaml:"result"`
	Concurrency int  `yaml:"concurrency"`
	Rate        Rate `yaml:"rate"`
}

// Size is a number of bytes, written 512, 256KiB, 16MiB or 1MB.
type Size int64

// Rate is a number of calls per second, written 20/s, 100/m or 1000/h. 0: not given.
type Rate float64

// Breaker makes calls fail at once after so many failures in a row, until a probe succeeds.
type Breaker struct {
	Source
	Failures int           `yaml:"failures"` // default 5
	Open     time.Duration `yaml:"open"`     // default 10s
}

// TLS is how the API's certificate is verified and ours is shown.
type TLS struct {
	Source
	CAFile             *Value `yaml:"ca_file"`
	ClientCert         *Value `yaml:"client_cert"`
	ClientKey          *Value `yaml:"client_key"`
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
}

// A Tool is one MCP tool: one endpoint of one API. Keys that stood at the head
// of its file are merged in already.
type Tool struct {
	Source
	head        *yaml.Node     // the keys at the head of its file
	Index       int            `yaml:"-"` // its position in the list of its file
	Name        string         `yaml:"name,required"`
	Title       string         `yaml:"title,prose"`
	Description string         `yaml:"description,prose"`
	Arguments   []*Argument    `yaml:"arguments"` // nil: open, whatever is sent is passed on; empty: none
	Tests       []*Test        `yaml:"tests"`
	API         string         `yaml:"api,head"`
	Tags        []string       `yaml:"tags,head"`
	Method      string         `yaml:"method,head"`
	Path        *Template      `yaml:"path,head,request"`
	OneOf       []string       `yaml:"one_of,head"`
	Query       *Tree          `yaml:"query,head"` // a mapping, or the template {*}
	Headers     Map[*Template] `yaml:"headers,head,request"`
	Cookies     Map[*Template] `yaml:"cookies,head,request"`
	Body        *Tree          `yaml:"body,head"`
	Encoding    string         `yaml:"encoding,head" oneof:"json form multipart text xml ndjson bytes"`
	ContentType *Template      `yaml:"content_type,head,request"`
	Response    *Response      `yaml:"response,head"`
	Envelope    *Envelope      `yaml:"envelope,head"`
	Errors      []*ErrorRow    `yaml:"errors,head"`
	ErrorText   *Template      `yaml:"error_text,head,text"`
	Timeout     time.Duration  `yaml:"timeout,head"`
	Retry       *Retry         `yaml:"retry,head"`
	Limits      *Limits        `yaml:"limits,head"`
	Scopes      []string       `yaml:"scopes,head"`
	Annotations *Annotations   `yaml:"annotations,head"`
	Deprecated  string         `yaml:"deprecated,head,prose"`
}

// Annotations override what the method says of a tool. nil: not given.
type Annotations struct {
	Source
	ReadOnly    *bool `yaml:"read_only"`
	Destructive *bool `yaml:"destructive"`
	Idempotent  *bool `yaml:"idempotent"`
	OpenWorld   *bool `yaml:"open_world"`
}

// An Argument is one named value that the model supplies (or, in Output, that a result holds).
type Argument struct {
	Source
	Name        string      `yaml:"name"` // empty in Items
	Type        string      `yaml:"type" oneof:"string integer number boolean array object file"`
	Description string      `yaml:"description,prose"`
	Required    bool        `yaml:"required"`
	Nullable    bool        `yaml:"nullable"`
	Default     *JSON       `yaml:"default,later"`  // read by Type
	DefaultVar  string      `yaml:"-"`              // default "{vars.NAME}": NAME
	Enum        []JSON      `yaml:"enum,later"`     // read by Type; nil: not given
	Examples    []JSON      `yaml:"examples,later"` // read by Type
	In          string      `yaml:"in" oneof:"path query header cookie body none"`
	As          string      `yaml:"as"`
	Style       string      `yaml:"style" oneof:"repeat comma space pipe brackets json"`
	Items       *Argument   `yaml:"items"`
	Properties  []*Argument `yaml:"properties"` // nil: free-form

	Format           string  `yaml:"format"`
	Pattern          string  `yaml:"pattern"`
	MinLength        *int    `yaml:"minLength"`
	MaxLength        *int    `yaml:"maxLength"`
	Minimum          *Number `yaml:"minimum"`
	Maximum          *Number `yaml:"maximum"`
	ExclusiveMinimum *Number `yaml:"exclusiveMinimum"`
	ExclusiveMaximum *Number `yaml:"exclusiveMaximum"`
	MultipleOf       *Number `yaml:"multipleOf"`
	MinItems         *int    `yaml:"minItems"`
	MaxItems         *int    `yaml:"maxItems"`
	UniqueItems      bool    `yaml:"uniqueItems"`

	FileSource string    `yaml:"source" oneof:"base64 text path"` // of a file; empty: base64
	Filename   *Template `yaml:"filename,request"`
	MediaType  *Template `yaml:"media_type,request"`
	MaxBytes   Size      `yaml:"max_bytes"`
}

// A Number is a JSON number literal with every digit as written.
type Number string

// A Response says what of an answer becomes the result, and how it reads as text.
type Response struct {
	Source
	Projection *Projection `yaml:"projection"`
	List       Paths       `yaml:"list"`
	Text       *Template   `yaml:"text,text"`
	Each       *Template   `yaml:"each,text"`
	Output     []*Argument `yaml:"output"` // nil: not given
	Check      string      `yaml:"check" oneof:"warn strict off"`
	Content    string      `yaml:"content" oneof:"auto json text file"`
	MaxItems   int         `yaml:"max_items"` // 0: not given
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
