package peerclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"a2ascope/peerclient/sse"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// The phases of a Fault.
const (
	phaseDNS       = "dns"
	phaseConnect   = "connect"
	phaseTLS       = "tls"
	phaseWrite     = "write"
	phaseFirstByte = "first-byte"
	phaseHead      = "head"
)

// failure is an error with the phase in which it came.
type failure struct {
	phase   string
	text    string // what was attempted, on what, why, what to do
	timeout bool
	raw     []byte // what was received
}

func fail(phase, attempt string, err error) *failure {
	return &failure{phase: phase, text: attempt + ": " + reason(err), timeout: isTimeout(err)}
}

// stopped is the failure of an exchange whose context ended.
func stopped(ctx context.Context, phase, attempt string) *failure {
	return &failure{
		phase: phase, text: attempt + ": " + context.Cause(ctx).Error(),
		timeout: errors.Is(ctx.Err(), context.DeadlineExceeded),
	}
}

// left is the end of a subscription that we gave up before it had a head, which
// is nobody's fault; nil for every other failure.
func (f *failure) left(ctx context.Context, op a2a.Operation) *session.Closed {
	if op != a2a.OpSubscribe || ctx.Err() == nil || f.phase != phaseFirstByte {
		return nil
	}
	return closed(ctx, sse.End{}, context.Cause(ctx))
}

func (f *failure) body(sent bool, t session.Timing) *session.Faulted {
	return &session.Faulted{Phase: f.phase, Error: f.text, Timeout: f.timeout, Unsent: !sent, Timing: t}
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

// reason says why in plain words, with advice where there is some. It quotes
// no address but the one connected to.
func reason(err error) string {
	var (
		dns     *net.DNSError
		record  tls.RecordHeaderError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		cert    *tls.CertificateVerificationError
		op      *net.OpError
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host; check the spelling of the name"
	case errors.As(err, &dns):
		return "the name could not be looked up (" + dns.Err + ")"
	case isTimeout(err):
		return "timed out"
	case errors.As(err, &record):
		return "what answers there does not speak TLS; try http:// instead of https://"
	case errors.As(err, &unknown):
		return "the certificate is signed by an authority that is not known here; give it with --ca, or accept any with --insecure"
	case errors.As(err, &name):
		return name.Error()
	case errors.As(err, &cert):
		return cert.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused; is something listening there?"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset by peer"
	case errors.Is(err, syscall.EPIPE):
		return "the peer had closed the connection"
	case errors.Is(err, io.EOF):
		return "the peer closed the connection"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended early"
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return err.Error()
}

// silence words a limit that passed.
func silence(what string, limit fmt.Stringer) string {
	return fmt.Sprintf("%s within %s", what, limit)
}
