package fieldcases

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// TestSecurityOverRPC: gRPC has no WWW-Authenticate. UNAUTHENTICATED to a call
// without credentials is what a card that requires some promises, and a refusal
// where it requires none; PERMISSION_DENIED without a word of the agent may be
// a gateway's.
func TestSecurityOverRPC(t *testing.T) {
	t.Parallel()
	const required = `"securitySchemes":{"t":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},"securityRequirements":[{"schemes":{"t":{"list":[]}}}],`
	const anonymous, known = "send --without credentials report", "send report"
	for _, tc := range []struct {
		name, security string
		refuse         codes.Code // of calls without a token; OK lets everybody in
		lines          []string
		verdict        string
		rules          []string // what is found of the claim
	}{
		{"required and enforced", required, codes.Unauthenticated, []string{anonymous}, "honoured", nil},
		{"required and enforced as 403", required, codes.PermissionDenied, []string{anonymous}, "honoured", nil},
		{"required and not enforced", required, codes.OK, []string{anonymous}, "contradicted", []string{"security.open"}},
		{"required, enforced and given", required, codes.Unauthenticated, []string{"auth bearer $FIELD_TOKEN", known, anonymous}, "honoured", nil},
		{"required and given", required, codes.OK, []string{"auth bearer $FIELD_TOKEN", known}, "unproven", nil},
		{"required, and a server in trouble", required, codes.Unavailable, []string{anonymous}, "unproven", nil},
		{"not required and not asked for", "", codes.OK, []string{anonymous}, "honoured", nil},
		{"not required and asked for", "", codes.Unauthenticated, []string{anonymous}, "contradicted", []string{"security.refused"}},
		{"not required, and a gateway's no", "", codes.PermissionDenied, []string{anonymous}, "inconclusive", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at := lockedRPC(t, tc.refuse)
			card := fmt.Sprintf(`{"name":"Field","description":"d","version":"1","supportedInterfaces":[{"url":"http://%s","protocolBinding":"GRPC","protocolVersion":"1.0"}],%s%s}`, at, tc.security, capable)
			// The address is typed too, for credentials go nowhere else.
			w := fieldCase{peer: peer{gen: "1.0", card: card, on: answers10}, lines: append([]string{"endpoint http://" + at, "interface grpc 1.0"}, tc.lines...)}.walk(t)
			if w.err != nil {
				t.Fatal(w.err)
			}
			var found []string
			for _, f := range w.doc.Findings { // a walk ends with one more message
				if f.Claim == "security" {
					found = append(found, f.Rule)
				}
			}
			for _, c := range w.doc.Claims {
				if c.ID == "security" && string(c.Verdict) != tc.verdict {
					t.Errorf("security is %s, want %s%s", c.Verdict, tc.verdict, w.transcript())
				}
			}
			if !slices.Equal(slices.Compact(found), tc.rules) {
				t.Errorf("found %q, want %q%s", found, tc.rules, w.transcript())
			}
		})
	}
}

// lockedRPC serves messages over gRPC, and refuses calls without a bearer token
// with a code unless that is OK. It returns its address.
func lockedRPC(t *testing.T, refuse codes.Code) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		if refuse != codes.OK && !strings.HasPrefix(strings.Join(md.Get("authorization"), ""), "Bearer ") {
			return nil, status.Error(refuse, "no")
		}
		return next(ctx, req)
	}))
	pb10.RegisterA2AServiceServer(s, &rpcOnly{})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-served
	})
	return l.Addr().String()
}
