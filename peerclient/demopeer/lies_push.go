package demopeer

// pushLies: what becomes of webhooks.
var pushLies = []script{
	{Scenario{
		Name: "no-push", Title: "declares push notifications and refuses every configuration",
		Try:    "push on, stream slow 10: -32003",
		Claims: []string{"push-notifications"},
	}, behaviour{refusesPush: true}},
	{Scenario{
		Name: "deaf-push", Title: "accepts push notification configurations and never calls",
		Try:    "push on, send slow 10 --immediate: the task completes and no call comes",
		Claims: []string{"push-delivered"},
	}, behaviour{deaf: true}},
}
