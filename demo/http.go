package demo

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxBody is the most that a request may carry, in bytes.
const maxBody = 4 << 20

// Handler is a tracker of its own behind BasePath, with the data that every tracker starts with. Requests
// need the bearer token.
func Handler(token string) http.Handler {
	t := newTracker()
	mux := http.NewServeMux()
	for _, route := range t.routes() {
		method, path, _ := strings.Cut(route.pattern, " ")
		mux.HandleFunc(method+" "+BasePath+path, func(w http.ResponseWriter, r *http.Request) {
			t.serve(w, r, route)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := []byte(r.Header.Get("Authorization"))
		if subtle.ConstantTimeCompare(given, []byte("Bearer "+token)) != 1 {
			t.refuse(w, faultf(http.StatusUnauthorized, "invalid_token", "токен не подходит"))
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			t.refuse(w, faultf(http.StatusNotFound, "no_endpoint", "нет такого метода: %s %s", r.Method, r.URL.EscapedPath()))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// A route is one endpoint: what it is called by, the status of its success, the query parameters that it
// knows, and what it does. do runs while the tracker is locked.
type route struct {
	pattern string
	status  int
	query   []string
	do      func(c *call) (any, error)
}

// A call is one request, read.
type call struct {
	*http.Request
	query url.Values
	body  []byte
	me    *Member // who calls
}

// A fault is an answer that says no.
type fault struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
	Details any    `json:"details,omitempty"`
}

func (f *fault) Error() string { return f.Message }

func faultf(status int, code, format string, args ...any) *fault {
	return &fault{status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// An answer is the envelope.
type answer struct {
	OK    bool   `json:"ok"`
	Data  any    `json:"data,omitempty"`
	Error *fault `json:"error,omitempty"`
	Meta  struct {
		RequestID string `json:"request_id"`
	} `json:"meta"`
}

func (t *tracker) serve(w http.ResponseWriter, r *http.Request, do route) {
	c, err := readCall(r, do)
	if err != nil {
		t.refuse(w, err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	data, err := t.answer(c, do)
	if err != nil {
		t.write(w, err.status, answer{Error: err})
		return
	}
	if file, ok := data.(download); ok {
		file.write(w)
		return
	}
	t.write(w, do.status, answer{OK: true, Data: data})
}

// readCall reads what a request says, before the tracker is locked.
func readCall(r *http.Request, do route) (*call, *fault) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, faultf(http.StatusBadRequest, "bad_body", "тело запроса не читается")
	case len(body) > maxBody:
		return nil, faultf(http.StatusRequestEntityTooLarge, "too_large", "тело запроса больше %d байт", maxBody)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, faultf(http.StatusBadRequest, "bad_query", "параметры запроса не читаются")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(do.query, name) {
			return nil, faultf(http.StatusBadRequest, "unknown_parameter", "нет такого параметра: %s", name)
		}
		if len(query[name]) > 1 && name != "labels" {
			return nil, faultf(http.StatusBadRequest, "repeated_parameter", "параметр задан дважды: %s", name)
		}
	}
	return &call{Request: r, query: query, body: body}, nil
}

// answer does what a request asks for. The tracker is locked.
func (t *tracker) answer(c *call, do route) (any, *fault) {
	slug := c.Header.Get("X-Agent-Slug")
	if slug == "" {
		slug = owner
	}
	me, err := t.member(slug)
	if err != nil {
		return nil, faultf(http.StatusForbidden, "unknown_agent", "нет такого агента: %s", slug)
	}
	c.me = me
	data, err := do.do(c)
	if err != nil {
		return nil, err.(*fault)
	}
	return data, nil
}

// refuse answers a request that never got as far as an endpoint.
func (t *tracker) refuse(w http.ResponseWriter, f *fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(w, f.status, answer{Error: f})
}

func (t *tracker) write(w http.ResponseWriter, status int, a answer) {
	t.requests++
	a.Meta.RequestID = "req-" + strconv.Itoa(t.requests)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(a) // the types are ours; what remains is a client that went away
}

// fields are what a body may say: each name, and a pointer to where its value goes.
type fields map[string]any

// decode reads a JSON body into fields. Names are compared exactly; null is no value of any field.
func (c *call) decode(into fields) error {
	if kind, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); kind != "application/json" {
		return faultf(http.StatusUnsupportedMediaType, "not_json", "тело должно быть application/json")
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(c.body, &sent); err != nil || sent == nil {
		return faultf(http.StatusBadRequest, "bad_json", "тело должно быть объектом JSON")
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		to, known := into[name]
		if !known {
			return faultf(http.StatusBadRequest, "unknown_field", "нет такого поля: %s", name)
		}
		if string(sent[name]) == "null" || json.Unmarshal(sent[name], to) != nil {
			f := faultf(http.StatusUnprocessableEntity, "invalid_type", "поле %s другого типа", name)
			f.Details = map[string]string{"field": name, "given": string(bytes.TrimSpace(sent[name]))}
			return f
		}
	}
	return nil
}

// text reads a JSON body of one field, a text that may not be empty.
func (c *call) text(field string) (value string, err error) {
	if err := c.decode(fields{field: &value}); err != nil {
		return "", err
	}
	return value, need(field, value)
}

// need says whether the text of a field is there.
func need(field, value string) error {
	if value != "" {
		return nil
	}
	f := faultf(http.StatusUnprocessableEntity, "missing_field", "нужно поле %s", field)
	f.Details = map[string]string{"field": field}
	return f
}

// oneOf says whether a value, when there is one, is among those allowed.
func oneOf(name, value string, allowed []string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	f := faultf(http.StatusUnprocessableEntity, "invalid_value", "%s не может быть %q; допустимо: %s", name, value, strings.Join(allowed, ", "))
	f.Details = map[string]any{"field": name, "allowed": allowed}
	return f
}
