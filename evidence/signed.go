package evidence

import (
	"slices"
	"strings"

	"sotto/internal/signed"
	"sotto/text/encode/catalogue"
)

// What stays with whoever trained: the secret of a model's folder, and what it knows of the
// training rows.
const (
	SecretFile  = "secret"
	TrainedFile = "trained"
)

// SignedFolder is what is asked of the folder of a model, of a head, or of a result with
// its models: the tuned encoders beside it, and folders of a result that are named,
// belong to it. Secret and trained rows are in its list, so that nobody exchanges them for
// those of another training, after which rows that were trained on would pass for others.
// They may be missing unless it is to be there whole: what leaves is the folder without.
func SignedFolder(whole bool, beside ...string) signed.Want {
	w := signed.Want{Beside: func(name string) bool {
		return slices.Contains(beside, name) || name == catalogue.TunedDir || strings.HasPrefix(name, catalogue.TunedDir+"-")
	}}
	if !whole {
		w.Private = func(name string) bool { return name == SecretFile || name == TrainedFile }
	}
	return w
}
