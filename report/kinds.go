package report

import (
	"sotto/bias/direction"
	"sotto/bias/erase"
	"sotto/bias/weat"
	"sotto/experiment/frontier"
	"sotto/report/evidence"
)

// Kinds lists the kinds of evidence that sotto's commands store. A new one is a
// line here.
func Kinds() evidence.Kinds {
	return evidence.Kinds{
		resultKind,
		attackKind,
		attemptKind,
		fairnessKind,
		auditKind,
		releaseKind,
		tableKind,
		pictureKind,
		frontier.Kind,
		weat.Kind,
		direction.Kind,
		erase.Kind,
	}
}

// Load reads files that sotto's commands have stored, and folders that "sotto
// train --out" or "sotto demo" made, into one.
func Load(paths ...string) (*evidence.Evidence, error) { return Kinds().Load(paths...) }
