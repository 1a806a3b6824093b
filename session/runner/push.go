package runner

import (
	"net/url"
	"path"
	"sync"

	"a2ascope/session"
)

// listen starts the receiver for push notifications on "push on", before the
// command is written, so that its record says where it listens. What the
// receiver brings comes in like the arrivals of an exchange; it listens until
// the session ends, so that late deliveries are recorded as what they are.
func (r *Runner) listen(in *commandIn, body *session.Commanded) {
	if in.cmd.Name != "push" || in.cmd.Sub != "on" || in.err != "" || r.cfg.Receiver == nil || r.ending {
		return
	}
	if r.receiver.URL == "" {
		address, err := r.receive()
		if err != nil {
			body.Error = err.Error()
			return
		}
		r.receiver = address
	}
	body.Receiver = r.receiver.URL
}

func (r *Runner) receive() (session.ReceiverAddress, error) {
	x := &exchange{
		in: make(chan session.Arrival, arrivals), over: make(chan struct{}), gone: make(chan struct{}),
		told: true, late: true, // it has no end of its own in the log
	}
	address, token, err := r.cfg.Receiver.Start(func(a session.Arrival) { r.hand(x, a) })
	if err != nil {
		return session.ReceiverAddress{}, err
	}
	r.hideReceiver(address, token)
	var once sync.Once
	r.wg.Add(1)
	x.cancel = func(error) {
		once.Do(func() {
			go func() {
				defer r.wg.Done()
				defer r.wake()
				defer close(x.over)
				r.cfg.Receiver.Stop()
			}()
		})
	}
	r.order = append(r.order, x)
	return session.ReceiverAddress{URL: address, Token: token}, nil
}

// hand passes an arrival on to the loop, and waits for it if need be.
func (r *Runner) hand(x *exchange, a session.Arrival) {
	select {
	case x.in <- a:
	default:
		r.wake()
		select {
		case x.in <- a:
		case <-x.gone: // nobody listens any more
		}
	}
	r.wake()
}

// hideReceiver makes the token, and the part of the address that nobody can
// guess, known secrets.
func (r *Runner) hideReceiver(address, token string) {
	_, _ = r.cfg.Secrets.Add(token, session.SecretParts("Bearer "+token)...)
	if u, err := url.Parse(address); err == nil {
		_, _ = r.cfg.Secrets.Add(path.Base(u.Path))
	}
}

// hidePush makes the token of a configuration that is to be sent a known
// secret: "push set" mints one too.
func (r *Runner) hidePush(c *session.Call) {
	if p := c.Params.Push; p != nil && p.Token != "" && p.Token != r.receiver.Token {
		_, _ = r.cfg.Secrets.Add(p.Token)
	}
}
