package language

import (
	"sotto/command"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "language", Commands: Commands,
	}
}
