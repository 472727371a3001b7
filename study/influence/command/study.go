package influence

import (
	"sotto/command"
	"sotto/evidence"
	"sotto/study/influence"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "influence", Commands: Commands,
		Kinds: evidence.Kinds{influence.Evidence, influence.BiasEvidence},
	}
}
