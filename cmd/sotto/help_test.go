package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command"
	"sotto/command/term"
)

// all returns a command and those below it.
func all(c *cobra.Command) []*cobra.Command {
	found := []*cobra.Command{c}
	for _, below := range c.Commands() {
		found = append(found, all(below)...)
	}
	return found
}

// dangling matches help that leans on the line above it, or that only lists.
var dangling = regexp.MustCompile(`^(its|their|them|these|those|of them|of it|it|they|the same|the first of them|and|or) |^[^ ,]+:|[.]$`)

// Every flag explains itself in a phrase of its own, says its default, and stands
// where it was declared.
func TestHelp(t *testing.T) {
	commands := all(command.NewRoot(term.Streams{}, studies()...))
	if len(commands) < 40 {
		t.Fatalf("found %d commands, want all of them", len(commands))
	}
	for _, c := range commands {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short help is %q, want a phrase without a full stop", c.CommandPath(), c.Short)
		}
		c.InitDefaultHelpFlag()
		usage := "\n" + c.LocalFlags().FlagUsages()
		if strings.Contains(usage, "(default )") || strings.Contains(usage, "(default [])") {
			t.Errorf("%s: an empty list is printed as a default:%s", c.CommandPath(), usage)
		}
		at := -1
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			where := c.CommandPath() + " --" + f.Name
			if len(strings.Fields(f.Usage)) < 2 || dangling.MatchString(f.Usage) {
				t.Errorf("%s: help is %q, want a complete phrase", where, f.Usage)
			}
			if number(f) && zero(f) && !strings.Contains(f.Usage, "default") && !strings.Contains(f.Usage, "(required)") {
				t.Errorf("%s: help is %q, want its default, or that it is required", where, f.Usage)
			}
			i := strings.Index(usage, "\n      --"+f.Name+" ")
			if i < at && f.Shorthand == "" {
				t.Errorf("%s stands before a flag that was declared earlier", where)
			}
			at = i
		})
		if f := c.LocalFlags(); f.SortFlags || c.PersistentFlags().SortFlags {
			t.Errorf("%s: flags are sorted, want the order in which they are declared", c.CommandPath())
		}
	}
}

// number reports whether a flag takes a number or a time, of which 0 stands for
// absent and is not printed.
func number(f *pflag.Flag) bool {
	return !slices.Contains([]string{"bool", "string", "stringSlice", "stringArray", "intSlice", "float64Slice"}, f.Value.Type()) && f.Name != "epsilon"
}

func zero(f *pflag.Flag) bool { return f.DefValue == "0" || f.DefValue == "0s" }
