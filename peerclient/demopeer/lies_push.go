package demopeer

// pushLies: what becomes of webhooks.
var pushLies = []script{
	{Scenario{
		Name: "no-push", Title: "declares push notifications and refuses every configuration",
		Try:    "push on, stream slow 10: -32003",
		Claims: []string{"push-notifications"},
	}, behaviour{refusesPush: true}},
	{Scenario{
		Name: "deaf-push", Title: "accepts push notification configurations, proves that it can call, and never does",
		Try:    "push on, send slow 10 --immediate: the task completes and no call comes",
		Claims: []string{"push-delivered"},
	}, behaviour{deaf: true}},
	{Scenario{
		Name: "patchy-push", Title: "calls while it works, and does not call when the task is over: odd",
		Try: "push on, send slow 10 --immediate, poll: no call tells that it completed",
	}, behaviour{skips: state.terminal}},
	{Scenario{
		Name: "tokenless-push", Title: "calls without the token that it was given: odd, and anybody could have called",
		Try: "push on, send slow 10 --immediate: calls come, and are answered with 401",
	}, behaviour{tokenless: true}},
	{Scenario{
		Name: "other-ends", Title: "calls that a task failed which has completed, and lists it as still working (in 1.0, which has lists)",
		Try:    "push on, send slow 10 --immediate, wait settled, list: completed, failed and working",
		Claims: []string{"views-agree"},
	}, behaviour{tells: tellFailed, listed: neverDone}},
}

// tellFailed turns the end of a task into a failure.
func tellFailed(e *event, now *view) {
	if e.status != nil && e.status.state == completed {
		st := *e.status
		st.state = failed
		e.status = &st
	}
	if now.status.state == completed {
		now.status.state = failed
	}
}
