package a2a

import (
	"slices"
	"strings"
)

// security reads the schemes and the requirements of either dialect, and the
// authentication of 0.1.
func (d *decoder) security(i int, c *Card) {
	schemes := d.find(i, kSecuritySchemes)
	for at := -1; d.kind(schemes) == '{'; {
		if at = d.step(schemes, at); at < 0 || len(c.Schemes) >= maxInterfaces {
			break
		}
		if d.kind(at) == '{' {
			c.Schemes = append(c.Schemes, d.scheme(at, c.Generation))
		}
	}
	reqs := d.either(i, kSecurityRequirements, kSecurity)
	for at := -1; d.kind(reqs) == '['; {
		if at = d.step(reqs, at); at < 0 || len(c.Security) >= maxInterfaces {
			break
		}
		if d.kind(at) == '{' {
			c.Security = append(c.Security, d.requirement(at))
		}
	}
	if auth := d.find(i, kAuthentication); d.kind(auth) == '{' && len(c.Schemes) == 0 {
		d.authentication(auth, c)
	}
	slices.SortFunc(c.Schemes, func(a, b Scheme) int { return strings.Compare(a.Name, b.Name) })
}

// requirement is one alternative: {"k":[…]}, or {"schemes":{"k":{"list":[…]}}}.
func (d *decoder) requirement(i int) []string {
	if s := d.member(i, kSchemes); d.kind(s) == '{' {
		i = s
	}
	names := []string{}
	for c := d.first(i); c >= 0 && len(names) < maxInterfaces; c = d.next(i, c) {
		names = append(names, d.name(c))
	}
	slices.Sort(names)
	return names
}

// authentication is the list of scheme names of 0.1, any of which will do.
func (d *decoder) authentication(i int, c *Card) {
	for _, name := range d.strings(d.find(i, kSchemes)) {
		s := Scheme{Name: name}
		switch strings.ToLower(name) {
		case "", "none", "public":
			continue
		case "apikey", "api_key", "api-key":
			s.Kind = "apiKey"
		case "oauth2":
			s.Kind = "oauth2"
		default:
			s.Kind, s.HTTP = "http", strings.ToLower(name)
		}
		if slices.ContainsFunc(c.Schemes, func(x Scheme) bool { return x.Name == s.Name }) {
			continue
		}
		c.Schemes = append(c.Schemes, s)
		c.Security = append(c.Security, []string{name})
	}
}

// wrapperKinds are the wrapper keys of the proto dialect, and the short ones
// that one SDK used for a while.
var wrapperKinds = []struct {
	k    key
	kind string
	long bool
}{
	{kAPIKeyScheme, "apiKey", true}, {kHTTPAuthScheme, "http", true}, {kOAuth2Scheme, "oauth2", true},
	{kOpenIDConnectScheme, "openIdConnect", true}, {kMTLSScheme, "mutualTLS", true},
	{kAPIKey, "apiKey", false}, {kHTTPAuth, "http", false}, {kHTTP, "http", false}, {kOAuth2, "oauth2", false},
	{kOpenIDConnect, "openIdConnect", false}, {kMTLS, "mutualTLS", false}, {kMutualTLS, "mutualTLS", false},
}

// scheme reads one scheme: by wrapper key, by type, or by the member that only
// one kind has.
func (d *decoder) scheme(i int, gen Generation) Scheme {
	s := Scheme{Name: d.name(i)}
	body := i
	for _, w := range wrapperKinds {
		if inner := d.member(i, w.k); d.kind(inner) == '{' {
			s.Kind, body = w.kind, inner
			if !w.long {
				d.note("card-security-dialect", false, "the scheme %q uses a wrapper key that no specification has", clip(s.Name))
			}
			break
		}
	}
	if typ := d.text(i, kType); body == i && typ != "" {
		if s.Kind = schemeKind(typ); s.Kind == "" {
			d.note("card-security-invalid", false, "the scheme %q has the unknown type %q", clip(s.Name), clip(typ))
		} else if gen == Gen10 {
			d.note("card-security-dialect", false, "the scheme %q is written in the dialect of 0.x on a 1.0 card", clip(s.Name))
		}
	} else if body == i {
		s.Kind = d.inferScheme(i)
		d.note("card-security-dialect", false, "the scheme %q has neither a type nor a wrapper key", clip(s.Name))
	}
	d.schemeBody(body, &s)
	return s
}

// schemeKind normalises a scheme's type.
func schemeKind(typ string) string {
	if len(typ) > longestKey {
		return ""
	}
	switch foldName(typ) {
	case "apikey":
		return "apiKey"
	case "http", "bearer", "basic":
		return "http"
	case "oauth2":
		return "oauth2"
	case "openidconnect", "oidc":
		return "openIdConnect"
	case "mutualtls", "mtls":
		return "mutualTLS"
	}
	return ""
}

func (d *decoder) inferScheme(i int) string {
	switch {
	case d.member(i, kOpenIDConnectURL) >= 0:
		return "openIdConnect"
	case d.member(i, kFlows) >= 0:
		return "oauth2"
	case d.member(i, kIn) >= 0 || d.member(i, kLocation) >= 0:
		return "apiKey"
	case d.member(i, kScheme) >= 0 || d.member(i, kBearerFormat) >= 0:
		return "http"
	}
	return ""
}

func (d *decoder) schemeBody(i int, s *Scheme) {
	invalid := func(format string, args ...any) { d.note("card-security-invalid", false, format, args...) }
	switch s.Kind {
	case "apiKey":
		in := d.either(i, kIn, kLocation)
		s.In, s.Param = strings.ToLower(d.str(in)), d.text(i, kName)
		if s.In == "" || d.n[in].alt { // in_ is how one SDK leaked its language
			invalid("the apiKey scheme %q lacks in", clip(s.Name))
		}
		if s.Param == "" {
			invalid("the apiKey scheme %q lacks name", clip(s.Name))
		}
	case "http":
		if s.HTTP = strings.ToLower(d.text(i, kScheme)); s.HTTP == "" {
			invalid("the http scheme %q does not say which", clip(s.Name))
		}
	case "oauth2":
		d.flows(d.find(i, kFlows), s, invalid)
	case "openIdConnect":
		if s.AuthURL = d.text(i, kOpenIDConnectURL); s.AuthURL == "" {
			invalid("the openIdConnect scheme %q has no URL", clip(s.Name))
		}
	case "":
		invalid("the kind of the scheme %q cannot be told", clip(s.Name))
	}
}

// oauthFlows in the order in which a console can use them.
var oauthFlows = []key{kClientCredentials, kDeviceCode, kAuthorizationCode, kPassword, kImplicit}

// flows takes the first flow that a console can use.
func (d *decoder) flows(i int, s *Scheme, invalid func(string, ...any)) {
	for _, k := range oauthFlows {
		flow := d.find(i, k)
		if d.kind(flow) != '{' {
			continue
		}
		s.Flow = keyNames[k]
		d.flow(flow, s)
		return
	}
	invalid("the oauth2 scheme %q names no flow", clip(s.Name))
	if d.kind(i) == '{' {
		d.flow(i, s) // the flow's members stand where its name should be
	}
}

func (d *decoder) flow(i int, s *Scheme) {
	s.TokenURL = d.text(i, kTokenURL)
	s.AuthURL = d.text(i, kDeviceAuthorizationURL, kAuthorizationURL)
	switch scopes := d.find(i, kScopes); d.kind(scopes) {
	case '{':
		for c := d.first(scopes); c >= 0 && len(s.Scopes) < maxInterfaces; c = d.next(scopes, c) {
			s.Scopes = append(s.Scopes, d.name(c))
		}
		slices.Sort(s.Scopes)
	case '[':
		s.Scopes = d.strings(scopes)
	}
}
