package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// hookCard declares push notifications at one interface.
func hookCard(gen, binding, url string) string {
	const rest = `"name":"Hooks","description":"d","version":"1","capabilities":{"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]`
	switch gen {
	case "1.0":
		return fmt.Sprintf(`{%s,"supportedInterfaces":[{"url":%q,"protocolBinding":%q,"protocolVersion":"1.0"}]}`, rest, url, binding)
	case "0.3":
		return fmt.Sprintf(`{%s,"url":%q,"preferredTransport":%q,"protocolVersion":"0.3.0"}`, rest, url, binding)
	}
	return fmt.Sprintf(`{%s,"url":%q,"protocolVersion":"0.2.5"}`, rest, url)
}

// taskIn is the task as JSON: of the proto, or with a kind.
func taskIn(gen string, proto bool, state string) string {
	if proto {
		return `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_` + strings.ToUpper(state) + `"}}`
	}
	return `{"kind":"task","id":"T","contextId":"C","status":{"state":"` + state + `"}}`
}

// inner is a configuration without its task, as 0.x has it.
func (w webhook) inner() string {
	return fmt.Sprintf(`{"id":%q,"url":%q,"token":%q,"authentication":{"schemes":[%q],"credentials":%q}}`, w.id, w.url, w.token, w.scheme, w.credentials)
}

// json is a configuration as a generation answers it.
func (w webhook) json(gen string, proto bool) string {
	switch {
	case gen == "1.0":
		return fmt.Sprintf(`{"taskId":"T","id":%q,"url":%q,"token":%q,"authentication":{"scheme":%q,"credentials":%q}}`, w.id, w.url, w.token, w.scheme, w.credentials)
	case proto:
		return fmt.Sprintf(`{"name":"tasks/T/pushNotificationConfigs/%s","pushNotificationConfig":%s}`, w.id, w.inner())
	}
	return fmt.Sprintf(`{"taskId":"T","pushNotificationConfig":%s}`, w.inner())
}

func configsJSON(ws []webhook, gen string, proto bool) string {
	var all []string
	for _, w := range ws {
		all = append(all, w.json(gen, proto))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// config is a configuration of either layout, as it is sent.
type config struct {
	ID, URL, Token string
	Authentication struct {
		Scheme, Credentials string
		Schemes             []string
	}
}

func (c *config) webhook() webhook {
	a := c.Authentication
	return webhook{c.ID, c.URL, c.Token, a.Scheme + strings.Join(a.Schemes, ","), a.Credentials}
}

// hooksRPC serves the agent over JSON-RPC.
func hooksRPC(t *testing.T, h *hooks, gen string) string {
	names := map[string]string{
		"message/send": "send", "tasks/get": "read", "SendMessage": "send", "GetTask": "read",
		"tasks/pushNotificationConfig/set": "set", "tasks/pushNotificationConfig/get": "get",
		"tasks/pushNotificationConfig/list": "list", "tasks/pushNotificationConfig/delete": "delete",
		"CreateTaskPushNotificationConfig": "set", "GetTaskPushNotificationConfig": "get",
		"ListTaskPushNotificationConfigs": "list", "DeleteTaskPushNotificationConfig": "delete",
	}
	modern := gen == "1.0"
	return served(t, func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params struct {
				config
				TaskID                   string
				PushNotificationConfigID string
				PushNotificationConfig   config
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil || strings.Contains(call.Method, "/") == modern {
			t.Errorf("%s: %v", call.Method, err)
		}
		p := &call.Params
		task, id, c := p.TaskID, p.ID, p.config
		if !modern {
			task, id, c = p.ID, p.PushNotificationConfigID, p.PushNotificationConfig
			if task == "" {
				task = p.TaskID
			}
		}
		w.Header().Set("Content-Type", "application/json")
		result, found := h.rpc(names[call.Method], gen, task, id, c.webhook())
		if !found {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Task not found"}}`, call.ID)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
	}, func(base string) string { return hookCard(gen, "JSONRPC", base+"/rpc") })
}

// rpc carries out a call and answers it.
func (h *hooks) rpc(name, gen, task, id string, c webhook) (result string, found bool) {
	modern := gen == "1.0"
	switch name {
	case "send":
		if result = taskIn(gen, modern, "working"); modern {
			result = `{"task":` + result + `}`
		}
	case "read":
		result = taskIn(gen, modern, h.state())
	case "set":
		h.set(task, c)
		result = c.json(gen, false)
	case "get":
		got, ok := h.get(task, id)
		return got.json(gen, false), ok
	case "list":
		if result = configsJSON(h.list(task), gen, false); modern {
			result = `{"configs":` + result + `}`
		}
	case "delete":
		h.remove(task, id)
		result = "null"
		if modern {
			result = "{}"
		}
	}
	return result, true
}

// served starts a server with a card and one handler for everything else.
func served(t *testing.T, calls http.HandlerFunc, card func(base string) string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", calls)
	mux.HandleFunc("GET /.well-known/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, card("http://"+r.Host))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// hooksREST serves the agent over HTTP+JSON. What was deleted is answered as
// 204 in 1.0, and as an empty object in 0.3.
func hooksREST(t *testing.T, h *hooks, gen string) string {
	modern, prefix := gen == "1.0", "/v1"
	if modern {
		prefix = ""
	}
	mux := http.NewServeMux()
	on := func(route string, answer func(r *http.Request, body *restConfig) string) {
		method, path, _ := strings.Cut(route, " ")
		mux.HandleFunc(method+" /rest"+prefix+path, func(w http.ResponseWriter, r *http.Request) {
			var body restConfig
			if method == http.MethodPost {
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					t.Errorf("%s: %v", r.URL.Path, err)
				}
			}
			text := answer(r, &body)
			w.Header().Set("Content-Type", "application/json")
			switch text {
			case "":
				w.WriteHeader(http.StatusNoContent)
				return
			case "none":
				w.WriteHeader(http.StatusNotFound)
				text = `{"error":{"code":404,"status":"NOT_FOUND","message":"no such configuration","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`
			}
			_, _ = fmt.Fprint(w, text)
		})
	}
	on("POST /message:send", func(*http.Request, *restConfig) string { return `{"task":` + taskIn(gen, true, "working") + `}` })
	on("GET /tasks/{task}", func(*http.Request, *restConfig) string { return taskIn(gen, true, h.state()) })
	const hook = "/tasks/{task}/pushNotificationConfigs"
	on("POST "+hook, func(r *http.Request, body *restConfig) string {
		c := body.config
		if !modern {
			c = body.Config.PushNotificationConfig
			if body.Parent != "tasks/T" || body.ConfigID != c.ID || body.Config.Name != "tasks/T/pushNotificationConfigs/"+c.ID {
				t.Errorf("set came as %+v", body)
			}
		}
		h.set(r.PathValue("task"), c.webhook())
		return c.webhook().json(gen, true)
	})
	on("GET "+hook+"/{id}", func(r *http.Request, _ *restConfig) string {
		if got, ok := h.get(r.PathValue("task"), r.PathValue("id")); ok {
			return got.json(gen, true)
		}
		return "none"
	})
	on("GET "+hook, func(r *http.Request, _ *restConfig) string {
		return `{"configs":` + configsJSON(h.list(r.PathValue("task")), gen, true) + `}`
	})
	on("DELETE "+hook+"/{id}", func(r *http.Request, _ *restConfig) string {
		h.remove(r.PathValue("task"), r.PathValue("id"))
		if modern {
			return ""
		}
		return "{}"
	})
	return served(t, mux.ServeHTTP, func(base string) string { return hookCard(gen, "HTTP+JSON", base+"/rest") })
}

// restConfig is the body of a set in either generation.
type restConfig struct {
	config
	Parent, ConfigID string
	Config           struct {
		Name                   string
		PushNotificationConfig config
	}
}
