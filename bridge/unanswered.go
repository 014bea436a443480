package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

const (
	codeTLS     = "tls"
	codeFraming = "upstream_invalid_http"
)

// unanswered says why a request got no answer. The words are ours: those of net/http have the URL in them, and with
// it the credential.
func (x *exchange) unanswered(ctx context.Context, err error) *Error {
	peer := x.called(ctx, x.host)
	e := explain(ctx, err, peer)
	if e.Kind == kindTimeout {
		e.Message = peer + " did not answer within " + x.tool.timeout.String()
	}
	return e
}

// called is how messages name a host of the API: as it is for whoever runs the bridge, who can mend what is wrong with it. A
// caller over HTTP learns no address of the network behind the bridge.
func (a *api) called(ctx context.Context, host string) string {
	if inboundOf(ctx).header == nil {
		return host
	}
	return "the API " + a.def.Name
}

// interrupted says why reading an answer ended early.
func (a *api) interrupted(ctx context.Context, err error) *Error {
	peer := "the API"
	if ep := a.ready.Load(); ep != nil {
		peer = a.called(ctx, ep.host)
	}
	switch cause := ended(ctx); {
	case errors.Is(cause, errTimeout):
		return again(errorf(kindTimeout, "%s did not finish its answer within the call's timeout", peer))
	case cause != nil:
		return cancelled()
	}
	return errorf(kindBadResponse, "%s broke off its answer before its end", peer).coded(codeTruncated)
}

func cancelled() *Error { return errorf(kindCancelled, "the call was cancelled") }

// again marks an error as one that may be gone at another try.
func again(e *Error) *Error {
	e.Retryable = new(true)
	return e
}

func unreadableBody(err error) *Error {
	return errorf(kindInternal, "the body of the request cannot be read: %s", err)
}

// explain says why there was no answer from a host, which messages name so.
func explain(ctx context.Context, err error, host string) *Error {
	switch cause := ended(ctx); {
	case errors.Is(cause, errTimeout):
		return again(errorf(kindTimeout, "%s did not answer within the call's timeout", host))
	case cause != nil:
		return cancelled()
	}
	if body, ok := errors.AsType[bodyError](err); ok {
		return unreadableBody(body.error)
	}
	if e := untrusted(err, host); e != nil {
		return e
	}
	if status, ok := errors.AsType[proxyRefusal](err); ok {
		return errorf(kindUnreachable, "the proxy of the environment refused to connect to %s: HTTP %d", host, int(status))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return again(errorf(kindUnreachable, "the proxy of the environment cannot be reached for %s", host))
	}
	if text := lost(err); text != "" {
		return again(errorf(kindUnreachable, text, host))
	}
	if strings.Contains(err.Error(), "response headers exceeded") {
		return errorf(kindBadResponse, "the headers of the answer of %s are larger than %d KiB", host, maxHeaderBytes>>10).coded(codeFraming)
	}
	return errorf(kindBadResponse, "%s did not answer in valid HTTP", host).coded(codeFraming)
}

// lost tells how a connection failed, as a format for the host; empty: it did not.
func lost(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return "no such host: %s"
	} else if ok {
		return "the address of %s could not be looked up"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no connection to %s within " + connectTimeout.String()
	}
	switch _, op := errors.AsType[*net.OpError](err); {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused by %s"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, net.ErrClosed), hungUp(err):
		return "%s closed the connection before it answered"
	case op:
		return "no connection to %s"
	}
	return ""
}

// hungUp knows the errors of net/http for a connection that the other side closed, which have no type.
func hungUp(err error) bool {
	for _, words := range []string{"server closed idle connection", "http2: client conn", "GOAWAY"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// untrusted is the error of a TLS handshake that failed; nil: it did not.
func untrusted(err error, host string) *Error {
	var e *Error
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e = errorf(kindUnreachable, "the certificate of %s is not trusted: %s", host, strings.TrimPrefix(cert.Err.Error(), "x509: "))
		if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
			e.Hint = "Name the certificate of its authority under tls.ca_file."
		}
	} else if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		e = errorf(kindUnreachable, "%s does not speak TLS", host)
	} else if alert, ok := errors.AsType[*net.OpError](err); ok && alert.Op == "remote error" {
		e = errorf(kindUnreachable, "%s refused the TLS handshake: %s", host, strings.TrimPrefix(alert.Err.Error(), "tls: "))
	} else if strings.Contains(err.Error(), "tls: ") {
		e = errorf(kindUnreachable, "no TLS handshake with %s", host)
	} else {
		return nil
	}
	return e.coded(codeTLS)
}

// connectTimeout bounds a dial, and then a TLS handshake.
const connectTimeout = 5 * time.Second
