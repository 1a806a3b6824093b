// Package keymap is the one table of what an operator can do by key: actions,
// the keys that do them, where these hold, and their help. Footer, help,
// palette and docs/keys.md are made from it, and an operator's own file
// changes it.
package keymap
