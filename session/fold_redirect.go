package session

import (
	"net/url"
	"strings"

	"a2ascope/session/a2a"
)

// maxHops bounds a chain of redirects.
const maxHops = 5

// redirected has a request go out again where the peer says that it belongs,
// as an exchange of its own, and reports whether it does. 307 and 308 keep
// method and body: the answer says that the request was not taken. The others
// are followed for a GET alone: what a message would become there is open.
func (s *State) redirected(c *Change, x *Exchange, b *Responded) bool {
	to := s.redirect(x, b)
	if to == "" {
		return false
	}
	if o := s.obligationN(x.Obligation); o != nil && o.Exchange == x.N {
		o.Redirect, o.Hop, o.Exchange = to, x.Hop+1, 0
	} else if t := s.TaskN(x.Task); x.Reader && t != nil && t.Reader != nil {
		t.Reader.Redirect, t.Reader.Hop, t.Reader.Next = to, x.Hop+1, s.Elapsed
	} else {
		return false
	}
	c.Climbed = true
	return true
}

// redirect is where an answer sends a request that may follow; empty when it
// stays.
func (s *State) redirect(x *Exchange, b *Responded) string {
	switch b.Status {
	case a2a.StatusTemporaryRedirect, a2a.StatusPermanentRedirect:
	case a2a.StatusMoved, a2a.StatusFound, a2a.StatusSeeOther:
		if !x.Get {
			return ""
		}
	default:
		return ""
	}
	if b.Location == "" || x.Hop >= maxHops || x.Op == a2a.OpRaw || x.Op == a2a.OpToken || x.Binding == a2a.GRPC {
		return ""
	}
	from, err := url.Parse(x.URL)
	if err != nil {
		return ""
	}
	to, err := from.Parse(b.Location)
	if err != nil || to.User != nil || from.Scheme == "https" && to.Scheme != "https" {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	out := to.String()
	if a, err := readAddress(out); err != nil || a.host == "" || strings.Contains(b.Location, "‹") { // a known secret was in it
		return ""
	}
	return out
}
