// Package themes holds the colours of the console: some twenty roles, styled
// by name of theme, for dark and for light terminals. No other package knows
// a colour.
package themes
