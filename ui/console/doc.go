// Package console is the terminal program: one screen on which an operator
// steps a task and sees where a peer's word and its deeds differ.
//
// It is one Bubble Tea model (root.go) with panes that know nothing of each
// other: they are told what to show and give back lines. It holds no truth of
// its own: what it draws are the runner's published views and records read
// page by page, and what it does are lines of the command language. Update
// does no I/O; what takes time is a Cmd, and a Cmd changes nothing.
package console
