package a2a

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DecodeCard reads an Agent Card of any generation and layout. The error says
// what the document is instead, when it is no JSON object; everything else
// that is wrong with a card is an anomaly. An empty object is a card of which
// nothing is declared.
func DecodeCard(raw []byte) (Card, []Anomaly, error) {
	p := Decode(Input{Raw: raw, Op: OpCard})
	switch {
	case p.Card != nil:
		return *p.Card, p.Anomalies, nil
	case len(bytes.TrimSpace(raw)) == 0:
		return Card{}, p.Anomalies, fmt.Errorf("read the agent card: the body is empty; ask another well-known path")
	case p.Error != nil:
		return Card{}, p.Anomalies, fmt.Errorf("read the agent card: the body is an error, %q; ask another path or give credentials", clip(p.Error.Message))
	case p.Kind == KindUnreadable:
		return Card{}, p.Anomalies, fmt.Errorf("read the agent card: the body is %s; a card is a JSON object, so ask another path", whatItIs(raw))
	}
	return Card{}, p.Anomalies, fmt.Errorf("read the agent card: the body is %s and no JSON object; ask another path", jsonName(raw))
}

// jsonName names the kind of JSON value that a body is.
func jsonName(raw []byte) string {
	switch text := strings.TrimSpace(string(raw[:min(len(raw), 64)])); {
	case strings.HasPrefix(text, "["):
		return "a JSON array"
	case strings.HasPrefix(text, `"`):
		return "a JSON text"
	case strings.HasPrefix(text, "null"):
		return "null"
	}
	return "a bare JSON value"
}

// isCard recognises a card that came where something else was asked for.
func (d *decoder) isCard(i int) bool {
	if d.kind(d.member(i, kSupportedInterfaces)) == '[' {
		return true
	}
	return d.member(i, kName) >= 0 && (d.kind(d.member(i, kSkills)) == '[' || d.kind(d.member(i, kCapabilities)) == '{')
}

// card decodes a card into the payload.
func (d *decoder) card(i int) {
	c := Card{
		Name: d.text(i, kName), Description: d.text(i, kDescription), Version: d.text(i, kVersion),
		InputModes: d.strings(d.find(i, kDefaultInputModes)), OutputModes: d.strings(d.find(i, kDefaultOutputModes)),
	}
	if p := d.find(i, kProvider); d.kind(p) == '{' {
		c.Provider = d.text(p, kOrganization, kName)
	} else {
		c.Provider = d.str(p)
	}
	c.Generation = d.layout(i)
	d.interfaces(i, &c)
	d.capabilities(i, &c)
	d.skills(d.find(i, kSkills), &c)
	d.security(i, &c)
	c.Signatures = d.count(d.find(i, kSignatures))
	d.required(i, &c)
	d.nulls(i)
	d.around(i)
	d.out.Card, d.out.Kind = &c, KindCard
}

// count is the number of an array's elements.
func (d *decoder) count(i int) (n int) {
	for c := -1; d.kind(i) == '['; n++ {
		if c = d.step(i, c); c < 0 {
			break
		}
	}
	return n
}

// layout is the generation of the card's layout; empty when the card has no
// address in any layout.
func (d *decoder) layout(i int) Generation {
	version := d.text(i, kProtocolVersion)
	if s := d.find(i, kSupportedInterfaces); d.kind(s) == '[' && (!d.empty(s) || d.member(i, kURL) < 0) {
		return Gen10
	}
	gen, ok := ParseGeneration(version)
	switch {
	case d.member(i, kURL) < 0 && d.member(i, kAdditionalInterfaces) < 0 && !d.null(i, kURL):
		return ""
	case ok && gen >= Gen10:
		d.note("card-mixed-layout", false, "the card says protocolVersion %q and has the layout of 0.3", clip(version))
		return Gen03
	case ok:
		return gen
	case d.kind(d.member(i, kAuthentication)) == '{':
		return Gen01
	}
	return Gen02
}

// ParseGeneration reads a protocol version as Major.Minor. "1", "v1.0" and
// "1.0.0" are all 1.0. It reports false for what is no version.
func ParseGeneration(version string) (Generation, bool) {
	text := strings.TrimLeft(strings.TrimSpace(version), "vV")
	major, rest, dotted := strings.Cut(text, ".")
	minor := "0"
	if dotted {
		minor, _, _ = strings.Cut(rest, ".")
		if at := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' }); at > 0 {
			minor = minor[:at] // 1.0-rc
		}
	}
	ma, err1 := strconv.ParseUint(major, 10, 16)
	mi, err2 := strconv.ParseUint(minor, 10, 16)
	if err1 != nil || err2 != nil {
		return "", false
	}
	return Generation(fmt.Sprintf("%d.%d", ma, mi)), true
}

// ParseBinding normalises the name of a binding. ok is false for one that the
// specification does not know; it is returned as written.
func ParseBinding(raw string) (b Binding, ok bool) {
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(raw))
	switch word {
	case "jsonrpc", "jsonrpc2", "jsonrpc20", "jsonrpchttp", "httpjsonrpc":
		return JSONRPC, true
	case "httpjson", "rest", "http", "httprest", "restjson":
		return REST, true
	case "grpc":
		return GRPC, true
	}
	return Binding(raw), false
}

// maxInterfaces bounds the interfaces, skills and schemes of a card.
const maxInterfaces = 1000

// interfaces reads the addresses: supportedInterfaces alone where there is
// one, else url and additionalInterfaces.
func (d *decoder) interfaces(i int, c *Card) {
	top := d.text(i, kURL)
	cardVersion := d.text(i, kProtocolVersion)
	if c.Generation == Gen10 {
		items := d.find(i, kSupportedInterfaces)
		for at := d.first(items); at >= 0 && len(c.Interfaces) < maxInterfaces; at = d.next(items, at) {
			if d.kind(at) == '{' {
				c.Interfaces = append(c.Interfaces, d.face(at, cardVersion, true))
			}
		}
		if top != "" && !slices.ContainsFunc(c.Interfaces, func(f Interface) bool { return f.URL == top }) {
			d.note("card-url-inconsistent", false, "url is %q, which no supported interface has", clip(top))
		}
		return
	}
	if top == "" {
		d.note("card-url-missing", false, "the card gives no address")
	} else {
		first := Interface{URL: top, Binding: d.binding(d.text(i, kPreferredTransport)), Generation: d.version(cardVersion, ""), Assumed: cardVersion == ""}
		c.Interfaces = append(c.Interfaces, first)
	}
	items := d.find(i, kAdditionalInterfaces)
	for at := d.first(items); d.kind(items) == '[' && at >= 0 && len(c.Interfaces) < maxInterfaces; at = d.next(items, at) {
		if d.kind(at) != '{' {
			continue
		}
		if f := d.face(at, cardVersion, false); !slices.Contains(c.Interfaces, f) {
			c.Interfaces = append(c.Interfaces, f)
		}
	}
}

// face reads one interface of either layout. Required members that it lacks
// are noted where its layout requires them.
func (d *decoder) face(i int, cardVersion string, modern bool) Interface {
	f := Interface{
		URL:        d.text(i, kURL),
		Binding:    d.binding(d.text(i, kProtocolBinding, kTransport)),
		Generation: d.version(d.text(i, kProtocolVersion), cardVersion),
		Tenant:     d.text(i, kTenant),
		Assumed:    cardVersion == "" && d.text(i, kProtocolVersion) == "",
	}
	if modern && d.member(i, kProtocolVersion) < 0 && cardVersion != "" {
		d.note("card-mixed-layout", false, "an interface has no protocolVersion of its own; the card's %q was taken", clip(cardVersion))
	}
	if f.URL == "" {
		d.note("card-url-missing", false, "an interface gives no address")
	}
	return f
}

// binding normalises a binding's name; 0.x means JSON-RPC by none.
func (d *decoder) binding(raw string) Binding {
	if raw == "" {
		return JSONRPC
	}
	b, ok := ParseBinding(raw)
	if !ok {
		d.note("card-binding-unknown", false, "the binding %q is none of the specification", clip(raw))
	} else if string(b) != raw {
		d.note("card-binding-spelling", false, "the binding %s is spelled %q", b, clip(raw))
	}
	return b
}

// version is the generation of an interface: its own, else the card's, else
// 0.3.
func (d *decoder) version(own, card string) Generation {
	for _, v := range []string{own, card} {
		if v == "" {
			continue
		}
		if g, ok := ParseGeneration(v); ok {
			return g
		}
		d.note("card-version-invalid", false, "the protocol version %q is none; 0.3 is assumed", clip(v))
	}
	return Gen03
}

// declared reads a capability: true, false, or not declared.
func (d *decoder) declared(i int, ks ...key) Declared {
	out := Undeclared
	for _, k := range ks {
		switch v, ok := d.boolean(d.find(i, k)); {
		case ok && v:
			return DeclaredTrue
		case ok:
			out = DeclaredFalse
		}
	}
	return out
}

func (d *decoder) capabilities(i int, c *Card) {
	caps := d.find(i, kCapabilities)
	if d.kind(caps) != '{' {
		d.note("card-capabilities-missing", false, "the card declares no capabilities")
		caps = -1
	}
	c.Streaming = d.declared(caps, kStreaming)
	c.PushNotifications = d.declared(caps, kPushNotifications)
	c.StateTransitionHistory = d.declared(caps, kStateTransitionHistory)
	c.ExtendedCard = d.declared(caps, kExtendedAgentCard)
	if c.ExtendedCard != DeclaredTrue {
		if top := d.declared(i, kSupportsExtendedCard); top != Undeclared {
			c.ExtendedCard = top
		}
	}
	exts := d.find(caps, kExtensions)
	for at := -1; d.kind(exts) == '[' && len(c.Extensions) < maxInterfaces; {
		if at = d.step(exts, at); at < 0 {
			break
		}
		if uri := d.text(at, kURI); uri != "" {
			required, _ := d.boolean(d.find(at, kRequired))
			c.Extensions = append(c.Extensions, Extension{URI: uri, Required: required})
		}
	}
	if c.DefaultTimeout = d.timeout(d.find(i, kDefaultTimeout)); c.DefaultTimeout == 0 {
		c.DefaultTimeout = d.timeout(d.find(caps, kDefaultTimeout))
	}
}

// step walks like first and next, beginning at -1.
func (d *decoder) step(parent, at int) int {
	if at < 0 {
		return d.first(parent)
	}
	return d.next(parent, at)
}

// timeout reads seconds, or a duration such as "30s"; at most a day.
func (d *decoder) timeout(i int) time.Duration {
	if i < 0 {
		return 0
	}
	const most = 24 * time.Hour
	if s := d.number(i); s > 0 {
		return time.Duration(min(s*float64(time.Second), float64(most)))
	}
	if v, err := time.ParseDuration(strings.TrimSpace(d.str(i))); err == nil && v > 0 {
		return min(v, most)
	}
	d.note("card-timeout-invalid", false, "defaultTimeout %q is neither seconds nor a duration", clip(d.str(i)))
	return 0
}

func (d *decoder) skills(items int, c *Card) {
	for at := -1; d.kind(items) == '['; {
		if at = d.step(items, at); at < 0 || len(c.Skills) >= maxInterfaces {
			return
		}
		if d.kind(at) != '{' {
			continue
		}
		c.Skills = append(c.Skills, Skill{
			ID: d.text(at, kID), Name: d.text(at, kName), Description: d.text(at, kDescription),
			Tags: d.strings(d.find(at, kTags)), Examples: d.strings(d.find(at, kExamples)),
			InputModes: d.strings(d.find(at, kInputModes)), OutputModes: d.strings(d.find(at, kOutputModes)),
			Secured: d.count(d.either(at, kSecurityRequirements, kSecurity)) > 0,
		})
	}
}

// requiredOf are the members that each generation requires of a card. A card
// is held to its own generation only.
var requiredOf = map[Generation][]key{
	Gen10: {kName, kDescription, kSupportedInterfaces, kVersion, kCapabilities, kDefaultInputModes, kDefaultOutputModes, kSkills},
	Gen03: {kName, kDescription, kURL, kVersion, kProtocolVersion, kCapabilities, kDefaultInputModes, kDefaultOutputModes, kSkills},
	Gen02: {kName, kDescription, kURL, kVersion, kCapabilities, kDefaultInputModes, kDefaultOutputModes, kSkills},
	Gen01: {kName, kURL, kVersion, kCapabilities, kSkills},
}

// required notes what the card's own generation requires and the card lacks.
func (d *decoder) required(i int, c *Card) {
	keys, ok := requiredOf[c.Generation]
	if !ok {
		keys = requiredOf[Gen10]
	}
	var missing, null []string
	for _, k := range keys {
		switch {
		case d.member(i, k) >= 0:
		case d.null(i, k):
			null = append(null, keyNames[k])
		default:
			missing = append(missing, keyNames[k])
		}
	}
	items := d.find(i, kSupportedInterfaces)
	for at := -1; c.Generation == Gen10; {
		if at = d.step(items, at); at < 0 {
			break
		}
		for _, k := range []key{kURL, kProtocolBinding, kProtocolVersion} {
			if d.kind(at) == '{' && d.member(at, k) < 0 && d.member(at, kTransport) < 0 && len(missing) < 16 {
				missing = append(missing, "supportedInterfaces[]."+keyNames[k])
			}
		}
	}
	if len(missing) > 0 {
		d.note("card-required-missing", false, "required by the card's generation and missing: %s", strings.Join(slices.Compact(missing), ", "))
	}
	if len(null) > 0 {
		d.note("card-required-null", false, "required and null: %s", strings.Join(null, ", "))
	}
}

// nulls notes optional members that are null.
func (d *decoder) nulls(i int) {
	var names []string
	var walk func(i int)
	walk = func(i int) {
		for c := d.first(i); c >= 0 && len(names) < 16; c = d.next(i, c) {
			if d.n[c].kind == 'n' && d.n[c].key != kUnknown {
				names = append(names, keyNames[d.n[c].key])
			}
			if d.n[c].kind == '{' || d.n[c].kind == '[' {
				walk(c)
			}
		}
	}
	walk(i)
	if len(names) > 0 {
		slices.Sort(names)
		d.note("card-null-field", false, "null instead of absent: %s", strings.Join(slices.Compact(names), ", "))
	}
}
