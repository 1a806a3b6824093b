// Package fieldcases holds tests alone: one small scripted peer for each
// misbehaviour that was reported in public, in literal bytes, and what a
// session with it must come to. docs/field-cases.md is made from its table.
package fieldcases
