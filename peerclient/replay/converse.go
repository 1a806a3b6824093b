package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// place finds the origins that answered, and reads what each request asks for.
func (in *reader) place() {
	r := in.rec
	answered := map[string]bool{}
	for i, x := range r.exchanges {
		if x.head != nil {
			answered[session.OriginOf(in.urls[i])] = true
		}
	}
	own := session.OriginOf(in.state.Opened.URL)
	if own == "" && len(in.urls) > 0 {
		own = session.OriginOf(in.urls[0])
	}
	r.origins = []string{own}
	for _, u := range in.urls {
		if o := session.OriginOf(u); answered[o] && !slices.Contains(r.origins, o) && len(r.origins) < maxOrigins {
			r.origins = append(r.origins, o)
		}
	}
	for _, card := range in.cards {
		readdress(card, func(origin string) string {
			if slices.Contains(r.origins, origin) {
				r.onCard[origin] = true
			}
			return ""
		})
	}
	var kept []*exchange
	for i, x := range r.exchanges {
		origin := slices.Index(r.origins, session.OriginOf(in.urls[i]))
		q := in.raws[i]
		if x.fault != nil && x.fault.Phase == session.PhasePrepare || origin < 0 { // nothing left the console, or it is for an address that never was there
			delete(in.byN, x.n)
			continue
		}
		path, query := pathOf(in.urls[i])
		x.ask = asked(origin, q.b.HTTPMethod, path, query, q.head, q.body, q.b.Binding == a2a.JSONRPC && q.b.Op != a2a.OpCard)
		in.remember(x, q)
		kept = append(kept, x)
	}
	r.exchanges = kept
}

// remember takes from the record what its bytes do not say: they may have been
// withheld.
func (in *reader) remember(x *exchange, q request) {
	if x.task == "" {
		x.task = q.b.TaskID
	}
	if x.message == "" {
		x.message = q.b.MessageID
	}
	if x.rpc && x.rpcID == nil {
		x.rpcID = json.RawMessage(fmt.Sprint(q.b.RPCID))
	}
	if q.body == nil && q.b.Binding == a2a.JSONRPC && q.b.Op != a2a.OpCard {
		path, _ := pathOf(q.b.URL)
		x.op, x.name = q.b.Op, "POST "+path+" "+q.b.RPCMethod
		x.call = x.call[:strings.IndexByte(x.call, ' ')+1] + x.name
	}
}

// converse puts the exchanges into conversations.
func (in *reader) converse() {
	r := in.rec
	byID, byMessage, byTask := map[string]*conversation{}, map[string]*conversation{}, map[int]*conversation{}
	first := in.learnt()
	for _, x := range r.exchanges {
		logical := 0
		if x.n >= 1 && x.n <= len(in.state.Exchanges) {
			logical = in.state.Exchanges[x.n-1].Task
			x.refused = in.state.Exchanges[x.n-1].Error != nil
		}
		c := byID[x.task]
		switch {
		case c == nil && x.messages():
			if x.message != "" {
				c = byMessage[x.message]
			}
			if c == nil {
				c = &conversation{n: len(r.convs) + 1, ownID: x.task, context: x.context}
				r.convs = append(r.convs, c)
				byTask[logical] = c
			}
		case c == nil && logical > 0 && x.task != "" && x.task != session.NoSuchTask:
			c = byTask[logical]
		}
		if c == nil {
			r.loose = append(r.loose, x)
			continue
		}
		c.add(x)
		for _, id := range append(first[x.begin], x.task) {
			if id != "" && !slices.Contains(c.ids, id) {
				c.ids = append(c.ids, id)
				byID[id] = c
			}
		}
		if x.message != "" {
			byMessage[x.message] = c
		}
	}
	in.deliver(byID)
}

func (c *conversation) add(x *exchange) {
	x.conv = c
	c.exchanges = append(c.exchanges, x)
	if x.changes() {
		c.turns = append(c.turns, x)
	}
	x.turn = len(c.turns)
	if x.context != "" && c.context == "" {
		c.context = x.context
	}
	if x.hook != nil {
		c.token = x.hook.token
		c.hookPath, _ = pathOf(x.hook.url)
	}
}

// learnt is which tasks each message turned out to begin: their ids, by the
// message's record.
func (in *reader) learnt() map[uint64][]string {
	out := map[uint64][]string{}
	for _, t := range in.state.Tasks {
		for _, a := range t.Attempts {
			if a.ServerID != "" {
				out[a.First] = append(out[a.First], a.ServerID)
			}
		}
	}
	return out
}

// deliver gives each push to the conversation that it is about: the one whose
// task it names, else the last one that gave the peer an address.
func (in *reader) deliver(byID map[string]*conversation) {
	for i, p := range in.pushes {
		var to *conversation
		for _, c := range in.rec.convs {
			for _, id := range c.ids {
				if bytes.Contains(in.bodies[i], quoted(id)) {
					to = c
				}
			}
		}
		for _, x := range in.rec.exchanges {
			if to == nil && x.conv != nil && x.hook != nil && x.sent <= p.at && bytes.Count(in.bodies[i], []byte("{")) == 0 {
				to = x.conv
			}
		}
		if to != nil {
			to.pushes = append(to.pushes, p)
		}
	}
	in.bodies = nil
}
