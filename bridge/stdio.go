package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine    = 4 << 20          // bytes of one message
	drainTime  = 10 * time.Second // for the calls in flight when no more requests will come
	hangupTime = time.Second      // for a client that does not read what it asked for
)

// ServeStdio serves one client: JSON-RPC 2.0 messages, one a line, read from in and written to out. It returns
// when in has ended or ctx is done, and every request accepted until then is answered: by its result if that
// comes within ten seconds, else by the error "cancelled". The error says that in or out failed.
//
// A line that is no JSON, or no message, is answered by an error and the next one is read; one of more
// than 4 MiB ends the session. A request that its client has cancelled is not answered.
func (b *Bridge) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return b.serveStdio(ctx, in, out, newShortcut(b))
}

func (b *Bridge) serveStdio(ctx context.Context, in io.Reader, out io.Writer, c *shortcut) error {
	s := newStdio(ctx.Done(), out, c)
	go s.readLines(in)
	session, err := b.Server().Connect(context.WithoutCancel(ctx), s, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = session.Wait() // what went wrong, the transport knows better
		if c != nil {
			c.running.Wait()
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-s.overdue:
		return errors.New("the client does not read its answers")
	}
	return s.failure()
}

// A stdio is the transport of the SDK over two streams, and its one connection. It differs from the SDK's
// own in that the end of the input, or one bad line, costs nobody an answer.
type stdio struct {
	lines   chan line
	stop    <-chan struct{}
	closed  chan struct{}
	close   func()
	overdue chan struct{}

	ending bool // no more requests are read; belongs to Read

	requests requests
	shortcut *shortcut // nil: the SDK answers all

	writing sync.Mutex // held while a line is written
	out     io.Writer

	failing sync.Mutex
	err     error
}

// A line is one line of the input, or what ended it.
type line struct {
	text []byte
	err  error
}

func newStdio(stop <-chan struct{}, out io.Writer, c *shortcut) *stdio {
	s := &stdio{
		lines:    make(chan line),
		stop:     stop,
		closed:   make(chan struct{}),
		overdue:  make(chan struct{}),
		requests: requests{states: map[jsonrpc.ID]*state{}, settled: make(chan struct{}, 1)},
		shortcut: c,
		out:      out,
	}
	s.close = sync.OnceFunc(func() {
		close(s.closed)
		if c != nil {
			c.end()
		}
	})
	return s
}

// Connect implements mcp.Transport.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// SessionID implements mcp.Connection. There is one session, and it has no name.
func (s *stdio) SessionID() string { return "" }

// Close implements mcp.Connection.
func (s *stdio) Close() error {
	s.close()
	return nil
}

// fail notes the first thing that went wrong with the streams.
func (s *stdio) fail(err error) {
	s.failing.Lock()
	defer s.failing.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *stdio) failure() error {
	s.failing.Lock()
	defer s.failing.Unlock()
	return s.err
}

// readLines reads the input to its end, a line at a time.
func (s *stdio) readLines(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(r)
		text = bytes.TrimSpace(text)
		if len(text) > 0 && !s.pass(line{text: text}) {
			return
		}
		if err != nil {
			s.pass(line{err: err})
			return
		}
	}
}

func (s *stdio) pass(l line) bool {
	select {
	case s.lines <- l:
		return true
	case <-s.closed:
		return false
	}
}

var errLineTooLong = fmt.Errorf("a line of more than %d MiB", maxLine>>20)

// readLine reads one line, also a last one without an end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine+1 {
			return nil, errLineTooLong
		}
		text = append(text, part...)
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// Read implements mcp.Connection: it gives the next message that is one.
func (s *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for !s.ending {
		select {
		case l := <-s.lines:
			if l.err != nil {
				s.endInput(l.err)
			} else if m := s.accept(l.text); m != nil && (s.shortcut == nil || !s.shortcut.take(s, m)) {
				return m, nil
			}
		case <-s.stop:
			s.ending = true
		case <-s.closed:
			return nil, io.EOF
		}
	}
	return s.drain()
}

func (s *stdio) endInput(err error) {
	s.ending = true
	if err == io.EOF {
		return
	}
	s.fail(fmt.Errorf("read from the client: %w", err))
	if err == errLineTooLong {
		s.refuse(invalidRequest("%s", err))
	}
}

// accept reads one line and gives the request or notification for the SDK; nil if there is none.
func (s *stdio) accept(text []byte) *jsonrpc.Request {
	req, bad := decode(text)
	switch {
	case bad != nil:
		s.refuse(bad)
		return nil
	case req == nil:
		return nil
	case req.Method == "notifications/cancelled":
		s.requests.cancel(req.Params)
	case req.IsCall() && !s.requests.begin(req):
		// Whoever reads an answer with this id takes it for the answer to the first request.
		s.refuse(invalidRequest("id %.100s is in use by a request that is not answered yet", appendID(nil, req.ID)))
		return nil
	}
	return req
}

// drain holds back the end of the input until all that was accepted is answered, for a time.
func (s *stdio) drain() (jsonrpc.Message, error) {
	if id, ok := s.requests.nextListener(); ok {
		// It waits for changes, without an end. Cancelled by us, not by the client, it is answered.
		params := append(appendID([]byte(`{"requestId":`), id), '}')
		return &jsonrpc.Request{Method: "notifications/cancelled", Params: params}, nil
	}
	timeout := time.After(drainTime)
	for s.requests.waiting() {
		select {
		case <-s.requests.settled:
		case <-timeout:
			time.AfterFunc(hangupTime, func() { close(s.overdue) })
			s.abandon()
		case <-s.closed:
			return nil, io.EOF
		}
	}
	return nil, io.EOF
}

// abandon answers all that is still open with an error.
func (s *stdio) abandon() {
	for _, id := range s.requests.abandon() {
		s.refuse(&fault{id: appendID(nil, id), code: jsonrpc.CodeInternalError, message: kindCancelled})
	}
}

// Write implements mcp.Connection. The answer to a request that was cancelled, or answered already, is dropped.
func (s *stdio) Write(_ context.Context, m jsonrpc.Message) error {
	r, isResponse := m.(*jsonrpc.Response)
	if !isResponse {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return s.writeLine(text)
	}
	opens, ok := s.requests.claim(r.ID)
	if !ok {
		return nil
	}
	defer s.requests.settle(r.ID)
	if r.Error != nil {
		return s.writeLine(faultOf(r).append(nil))
	}
	if s.shortcut != nil {
		s.shortcut.open(opens)
	}
	b := appendID(append(make([]byte, 0, len(r.Result)+64), `{"jsonrpc":"2.0","id":`...), r.ID)
	b = append(append(b, `,"result":`...), r.Result...)
	return s.writeLine(append(b, '}'))
}

// refuse answers a line that is not accepted.
func (s *stdio) refuse(bad *fault) { _ = s.writeLine(bad.append(nil)) }

// writeLine writes one message. After a failure the session is over.
func (s *stdio) writeLine(text []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.out.Write(append(text, '\n'))
	if err != nil {
		s.fail(fmt.Errorf("write to the client: %w", err))
		s.close()
	}
	return err
}
