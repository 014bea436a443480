package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"

	"tbridge/config"
)

// maxID bounds a numeric id: beyond it, readers that compute with floating point confuse neighbours.
const maxID = 1 << 53

// A fault is a JSON-RPC error, as the answer to one request, or to a line that is none.
type fault struct {
	id      []byte // JSON; nil: not known
	code    int64
	message string
	data    json.RawMessage
}

func invalidRequest(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: fmt.Sprintf(format, args...)}
}

// faultOf gives the error of a response. The SDK leaves some without a code: those of requests that come
// before initialize, or a second time.
func faultOf(r *jsonrpc.Response) *fault {
	f := &fault{id: appendID(nil, r.ID), code: jsonrpc.CodeInvalidRequest, message: excerpt(r.Error.Error())}
	if e, ok := errors.AsType[*jsonrpc.Error](r.Error); ok && e.Code != 0 {
		f.code = e.Code
		if json.Valid(e.Data) {
			f.data = e.Data
		}
	}
	return f
}

// excerpt bounds a message of the SDK, which may quote a whole request.
func excerpt(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// append appends the message.
func (f *fault) append(b []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	if f.id == nil {
		b = append(b, "null"...)
	}
	b = append(append(b, f.id...), `,"error":{"code":`...)
	b = strconv.AppendInt(b, f.code, 10)
	b = config.AppendQuoted(append(b, `,"message":`...), f.message)
	if f.data != nil {
		b = append(append(b, `,"data":`...), f.data...)
	}
	return append(b, "}}"...)
}

// appendID appends an id as JSON.
func appendID(b []byte, id jsonrpc.ID) []byte {
	switch id := id.Raw().(type) {
	case string:
		return config.AppendQuoted(b, id)
	case int64:
		return strconv.AppendInt(b, id, 10)
	}
	return append(b, "null"...)
}

// parseID reads an id: a string, or an integer that every reader keeps exactly.
func parseID(v gjson.Result) (jsonrpc.ID, bool) {
	var value any
	switch v.Type {
	case gjson.String:
		value = v.Str
	case gjson.Number:
		n, err := strconv.ParseInt(v.Raw, 10, 64)
		if err != nil || n > maxID || n < -maxID {
			return jsonrpc.ID{}, false
		}
		value = float64(n)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil && id.IsValid()
}

// decode reads a request or notification (JSON-RPC 2.0, as MCP narrows it: no batches, no null ids). It
// gives neither for the answer to a request: the bridge makes none.
func decode(text []byte) (*jsonrpc.Request, *fault) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, &fault{code: jsonrpc.CodeParseError, message: "not JSON"}
	}
	if text[0] != '{' {
		return nil, invalidRequest("a message is one JSON object; batches are not supported")
	}
	m, bad := members(text)
	if bad != nil {
		return nil, bad
	}
	req := &jsonrpc.Request{}
	id, hasID := m["id"]
	if hasID {
		var ok bool
		if req.ID, ok = parseID(id); !ok {
			return nil, answering(id, invalidRequest("id must be a string, or an integer between -2^53 and 2^53"))
		}
	}
	method, isRequest := m["method"]
	_, isResult := m["result"]
	_, isError := m["error"]
	switch {
	case m["jsonrpc"].Type != gjson.String || m["jsonrpc"].Str != "2.0":
		return nil, answering(id, invalidRequest(`jsonrpc must be "2.0"`))
	case !isRequest && (isResult || isError):
		return nil, nil
	case method.Type != gjson.String:
		return nil, answering(id, invalidRequest("method must be a string"))
	}
	req.Method = method.Str
	if params, ok := m["params"]; ok {
		req.Params = json.RawMessage(params.Raw)
	}
	return req, nil
}

// members gives the members of a message.
func members(text []byte) (m map[string]gjson.Result, bad *fault) {
	m = make(map[string]gjson.Result, 4)
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		if _, twice := m[key.Str]; twice {
			bad = invalidRequest("%.100q stands twice in the message", key.Str)
			return false
		}
		m[key.Str] = value
		return true
	})
	return m, bad
}

// answering gives the fault the id it answers, where that can be one.
func answering(id gjson.Result, bad *fault) *fault {
	if id.Type == gjson.String || id.Type == gjson.Number {
		bad.id = []byte(id.Raw)
	}
	return bad
}
