package model

import (
	"sotto/evidence"
	"sotto/internal/signed"
)

// OpenSigned verifies the folder of a model, of a head, or of a result with its models,
// and the tuned encoders beside it, and returns it with a copy of all of that; see
// [evidence.SignedFolder].
func OpenSigned(key signed.PublicKey, dir string, whole bool, beside ...string) (*signed.Folder, error) {
	return key.Open(dir, evidence.SignedFolder(whole, beside...))
}
