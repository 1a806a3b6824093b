package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// What an obligation to call an authorization server is for.
const (
	PurposeToken   = "token"       // client credentials
	PurposeDevice  = "device-code" // a code that the operator enters elsewhere
	PurposePoll    = "device-poll" // whether the operator has done so
	PurposeRefresh = "refresh"
)

// TokenState is one way to be let in by tokens, and how far it is. The tokens
// themselves are the runner's.
type TokenState struct {
	Command int // that gave it
	Flow    OAuthFlow
	Have    bool
	Got     time.Duration // when the token came
	Until   time.Duration // when it ends; 0 when nobody said
	Renew   bool          // there is a refresh token
	Lapsed  bool          // it is to be had anew before the next call
	Doubted int           // refusals since a call was let in with it
	Why     string        // why there is none; empty while it was not refused

	Code      string // device: what the operator is to enter
	URI       string // device: where
	CodeUntil time.Duration
	Interval  time.Duration
}

const (
	tokenMargin     = 10 * time.Second // before its end a token is not used any more
	devicePoll      = 5 * time.Second  // RFC 8628 §3.2
	longestPoll     = time.Minute
	deviceExpiry    = 15 * time.Minute
	longestValidity = 366 * 24 * time.Hour
)

// oauthGiven folds "auth oauth": the token is fetched at once, or once the
// card has named where.
func (s *State) oauthGiven(cs *CommandState) {
	flow, err := ReadOAuth(cs.Cmd.Args)
	if err != nil {
		s.commandOver(cs, ResultCannot, err.Error())
		return
	}
	ts := &TokenState{Command: cs.N, Flow: flow}
	s.Peer.Tokens = append(s.Peer.Tokens, ts)
	if flow.TokenURL == "" && s.Peer.Card == nil {
		s.commandOver(cs, ResultOK, "a token is fetched once the card has named where")
		return
	}
	if err := s.askToken(ts, cs.Seq); err != nil {
		s.commandOver(cs, ResultCannot, err.Error())
	}
}

// askToken takes on the call that brings a token.
func (s *State) askToken(ts *TokenState, cause uint64) error {
	if s.find(func(o *Obligation) bool { return o.Op == a2a.OpToken && o.Command == ts.Command }) != nil {
		return nil
	}
	flow, err := ts.Flow.withCard(s)
	if err != nil {
		ts.Why = err.Error()
		return err
	}
	ts.Flow, ts.Lapsed = flow, false
	o := Obligation{Op: a2a.OpToken, Command: ts.Command, Cause: cause, At: s.Elapsed, Purpose: PurposeToken, URL: flow.TokenURL}
	switch {
	case ts.Renew:
		o.Purpose = PurposeRefresh
	case flow.Flow == FlowDevice:
		o.Purpose, o.URL = PurposeDevice, flow.DeviceURL
	}
	s.takeOn(o)
	return nil
}

// freshTokens asks anew for tokens that have lapsed, before something goes out
// that needs them.
func (s *State) freshTokens(cause uint64) {
	for _, ts := range s.Peer.Tokens {
		if ts.Have && ts.Until > 0 && s.Elapsed >= ts.Until-tokenMargin {
			ts.Have, ts.Lapsed = false, true
		}
		if ts.Lapsed {
			_ = s.askToken(ts, cause) // why not is kept in it
		}
	}
}

// tokensFromCard asks for the tokens that waited for the card.
func (s *State) tokensFromCard(cause uint64) {
	for _, ts := range s.Peer.Tokens {
		if !ts.Have && !ts.Lapsed && ts.Why == "" {
			_ = s.askToken(ts, cause)
		}
	}
}

// tokensGone: the run that had them is over.
func (s *State) tokensGone() {
	for _, ts := range s.Peer.Tokens {
		ts.Lapsed = ts.Lapsed || ts.Have
		ts.Have, ts.Renew, ts.Code, ts.Doubted = false, false, "", 0
	}
}

// letInFirst reports whether calls to the peer wait until a token is there.
func (s *State) letInFirst() bool {
	return len(s.Peer.Tokens) > 0 && s.find(func(o *Obligation) bool { return o.Op == a2a.OpToken }) != nil
}

// goesFirst reports whether an operation does not wait for tokens: the card is
// public more often than not, and may name where they are had.
func goesFirst(op a2a.Operation) bool { return op == a2a.OpToken || op == a2a.OpCard }

func (s *State) tokenOf(command int) *TokenState {
	for _, ts := range s.Peer.Tokens {
		if ts.Command == command {
			return ts
		}
	}
	return nil
}

// tokenAnswer is the union of what an authorization server answers.
type tokenAnswer struct {
	AccessToken  string          `json:"access_token"`
	RefreshToken string          `json:"refresh_token"`
	DeviceCode   string          `json:"device_code"`
	UserCode     string          `json:"user_code"`
	URI          string          `json:"verification_uri"`
	URL          string          `json:"verification_url"` // how some servers call it
	ExpiresIn    json.RawMessage `json:"expires_in"`
	Interval     json.RawMessage `json:"interval"`
	Error        string          `json:"error"`
	Description  string          `json:"error_description"`
}

// seconds reads a count of seconds, written as a number or in quotes.
func seconds(raw json.RawMessage, most time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(min(n, most.Seconds()) * float64(time.Second))
}

// tokenAnswered folds the answer of an authorization server.
func (s *State) tokenAnswered(c *Change, x *Exchange, status int, body []byte) {
	ts, o := s.tokenOf(x.Command), s.obligationN(x.Obligation)
	if ts == nil || o == nil {
		s.fulfilExchange(x)
		return
	}
	var a tokenAnswer
	_ = json.Unmarshal(body, &a) // what is no JSON has neither token nor error
	cs := s.Commands[x.Command-1]
	ok := status/100 == 2
	switch {
	case ok && a.AccessToken != "" && o.Purpose != PurposeDevice:
		s.tokenCame(ts, &a)
		s.fulfil(o.N)
		s.commandOver(cs, ResultOK, "")
	case ok && o.Purpose == PurposeDevice && a.DeviceCode != "" && a.UserCode != "":
		ts.Code, ts.URI = cutAt(a.UserCode, maxDetail), cutAt(a.URI, maxDetail)
		if ts.URI == "" {
			ts.URI = cutAt(a.URL, maxDetail)
		}
		ts.Interval = max(seconds(a.Interval, longestPoll), devicePoll)
		if given := seconds(a.Interval, longestPoll); given > 0 {
			ts.Interval = given
		}
		ts.CodeUntil = s.Elapsed + deviceExpiry
		if d := seconds(a.ExpiresIn, deviceExpiry); d > 0 {
			ts.CodeUntil = s.Elapsed + d
		}
		c.CodeCame = true
		o.Purpose, o.URL, o.Exchange, o.At = PurposePoll, ts.Flow.TokenURL, 0, s.Elapsed+ts.Interval
	case o.Purpose == PurposePoll && a.Error == "slow_down":
		ts.Interval = min(ts.Interval+devicePoll, longestPoll)
		s.pollAgain(c, ts, o, cs, &a)
	case o.Purpose == PurposePoll && (a.Error == "authorization_pending" || a.Error == "" && passing(status)):
		s.pollAgain(c, ts, o, cs, &a)
	case o.Purpose == PurposeToken && o.Rung == 0 && (status == a2a.StatusUnauthorized || a.Error == "invalid_client"):
		o.Rung, o.Exchange = 1, 0 // the secret goes into the body, as some servers want it
		c.Climbed = true
	case o.Purpose == PurposeRefresh && ts.Flow.Flow == FlowClientCredentials && !passing(status):
		ts.Renew, o.Purpose, o.Exchange = false, PurposeToken, 0 // the client's secret brings one anew
		c.Climbed = true
	default:
		ts.Lapsed = passing(status)
		s.noToken(c, ts, o, cs, status, &a)
	}
}

// passing reports whether a status says that the same call may do better
// later.
func passing(status int) bool { return status == a2a.StatusTooMany || status/100 == 5 }

// pollAgain asks once more whether the operator entered the code, while it
// holds.
func (s *State) pollAgain(c *Change, ts *TokenState, o *Obligation, cs *CommandState, a *tokenAnswer) {
	o.Exchange, o.At = 0, s.Elapsed+ts.Interval
	if o.At >= ts.CodeUntil {
		a.Error, a.Description = "expired_token", "nobody entered the code in time"
		s.noToken(c, ts, o, cs, a2a.StatusOK, a)
	}
}

// tokenUnanswered folds a call to an authorization server that failed in
// transport, and reports whether it goes on: a code is asked about again (RFC
// 8628 §3.5). A token is asked for again before the next call.
func (s *State) tokenUnanswered(x *Exchange, why string) bool {
	ts, o := s.tokenOf(x.Command), s.obligationN(x.Obligation)
	if ts == nil || o == nil {
		return false
	}
	if o.Purpose == PurposePoll && s.Elapsed+ts.Interval < ts.CodeUntil {
		o.Exchange, o.At = 0, s.Elapsed+ts.Interval
		return true
	}
	ts.Have, ts.Lapsed, ts.Code, ts.Why = false, true, "", why
	s.fulfil(o.N)
	s.notRenewed()
	return false
}

func (s *State) tokenCame(ts *TokenState, a *tokenAnswer) {
	ts.Have, ts.Got, ts.Until, ts.Why, ts.Code = true, s.Elapsed, 0, "", ""
	ts.Renew = ts.Renew || a.RefreshToken != ""
	if d := seconds(a.ExpiresIn, longestValidity); d > 0 {
		ts.Until = s.Elapsed + d
	}
}

// noToken ends the attempt at a token.
func (s *State) noToken(c *Change, ts *TokenState, o *Obligation, cs *CommandState, status int, a *tokenAnswer) {
	ts.Have, ts.Renew, ts.Code = false, false, ""
	ts.Why = a2a.StatusText(status)
	switch {
	case a.Error != "":
		ts.Why = joined(cutAt(a.Error, maxDetail), cutAt(a.Description, maxDetail))
	case status/100 == 2:
		ts.Why += " without a token"
	case status/100 == 3:
		ts.Why += ": the client's secret is not sent on to another address; give that one to auth oauth if it is right"
	}
	if refusesUs(status) || slices.Contains(refusedClients, a.Error) {
		s.Denied++
	}
	c.NoToken = true
	s.fulfil(o.N)
	s.notRenewed()
	s.commandOver(cs, ResultOK, "no token: "+ts.Why)
}

// notRenewed ends the calls that waited for a new token to go out once more:
// what was refused with the old one stays refused.
func (s *State) notRenewed() {
	if !s.letInFirst() { // no other token is on its way
		s.dropObligations(func(o *Obligation) bool { return o.Renewed && o.Exchange == 0 })
	}
}

// refusedClients are the errors of RFC 6749 §5.2 and RFC 8628 §3.5 that are
// about who asks.
var refusedClients = []string{"invalid_client", "unauthorized_client", "invalid_grant", "access_denied"}

// tokenTaken: a call was let in with the tokens that there are.
func (s *State) tokenTaken(x *Exchange) {
	if strings.Contains(x.With, oauthWord) {
		for _, ts := range s.Peer.Tokens {
			ts.Doubted = 0
		}
	}
}

// tokenRefused asks for a new token when one was refused: once, until a call
// was let in again. A call that only reads goes out once more with it. A message
// does not: that a server says 401 is no proof that its agent did not take it.
// It reports whether the call does.
func (s *State) tokenRefused(c *Change, x *Exchange, status int, p *a2a.Payload) bool {
	if !strings.Contains(x.With, oauthWord) || x.Op == a2a.OpToken {
		return false
	}
	if status != a2a.StatusUnauthorized && (p.Error == nil || p.Error.Name != a2a.ErrUnauthenticated) {
		s.tokenTaken(x)
		return false
	}
	again := false
	for _, ts := range s.Peer.Tokens {
		switch {
		case !ts.Have || x.Sent < ts.Got:
			// A newer one is there, or on its way.
			again = again || ts.Have || s.find(func(o *Obligation) bool { return o.Op == a2a.OpToken && o.Command == ts.Command }) != nil
		default:
			if ts.Doubted++; ts.Doubted == 1 {
				ts.Have = false
				again = s.askToken(ts, c.Record.Seq) == nil || again
			}
		}
	}
	o := s.obligationN(x.Obligation)
	if !again || o == nil || !OnlyReads(x.Op) || o.Renewed {
		return false
	}
	o.Exchange, o.Renewed = 0, true
	c.Climbed = true
	return true
}

// oauthWord marks credentials that are tokens, in Requested.Authenticated.
const oauthWord = "of oauth"

// OAuthLabel is what a flow's token is called in Requested.Authenticated.
func OAuthLabel(f OAuthFlow) string { return oauthWord + " " + f.Flow }

// tokenNote is what the operator is told when a device code came, or no token.
func (s *State) tokenNote(c *Change, x *Exchange) []Draft {
	ts := s.tokenOf(x.Command)
	if ts == nil {
		return nil
	}
	text := "no token: " + ts.Why
	if c.CodeCame {
		text = fmt.Sprintf("to let the console in, open %s and enter the code %s within %s", ts.URI, ts.Code, (ts.CodeUntil - s.Elapsed).Round(time.Second))
	}
	return []Draft{{Kind: KindNote, Body: Noted{Text: text}}}
}
