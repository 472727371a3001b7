package command

import (
	"context"

	"github.com/spf13/cobra"

	"sotto/command/studio"
	"sotto/command/term"
	"sotto/data/own"
	"sotto/evidence"
	"sotto/text"
)

// Study is what a study of the product brings along. The command in cmd/sotto lists them,
// and nothing else knows that there are any: without its line a study is not there.
type Study struct {
	Name     string                                  // of its folder, below study
	Commands func(std term.Streams) []*cobra.Command // beside those of the core
	Kinds    evidence.Kinds                          // of evidence that they store, for reports and gates
	Types    text.Types                              // of personal data that masks know; nil for none
	Linker   own.Linker                              // of rows that are of one person; nil for none
	Tabs     []studio.Tab                            // of the one studio that a program opens, behind those of the core unless they say Before which
	// Proposals are the flags of its commands that shells complete otherwise than those of
	// the core.
	Proposals map[string]Proposal
}

// Studies are those that a program has, in the order in which they are shown.
type Studies []Study

// kinds returns the kinds of evidence of all of them.
func (s Studies) kinds() (all evidence.Kinds) {
	for _, study := range s {
		all = append(all, study.Kinds...)
	}
	return all
}

// tabs returns the tabs of all of them.
func (s Studies) tabs() (all []studio.Tab) {
	for _, study := range s {
		all = append(all, study.Tabs...)
	}
	return all
}

// types returns what masks personal data by its type, nil if no study does.
func (s Studies) types() text.Types {
	for _, study := range s {
		if study.Types != nil {
			return study.Types
		}
	}
	return nil
}

// linker returns what finds the rows of one person, nil if no study does.
func (s Studies) linker() own.Linker {
	for _, study := range s {
		if study.Linker != nil {
			return study.Linker
		}
	}
	return nil
}

// within returns a context with what the studies find in rows and texts.
func (s Studies) within(ctx context.Context) context.Context {
	return own.WithLinker(text.WithTypes(ctx, s.types()), s.linker())
}

// belongs is the note on a command that says which study it is of.
const belongs = "study"

// commands returns the commands of all of them, each with a note of whose it is.
func (s Studies) commands(std term.Streams) (all []*cobra.Command) {
	for _, study := range s {
		for _, c := range study.Commands(std) {
			if c.Annotations == nil {
				c.Annotations = map[string]string{}
			}
			c.Annotations[belongs] = study.Name
			all = append(all, c)
		}
	}
	return all
}

// of returns the study that a command is of, the zero one for a command of the core.
func (s Studies) of(c *cobra.Command) Study {
	for _, study := range s {
		if study.Name == c.Annotations[belongs] {
			return study
		}
	}
	return Study{}
}
