package fieldcases

import "fmt"

// The cards that most cases have. They declare streaming, and nothing odd.
const (
	card03 = `{"name":"Field","description":"A peer from the field.","url":"$url/rpc","version":"1.0.0","protocolVersion":"0.3.0","preferredTransport":"JSONRPC",` + capable + `}`
	card10 = `{"name":"Field","description":"A peer from the field.","version":"1.0.0","supportedInterfaces":[{"url":"$url/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],` + capable + `}`
	rest10 = `{"name":"Field","description":"A peer from the field.","version":"1.0.0","supportedInterfaces":[{"url":"$url","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}],` + capable + `}`
	card01 = `{"name":"Field","description":"A peer from the field.","url":"$url/rpc","version":"1.0.0","authentication":{"schemes":[]},` + capable + `}`

	capable = `"capabilities":{"streaming":true,"pushNotifications":false},` + modes
	modes   = `"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"S","description":"D","tags":["t"]}]`
)

// report is the artifact of a finished task.
const (
	report03 = `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"report"}]}]`
	report10 = `,"artifacts":[{"artifactId":"a","parts":[{"text":"report"}]}]`
)

// task03 and task10 are a task in a state, with further members.
func task03(state string, more ...string) string {
	return fmt.Sprintf(`{"kind":"task","id":"t","contextId":"c","status":{"state":%q}%s}`, state, join(more))
}

func task10(state string, more ...string) string {
	return fmt.Sprintf(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_%s"}%s}`, state, join(more))
}

// sent10 and first10 are the task in the answer to a send, and as an event.
func sent10(state string, more ...string) string { return `{"task":` + task10(state, more...) + `}` }
func first10(state string, more ...string) ev    { return ev(sent10(state, more...)) }

// status03 and status10 are status updates.
func status03(state string, final bool, more ...string) ev {
	return ev(fmt.Sprintf(`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":%q%s},"final":%t}`, state, join(more), final))
}

func status10(state string, more ...string) ev {
	return ev(fmt.Sprintf(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_%s"%s}}}`, state, join(more)))
}

// chunk03 and chunk10 are artifact updates of the artifact "a".
func chunk03(text string, more ...string) ev {
	return ev(fmt.Sprintf(`{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":%q}]}%s}`, text, join(more)))
}

func chunk10(text string, more ...string) ev {
	return ev(fmt.Sprintf(`{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":%q}]}%s}}`, text, join(more)))
}

func join(more []string) string {
	out := ""
	for _, m := range more {
		out += m
	}
	return out
}

// message03 is what stands under status.message.
func message03(text string) string {
	return fmt.Sprintf(`,"message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":%q}]}`, text)
}

// asks03 is a task that waits for input.
func asks03(text string) string {
	return fmt.Sprintf(`{"kind":"task","id":"t","contextId":"c","status":{"state":"input-required"%s}}`, message03(text))
}
