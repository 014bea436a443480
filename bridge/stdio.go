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
	"github.com/tidwall/gjson"
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
// than 4 MiB ends the session. A request that its client has cancelled is not answered. Sessions of the
// revisions that have batches, 2024-11-05 and 2025-03-26, may send them, of at most 1,000 messages.
func (b *Bridge) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return b.serveStdio(ctx, in, out, newShortcut(b))
}

func (b *Bridge) serveStdio(ctx context.Context, in io.Reader, out io.Writer, c *shortcut) error {
	s := newStdio(ctx.Done(), out, c, b.masks)
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

	// These belong to Read.
	ending   bool       // no more lines are read
	greeted  bool       // an initialize was accepted
	batches  bool       // the session is of a revision that has them
	accepted []*message // in the order they came

	requests requests
	shortcut *shortcut // nil: the SDK answers all
	masks    *masks

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

func newStdio(stop <-chan struct{}, out io.Writer, c *shortcut, m *masks) *stdio {
	s := &stdio{
		lines:    make(chan line),
		stop:     stop,
		closed:   make(chan struct{}),
		overdue:  make(chan struct{}),
		requests: requests{states: map[jsonrpc.ID]*state{}, settled: make(chan struct{}, 1)},
		shortcut: c,
		masks:    m,
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

// Read implements mcp.Connection: it gives the next message that the SDK must see.
func (s *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if m := s.next(); m != nil {
			return m.Request, nil
		}
		if s.ending {
			return s.drain()
		}
		select {
		case l := <-s.lines:
			if l.err != nil {
				s.endInput(l.err)
			} else {
				s.accept(l.text)
			}
		case <-s.stop:
			s.ending = true
		case <-s.closed:
			return nil, io.EOF
		}
	}
}

// next gives the first message accepted that the shortcut does not take.
func (s *stdio) next() *message {
	for len(s.accepted) > 0 {
		m := s.accepted[0]
		s.accepted = s.accepted[1:]
		if s.shortcut == nil || !s.shortcut.take(s, m) {
			return m
		}
	}
	return nil
}

func (s *stdio) endInput(err error) {
	s.ending = true
	if err == io.EOF {
		return
	}
	s.fail(fmt.Errorf("read from the client: %w", err))
	if err == errLineTooLong {
		s.refuse(invalidRequest("%s", err), nil)
	}
}

// accept reads one line.
func (s *stdio) accept(text []byte) {
	switch v, bad := parse(text); {
	case bad != nil:
		s.refuse(bad, nil)
	case v.IsArray():
		s.acceptBatch(v)
	default:
		s.acceptMessage(v, nil)
	}
}

// acceptMessage reads one message, alone or of a batch.
func (s *stdio) acceptMessage(v gjson.Result, b *batch) {
	m, bad := decode(v)
	if bad == nil && m != nil && m.IsCall() {
		bad = s.begin(m, b)
	}
	switch {
	case bad != nil:
		s.refuse(bad, b)
	case m != nil && m.IsCall():
		s.accepted = append(s.accepted, m)
	default:
		if m != nil {
			s.note(m)
		}
		_ = s.answer(nil, b)
	}
}

// note accepts a notification.
func (s *stdio) note(m *message) {
	if m.Method == methodCancelled {
		id, ok := readID(m.params["requestId"])
		if !ok {
			return
		}
		_ = s.answer(nil, s.requests.cancel(id))
		m.Request = cancellation(id)
	}
	s.accepted = append(s.accepted, m)
}

// begin accepts a request, unless there is something against it.
func (s *stdio) begin(m *message, b *batch) *fault {
	if m.Method == methodInitialize && b != nil {
		return &fault{id: appendID(nil, m.ID), code: jsonrpc.CodeInvalidRequest, message: "initialize must not be part of a batch"}
	}
	if !s.requests.begin(m.Request, b) {
		// Whoever reads an answer with this id takes it for the answer to the first request.
		return &fault{code: jsonrpc.CodeInvalidRequest, message: "id %s is in use by a request that is not answered yet", theirs: string(appendID(nil, m.ID))}
	}
	if m.Method == methodInitialize && !s.greeted {
		s.greeted, s.batches = true, hasBatches(m.params["protocolVersion"].Str)
	}
	return nil
}

// drain holds back the end of the input until all that was accepted is answered, for a time.
func (s *stdio) drain() (jsonrpc.Message, error) {
	if id, ok := s.requests.nextListener(); ok {
		// It waits for changes, without an end. Cancelled by us, not by the client, it is answered.
		return cancellation(id), nil
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
	for id, b := range s.requests.abandon() {
		s.refuse(&fault{id: appendID(nil, id), code: jsonrpc.CodeInternalError, message: kindCancelled}, b)
	}
}

// subscriptionID is the path, in a result or params, of the id of the request that listens.
const subscriptionID = `_meta.io\.modelcontextprotocol/subscriptionId`

// Write implements mcp.Connection. The answer to a request that was cancelled, or answered already, is dropped.
func (s *stdio) Write(_ context.Context, m jsonrpc.Message) error {
	r, isResponse := m.(*jsonrpc.Response)
	if !isResponse {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return s.writeLine(restoreID(text, "params."+subscriptionID))
	}
	request := s.requests.claim(r.ID)
	if request == nil {
		return nil
	}
	defer s.requests.settle()
	if r.Error != nil {
		return s.answer(faultOf(r).append(nil, s.masks), request.batch)
	}
	if s.shortcut != nil {
		s.shortcut.open(request.opens)
	}
	result := []byte(r.Result)
	if request.listens {
		result = restoreID(result, subscriptionID)
	}
	b := appendID(append(make([]byte, 0, len(result)+64), `{"jsonrpc":"2.0","id":`...), r.ID)
	b = append(append(b, `,"result":`...), result...)
	return s.answer(append(b, '}'), request.batch)
}

// refuse answers a message that is not accepted.
func (s *stdio) refuse(bad *fault, b *batch) { _ = s.answer(bad.append(nil, s.masks), b) }

// answer writes the answer to a message, once all of its batch are there. A nil text is no answer.
func (s *stdio) answer(text []byte, b *batch) error {
	if b != nil {
		text = b.add(text)
	}
	if text == nil {
		return nil
	}
	return s.writeLine(text)
}

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
