package report

import (
	"sotto/bias/direction"
	"sotto/bias/erase"
	"sotto/bias/weat"
	cells "sotto/encode/cells/outcome"
	"sotto/estimate"
	"sotto/experiment/frontier"
	"sotto/experiment/plan"
	"sotto/experiment/reproduce"
	"sotto/experiment/reproduce/aec"
	"sotto/experiment/reproduce/decoder"
	"sotto/experiment/reproduce/shares"
	"sotto/experiment/unseen"
	"sotto/explain/decoy"
	"sotto/explain/summary"
	"sotto/influence"
	"sotto/link/mention/judge"
	"sotto/link/outcome"
	failing "sotto/measure/errors"
	"sotto/measure/retrieval"
	relations "sotto/relation/judge"
	told "sotto/relation/outcome"
	"sotto/relation/sheet"
	"sotto/report/evidence"
	"sotto/report/picture"
	"sotto/train/forward"
)

// Kinds lists the kinds of evidence that sotto's commands store. A new one is a
// line here.
func Kinds() evidence.Kinds {
	return append(evidence.Kinds{
		resultKind,
		attackKind,
		attemptKind,
		fairnessKind,
		auditKind,
		filesKind,
		releaseKind,
		setKind,
		tableKind,
		picture.Kind,
		evaluationKind,
		frontier.Kind,
		plan.Kind,
		weat.Kind,
		direction.Kind,
		erase.Kind,
		retrieval.Kind,
		estimate.Kind,
		cells.Kind,
		estimate.MeanKind,
		shares.Kind,
		forward.Kind,
		relations.Kind,
		sheet.Kind,
		told.Kind,
		judge.Kind,
		failing.Kind,
		aec.Kind,
		decoder.Kind,
		unseen.Evidence,
		failing.ReleasedKind,
		decoy.Kind,
		summary.Kind,
		outcome.GraphKind,
		outcome.RecordsKind,
		influence.Evidence,
		influence.BiasEvidence,
	}, reproduce.Kinds()...)
}

// Load reads files that sotto's commands have stored, and folders that "sotto
// train --out" or "sotto demo" made, into one.
func Load(paths ...string) (*evidence.Evidence, error) { return Kinds().Load(paths...) }
