package config

// A Test is a call beside its tool, with what must come of it (without network).
type Test struct {
	Source
	// What the test shows.
	Name string `yaml:"name,required" example:"a free task is taken"`
	// The arguments of the call.
	Arguments *JSON `yaml:"arguments" example:"{task_id: TE-15}"`
	// The request that must be made.
	Request *TestRequest `yaml:"request" example:"{method: POST, target: /tasks/TE-15/take}"`
	// The answer it is given. Absent: nothing is sent.
	Response *TestResponse `yaml:"response" example:"{status: 200, json: {ok: true}}"`
	// What the model must be given.
	Result *TestResult `yaml:"result" example:"{text: ✅ Task TE-15 taken}"`
	// What the error must hold at least.
	Error *JSON `yaml:"error" example:"{kind: conflict}"`
}

// TestRequest is the request a test expects.
type TestRequest struct {
	Source
	// The method.
	Method string `yaml:"method" words:"GET HEAD POST PUT PATCH DELETE" example:"POST"`
	// The path and query below base_url.
	Target string `yaml:"target" example:"/tasks/TE-15/take"`
	// Headers it must have, among others.
	Headers Map[string] `yaml:"headers" example:"{X-Client: tbridge}"`
	// The JSON body, exactly.
	JSON *JSON `yaml:"json" example:"{agent_slug: coder}"`
	// The form body, exactly.
	Form Map[string] `yaml:"form" example:"{a: b}"`
	// The body as text, exactly.
	Text *string `yaml:"text" example:"hello"`
	// There is no body.
	None bool `yaml:"none" example:"true"`
}

// TestResponse is the canned answer of a test.
type TestResponse struct {
	Source
	// The HTTP status. Default: 200.
	Status int `yaml:"status" example:"409"`
	// Headers of the answer.
	Headers Map[string] `yaml:"headers" example:"{Retry-After: '3'}"`
	// The JSON body.
	JSON *JSON `yaml:"json" example:"{ok: true}"`
	// The body as text.
	Text *string `yaml:"text" example:"hello"`
	// The body in base64.
	Base64 *string `yaml:"base64" example:"aGVsbG8="`
}

// TestResult is what the model must be given.
type TestResult struct {
	Source
	// The text, exactly.
	Text *string `yaml:"text" example:"✅ Task TE-15 taken"`
	// The structured content, exactly.
	Structured *JSON `yaml:"structured" example:"{key: TE-15}"`
	// What the structured content holds at least.
	Like *JSON `yaml:"like" example:"{key: TE-15}"`
}
