package relation

import (
	"sotto/command"
	"sotto/command/studio"
	"sotto/evidence"
	"sotto/study/relation/judge"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "relation", Commands: Commands, Tabs: []studio.Tab{tab()},
		Kinds: evidence.Kinds{judge.Kind, judge.SheetKind, judge.ModelKind},
	}
}
