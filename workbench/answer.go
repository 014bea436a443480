package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
)

// maxRequest bounds the body of a request: a text of 1 MiB with every character escaped, and what goes with it.
const maxRequest = 8 << 20

// A failure is an error as the API answers it.
type failure struct {
	status  int
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	with    map[string]any // beside the error
}

func (f *failure) Error() string { return f.Message }

func failf(status int, code, format string, args ...any) *failure {
	return &failure{status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// hinted adds what to do.
func (f *failure) hinted(hint string) *failure { f.Hint = hint; return f }

// beside adds a value to the answer, beside the error.
func (f *failure) beside(key string, value any) *failure {
	if f.with == nil {
		f.with = map[string]any{}
	}
	f.with[key] = value
	return f
}

func (f *failure) write(out http.ResponseWriter) {
	body := map[string]any{"error": f}
	maps.Copy(body, f.with)
	writeJSON(out, f.status, body)
}

// fail answers with an error. One that is no failure is a fault of ours or of the machine.
func fail(out http.ResponseWriter, err error) {
	var f *failure
	if !errors.As(err, &f) {
		f = failf(http.StatusInternalServerError, "internal", "%s", err)
	}
	f.write(out)
}

func writeJSON(out http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(`{"error":{"code":"internal","message":"the answer cannot be written as JSON"}}`)
	}
	out.Header().Set("Content-Type", "application/json; charset=utf-8")
	out.WriteHeader(status)
	_, _ = out.Write(b.Bytes()) // a page that is gone
}

// plain makes a handler of a function that needs only the request.
func plain[A any](f func(*http.Request) (A, error)) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		if err != nil {
			fail(out, err)
			return
		}
		writeJSON(out, http.StatusOK, answer)
	}
}

// read makes a handler of a function that is given the body.
func read[Q, A any](f func(context.Context, Q) (A, error)) http.HandlerFunc {
	return plain(func(r *http.Request) (a A, err error) {
		q, err := body[Q](r)
		if err != nil {
			return a, err
		}
		return f(r.Context(), q)
	})
}

// body reads the body of a request, one JSON object of known members.
func body[Q any](r *http.Request) (q Q, err error) {
	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequest))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return q, failf(http.StatusRequestEntityTooLarge, "too_large", "a request of more than %d MiB", maxRequest>>20)
	case err != nil:
		return q, failf(http.StatusBadRequest, "bad_request", "the request was cut off")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&q); err == nil && d.More() {
		err = errors.New("more follows the object")
	}
	if err != nil {
		return q, failf(http.StatusBadRequest, "bad_request", "the body cannot be read: %s", err)
	}
	return q, nil
}
