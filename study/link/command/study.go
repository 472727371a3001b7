package link

import (
	"sotto/command"
	"sotto/command/studio"
	"sotto/evidence"
	"sotto/study/link"
	"sotto/study/link/mention"
	"sotto/study/link/records"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "link", Commands: Commands, Linker: records.LinkPersons, Tabs: []studio.Tab{tab()},
		Kinds:     evidence.Kinds{records.GraphKind, records.OutcomeKind, mention.JudgedKind},
		Proposals: map[string]command.Proposal{"unknown": command.Choice(link.Unknowns()...)},
	}
}
