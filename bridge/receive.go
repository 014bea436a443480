package bridge

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"tbridge/config"
)

const (
	codeTruncated = "upstream_truncated"
	codeEncoding  = "upstream_encoding"
	maxEncodings  = 3        // applied to one answer
	readAtOnce    = 32 << 10 // bytes asked of a body at a time
)

// chunks are the buffers bodies are read through.
var chunks = sync.Pool{New: func() any { return new([readAtOnce]byte) }}

// A source is a body on the wire. It remembers why reading it failed, and counts.
type source struct {
	io.Reader
	read  int64
	fault error // neither nil nor io.EOF: the connection's, not the encoding's
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.fault = err
	}
	return n, err
}

// receive reads the body, its encodings undone. It stops one byte beyond limits.response, which counts both what
// came and what it unpacks to; the rest is never read.
func (g *reading) receive(ctx context.Context, resp *http.Response) (string, *Error) {
	if resp.ContentLength == 0 || !mayHaveBody(resp) {
		return "", nil
	}
	wire := &source{Reader: io.LimitReader(resp.Body, g.responseLimit+1)}
	body, err := decoded(wire, resp.Header)
	length := int64(-1) // nobody knows
	if body == wire {
		length = resp.ContentLength
	}
	var text string
	tooLong := resp.ContentLength > g.responseLimit
	if err == nil && !tooLong {
		text, tooLong, err = gather(body, length, g.responseLimit)
	}
	switch {
	case tooLong || wire.read > g.responseLimit:
		return "", errorf(kindResponseTooLarge, "the answer is over the limit of %s", size(g.responseLimit))
	case wire.fault != nil && !isEncoding(wire.fault):
		return "", g.api.interrupted(ctx, wire.fault)
	case err != nil:
		return "", g.broken(err, resp.Header)
	}
	return text, nil
}

// mayHaveBody says whether an answer can have a body at all (RFC 9110, section 6.4.1).
func mayHaveBody(resp *http.Response) bool {
	return resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotModified &&
		(resp.Request == nil || resp.Request.Method != http.MethodHead)
}

// gather reads all of r, unless it is longer than limit. Its length is below 0 when nobody knows it: then what comes is
// kept in pieces until there is no more, as a text that grows would take five times its length on the way.
func gather(r io.Reader, length, limit int64) (all string, tooLong bool, err error) {
	chunk := chunks.Get().(*[readAtOnce]byte)
	defer chunks.Put(chunk)
	r = io.LimitReader(r, limit+1)
	var text strings.Builder
	text.Grow(int(max(length, 0)))
	var pieces []string
	for read := int64(0); err == nil; {
		var n int
		n, err = fill(chunk[:], r)
		switch read += int64(n); {
		case read > limit:
			return "", true, nil
		case length < 0:
			pieces = append(pieces, string(chunk[:n]))
		default:
			text.Write(chunk[:n])
		}
	}
	switch {
	case err != io.EOF:
		return "", false, err
	case length < 0:
		return strings.Join(pieces, ""), false, nil
	}
	return text.String(), false, nil
}

// fill reads until p is full, or to the end.
func fill(p []byte, r io.Reader) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// decoded undoes the content encodings, the last applied first (RFC 9110, section 8.4).
func decoded(r io.Reader, h http.Header) (io.Reader, error) {
	names := strings.Split(strings.Join(h.Values("Content-Encoding"), ","), ",")
	if len(names) > maxEncodings {
		return nil, fmt.Errorf("more than %d content encodings", maxEncodings)
	}
	for i := len(names) - 1; i >= 0; i-- {
		var err error
		switch name := strings.ToLower(strings.TrimSpace(names[i])); name {
		case "", "identity":
		case "gzip", "x-gzip":
			r, err = unpack(r, func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) })
		case "deflate":
			r, err = unpack(r, inflate)
		default:
			err = fmt.Errorf("content encoding %q; gzip and deflate can be read", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// unpack opens a packed stream. Nothing at all is taken for nothing packed.
func unpack(r io.Reader, open func(*bufio.Reader) (io.Reader, error)) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	if _, err := buffered.Peek(1); err == io.EOF {
		return buffered, nil
	}
	return open(buffered)
}

// inflate reads what is called deflate: zlib as RFC 9110 says, or bare as some servers send it.
func inflate(r *bufio.Reader) (io.Reader, error) {
	if b, err := r.Peek(2); err == nil && b[0]&15 == 8 && (uint(b[0])<<8|uint(b[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// isEncoding says whether an error is that of a decoder, such as the one inside net/http.
func isEncoding(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// broken is the failure of a body that could not be unpacked. It says nothing of what was in it.
func (g *reading) broken(err error, h http.Header) *Error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errorf(kindBadResponse, "the %s answer ends early", h.Get("Content-Encoding")).coded(codeTruncated)
	case isEncoding(err), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum):
		return errorf(kindBadResponse, "the answer is not the gzip or deflate that it says it is").coded(codeEncoding)
	}
	return errorf(kindBadResponse, "the answer cannot be unpacked: %s", g.excerpt(err.Error())).coded(codeEncoding)
}

// size prints a number of bytes: 512B, 256KiB, 2.9MiB.
func size[N int | int64 | config.Size](n N) string {
	const kib, mib = 1 << 10, 1 << 20
	switch {
	case n < kib:
		return fmt.Sprintf("%dB", n)
	case n%mib == 0:
		return fmt.Sprintf("%dMiB", n/mib)
	case n < mib && n%kib == 0:
		return fmt.Sprintf("%dKiB", n/kib)
	case n < mib:
		return fmt.Sprintf("%.1fKiB", float64(n)/kib)
	}
	return fmt.Sprintf("%.1fMiB", float64(n)/mib)
}
