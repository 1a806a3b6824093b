// Package cli is the command line of a2ascope: the commands and flags of the
// binary, what they print, and the status that they exit with. It is the only
// place where the parts are put together (wire.go); everything that happens in
// a session happens in session/runner.
//
// Standard output holds exactly what was asked for: a document, lines, a
// table. Everything else goes to standard error.
package cli
