package demopeer

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// maxHooks bounds the configurations of one task.
	maxHooks = 16
	// callTimeout bounds one webhook call.
	callTimeout = 5 * time.Second
)

// pushConfig is where a client wants to be called, and with which credentials.
type pushConfig struct {
	id, url, token      string
	scheme, credentials string
}

type wireAuth struct {
	Scheme      string   `json:"scheme"`  // 1.0
	Schemes     []string `json:"schemes"` // 0.3
	Credentials string   `json:"credentials"`
}

type wirePushConfig struct {
	ID             string    `json:"id"`
	URL            string    `json:"url"`
	Token          string    `json:"token"`
	Authentication *wireAuth `json:"authentication"`
}

// pushParams is what the configuration methods take. 1.0 puts the members of a
// configuration right into params; 0.3 nests them.
type pushParams struct {
	URL            string          `json:"url"`
	Token          string          `json:"token"`
	Authentication *wireAuth       `json:"authentication"`
	ConfigID       string          `json:"pushNotificationConfigId"`
	Nested         *wirePushConfig `json:"pushNotificationConfig"`
}

// doPush serves the four configuration methods.
func (s *server) doPush(w http.ResponseWriter, _ *http.Request, c call) *fault {
	if f := s.pushRefused(); f != nil {
		return f
	}
	taskID, wanted := c.params.TaskID, c.params.ID
	given := &wirePushConfig{ID: c.params.ID, URL: c.params.URL, Token: c.params.Token, Authentication: c.params.Authentication}
	if s.wire == (wire03{}) {
		given = c.params.Nested
		if c.op != opPushSet {
			taskID, wanted = c.params.ID, c.params.ConfigID
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[taskID]
	if t == nil {
		return notFound(taskID)
	}
	i := slices.IndexFunc(t.hooks, func(h pushConfig) bool { return h.id == wanted || wanted == "" })
	switch c.op {
	case opPushSet:
		h, f := readHook(given)
		if f != nil {
			return f
		}
		return s.answer(w, c, s.wire.pushConfig(t.id, s.addHook(t, *h)))
	case opPushList:
		return s.answer(w, c, s.wire.pushList(t.id, t.hooks))
	case opPushGet:
		if i < 0 {
			return notFound(wanted)
		}
		return s.answer(w, c, s.wire.pushConfig(t.id, t.hooks[i]))
	}
	t.hooks = slices.DeleteFunc(slices.Clone(t.hooks), func(h pushConfig) bool { return h.id == wanted })
	return s.answer(w, c, "null")
}

func (s *server) pushRefused() *fault {
	if s.b.refusesPush || !s.declared("").push {
		return faultf(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "Push notifications are not supported")
	}
	return nil
}

// inlineHook is the configuration that came with a message, if any.
func (s *server) inlineHook(c *configuration) (*pushConfig, *fault) {
	if c == nil || c.PushNotificationConfig == nil && c.TaskPushNotificationConfig == nil {
		return nil, nil
	}
	if f := s.pushRefused(); f != nil {
		return nil, f
	}
	if c.TaskPushNotificationConfig != nil {
		return readHook(c.TaskPushNotificationConfig)
	}
	return readHook(c.PushNotificationConfig)
}

// readHook takes receivers on loopback only: a demo must not become a way to
// make requests to other machines.
func readHook(wc *wirePushConfig) (*pushConfig, *fault) {
	if wc == nil {
		return nil, invalidParams("the push notification configuration is missing")
	}
	u, err := url.Parse(wc.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, invalidParams("url must be an http or https address")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, invalidParams("this demo peer calls receivers on loopback only")
	}
	h := pushConfig{id: wc.ID, url: wc.URL, token: wc.Token}
	if a := wc.Authentication; a != nil {
		h.scheme, h.credentials = a.Scheme, a.Credentials
		if h.scheme == "" && len(a.Schemes) > 0 {
			h.scheme = a.Schemes[0]
		}
	}
	return &h, nil
}

// addHook sets or replaces a configuration and starts its deliveries. The
// caller holds the lock.
func (s *server) addHook(t *task, h pushConfig) pushConfig {
	if h.id == "" {
		h.id = newID()
	}
	hooks := slices.DeleteFunc(slices.Clone(t.hooks), func(o pushConfig) bool { return o.id == h.id })
	if len(hooks) >= maxHooks {
		hooks = hooks[1:]
	}
	t.hooks = append(hooks, h)
	if s.b.deaf {
		s.spawn(func() { s.askReceiver(h) })
		return h
	}
	from := len(t.events)
	s.spawn(func() { s.deliver(t, h, from) })
	return h
}

// askReceiver has the receiver prove that it is one, by a GET with a
// validationToken that it must send back: whoever sees that GET knows that the
// peer can call.
func (s *server) askReceiver(h pushConfig) {
	address, err := url.Parse(h.url)
	if err != nil {
		return
	}
	query := address.Query()
	query.Set("validationToken", newID())
	address.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return
	}
	if resp, err := s.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// deliver calls the receiver for all that happens from position on, in order,
// until the task is over or the configuration is gone.
func (s *server) deliver(t *task, h pushConfig, from int) {
	for {
		events, changed := s.since(t, from)
		for _, e := range events {
			from++
			s.mu.Lock()
			now, wanted := t.view(), slices.Contains(t.hooks, h)
			s.mu.Unlock()
			if !wanted {
				return
			}
			if s.b.skips == nil || !s.b.skips(now.status.state) {
				s.post(h, e, now)
			}
			if e.status != nil && e.status.state.terminal() {
				return
			}
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return
		}
	}
}

// post makes one call. A receiver that does not answer gets no second one:
// push notifications are at most once, and a client reads the task anyway.
func (s *server) post(h pushConfig, e event, now view) {
	ctx, cancel := context.WithTimeout(s.ctx, callTimeout)
	defer cancel()
	if s.b.tells != nil {
		s.b.tells(&e, &now)
	}
	body, tokenHeader := s.wire.delivery(e, now)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader(body))
	if err != nil { // the address was parsed when it was set
		return
	}
	req.Header.Set("Content-Type", "application/json")
	if h.token != "" && !s.b.tokenless {
		req.Header.Set(tokenHeader, h.token)
	}
	if h.scheme != "" && h.credentials != "" && !s.b.tokenless {
		req.Header.Set("Authorization", h.scheme+" "+h.credentials)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return
	}
	_ = resp.Body.Close() // nothing of the answer matters
}
