package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"

	"tbridge/config"
)

// The methods that the transport knows.
const (
	methodInitialize = "initialize"
	methodList       = "tools/list"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

// A fault is a JSON-RPC error, as the answer to one request, or to a line that is none.
type fault struct {
	id      []byte // JSON; nil: not known
	code    int64
	message string
	theirs  string // the client's text, or the SDK's, that %s in message stands for
	data    json.RawMessage
}

func invalidRequest(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: fmt.Sprintf(format, args...)}
}

// faultOf gives the error of a response. The SDK leaves those of requests before initialize without a code.
func faultOf(r *jsonrpc.Response) *fault {
	f := &fault{id: appendID(nil, r.ID), code: jsonrpc.CodeInvalidRequest, message: "%s", theirs: r.Error.Error()}
	if e, ok := errors.AsType[*jsonrpc.Error](r.Error); ok && e.Code != 0 {
		f.code = e.Code
		if json.Valid(e.Data) {
			f.data = e.Data
		}
	}
	if strings.HasPrefix(f.theirs, "handling '") {
		// The SDK begins so when it cannot decode params, and goes on with types of Go.
		f.code, f.message, f.theirs = jsonrpc.CodeInvalidParams, "params are not as the method wants them", ""
		if e, ok := errors.AsType[*json.UnmarshalTypeError](r.Error); ok && e.Field != "" {
			f.message += fmt.Sprintf(": %q is of the wrong type", e.Field)
		}
	}
	return f
}

// maxTheirs bounds what a fault quotes: the SDK may quote a whole request.
const maxTheirs = 300

// append appends the message. What it quotes is masked.
func (f *fault) append(b []byte, m *masks) []byte {
	message := f.message
	if strings.Contains(message, "%s") {
		message = fmt.Sprintf(message, m.excerpt(f.theirs, maxTheirs))
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	if f.id == nil {
		b = append(b, "null"...)
	}
	b = append(append(b, f.id...), `,"error":{"code":`...)
	b = strconv.AppendInt(b, f.code, 10)
	b = config.AppendQuoted(append(b, `,"message":`...), message)
	if f.data != nil {
		b = append(append(b, `,"data":`...), m.json(f.data)...)
	}
	return append(b, "}}"...)
}

// An id is known by its JSON text, which may be any string or number. The SDK is given the text as a string,
// so that each comes back as it was sent, whatever its digits.

// readID reads an id of the client.
func readID(v gjson.Result) (id jsonrpc.ID, ok bool) {
	if v.Type != gjson.String && v.Type != gjson.Number {
		return id, false
	}
	id, err := jsonrpc.MakeID(v.Raw)
	return id, err == nil
}

// appendID appends an id as the client wrote it.
func appendID(b []byte, id jsonrpc.ID) []byte {
	text, _ := id.Raw().(string)
	return append(b, text...)
}

// restoreID writes the id that the SDK has put at a path as the client wrote it.
func restoreID(text []byte, path string) []byte {
	id := gjson.GetBytes(text, path)
	if id.Type != gjson.String {
		return text
	}
	return slices.Concat(text[:id.Index], []byte(id.Str), text[id.Index+len(id.Raw):])
}

// cancellation gives the notification that ends a request of the SDK.
func cancellation(id jsonrpc.ID) *jsonrpc.Request {
	params := config.AppendQuoted([]byte(`{"requestId":`), string(appendID(nil, id)))
	return &jsonrpc.Request{Method: methodCancelled, Params: append(params, '}')}
}

// A message is a request or notification of the client.
type message struct {
	*jsonrpc.Request
	params map[string]gjson.Result // the members of its params
}

// parse reads a text that is JSON.
func parse(text []byte) (gjson.Result, *fault) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return gjson.Result{}, &fault{code: jsonrpc.CodeParseError, message: "not JSON"}
	}
	return gjson.ParseBytes(text), nil
}

// decode reads one message (JSON-RPC 2.0, as MCP narrows it: no null ids, params by name). It gives neither for
// the answer to a request: the bridge makes none.
func decode(v gjson.Result) (*message, *fault) {
	if !v.IsObject() {
		return nil, invalidRequest("a message is one JSON object")
	}
	all, bad := members(v, "the message")
	if bad != nil {
		return nil, bad
	}
	id, hasID := all["id"]
	method, isRequest := all["method"]
	_, isResult := all["result"]
	_, isError := all["error"]
	m := &message{Request: &jsonrpc.Request{Method: method.Str}}
	goodID := !hasID
	if hasID {
		m.ID, goodID = readID(id)
	}
	switch {
	case all["jsonrpc"].Type != gjson.String || all["jsonrpc"].Str != "2.0":
		return nil, answering(id, invalidRequest(`jsonrpc must be "2.0"`))
	case !isRequest && (isResult || isError):
		return nil, nil
	case !goodID:
		return nil, invalidRequest("id must be a string or a number")
	case method.Type != gjson.String:
		return nil, answering(id, invalidRequest("method must be a string"))
	}
	if bad := m.readParams(all["params"]); bad != nil && m.IsCall() {
		return nil, answering(id, bad)
	}
	return m, nil
}

// readParams reads the params of a message, as far as its method is one of ours. The SDK would take the last
// of two members with one name.
func (m *message) readParams(params gjson.Result) (bad *fault) {
	if params.Type != gjson.Null { // null, as some clients write for none
		m.Params = json.RawMessage(params.Raw)
	}
	switch {
	case params.IsObject():
		if m.params, bad = members(params, "params"); bad != nil {
			bad.code = jsonrpc.CodeInvalidParams
			return bad
		}
	case m.Params != nil:
		return wrongParams("params must be an object")
	case m.Method == methodCall || m.Method == methodInitialize:
		return wrongParams("params are missing")
	}
	if meta := m.params["_meta"]; meta.Type != gjson.Null && !meta.IsObject() {
		return wrongParams("_meta must be an object")
	}
	if m.Method == methodCall && m.params["name"].Type != gjson.String {
		return wrongParams("name must be a string, the name of a tool")
	}
	if cursor := m.params["cursor"]; m.Method == methodList && cursor.Type != gjson.Null && cursor.Type != gjson.String {
		return wrongParams("cursor must be a string, as the last answer gave it")
	}
	return nil
}

func wrongParams(rule string) *fault {
	return &fault{code: jsonrpc.CodeInvalidParams, message: rule}
}

// members gives the members of an object. name is what a fault calls it.
func members(object gjson.Result, name string) (m map[string]gjson.Result, bad *fault) {
	m = make(map[string]gjson.Result, 4)
	object.ForEach(func(key, value gjson.Result) bool {
		if _, twice := m[key.Str]; twice {
			bad = &fault{code: jsonrpc.CodeInvalidRequest, message: "%s stands twice in " + name, theirs: quoted(key.Str)}
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
