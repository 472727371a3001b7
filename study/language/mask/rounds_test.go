package mask_test

import (
	"testing"

	"sotto/study/language/mask"
)

// TestRounds: of what is built in, relations alone rest on how a processor rounds.
func TestRounds(t *testing.T) {
	for types, want := range map[string]bool{"types:email,phone": false, "types:person,address": false, "types:relations": true} {
		m, err := mask.Open(types, mask.Tag, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Rounds() != want {
			t.Errorf("%s rounds: %v, want %v", types, m.Rounds(), want)
		}
	}
}
