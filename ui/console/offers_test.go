package console

import (
	"slices"
	"testing"

	"a2ascope/session"
)

// with is a session whose view was changed by hand.
func with(f *fakeLive, change func(v *session.View)) *fakeLive {
	v := *f.view
	v.Tasks = slices.Clone(v.Tasks)
	change(&v)
	f.view = &v
	return f
}

func TestWhatMayHelpIsOneKeyAway(t *testing.T) {
	t.Parallel()
	endpoint := session.Suggestion{Why: "the card gives the wildcard address", Line: "endpoint https://a.example/rpc"}
	bearer := session.Suggestion{Why: "401 Unauthorized", Line: "auth bearer $TOKEN"}
	offers := func(all ...session.Suggestion) *fakeLive {
		return with(discovered(), func(v *session.View) { v.Peer.Suggestions = all })
	}
	f := offers(endpoint)
	b, _ := onSession(t, f, 120, 40)
	b.wants("E endpoint https://a.example/rpc: the card gives the wildcard").keys("E")
	if !slices.Equal(f.commands, []string{endpoint.Line}) {
		t.Errorf("commands %q", f.commands)
	}
	f = offers(bearer)
	b, _ = onSession(t, f, 120, 40)
	b.keys("E").wants(":auth bearer $TOKEN") // a word of the operator's belongs into it
	f = offers(endpoint, bearer)
	b, _ = onSession(t, f, 120, 40)
	b.wants("or 1 more").keys("E").wants("What may help", "401 Unauthorized").keys("down", "enter").wants(":auth bearer $TOKEN")
	if len(f.commands) > 0 {
		t.Errorf("commands %q", f.commands)
	}
	b, _ = onSession(t, discovered(), 120, 40)
	b.keys("E").wants("nothing stands in the way")
}

func TestAccessAndFilesAreShown(t *testing.T) {
	t.Parallel()
	f := with(discovered(), func(v *session.View) {
		v.Peer.Schemes = []session.SchemeView{{Name: "key", Kind: "apiKey", Detail: "header X-Key", Required: true}, {Name: "web", Kind: "oauth2", InUse: true}}
		v.Peer.Device = &session.DeviceView{URI: "https://login.example/device", Code: "WDJB-MJHT", Until: ms(600000)}
	})
	b, _ := onSession(t, f, 160, 45)
	b.wants("enter WDJB-MJHT at https://login.example/device").keys("1")
	b.wants("key: apiKey header X-Key, required", "web: oauth2, in use", "until +10:00.0")
	b.keys("2", "g", "j", "j", "j", "j", "4", "[").wants("[why]", "key: apiKey header X-Key")
	f = with(leaky(), func(v *session.View) {
		v.Tasks[0].Files = []session.FileSeen{{Name: "plan.pdf", Type: "application/pdf", Size: 2048, Digest: "0123456789abcdef0123", Seq: 11}, {Name: "far", URL: "https://x.example/f", Seq: 12}}
	})
	b, s := onSession(t, f, 160, 45)
	b.wants("◇ file plan.pdf", "2 KiB", "◇ file far").keys("1", "G")
	b.wants("plan.pdf  application/pdf  2 KiB  sha256 0123456789ab…  record 11", "https://x.example/f (not fetched)")
	for i, step := range s.task.items {
		if step.text == "file plan.pdf" {
			s.task.sel = i
		}
	}
	if b.keys("enter"); s.wire.selected() != 11 {
		t.Errorf("enter on a file went to record %d", s.wire.selected())
	}
}
