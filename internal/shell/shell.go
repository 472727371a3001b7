// Package shell writes commands as a person types them.
package shell

import (
	"regexp"
	"strings"
)

// Join puts words together that a shell takes apart again as they are.
func Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; !plain.MatchString(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// plain matches what a shell takes as it is.
var plain = regexp.MustCompile(`^[\pL\pN_./:=,@%+-]+$`)
