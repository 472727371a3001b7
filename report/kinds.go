package report

import (
	"sotto/evidence"
	"sotto/learn/estimate"
	"sotto/learn/plan"
	"sotto/learn/retrieval"
)

// Kinds lists the kinds of evidence that the commands of the core store. A new one is a
// line here; studies hand in theirs.
func Kinds() evidence.Kinds {
	return evidence.Kinds{
		resultKind,
		attackKind,
		attemptKind,
		fairnessKind,
		auditKind,
		filesKind,
		releaseKind,
		setKind,
		tableKind,
		pictureKind,
		evaluationKind,
		plan.Kind,
		retrieval.Kind,
		estimate.Kind,
		CellsKind,
		estimate.MeanKind,
		estimate.TrainedKind,
	}
}

// Load reads files that the core's commands have stored, and folders that "sotto
// train --out" or "sotto demo" made, into one.
func Load(paths ...string) (*evidence.Evidence, error) { return Kinds().Load(paths...) }
