package peerclient

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"

	"a2ascope/session"
)

// asked says what became of a client certificate in a handshake.
type asked int

const (
	askedNothing asked = iota // the peer wanted none
	askedGiven                // it was given ours
	askedNone                 // we have none
	askedUnfit                // ours is of no authority that the peer names
	askedKept                 // ours stays with the origins that the operator typed
)

// certify settles whether our certificate goes with a request: it is a
// credential like the others.
func (c *Client) certify(call session.Call, pl *plan, hs *headers) {
	if pl.scheme != "https" || c.o.TLS == nil || len(c.o.TLS.Certificates) == 0 {
		return
	}
	const label = "client certificate"
	switch {
	case call.Withhold:
		hs.withheld = append(hs.withheld, label)
		pl.bare = true
	case call.Bare:
		pl.bare = true
	default:
		hs.sent = append(hs.sent, label) // it lets us in where the peer asks for one
	}
}

// choose has a handshake give one of our certificates where it may, and note
// that the peer asked for one.
func choose(cfg *tls.Config, may bool, a *asked) {
	own := cfg.Certificates
	cfg.GetClientCertificate = func(ask *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		switch {
		case len(own) == 0:
			*a = askedNone
		case !may:
			*a = askedKept
		default:
			*a = askedUnfit
			for i := range own {
				if ask.SupportsCertificate(&own[i]) == nil {
					*a = askedGiven
					return &own[i], nil
				}
			}
		}
		return &tls.Certificate{}, nil
	}
}

// alerted is the alert by which a peer ended TLS, where it did. crypto/tls keeps
// its type to itself.
func alerted(err error) (alert string, ok bool) {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err.Error(), true
	}
	return "", false
}

// blamed reports whether an error may come from what became of a client
// certificate: a peer refuses one by an alert, and many just go away.
func (a asked) blamed(err error) bool {
	if _, ok := alerted(err); ok {
		return a != askedNothing
	}
	return a > askedGiven && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE))
}

// fail is a failure that says so.
func (a asked) fail(phase, attempt string, err error) *failure {
	f := fail(phase, attempt, err)
	if !a.blamed(err) {
		return f
	}
	switch alert, ok := alerted(err); {
	case !ok:
		f.text += "; it had asked for a client certificate" + a.advice()
	case a == askedGiven:
		f.text = attempt + ": the peer does not take our client certificate (" + alert + ")" + a.advice()
	default:
		f.text = attempt + ": the peer wants a client certificate (" + alert + ")" + a.advice()
	}
	return f
}

func (a asked) advice() string {
	switch a {
	case askedKept:
		return ", and ours goes to the origin that you typed alone; --allow-origin adds this one"
	case askedUnfit:
		return ", and ours is of no authority that it names; give one that it knows with --cert and --key"
	}
	return "; give one that it knows with --cert and --key"
}
