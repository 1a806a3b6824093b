// Package session is the domain of a2ascope: the record of everything that
// happened between the operator, the console and one peer, and the pure fold
// that turns such a log into what is known.
//
// A session is an append-only log of Records. State is what a log means:
// Fold(state, record) is the only way in which a State changes, live, on
// re-opening, in time travel and in tests alike. Fold reads no clock, does no
// I/O and draws no random number; what it needs, the log holds. What the
// console still means to do is part of the State too, as Obligations and
// Deadlines, and is carried out by session/runner. Judgement lies in
// session/rule, which sees a State and the Change that one record made.
//
// The package imports no terminal, no SQL and no network. The parts that have
// those implement its interfaces (Peer, Log, Archive).
package session
