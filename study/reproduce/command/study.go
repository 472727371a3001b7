package reproduce

import (
	"github.com/spf13/cobra"

	"sotto/command"
	"sotto/evidence"
	"sotto/study/reproduce"
	"sotto/study/reproduce/aec"
	"sotto/study/reproduce/decoder"
	"sotto/study/reproduce/frontier"
	"sotto/study/reproduce/shares"
	"sotto/study/reproduce/unseen"
)

// Study is what the study brings to the command sotto.
func Study() command.Study {
	return command.Study{
		Name: "reproduce", Commands: Commands,
		Kinds:     append(evidence.Kinds{frontier.Kind, shares.Kind, aec.Kind, decoder.Kind, unseen.Evidence}, reproduce.Kinds()...),
		Proposals: map[string]command.Proposal{"only": tasks, "methods": methods},
	}
}

// tasks are those of the frontier.
func tasks(*cobra.Command, []string) (all []string) {
	for _, t := range frontier.Tasks() {
		all = append(all, t.Name)
	}
	return all
}

// methods are those of the frontier.
func methods(*cobra.Command, []string) (all []string) {
	for _, m := range frontier.Methods() {
		all = append(all, m.Name+"\t"+m.Title)
	}
	return all
}
