package demopeer

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

type delivery struct {
	body   string
	header http.Header
}

// receiver is a webhook on a real socket.
func receiver(t *testing.T) (url string, calls <-chan delivery) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ch := make(chan delivery, 100)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a check of the address, and no call
			_, _ = io.WriteString(w, r.URL.Query().Get("validationToken"))
			return
		}
		b, _ := io.ReadAll(r.Body)
		ch <- delivery{string(b), r.Header}
	})}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return "http://" + ln.Addr().String() + "/hook", ch
}

// setPush writes the params of one configuration.
func (c *raw) setPush(id, url string) string {
	if c.gen == "0.3" {
		return fmt.Sprintf(`{"taskId":%q,"pushNotificationConfig":{"id":"c1","url":%q,"token":"tok","authentication":{"schemes":["Bearer"],"credentials":"cred"}}}`, id, url)
	}
	return fmt.Sprintf(`{"taskId":%q,"id":"c1","url":%q,"token":"tok","authentication":{"scheme":"Bearer","credentials":"cred"}}`, id, url)
}

func (c *raw) pushID(id string) string {
	if c.gen == "0.3" {
		return fmt.Sprintf(`{"id":%q,"pushNotificationConfigId":"c1"}`, id)
	}
	return fmt.Sprintf(`{"taskId":%q,"id":"c1"}`, id)
}

func TestHonestPush(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		url, calls := receiver(t)
		id := c.send("ask", "").taskID()
		set := c.call("CreateTaskPushNotificationConfig", c.setPush(id, url))
		want(t, "set", strings.Contains(set.raw, url), true)
		got := c.call("GetTaskPushNotificationConfig", c.pushID(id))
		want(t, "get", fmt.Sprint(got.at("result")), fmt.Sprint(set.at("result")))
		list := c.call("ListTaskPushNotificationConfigs", c.pushID(id))
		want(t, "list", strings.Contains(list.raw, url), true)
		c.send("Ada", forTask(id))
		seen := ""
		for !strings.Contains(strings.ToLower(seen), "completed") {
			select {
			case d := <-calls:
				seen += d.body
				token := map[string]string{"1.0": "A2A-Notification-Token", "0.3": "X-A2A-Notification-Token"}[c.gen]
				want(t, "token", d.header.Get(token), "tok")
				want(t, "credentials", d.header.Get("Authorization"), "Bearer cred")
			case <-time.After(patience):
				t.Fatalf("no more calls after %s", seen)
			}
		}
		want(t, "delete", c.call("DeleteTaskPushNotificationConfig", c.pushID(id)).code(), 0)
		want(t, "after delete", c.call("GetTaskPushNotificationConfig", c.pushID(id)).code(), -32001)
		want(t, "another machine", c.call("CreateTaskPushNotificationConfig", c.setPush(id, "http://192.0.2.1/hook")).code(), -32602)
	})
}

func TestNoPush(t *testing.T) {
	t.Parallel()
	both(t, "no-push", func(t *testing.T, c *raw) {
		want(t, "declared", strings.Contains(c.card().raw, `"pushNotifications":true`), true)
		id := c.send("ask", "").taskID()
		want(t, "set", c.call("CreateTaskPushNotificationConfig", c.setPush(id, "http://127.0.0.1:9/hook")).code(), -32003)
		want(t, "the rest", c.send("Ada", forTask(id)).state(), "completed")
	})
}

func TestDeafPush(t *testing.T) {
	t.Parallel()
	both(t, "deaf-push", func(t *testing.T, c *raw) {
		url, calls := receiver(t)
		id := c.send("ask", "").taskID()
		want(t, "set", c.call("CreateTaskPushNotificationConfig", c.setPush(id, url)).code(), 0)
		want(t, "it works on", c.send("Ada", forTask(id)).state(), "completed")
		select {
		case d := <-calls:
			t.Fatalf("it called: %s", d.body)
		case <-time.After(20 * testPace):
		}
	})
}
