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
// # Edits
//
// [Edit] changes the text of a file and leaves alone what a [Change] does not name.
//
// The package knows nothing of HTTP or MCP.
package config

import (
	"crypto/sha256"
	"time"
)

// A Catalog is everything one bridge directory declares, in file order. It is
// read-only once loaded.
type Catalog struct {
	Source
	File string `yaml:"-"` // path of tbridge.yaml, as given to Load
	// The version of this language: 1.
	Version int `yaml:"version,required" words:"1" example:"1"`
	// The directory of the tools files, relative to this file. Default: tools.d.
	ToolsDir string `yaml:"tools" example:"tools.d"`
	// How the bridge shows itself to its clients.
	Server Server `yaml:"server" example:"{name: team-board, instructions: Start by reading the task.}"`
	// Variables that tools name as {vars.NAME}; their values may come from the environment.
	Vars Map[*Value] `yaml:"vars" keys:"^[A-Za-z_][A-Za-z0-9_-]*$" example:"{agent: '${AGENT_SLUG:-coder}'}"`
	// Where file arguments may read.
	Files Files `yaml:"files" example:"{roots: [/srv/share]}"`
	// The APIs that tools may call, by name.
	APIs Map[*API] `yaml:"apis" example:"{tracker: {base_url: 'https://tracker.example/api/v1'}}"`

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
	// The name that clients show. Default: tbridge.
	Name string `yaml:"name" example:"team-board"`
	// A longer name, for people.
	Title string `yaml:"title,prose" example:"Team board"`
	// The version that clients are told. Default: that of tbridge.
	Version string `yaml:"version" example:"1.4.0"`
	// What a model should know before it uses any tool.
	Instructions string `yaml:"instructions" example:"Start by reading the task. Split large tasks into steps."`
	// Repair arguments where nothing is lost: "12" becomes 12, "true" true. Default: false.
	Coerce bool `yaml:"coerce" example:"true"`
	// How a server for a team admits its callers.
	HTTP *ServerHTTP `yaml:"http" example:"{hosts: [bridge.example]}"`
}

// ServerHTTP is how a team's server admits its callers.
type ServerHTTP struct {
	Source
	// How callers prove who they are. Without it only loopback is served.
	Auth *ServerAuth `yaml:"auth" example:"{tokens: [{name: ci, token: '${CI_TOKEN}'}]}"`
	// Names this server is called by, beside loopback.
	Hosts []string `yaml:"hosts" example:"[bridge.example]"`
	// Origins of web pages that may call it.
	Origins []string `yaml:"origins" example:"['https://app.example']"`
	// What all callers together may hold.
	Limits *ServerLimits `yaml:"limits" example:"{calls: 256, sessions: 2000, idle: 10m}"`
}

// ServerAuth is one way to know a caller: static tokens or an OpenID issuer.
type ServerAuth struct {
	Source
	// Static tokens, one for each caller.
	Tokens []*ServerToken `yaml:"tokens" example:"[{name: ci, token: '${CI_TOKEN}', scopes: [read]}]"`
	// The OpenID issuer whose access tokens are accepted.
	OIDC *ServerOIDC `yaml:"oidc" example:"{issuer: https://id.example, audience: tbridge}"`
}

// ServerToken is one static token of a caller.
type ServerToken struct {
	Source
	// The name of the caller, for the log.
	Name string `yaml:"name,required" example:"ci"`
	// The token, from a variable or a file.
	Token *Value `yaml:"token,required" example:"'${CI_TOKEN}'"`
	// What the caller may do; tools ask for these under scopes.
	Scopes []string `yaml:"scopes" example:"[read]"`
}

// ServerOIDC names the issuer whose access tokens are accepted.
type ServerOIDC struct {
	Source
	// The URL of the issuer, as its tokens say it.
	Issuer string `yaml:"issuer,required" example:"https://id.example"`
	// The audience that a token must be for.
	Audience string `yaml:"audience,required" example:"tbridge"`
	// Scopes that every token must hold.
	Scopes []string `yaml:"scopes" example:"[tools]"`
}

// ServerLimits bound what all callers together may hold.
type ServerLimits struct {
	Source
	// Calls under way at once. Default: 256.
	Calls int `yaml:"calls" example:"256"`
	// Sessions at once.
	Sessions int `yaml:"sessions" example:"2000"`
	// When an unused session ends. Default: 10m.
	Idle time.Duration `yaml:"idle" example:"10m"`
}

// Files says where file arguments may read.
type Files struct {
	Source
	// Folders below which a file argument with source: path may read. One that does not exist permits nothing.
	Roots []*Value `yaml:"roots" example:"[/srv/share]"`
}

// An API is one upstream: where it is, who we are there, how it answers.
type API struct {
	Source
	Name string `yaml:"-"`
	// The absolute URL that the paths of tools are joined to. It may have a path and a query; the host is fixed here.
	BaseURL *Value `yaml:"base_url,required" example:"'${TRACKER_URL:-http://127.0.0.1:8090/api/v1}'"`
	// The credential: one of bearer, basic, api_key and oauth2.
	Auth *Auth `yaml:"auth" example:"{bearer: '${TRACKER_TOKEN}'}"`
	// Headers sent with each request, unless the tool sets them.
	Headers Map[*Value] `yaml:"headers" example:"{X-Client: tbridge}"`
	// Query pairs sent with each request, unless the tool sets them.
	Query Map[*Value] `yaml:"query" example:"{api-version: v2}"`
	// Where an answer says yes or no, and where its parts are.
	Envelope *Envelope `yaml:"envelope" example:"{ok: ok, data: data, error: {code: error.code, message: error.message}}"`
	// What statuses and codes mean. The first row that matches wins.
	Errors []*ErrorRow `yaml:"errors" example:"[{status: 401, kind: token, hint: Ask the operator for a new token.}]"`
	// The text of a failed call, over the error object.
	ErrorText *Template `yaml:"error_text,text" example:"'❌ {message}'"`
	// For one call: connecting, headers and body together. Default: 30s.
	Timeout time.Duration `yaml:"timeout" example:"30s"` // 0: not given
	// When a request is tried again. Off unless given.
	Retry *Retry `yaml:"retry" example:"{attempts: 3, statuses: [429, 502, 503, 504]}"`
	// How much is read and given to the model, and how often the API is called.
	Limits *Limits `yaml:"limits" example:"{response: 16MiB, result: 256KiB, concurrency: 64, rate: 20/s}"`
	// Fail at once after so many failures in a row. Off unless given.
	Breaker *Breaker `yaml:"breaker" example:"{failures: 5, open: 10s}"`
	// Which redirects are followed: same_origin (default) or none.
	Redirects string `yaml:"redirects" oneof:"same_origin none" example:"none"`
	// How certificates are verified and shown.
	TLS *TLS `yaml:"tls" example:"{ca_file: ca.pem}"`
	// Headers of a caller over HTTP that are passed on: theirs → the API's.
	Forward Map[string] `yaml:"forward" example:"{X-Tracker-Token: Authorization}"`
}

// Auth is the credential shown to an API. Exactly one of its fields is set.
type Auth struct {
	Source `exactly:"1"`
	// A token for the Authorization header (RFC 6750). In a list the first that is present wins.
	Bearer *Value `yaml:"bearer" example:"'${TRACKER_TOKEN}'"`
	// A user name and a password (RFC 7617).
	Basic *Basic `yaml:"basic" example:"{username: tbridge, password: '${PASSWORD}'}"`
	// A key in a header, the query, a cookie, or the path of base_url.
	APIKey *APIKey `yaml:"api_key" example:"{in: header, name: X-API-Key, value: '${API_KEY}'}"`
	// Client credentials (RFC 6749, section 4.4): the token is fetched, kept and renewed.
	OAuth2 *OAuth2 `yaml:"oauth2" example:"{token_url: 'https://id.example/token', client_id: '${CLIENT_ID}', client_secret: '${CLIENT_SECRET}'}"`
}

// Basic is a name and a password (RFC 7617).
type Basic struct {
	Source
	// The user name.
	Username *Value `yaml:"username,required" example:"tbridge"`
	// The password, from a variable or a file.
	Password *Value `yaml:"password,required" example:"'${PASSWORD}'"`
}

// APIKey is a key in a header, the query, a cookie or, for {Name} in BaseURL, the path.
type APIKey struct {
	Source
	// Where the key goes; path: for {NAME} in base_url.
	In string `yaml:"in,required" oneof:"header query cookie path" example:"header"`
	// The name of the header, query pair or cookie, or of the hole in base_url.
	Name string `yaml:"name,required" example:"X-API-Key"`
	// The key, from a variable or a file.
	Value *Value `yaml:"value,required" example:"'${API_KEY}'"`
}

// OAuth2 is the client credentials grant (RFC 6749, section 4.4).
type OAuth2 struct {
	Source
	// The absolute URL where tokens are had.
	TokenURL *Value `yaml:"token_url,required" example:"https://id.example/token"`
	// The name of this client.
	ClientID *Value `yaml:"client_id,required" example:"'${CLIENT_ID}'"`
	// The secret of this client, from a variable or a file.
	ClientSecret *Value `yaml:"client_secret,required" example:"'${CLIENT_SECRET}'"`
	// The scopes to ask for.
	Scopes []string `yaml:"scopes" example:"[tasks.read]"`
}

// An Envelope says where a response tells yes from no, and where its parts are.
type Envelope struct {
	Source
	// The path whose value must be true, or {path, equals} or {absent}.
	OK *Verdict `yaml:"ok" example:"{path: status, equals: success}"`
	// The path of what is projected. Default: the whole body.
	Data Paths `yaml:"data" example:"data"`
	// Where the parts of an error are.
	Error EnvelopeError `yaml:"error" example:"{code: error.code, message: error.message}"`
	// The path of the id that support asks for.
	RequestID Paths `yaml:"request_id" example:"meta.request_id"`
}

// A Verdict is a path whose value decides: true by default, one of Equals when
// that is given, or, with Absent set instead of Path, absent or null.
type Verdict struct {
	Source
	// The path whose value decides.
	Path Paths `yaml:"path" example:"status"`
	// The value, or values, that mean yes, compared as text.
	Equals []string `yaml:"equals,single" example:"[success, ok]"` // texts of scalars as typed; nil: the value must be true
	// The path that is absent or null in a yes.
	Absent Paths `yaml:"absent" example:"error"`
}

// EnvelopeError holds the paths of an error's parts.
type EnvelopeError struct {
	Source
	// The path of the error's code.
	Code Paths `yaml:"code" example:"error.code"`
	// The path of the error's message.
	Message Paths `yaml:"message" example:"error.message"`
	// The path of further details.
	Details Paths `yaml:"details" example:"error.details"`
	// The path of the seconds to wait.
	RetryAfter Paths `yaml:"retry_after" example:"error.retry_after"`
}

// An ErrorRow says what kind of failure a status or code is. All given keys must match.
type ErrorRow struct {
	Source
	// The HTTP status, or statuses, that the row is for.
	Status []int `yaml:"status,single" example:"[403, 404]"`
	// The code, or codes, that the row is for.
	Code []string `yaml:"code,single" example:"insufficient_scope"`
	// What kind of failure it is, for the model.
	Kind string `yaml:"kind" example:"scope"`
	// What the model should do about it.
	Hint string `yaml:"hint,prose" example:"Ask the operator for a token with another scope."`
	// Whether trying again later can help.
	Retryable *bool `yaml:"retryable" example:"true"`
	// Such an answer is no failure.
	OK bool `yaml:"ok" example:"true"`
}

// Retry is when a request is tried again. Attempts counts all tries.
type Retry struct {
	Source
	// How often the request is made at most, the first try counted: 1 to 10.
	Attempts int `yaml:"attempts,required" example:"3"`
	// The statuses that are tried again.
	Statuses []int `yaml:"statuses" example:"[429, 502, 503, 504]"`
}

// Limits bound what is read, what is given to the model and how often an API is called. 0: not given.
type Limits struct {
	Source
	// How much of an answer is read. Default: 16MiB.
	Response Size `yaml:"response" example:"16MiB"`
	// How much is given to the model. Default: 256KiB.
	Result Size `yaml:"result" example:"256KiB"`
	// Calls of the API under way at once. Default: 64.
	Concurrency int `yaml:"concurrency" example:"64"`
	// Calls in any second, minute or hour.
	Rate Rate `yaml:"rate" example:"20/s"`
}

// Size is a number of bytes, written 512, 256KiB, 16MiB or 1MB.
type Size int64

// Rate is so many calls in any span of Per, written 20/s, 100/m or 1000/h; 0.5/s is one in two seconds. Calls is 0
// where none is given.
type Rate struct {
	Calls int
	Per   time.Duration
}

// Breaker makes calls fail at once after so many failures in a row, until a probe succeeds.
type Breaker struct {
	Source
	// How many failures in a row open it. Default: 5.
	Failures int `yaml:"failures" example:"5"`
	// How long calls fail at once before one is tried. Default: 10s.
	Open time.Duration `yaml:"open" example:"10s"`
}

// TLS is how the API's certificate is verified and ours is shown.
type TLS struct {
	Source
	// A file of certificates in PEM that the API's is signed by.
	CAFile *Value `yaml:"ca_file" example:"ca.pem"`
	// A file with our certificate in PEM.
	ClientCert *Value `yaml:"client_cert" example:"client.pem"`
	// A file with the key of our certificate in PEM.
	ClientKey *Value `yaml:"client_key" example:"client.key"`
	// Trust any certificate. Anybody on the way can then read and change what is sent.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify" example:"false"`
}
