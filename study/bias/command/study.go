package bias

import (
	"sotto/command"
	"sotto/evidence"
	"sotto/study/bias/direction"
	"sotto/study/bias/erase"
	"sotto/study/bias/weat"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "bias", Commands: Commands,
		Kinds: evidence.Kinds{weat.Kind, direction.Kind, erase.Kind},
		Proposals: map[string]command.Proposal{
			"measure":   command.Choice(weat.Measures()...),
			"statistic": command.Choice(weat.Statistics()...),
			"language":  command.Choice(direction.Languages()...),
			"method":    command.Choice(erase.MethodHard, erase.MethodINLP, erase.MethodLEACE),
		},
	}
}
