package model

import (
	"slices"
	"strings"

	"sotto/internal/signed"
	"sotto/text/encode/catalogue"
)

// OpenSigned verifies the folder of a model, of a head, or of a result with its models,
// and the tuned encoders beside it, and returns it with a copy of all of that. Folders of
// a result that are named so belong to what is asked for, too.
//
// What stays with whoever trained, the secret and what it knows of the training rows, is
// in the list, so that nobody exchanges it for that of another training, after which
// rows that were trained on would pass for others. It may be missing unless it is to be
// there whole: what leaves is the folder without.
func OpenSigned(key signed.PublicKey, dir string, whole bool, beside ...string) (*signed.Folder, error) {
	return key.Open(dir, SignedWant(whole, beside...))
}

// SignedWant is what OpenSigned asks for.
func SignedWant(whole bool, beside ...string) signed.Want {
	w := signed.Want{Beside: func(name string) bool {
		return slices.Contains(beside, name) || name == catalogue.TunedDir || strings.HasPrefix(name, catalogue.TunedDir+"-")
	}}
	if !whole {
		w.Private = func(name string) bool { return name == SecretFile || name == TrainedFile }
	}
	return w
}
