package report

import (
	"sotto/evidence"
	cells "sotto/learn/cellsfile"
	"sotto/learn/estimate"
	"sotto/learn/plan"
	"sotto/learn/retrieval"
	"sotto/learn/train/forward"
	"sotto/report/picture"
	"sotto/study/bias/direction"
	"sotto/study/bias/erase"
	"sotto/study/bias/weat"
	failing "sotto/study/errors"
	"sotto/study/explain/decoy"
	"sotto/study/explain/summary"
	"sotto/study/influence"
	"sotto/study/link/mention/judge"
	"sotto/study/link/outcome"
	relations "sotto/study/relation/judge"
	told "sotto/study/relation/outcome"
	"sotto/study/relation/sheet"
	"sotto/study/reproduce"
	"sotto/study/reproduce/aec"
	"sotto/study/reproduce/decoder"
	"sotto/study/reproduce/frontier"
	"sotto/study/reproduce/shares"
	"sotto/study/reproduce/unseen"
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
