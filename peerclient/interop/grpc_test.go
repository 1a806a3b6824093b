package interop

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	grpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"

	"a2ascope/session"
)

// TestOldServiceBehindANewCard: the services of 0.3 and 1.0 have different
// names, and a server that has the old one alone does not know the new (field
// case 143). The message goes on to it; what is secret in it stays out of the
// log, and the log can be read all the same.
func TestOldServiceBehindANewCard(t *testing.T) {
	const secret = "open-sesame-open-sesame"
	t.Setenv("DOOR", secret)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rpc := grpc.NewServer()
	grpcv0.NewHandler(a2asrv.NewHandler(newAgent(time.Millisecond))).RegisterWith(rpc)
	go func() { _ = rpc.Serve(listener) }()
	t.Cleanup(rpc.Stop)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		card := cardOf("http://"+r.Host, listener.Addr().String())
		card.SupportedInterfaces = []*a2a.AgentInterface{{URL: listener.Addr().String(), ProtocolBinding: a2a.TransportProtocolGRPC, ProtocolVersion: a2a.Version}}
		_ = json.NewEncoder(w).Encode(card)
	}))
	t.Cleanup(web.Close)
	w := walk(t, web.URL, "auth bearer $DOOR", "send task "+secret, "wait settled", "stream slow 3", "wait settled")
	if w.err != nil || len(w.doc.Tasks) != 2 || w.doc.Tasks[0].State != "completed" || w.doc.Tasks[1].State != "completed" || w.doc.Faults != 0 {
		t.Errorf("%v %+v", w.err, w.doc.Tasks)
	}
	if w.doc.Peer.Generation != "0.3" || w.doc.Peer.Binding != "GRPC" {
		t.Errorf("%s %s answered", w.doc.Peer.Binding, w.doc.Peer.Generation)
	}
	if len(w.doc.Tasks) > 0 && (len(w.doc.Tasks[0].Messages) == 0 || !strings.Contains(w.doc.Tasks[0].Messages[0].Text, "‹secret:1›")) {
		t.Errorf("messages %+v", w.doc.Tasks[0].Messages)
	}
	refused := false
	for _, f := range w.doc.Findings {
		refused = refused || f.Rule == "version.refused"
		if f.Severity.Contradicts() && f.Claim != session.ProtocolVersion {
			t.Errorf("%s contradicts %s: %s", f.Rule, f.Claim, f.Detail)
		}
	}
	if !refused {
		t.Errorf("findings %+v", w.doc.Findings)
	}
	for _, r := range w.records {
		if strings.Contains(string(r.Raw), secret) || strings.Contains(string(r.Body), secret) {
			t.Errorf("record %d tells the secret", r.Seq)
		}
		if r.Kind != session.KindRequest && r.Kind != session.KindResponse && r.Kind != session.KindFrame {
			continue
		}
		var b struct {
			ProtoJSON []byte `json:"protoJson"`
		}
		if err := r.Decode(&b); err != nil || strings.Contains(string(b.ProtoJSON), secret) {
			t.Errorf("record %d: %v", r.Seq, err)
		}
	}
	if t.Failed() {
		t.Log(w.transcript())
	}
}
