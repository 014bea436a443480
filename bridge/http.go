package bridge

import (
	"context"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

const (
	// MaxRequestHeader bounds the header of a request, in bytes.
	MaxRequestHeader = 64 << 10

	maxRequestBody = maxLine
	writeTimeout   = 30 * time.Second // for one write to a client that does not read

	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// HTTPOptions are how a bridge is served over HTTP.
type HTTPOptions struct {
	Loopback bool // no other machine can reach it. Otherwise server.http.auth must be there
	Metrics  bool // /metrics is served beside /mcp, to everybody
}

// A Handler serves a bridge over HTTP: MCP at /mcp, in both eras of its streamable transport, and beside it
// /healthz, /readyz and the metadata of RFC 9728. It is made by Bridge.Handler.
type Handler struct {
	bridge   *Bridge
	mux      *http.ServeMux
	sessions sessions

	bySession  http.Handler // revisions with sessions
	perRequest http.Handler // those without

	direct  bool // calls are answered here where the SDK need not
	eras    eras
	calls   atomic.Int64 // requests in hand
	streams atomic.Int64 // open ones, which end when the client or the server does

	draining  atomic.Bool
	streaming context.Context // of all streams
	endStream context.CancelFunc
}

// Handler gives the handler of a bridge that was made with Options.HTTP. There is one for the life of the bridge.
func (b *Bridge) Handler() *Handler {
	h := &Handler{bridge: b, direct: true, mux: http.NewServeMux(), sessions: sessions{byID: map[string]*session{}}}
	h.streaming, h.endStream = context.WithCancel(context.Background())
	server := func(*http.Request) *mcp.Server { return b.Server() }
	handler := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.DisableLocalhostProtection = true // guard does it, on every address
		o.MaxRequestBodyBytes = -1          // the body has been read
		return mcp.NewStreamableHTTPHandler(server, &o)
	}
	h.bySession = handler(mcp.StreamableHTTPOptions{})
	h.perRequest = handler(mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	h.mux.HandleFunc("/mcp", h.serveMCP)
	h.mux.HandleFunc("GET /healthz", h.serveHealth)
	h.mux.HandleFunc("GET /readyz", h.serveReady)
	h.mux.HandleFunc("GET "+metadataPath, h.serveMetadata)
	h.mux.HandleFunc("GET "+metadataPath+"/mcp", h.serveMetadata)
	if b.options.HTTP.Metrics {
		h.mux.Handle("GET /metrics", b.Metrics())
	}
	b.metrics.gauge("tbridge_in_flight", "Requests in hand, streams not counted.", func() float64 { return float64(h.calls.Load()) })
	b.metrics.gauge("tbridge_streams", "Streams that are open.", func() float64 { return float64(h.streams.Load()) })
	b.metrics.gauge("tbridge_sessions", "Sessions that are open.", func() float64 { return float64(h.sessions.count()) })
	return h
}

// Connections is how many connections at once are enough for all that the limits allow.
func (h *Handler) Connections() int {
	const rest = 1024 // probes, refusals, clients that have not sent their request yet
	a := h.bridge.current.Load().access
	return a.sessions + a.calls + rest
}

// Drain makes the handler refuse what is new and end its streams. Requests in hand go on.
func (h *Handler) Drain() {
	h.draining.Store(true)
	h.endStream()
}

// Close ends all sessions. It is for when no request is in hand any more.
func (h *Handler) Close() { h.sessions.endAll() }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			h.bridge.logPanic(p)
			w.WriteHeader(http.StatusInternalServerError)
		}
	}()
	w = &timedWriter{w, http.NewResponseController(w)}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if a := h.bridge.current.Load().access; !a.knowsHost(r) || !a.knowsOrigin(r) {
		refuseCaller(w, http.StatusForbidden)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// A timedWriter gives each write to the client a time of its own.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements io.Writer.
func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a test's recorder has none
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveMCP serves /mcp.
func (h *Handler) serveMCP(w http.ResponseWriter, r *http.Request) {
	a := h.bridge.current.Load().access
	share(w, r)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	c, denied := a.identify(r)
	if denied != nil {
		a.deny(w, r, denied)
		return
	}
	if h.draining.Load() {
		w.Header().Set("Connection", "close")
		h.refuse(w, http.StatusServiceUnavailable, overloaded(nil, "the server is going down; another one may be up"))
		return
	}
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodPost {
		h.post(w, r, c, a)
		return
	}
	w = &framedWriter{ResponseWriter: w, handler: h}
	if isPerRequest(r, nil) {
		h.perRequest.ServeHTTP(w, r)
		return
	}
	h.inSession(w, r, &inbound{caller: c}, a)
}

// post serves one message of a client.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, c *caller, a *access) {
	if !isJSON(r.Header.Get("Content-Type")) {
		h.refuse(w, http.StatusUnsupportedMediaType, invalidRequest("Content-Type must be application/json"))
		return
	}
	text, status, bad := readMessage(w, r)
	if bad != nil {
		h.refuse(w, status, bad)
		return
	}
	req, bad := readRequest(text)
	if bad != nil {
		status = http.StatusBadRequest
		if bad.code == jsonrpc.CodeInvalidParams && !isPerRequest(r, nil) {
			status = http.StatusOK // before 2026-07-28, an answer like any other
		}
		h.refuse(w, status, bad)
		return
	}
	if len(r.Header["Accept"]) == 0 {
		r.Header.Set("Accept", "*/*")
	}
	if req == nil || req.Method != "subscriptions/listen" {
		if h.calls.Add(1) > int64(a.calls) {
			h.calls.Add(-1)
			h.refuse(w, http.StatusServiceUnavailable, overloaded(req, "the server has all the calls in hand that it can take"))
			return
		}
		defer h.calls.Add(-1)
	}
	w = &framedWriter{ResponseWriter: w, handler: h, req: req}
	in := &inbound{ctx: r.Context(), caller: c, header: r.Header, trace: traceOfHeader(r.Header)}
	if h.answer(w, r, req, in) {
		return
	}
	defer h.bridge.mailroom.deposit(r, in)()
	switch {
	case !isPerRequest(r, req):
		h.inSession(w, r, in, a)
	case req != nil && req.Method == "subscriptions/listen":
		h.stream(w, r, a, h.perRequest)
	default:
		h.perRequest.ServeHTTP(w, r)
	}
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// isPerRequest says whether a request is of the era without sessions: by its header or, where it is missing, which
// the SDK will say, by its _meta.
func isPerRequest(r *http.Request, m *message) bool {
	if version := r.Header.Get(versionHeader); version != "" || m == nil {
		return version >= stateless
	}
	version := ""
	m.params["_meta"].ForEach(func(key, value gjson.Result) bool {
		if key.Str == mcp.MetaKeyProtocolVersion {
			version = value.Str
		}
		return true
	})
	return version >= stateless
}

// inSession serves a request of the era of sessions: in its session or, without one, perhaps opening one.
func (h *Handler) inSession(w http.ResponseWriter, r *http.Request, in *inbound, a *access) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		h.open(w, r, in, a)
		return
	}
	s, done := h.sessions.use(id, in.caller.key)
	if s == nil {
		h.refuse(w, http.StatusNotFound,
			&fault{code: jsonrpc.CodeInvalidRequest, message: "there is no session %s; begin a new one with initialize", theirs: quoted(id)})
		return
	}
	defer done()
	switch r.Method {
	case http.MethodGet:
		h.stream(w, r, a, h.bySession)
	case http.MethodDelete:
		s.end()
		w.WriteHeader(http.StatusNoContent)
	default:
		h.bySession.ServeHTTP(w, r)
	}
}

// open serves a request that may open a session.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, in *inbound, a *access) {
	if !h.sessions.reserve(a.sessions) {
		h.refuse(w, http.StatusServiceUnavailable, overloaded(nil, "the server has all the sessions that it can take"))
		return
	}
	defer h.sessions.release()
	in.opened = func(s *mcp.ServerSession) { h.sessions.add(s, in.caller.key, a.idle) }
	h.bySession.ServeHTTP(w, r)
}

// stream serves what ends only when the client goes or the server does.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, a *access, next http.Handler) {
	defer h.streams.Add(-1)
	if h.streams.Add(1) > int64(a.sessions) {
		h.refuse(w, http.StatusServiceUnavailable, overloaded(nil, "the server has all the streams that it can take"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.streaming, cancel)()
	next.ServeHTTP(w, r.WithContext(ctx))
}

// share lets a page of an origin that is known read the answer (Fetch, section 3.2.3).
func share(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", origin)
	head.Set("Vary", "Origin")
	head.Set("Access-Control-Expose-Headers", sessionHeader+", WWW-Authenticate")
	if r.Method == http.MethodOptions {
		head.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		head.Set("Access-Control-Allow-Headers", strings.Join(r.Header["Access-Control-Request-Headers"], ", "))
		head.Set("Access-Control-Max-Age", "600")
	}
}
