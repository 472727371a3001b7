package explain

import (
	"sotto/command"
	"sotto/command/studio"
	"sotto/evidence"
	"sotto/study/explain/decoy"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "explain", Commands: Commands, Tabs: []studio.Tab{tab()},
		Kinds: evidence.Kinds{decoy.Kind, SummaryKind},
	}
}
