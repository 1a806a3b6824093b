package session

import (
	"fmt"
	"slices"
	"strings"
)

var withouts = []string{WithoutCredentials, WithoutExtensions}

// checkWithout accepts what a request can be sent without.
func checkWithout(v string) error {
	if !slices.Contains(withouts, v) {
		return fmt.Errorf("%s cannot be left out%s; write %s", quoteShort(v), didYouMean(v, withouts), strings.Join(withouts, " or "))
	}
	return nil
}
