package bridge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// handle serves a bridge's handler.
func (n *lan) handle(t testing.TB, b *Bridge) (*Handler, *httptest.Server) {
	t.Helper()
	h := b.Handler()
	s := n.serve(t, h)
	t.Cleanup(func() {
		h.Drain()
		s.Close()
		h.Close()
	})
	return h, s
}

// A web is a client over HTTP. With a session it speaks the revision of it.
type web struct {
	t        testing.TB
	http     *http.Client
	url      string
	header   http.Header
	revision string

	mu      sync.Mutex
	session string
}

// A page is an answer over HTTP: its messages, and all of the rest.
type page struct {
	status   int
	header   http.Header
	body     string
	messages []string
}

// request makes a POST of one message with the headers that its revision asks for.
func (c *web) request(message string) *http.Request {
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/mcp", strings.NewReader(message))
	if err != nil {
		c.t.Error(err)
	}
	req.Header = c.header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		req.Header.Set(sessionHeader, c.session)
		req.Header.Set(versionHeader, c.revision)
	}
	if version := gjson.Get(message, `params._meta.io\.modelcontextprotocol/protocolVersion`); version.Exists() {
		req.Header.Set(versionHeader, version.Str)
		req.Header.Set("Mcp-Method", gjson.Get(message, "method").Str)
		if name := gjson.Get(message, "params.name"); name.Exists() {
			req.Header.Set("Mcp-Name", name.String())
		}
	}
	return req
}

// post sends one message.
func (c *web) post(message string) page { return c.do(c.request(message)) }

func (c *web) do(req *http.Request) page {
	resp, err := c.http.Do(req)
	if err != nil {
		return page{body: err.Error()}
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	p := page{status: resp.StatusCode, header: resp.Header, body: string(body)}
	if id := resp.Header.Get(sessionHeader); id != "" {
		c.mu.Lock()
		c.session = id
		c.mu.Unlock()
	}
	switch media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); {
	case media == "text/event-stream":
		for line := range strings.Lines(p.body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				p.messages = append(p.messages, strings.TrimSpace(data))
			}
		}
	case p.body != "":
		p.messages = append(p.messages, strings.TrimSpace(p.body))
	}
	return p
}

// greet opens a session.
func (c *web) greet(revision string) *web {
	c.t.Helper()
	c.revision = revision
	if p := c.post(initialize(revision)); p.status != 200 || c.session == "" {
		c.t.Fatalf("initialize: %d %s", p.status, p.body)
	}
	if p := c.post(initialized); p.status != http.StatusAccepted {
		c.t.Fatalf("initialized: %d %s", p.status, p.body)
	}
	return c
}

// dialHTTP makes a wire whose lines go over HTTP, so that what holds over pipes is held against HTTP too.
func dialHTTP(t *testing.T, b *Bridge) *wire { return dialHTTPVia(t, b, true) }

func dialHTTPVia(t *testing.T, b *Bridge, direct bool) *wire {
	t.Helper()
	h, s := system.handle(t, b)
	h.direct = direct
	c := &web{t: t, http: http.DefaultClient, url: s.URL}
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, in: in, lines: make(chan string, 4096), done: make(chan error, 1), cancel: func() {}}
	go func() {
		var running sync.WaitGroup
		r := bufio.NewReader(stdin)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			tell := func() {
				for _, m := range c.post(line).messages {
					w.lines <- m
				}
			}
			if gjson.Get(line, "method").Str == "initialize" {
				c.revision = gjson.Get(line, "params.protocolVersion").Str
				tell()
			} else if !gjson.Get(line, "id").Exists() {
				tell()
			} else {
				running.Go(tell)
			}
		}
		running.Wait()
		close(w.lines)
		w.done <- nil
	}()
	t.Cleanup(func() {
		in.Close()
		stdin.Close()
	})
	return w
}

// A log is what a bridge has logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// want reports an answer that is another.
func (p page) want(t testing.TB, status int, words ...string) {
	t.Helper()
	all := fmt.Sprint(p.header) + p.body
	for _, word := range words {
		if !strings.Contains(all, word) {
			t.Errorf("no %q in %v %s", word, p.header, p.body)
		}
	}
	if p.status != status {
		t.Errorf("status %d instead of %d: %s", p.status, status, p.body)
	}
}
