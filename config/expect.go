package config

// A Test is a call beside its tool, with what must come of it (without network).
type Test struct {
	Source
	Name      string        `yaml:"name,required"`
	Arguments *JSON         `yaml:"arguments"`
	Request   *TestRequest  `yaml:"request"`
	Response  *TestResponse `yaml:"response"`
	Result    *TestResult   `yaml:"result"`
	Error     *JSON         `yaml:"error"`
}

// TestRequest is the request a test expects.
type TestRequest struct {
	Source
	Method  string      `yaml:"method"`
	Target  string      `yaml:"target"`
	Headers Map[string] `yaml:"headers"`
	JSON    *JSON       `yaml:"json"`
	Form    Map[string] `yaml:"form"`
	Text    *string     `yaml:"text"`
	None    bool        `yaml:"none"`
}

// TestResponse is the canned answer of a test.
type TestResponse struct {
	Source
	Status  int         `yaml:"status"`
	Headers Map[string] `yaml:"headers"`
	JSON    *JSON       `yaml:"json"`
	Text    *string     `yaml:"text"`
	Base64  *string     `yaml:"base64"`
}

// TestResult is what the model must be given.
type TestResult struct {
	Source
	Text       *string `yaml:"text"`
	Structured *JSON   `yaml:"structured"`
	Like       *JSON   `yaml:"like"`
}
