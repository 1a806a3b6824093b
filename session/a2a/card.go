package a2a

import "time"

// Card is what an Agent Card declares, whatever its generation. A card is a
// claim: nothing here was observed.
type Card struct {
	Name        string
	Description string
	Version     string // the agent's own version
	Provider    string
	Generation  Generation // of the card's layout; Gen10 when it has supportedInterfaces

	// Interfaces in the order of the card's preference. For 0.x the preferred
	// transport comes first, then additionalInterfaces.
	Interfaces []Interface

	Streaming              Declared
	PushNotifications      Declared
	StateTransitionHistory Declared
	ExtendedCard           Declared

	InputModes  []string // default modes; nil when absent or null
	OutputModes []string
	Skills      []Skill
	Extensions  []Extension
	Schemes     []Scheme   // sorted by name
	Security    [][]string // alternatives; each names the schemes that it needs together
	Signatures  int

	// DefaultTimeout is the peer's own idea of how long an answer may take (on
	// the card or in capabilities, seconds or a duration); 0 when absent.
	DefaultTimeout time.Duration
}

// Declared is three-valued: a capability that the card does not name is
// undeclared, and not false.
type Declared string

// The values of Declared.
const (
	Undeclared    Declared = "undeclared"
	DeclaredTrue  Declared = "true"
	DeclaredFalse Declared = "false"
)

// Interface is one address at which the card says the agent answers.
type Interface struct {
	URL        string     // as written on the card
	Binding    Binding    // normalised; an unknown one as written
	Generation Generation // as declared; Gen03 where the card leaves it open; other versions kept as Major.Minor
	Tenant     string
	Assumed    bool // the card leaves the generation open: it is our guess, and no claim of the peer
}

// Skill is one thing that the agent says it can do.
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
	InputModes  []string // nil: the card's defaults hold
	OutputModes []string
	Secured     bool // it names security requirements of its own
}

// Extension is a protocol extension that the card names.
type Extension struct {
	URI      string
	Required bool
}

// Scheme is one security scheme, from either dialect.
type Scheme struct {
	Name     string // the key on the card
	Kind     string // "apiKey", "http", "oauth2", "openIdConnect", "mutualTLS", "" when it cannot be told
	In       string // apiKey: header, query or cookie
	Param    string // apiKey: name of the header, query parameter or cookie
	HTTP     string // http: bearer, basic, …
	TokenURL string // oauth2: client credentials or device code
	AuthURL  string // oauth2: authorization or device authorization
	Scopes   []string
	Flow     string // oauth2: clientCredentials, deviceCode, authorizationCode, …
}
