// Package probe holds what puts a peer's claims to the test: scripts of the
// command language, one file a claim, that bring about the situations which
// the rules judge. A probe judges nothing itself and knows no wire: it is pure
// text made of what is known of the peer. Running scripts is session/runner's.
package probe
