package language

import (
	"sotto/command"
	"sotto/study/language/mask"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "language", Commands: Commands,
		Types: mask.Maskers{},
	}
}
