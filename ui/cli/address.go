package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
)

// checkPeer finds what is wrong with the address of a peer before anything is
// opened. A word that looks like a mistyped command is answered as one.
func checkPeer(typed string, root *cobra.Command) error {
	if isDemo(typed) {
		if _, _, err := demopeer.ParseName(strings.TrimPrefix(typed, demoPrefix)); err != nil {
			return usage("%w", err)
		}
		return nil
	}
	if !addressLike(typed) {
		return usage("%w", mistyped(root, typed))
	}
	if _, err := session.CardPlaces(typed); err != nil {
		return usage("%w", err)
	}
	return nil
}
