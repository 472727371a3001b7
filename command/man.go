package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sotto/internal/atomicfile"
	"sotto/internal/version"
)

// This part of the package writes the manual pages of a command and of those below it, from the
// same words as --help.

// New returns the command that writes the pages. It is hidden, because only those
// who package this program need it.
func newManual() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man",
		Short: "Write the manual pages of every command",
		Long: `Write a manual page of section 1 for every command: sotto.1, sotto-train.1 and so
on. The same program writes the same bytes; the date is that of SOURCE_DATE_EPOCH,
or else of the commit.`,
		Example: `  sotto man --dir share/man/man1`,
		Args:    cobra.NoArgs,
		Hidden:  true,
		RunE: func(c *cobra.Command, _ []string) error {
			if dir == "" {
				return errors.New("want --dir, the folder for the pages")
			}
			date, err := day(os.Getenv("SOURCE_DATE_EPOCH"))
			if err != nil {
				return err
			}
			return WriteManuals(c.Root(), dir, date)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder for the pages, which is made if it is not there (required)")
	return c
}

// day returns the date of the pages: that of a moment in seconds since 1970, or of
// the commit, or none.
func day(epoch string) (string, error) {
	if epoch == "" {
		date, _, _ := strings.Cut(version.Get().Date, "T")
		return date, nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return "", fmt.Errorf("SOURCE_DATE_EPOCH is %.40q, must be a number of seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
}

// WriteManuals writes the page of a command, and those of all below it that are not hidden,
// into a folder.
func WriteManuals(c *cobra.Command, dir, date string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, each := range pagesOf(c) {
		f, err := atomicfile.Create(filepath.Join(dir, pageName(each)+".1"))
		if err != nil {
			return err
		}
		defer f.Abort()
		f.Shared()
		if _, err := f.Write(ManualPage(each, date)); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// pagesOf lists a command and those below it that have pages.
func pagesOf(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			all = append(all, pagesOf(below)...)
		}
	}
	return all
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// ManualPage returns the page of one command.
func ManualPage(c *cobra.Command, date string) []byte {
	c.InitDefaultHelpFlag()
	var p manPage
	fmt.Fprintf(&p.b, ".TH %q 1 %q %q %q\n", strings.ToUpper(pageName(c)), date, "sotto "+version.Get().Version, "sotto manual")
	p.section("NAME")
	p.line(pageName(c) + " - " + lowerFirst(c.Short))
	p.section("SYNOPSIS")
	p.text("\\fB" + escape(c.CommandPath()) + "\\fR" + escape(strings.TrimPrefix(c.UseLine(), c.CommandPath())))
	p.section("DESCRIPTION")
	p.prose(c.Long, c.Short+".")
	if below := pagesOf(c)[1:]; len(below) > 0 {
		p.section("COMMANDS")
		for _, each := range below {
			if each.Parent() == c {
				p.entry("\\fB"+escape(pageName(each))+"\\fR(1)", each.Short)
			}
		}
	}
	p.options("OPTIONS", c.NonInheritedFlags())
	p.options("OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		p.section("EXAMPLES")
		p.listing(strings.Split(c.Example, "\n"))
	}
	if c.HasParent() {
		p.section("EXIT STATUS")
		p.text("See \\fB" + escape(c.Root().Name()) + "\\fR(1).")
		p.section("SEE ALSO")
		p.text(strings.Join(relatives(c), ",\n"))
	}
	return p.b.Bytes()
}

// relatives names the pages to read next: the group's, and its other commands'.
func relatives(c *cobra.Command) []string {
	var names []string
	for _, each := range slices.Concat([]*cobra.Command{c.Root(), c.Parent()}, c.Parent().Commands()) {
		name := "\\fB" + escape(pageName(each)) + "\\fR(1)"
		if each != c && (each.IsAvailableCommand() || each.HasAvailableSubCommands()) && each.Name() != "help" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// lowerFirst begins a phrase with a small letter, as the names of pages do.
func lowerFirst(s string) string {
	return string(bytes.ToLower([]byte(s[:1]))) + s[1:]
}
