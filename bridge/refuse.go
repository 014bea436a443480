package bridge

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const metadataPath = "/.well-known/oauth-protected-resource"

// readMessage reads the body of a request. status is that of the refusal.
func readMessage(w http.ResponseWriter, r *http.Request) (text []byte, status int, bad *fault) {
	body := http.MaxBytesReader(w, r.Body, maxRequestBody)
	var b bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= maxRequestBody {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(body)
	var tooLong *http.MaxBytesError
	var late net.Error
	switch {
	case errors.As(err, &tooLong):
		w.Header().Set("Connection", "close") // else net/http reads on before it answers
		return nil, http.StatusRequestEntityTooLarge, invalidRequest("a message of more than %d MiB", maxRequestBody>>20)
	case errors.As(err, &late) && late.Timeout():
		w.Header().Set("Connection", "close")
		return nil, http.StatusRequestTimeout, invalidRequest("the message did not come in time")
	case err != nil:
		return nil, http.StatusBadRequest, invalidRequest("the message broke off")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // that of the request must not end the wait for its answer
	text = bytes.TrimSpace(b.Bytes())
	if len(text) == 0 {
		return nil, http.StatusBadRequest, invalidRequest("the message is empty")
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return text, 0, nil
}

// maxID bounds a numeric id: the SDK reads the body again, and makes an integer of it by way of a float.
const maxID = 1 << 53

// readRequest reads the request or notification of a body; nil, if it is an answer.
func readRequest(text []byte) (*message, *fault) {
	v, bad := parse(text)
	if bad != nil {
		return nil, bad
	}
	if v.IsArray() {
		return nil, invalidRequest("a message is one JSON object; over HTTP, batches are not supported")
	}
	m, bad := decode(v)
	if m == nil {
		return nil, bad
	}
	if id := appendID(nil, m.ID); m.IsCall() && id[0] != '"' {
		if n, err := strconv.ParseInt(string(id), 10, 64); err != nil || n > maxID || n < -maxID {
			return nil, &fault{id: id, code: jsonrpc.CodeInvalidRequest, message: "over HTTP, an id must be a string, or an integer between -2^53 and 2^53"}
		}
	}
	return m, nil
}

// refuse answers with an error of JSON-RPC.
func (h *Handler) refuse(w http.ResponseWriter, status int, bad *fault) {
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(bad.append(nil, h.bridge.masks))
}

// A framedWriter makes errors of JSON-RPC of the SDK's refusals, which are plain text, and masks whatever the SDK writes.
type framedWriter struct {
	http.ResponseWriter
	handler *Handler
	req     *message // nil: there is none
	status  int      // of a refusal; 0: it is none
}

// WriteHeader implements http.ResponseWriter.
func (w *framedWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer. The SDK writes a message, or an event with one, at a time.
func (w *framedWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		if _, err := w.ResponseWriter.Write(w.handler.bridge.masks.json(p)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	bad := &fault{code: jsonrpc.CodeInvalidRequest, message: "%s", theirs: string(p)}
	if strings.HasPrefix(bad.theirs, "JSON RPC not handled") {
		bad = &fault{code: jsonrpc.CodeMethodNotFound, message: "method not found"}
	}
	if w.req != nil && w.req.IsCall() {
		bad.id = appendID(nil, w.req.ID)
	}
	w.handler.refuse(w.ResponseWriter, w.status, bad)
	return len(p), nil
}

// Unwrap is for http.ResponseController.
func (w *framedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// overloaded is the error of a request that another time, or another server, may answer.
func overloaded(req *message, message string) *fault {
	f := &fault{code: jsonrpc.CodeInternalError, message: message, data: []byte(`{"kind":"` + kindRateLimited + `","retryable":true,"retry_after_s":1}`)}
	if req != nil && req.IsCall() {
		f.id = appendID(nil, req.ID)
	}
	return f
}

// refuseCaller answers somebody who is not admitted. It is always the same: it tells nothing.
func refuseCaller(w http.ResponseWriter, status int) {
	word := map[int]string{http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden", http.StatusServiceUnavailable: "unavailable"}[status]
	writeJSON(w, status, map[string]string{"error": word})
}

// deny answers a caller who is not admitted, and says how one is (RFC 6750, section 3; RFC 9728, section 5.1).
func (a *access) deny(w http.ResponseWriter, r *http.Request, d *denial) {
	if d.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
		refuseCaller(w, d.status)
		return
	}
	var params []string
	if a.issuer != nil {
		params = append(params, `resource_metadata="`+baseOf(r)+metadataPath+`/mcp"`)
		if len(a.issuer.scopes) > 0 {
			params = append(params, `scope="`+strings.Join(a.issuer.scopes, " ")+`"`)
		}
	} else {
		params = append(params, `realm="tbridge"`)
	}
	if d.reason != "" {
		params = append(params, `error="`+d.reason+`"`)
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(params, ", "))
	refuseCaller(w, d.status)
}

// baseOf is the URL that a client reaches this server by. A proxy before it may have taken TLS off.
func baseOf(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// serveMetadata says where tokens for this server come from (RFC 9728).
func (h *Handler) serveMetadata(w http.ResponseWriter, r *http.Request) {
	a := h.bridge.current.Load().access
	if a.issuer == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	writeJSON(w, http.StatusOK, struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{baseOf(r) + "/mcp", []string{a.issuer.url}, a.issuer.scopes, []string{"header"}})
}

// serveHealth says that the process lives, and what of its configuration is not served.
func (h *Handler) serveHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, h.bridge.health())
}

// serveReady says whether new requests are welcome. A faulty file is no reason to send them elsewhere.
func (h *Handler) serveReady(w http.ResponseWriter, _ *http.Request) {
	if h.draining.Load() {
		writeJSON(w, http.StatusServiceUnavailable, Health{Status: "draining"})
		return
	}
	writeJSON(w, http.StatusOK, h.bridge.health())
}
