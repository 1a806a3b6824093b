package session

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a time.Duration that is written as Go writes it ("15s").
type Duration time.Duration

// MarshalJSON writes the duration as a Go duration string.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads a Go duration string.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a duration is a string such as \"15s\": %w", err)
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// D returns the duration as a time.Duration.
func (d Duration) D() time.Duration { return time.Duration(d) }

// Policy holds the times and counts by which the console waits and judges. It
// is recorded when a session opens, so that a log is judged by the policy it
// was made under.
type Policy struct {
	ProbeWindow       Duration `json:"probeWindow"`                // a stream without an event is silent after this
	ProbeWindowGiven  bool     `json:"probeWindowGiven,omitempty"` // typed by the operator: it then wins over the card's defaultTimeout
	IdlePoll          Duration `json:"idlePoll"`                   // a silent open stream is polled beside after this
	CloseWindow       Duration `json:"closeWindow"`                // a stream must close this soon after the end
	SettleReads       int      `json:"settleReads"`                // equal reads that confirm a terminal state
	SettleEvery       Duration `json:"settleEvery"`                // time between such reads
	SettleMax         int      `json:"settleMax"`                  // reads after which confirming is given up
	CancelWatch       Duration `json:"cancelWatch"`                // how long streams are watched after a cancel
	RaceMargin        Duration `json:"raceMargin"`                 // what still crosses a cancel's answer on its way
	WorkingSilent     Duration `json:"workingSilent"`              // working this long without a sign is a lifecycle fault
	SubmittedDeadline Duration `json:"submittedDeadline"`
	WorkingDeadline   Duration `json:"workingDeadline"`
	PushWindow        Duration `json:"pushWindow"`
	TrustTTL          Duration `json:"trustTtl"`
	TimeoutConnect    Duration `json:"timeoutConnect"`
	TimeoutFirstByte  Duration `json:"timeoutFirstByte"`
	DurableWait       Duration `json:"durableWait"` // between the two reads that say a task is lost
	PushListen        string   `json:"pushListen"`  // where our receiver for push notifications listens
	PushURL           string   `json:"pushUrl"`     // by which the peer reaches it; empty for where it listens
	NoRedispatch      bool     `json:"noRedispatch"`
	LogLimit          int      `json:"logLimit"`                 // MiB that the session's log may take before we end its streams; 0 for no limit
	AutoRedispatch    bool     `json:"autoRedispatch,omitempty"` // headless: done without asking
}

// DefaultPolicy returns the policy that holds when no flag was given.
func DefaultPolicy() Policy {
	return Policy{
		ProbeWindow:       Duration(15 * time.Second),
		IdlePoll:          Duration(10 * time.Second),
		CloseWindow:       Duration(5 * time.Second),
		SettleReads:       2,
		SettleEvery:       Duration(time.Second),
		SettleMax:         30,
		CancelWatch:       Duration(30 * time.Second),
		RaceMargin:        Duration(time.Second),
		WorkingSilent:     Duration(30 * time.Second),
		SubmittedDeadline: Duration(60 * time.Second),
		WorkingDeadline:   Duration(10 * time.Minute),
		PushWindow:        Duration(15 * time.Second),
		TrustTTL:          Duration(24 * time.Hour),
		TimeoutConnect:    Duration(10 * time.Second),
		TimeoutFirstByte:  Duration(30 * time.Second),
		DurableWait:       Duration(2 * time.Second),
		PushListen:        "127.0.0.1:0",
		LogLimit:          1024,
	}
}
