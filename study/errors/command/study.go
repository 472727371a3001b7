package errors

import (
	"sotto/command"
	"sotto/command/studio"
	"sotto/evidence"
	failing "sotto/study/errors"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "errors", Commands: Commands, Tabs: []studio.Tab{tab()},
		Kinds: evidence.Kinds{failing.Kind, failing.ReleasedKind},
	}
}
