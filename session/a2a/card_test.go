package a2a

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// full is a card of each layout to which nothing can be objected.
const (
	full10 = `"name":"n","description":"d","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]`
	full03 = full10 + `,"protocolVersion":"0.3.0","url":"http://h/a2a"`
)

func TestDecodeCard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		gen       Generation
		faces     []Interface
		codes     string
	}{
		{"1.0", `{` + full10 + `,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"acme"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen10, "acme", false}}, ""},
		{"0.3", `{` + full03 + `,"preferredTransport":"GRPC","additionalInterfaces":[{"url":"http://h/a2a","transport":"GRPC"},{"url":"http://h/rest","transport":"HTTP+JSON"}]}`,
			Gen03, []Interface{{"http://h/a2a", GRPC, Gen03, "", false}, {"http://h/rest", REST, Gen03, "", false}}, ""},
		{"0.2", `{` + full10 + `,"url":"http://h"}`, Gen02, []Interface{{"http://h", JSONRPC, Gen03, "", true}}, ""},
		{"0.1 (23)", `{"name":"n","version":"1","url":"http://h","capabilities":{},"skills":[],"authentication":{"schemes":["Bearer"]}}`,
			Gen01, []Interface{{"http://h", JSONRPC, Gen03, "", true}}, ""},
		{"union", `{` + full03 + `,"supportedInterfaces":[{"url":"http://h/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"http://h/a2a","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`,
			Gen10, []Interface{{"http://h/a2a", JSONRPC, Gen10, "", false}, {"http://h/a2a", JSONRPC, Gen03, "", false}}, ""},
		{"8 empty", `{` + strings.Replace(full03, "http://h/a2a", "", 1) + `}`, Gen03, nil, "card-url-missing"},
		{"8 null", `{` + strings.Replace(full03, `"http://h/a2a"`, "null", 1) + `}`, Gen03, nil, "card-null-field card-required-null card-url-missing"},
		{"9", `{` + full03 + `,"supportedInterfaces":[{"url":"http://internal","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			Gen10, []Interface{{"http://internal", JSONRPC, Gen10, "", false}}, "card-url-inconsistent"},
		{"19", `{` + full10 + `,"provider":null,"iconUrl":null,"protocolVersion":"1.0","supportedInterfaces":[{"protocolBinding":"JSONRPC","url":"http://h","tenant":""}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen10, "", false}}, "card-mixed-layout card-null-field card-required-missing"},
		{"19 other", `{` + full10 + `,"protocolVersion":"0.3","supportedInterfaces":[{"protocolBinding":"JSONRPC","url":"http://h"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen03, "", false}}, "card-mixed-layout card-required-missing"},
		{"20", `{"name":"n","description":"d","version":"1","capabilities":{},"defaultInputModes":null,"defaultOutputModes":null,"skills":null,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen10, "", false}}, "card-null-field card-required-null"},
		{"21", `{"name":"n","description":"d","version":"1","skills":[],"default_input_modes":["text"],"default_output_modes":["text"],"supported_interfaces":[{"url":"https://h/a2a","protocol_binding":"JSONRPC","protocol_version":"1.0"}]}`,
			Gen10, []Interface{{"https://h/a2a", JSONRPC, Gen10, "", false}}, "card-capabilities-missing card-key-casing card-required-missing"},
		{"22", `{}`, "", nil, "card-capabilities-missing card-required-missing card-url-missing"},
		{"28", `{` + full03 + `,"preferredTransport":"json-rpc","additionalInterfaces":[{"url":"http://h/s","transport":"slim-rpc"},{"url":"http://h/r","transport":"http+json"}]}`,
			Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}, {"http://h/s", "slim-rpc", Gen03, "", false}, {"http://h/r", REST, Gen03, "", false}}, "card-binding-spelling card-binding-unknown"},
		{"37 no version", `{` + full10 + `,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen03, "", true}}, "card-required-missing"},
		{"other version", `{` + full10 + `,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC","protocolVersion":"v2.1.4"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, "2.1", "", false}}, ""},
		{"no version at all", `{` + full10 + `,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC","protocolVersion":"latest"}]}`,
			Gen10, []Interface{{"http://h", JSONRPC, Gen03, "", false}}, "card-version-invalid"},
		{"empty list beside a url", `{` + full03 + `,"supportedInterfaces":[]}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, ""},
		{"in an envelope", `{"jsonrpc":"2.0","id":1,"result":{` + full03 + `}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, "card-wrapped"},
		{"in a member", `{"card":{` + full03 + `}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, "card-wrapped"},
		{"in a member, spelled otherwise", `{"ok":true,"agent_card":{` + full03 + `}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, "card-wrapped"},
		{"in data", `{"code":0,"data":{` + full03 + `}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, "card-wrapped"},
		{"in an envelope and a member", `{"jsonrpc":"2.0","id":1,"result":{"card":{` + full03 + `}}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, "card-wrapped"},
		{"one of two", `{"a":{` + full03 + `},"b":{` + full03 + `}}`, "", nil, "card-capabilities-missing card-required-missing card-url-missing"},
		{"a member that looks like a card", `{` + full03 + `,"card":{` + full10 + `,"url":"http://other"}}`, Gen03, []Interface{{"http://h/a2a", JSONRPC, Gen03, "", false}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			card, anomalies, err := DecodeCard([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if card.Generation != c.gen || !reflect.DeepEqual(card.Interfaces, c.faces) {
				t.Errorf("generation %q, interfaces %+v; want %q, %+v", card.Generation, card.Interfaces, c.gen, c.faces)
			}
			if got := codes(anomalies); got != c.codes {
				t.Errorf("anomalies %q, want %q: %+v", got, c.codes, anomalies)
			}
		})
	}
}

func TestMissingMembersAreNamed(t *testing.T) {
	t.Parallel()
	_, anomalies, err := DecodeCard([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range anomalies {
		if a.Code != "card-required-missing" {
			continue
		}
		for _, k := range requiredOf[Gen10] {
			if !strings.Contains(a.Detail, keyNames[k]) {
				t.Errorf("%q does not name %s", a.Detail, keyNames[k])
			}
		}
	}
}

func TestDecodeCardRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                          "empty",
		" \n":                       "empty",
		"<!doctype html><title>App": "an HTML page",
		"[]":                        "a JSON array",
		`[{"name":"n"}]`:            "a JSON array",
		"null":                      "null",
		`"card"`:                    "a JSON text",
		"404 page not found":        "no JSON",
		`{"name":"n",`:              "broken or cut JSON",
		`{"error":{"code":404,"message":"nothing here"}}`: "nothing here",
	} {
		card, _, err := DecodeCard([]byte(raw))
		if err == nil || !strings.Contains(err.Error(), want) || card.Name != "" {
			t.Errorf("%q: error %v, want one that says %q", raw, err, want)
		}
	}
}

func TestCardCapabilities(t *testing.T) {
	t.Parallel()
	card, _, err := DecodeCard([]byte(`{"name":"n","url":"http://h","protocolVersion":"0.3","defaultTimeout":"30s","supportsAuthenticatedExtendedCard":true,
		"provider":{"organization":"Acme"},"signatures":[{"protected":"a","signature":"b"},{"protected":"c","signature":"d"}],
		"capabilities":{"streaming":false,"pushNotifications":null,"stateTransitionHistory":true,"extensions":[{"uri":"urn:x","required":true},{"uri":"urn:y"}]},
		"skills":[{"id":"s","name":"S","tags":["a"],"inputModes":["image/png"],"outputModes":null}],"defaultInputModes":["text"],"defaultOutputModes":["text/plain","x/*"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Card{
		Name: "n", Provider: "Acme", Generation: Gen03, Interfaces: []Interface{{"http://h", JSONRPC, Gen03, "", false}},
		Streaming: DeclaredFalse, PushNotifications: Undeclared, StateTransitionHistory: DeclaredTrue, ExtendedCard: DeclaredTrue,
		InputModes: []string{"text"}, OutputModes: []string{"text/plain", "x/*"},
		Skills:     []Skill{{ID: "s", Name: "S", Tags: []string{"a"}, InputModes: []string{"image/png"}}},
		Extensions: []Extension{{"urn:x", true}, {"urn:y", false}}, Signatures: 2, DefaultTimeout: 30 * time.Second,
	}
	if !reflect.DeepEqual(card, want) {
		t.Errorf("read\n%+v\nwant\n%+v", card, want)
	}
	in, out := card.ModesFor("s")
	if !reflect.DeepEqual(in, []string{"image/png"}) || !reflect.DeepEqual(out, []string{"text/plain", "x/*"}) {
		t.Errorf("modes of the skill: %v, %v", in, out)
	}
	if in, _ = card.ModesFor(""); !reflect.DeepEqual(in, []string{"text", "image/png"}) {
		t.Errorf("modes of an unnamed skill: %v", in)
	}
}

func TestCardTimeouts(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]time.Duration{
		`"defaultTimeout":45`: 45 * time.Second, `"defaultTimeout":"2m"`: 2 * time.Minute, `"default_timeout":1.5`: 1500 * time.Millisecond,
		`"capabilities":{"defaultTimeout":7}`: 7 * time.Second, `"defaultTimeout":"soon"`: 0, `"defaultTimeout":-3`: 0, `"defaultTimeout":1e99`: 24 * time.Hour,
	} {
		if card, _, err := DecodeCard([]byte(`{` + raw + `}`)); err != nil || card.DefaultTimeout != want {
			t.Errorf("%s: %v, %v; want %v", raw, card.DefaultTimeout, err, want)
		}
	}
}

func TestCardSecurity(t *testing.T) {
	t.Parallel()
	const modern = `,"supportedInterfaces":[{"url":"http://h","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`
	for _, c := range []struct {
		name, raw string
		schemes   []Scheme
		security  [][]string
		codes     string
	}{
		{"0.x", `{` + full03 + `,"securitySchemes":{"o":{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"http://a","tokenUrl":"http://t","scopes":{}},"clientCredentials":{"tokenUrl":"http://t2","scopes":{"b":"","a":""}}}},"k":{"type":"apiKey","in":"header","name":"X-Key"}},"security":[{"k":[],"o":["a"]},{"o":[]}]}`,
			[]Scheme{{Name: "k", Kind: "apiKey", In: "header", Param: "X-Key"}, {Name: "o", Kind: "oauth2", Flow: "clientCredentials", TokenURL: "http://t2", Scopes: []string{"a", "b"}}},
			[][]string{{"k", "o"}, {"o"}}, ""},
		{"1.0", `{` + full10 + modern + `,"securitySchemes":{"b":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},"d":{"oauth2SecurityScheme":{"flows":{"deviceCode":{"deviceAuthorizationUrl":"http://d","tokenUrl":"http://t","scopes":{}}}}},"k":{"apiKeySecurityScheme":{"location":"query","name":"q"}},"m":{"mtlsSecurityScheme":{}}},"securityRequirements":[{"schemes":{"b":{"list":[]}}}]}`,
			[]Scheme{{Name: "b", Kind: "http", HTTP: "bearer"}, {Name: "d", Kind: "oauth2", Flow: "deviceCode", AuthURL: "http://d", TokenURL: "http://t"}, {Name: "k", Kind: "apiKey", In: "query", Param: "q"}, {Name: "m", Kind: "mutualTLS"}},
			[][]string{{"b"}}, ""},
		{"24 hybrid", `{` + full10 + modern + `,"securitySchemes":{"oidc":{"openIdConnectUrl":"https://idp"}}}`,
			[]Scheme{{Name: "oidc", Kind: "openIdConnect", AuthURL: "https://idp"}}, nil, "card-security-dialect"},
		{"24 old dialect on a new card", `{` + full10 + modern + `,"securitySchemes":{"b":{"type":"http","scheme":"basic"}}}`,
			[]Scheme{{Name: "b", Kind: "http", HTTP: "basic"}}, nil, "card-security-dialect"},
		{"24 short keys", `{` + full10 + modern + `,"securitySchemes":{"b":{"httpAuth":{"scheme":"bearer"}}}}`,
			[]Scheme{{Name: "b", Kind: "http", HTTP: "bearer"}}, nil, "card-security-dialect"},
		{"25", `{` + full03 + `,"securitySchemes":{"k":{"type":"apiKey","in_":"header","name":"X-API-Key"}}}`,
			[]Scheme{{Name: "k", Kind: "apiKey", In: "header", Param: "X-API-Key"}}, nil, "card-key-casing card-security-invalid"},
		{"26 http", `{` + full03 + `,"securitySchemes":{"b":{"type":"http"}}}`, []Scheme{{Name: "b", Kind: "http"}}, nil, "card-security-invalid"},
		{"26 flows", `{` + full03 + `,"securitySchemes":{"o":{"flows":{"authorizationUrl":"http://a","tokenUrl":"http://t","scopes":{}}}}}`,
			[]Scheme{{Name: "o", Kind: "oauth2", TokenURL: "http://t", AuthURL: "http://a"}}, nil, "card-security-dialect card-security-invalid"},
		{"untellable", `{` + full03 + `,"securitySchemes":{"x":{"type":"magic"},"y":{}}}`, []Scheme{{Name: "x"}, {Name: "y"}}, nil, "card-security-dialect card-security-invalid"},
		{"0.1", `{"name":"n","version":"1","url":"http://h","capabilities":{},"skills":[],"authentication":{"schemes":["Bearer","public"]}}`,
			[]Scheme{{Name: "Bearer", Kind: "http", HTTP: "bearer"}}, [][]string{{"Bearer"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			card, anomalies, err := DecodeCard([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(card.Schemes, c.schemes) || !reflect.DeepEqual(card.Security, c.security) {
				t.Errorf("schemes %+v, security %v; want %+v, %v", card.Schemes, card.Security, c.schemes, c.security)
			}
			if got := codes(anomalies); got != c.codes {
				t.Errorf("anomalies %q, want %q: %+v", got, c.codes, anomalies)
			}
		})
	}
}

func TestModeMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		declared string
		mode     string
		want     bool
	}{
		{"text", "text/plain", true}, {"text/plain", "text", true}, {"TEXT/Plain; charset=utf-8", "text/plain", true},
		{"text/*", "text/markdown", true}, {"*/*", "image/png", true}, {"image/*", "text/plain", false},
		{"text", "text/markdown", false}, {"data", "application/json", true}, {"file", "image/png", true},
		{"application/json", "application/json; charset=utf-8", true}, {"text/plain", "", true}, {"", "text/plain", false},
	} {
		if got := ModeMatches([]string{"x/none", c.declared}, c.mode); got != c.want {
			t.Errorf("ModeMatches(%q, %q) = %t", c.declared, c.mode, got)
		}
	}
}

func TestPartMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part Part
		want string
	}{
		{Part{Kind: PartText}, "text/plain"}, {Part{Kind: PartText, MediaType: "text/html"}, "text/html"},
		{Part{Kind: PartData}, "application/json"}, {Part{Kind: PartBytes}, ""}, {Part{Kind: PartURL, MediaType: "a/b"}, "a/b"},
	} {
		if got := c.part.Mode(); got != c.want {
			t.Errorf("%+v counts as %q, want %q", c.part, got, c.want)
		}
	}
}

func TestPartFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part     Part
		declared string
		want     bool
	}{
		{Part{Kind: PartText}, "text/markdown", true}, {Part{Kind: PartText}, "application/json", false}, {Part{Kind: PartText}, "image/png", false},
		{Part{Kind: PartText, MediaType: "text/plain"}, "text/markdown", false}, {Part{Kind: PartData}, "application/json", true},
		{Part{Kind: PartData}, "application/vnd.acme+json; v=1", true}, {Part{Kind: PartData}, "text/plain", false},
		{Part{Kind: PartBytes}, "image/png", true}, {Part{Kind: PartBytes, MediaType: "a/b"}, "image/png", false},
	} {
		if got := c.part.Fits([]string{c.declared}); got != c.want {
			t.Errorf("%+v fits %q: %t", c.part, c.declared, got)
		}
	}
}

// TestCardOf: the card's own bytes, whatever stands around them; a card that
// stands alone is not touched.
func TestCardOf(t *testing.T) {
	t.Parallel()
	const card = `{` + full03 + `, "x": 1.0 }`
	for body, want := range map[string]string{
		card: card, " \n" + card + "\n": " \n" + card + "\n", `{"card": ` + card + ` }`: card, `{"data":` + card + `}`: card,
		`{"jsonrpc":"2.0","id":1,"result":` + card + `}`: card, `{"result":{"agentCard":` + card + `},"id":1}`: card,
		`{}`: `{}`, `[]`: `[]`, "": "", "no JSON": "no JSON", `{"result":{`: `{"result":{`,
	} {
		if got := string(CardOf([]byte(body))); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
