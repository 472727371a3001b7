package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/studio"
	"sotto/command/term"
	"sotto/evidence"
	"sotto/report"
)

// This part of the package holds the command studio, which opens the local page.

// studioCommands returns the commands of this group, with the tabs and kinds of evidence of
// studies beside those of the core.
func studioCommands(std term.Streams, tabs []studio.Tab, more evidence.Kinds) []*cobra.Command {
	return []*cobra.Command{newStudio(std, tabs, more)}
}

// studioOptions are the flags of "sotto studio".
type studioOptions struct {
	studio.Config
	listen    string
	noOpen    bool
	maxUpload int64 // in MiB
}

func (o *studioOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.File, "in", "", "file of your own to begin with (default: drop one on the page)")
	fs.StringVar(&o.Out, "out", "", "folder in which trainings are kept, which must be there (default: they are forgotten at the end)")
	fs.Int64Var(&o.maxUpload, "max-upload", 1024, "largest size of a file that is dropped, in MiB")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all)")
	fs.StringVar(&o.listen, "listen", "127.0.0.1:8789", "address to listen on, of this machine alone; with port 0 any free one")
	fs.BoolVar(&o.noOpen, "no-open", false, "do not open a browser")
}

func newStudio(std term.Streams, tabs []studio.Tab, more evidence.Kinds) *cobra.Command {
	var o studioOptions
	o.Tabs, o.Kinds = append(studio.Tabs(), tabs...), append(report.Kinds(), more...)
	c := &cobra.Command{
		Use:   "studio",
		Short: "Open a local page: from your texts to a model, without typing commands",
		Long: `Open a page in the browser for people who would rather look than type: drop a
file, see it as it is understood, move a slider over ε and watch what can be
expected, train, try a text, open the report. Each step shows the command that
does the same.

Nothing leaves this machine. The page is served to this machine alone, loads
nothing from elsewhere, and answers only who has the secret in the address that
is printed. Files that are dropped are kept in a private folder and removed when
the studio ends, by Ctrl-C or SIGTERM; so are trainings, unless --out names a
folder for them.`,
		Example: `  sotto studio
  sotto studio --in reviews.csv --out models
  sotto studio --listen 127.0.0.1:8789 --no-open`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runStudio(c.Context(), o, std) },
	}
	o.addFlags(c.Flags())
	return c
}

// runStudio serves the page until ctx ends, which is no failure.
func runStudio(ctx context.Context, o studioOptions, std term.Streams) (err error) {
	if o.maxUpload < 1 || o.maxUpload > 1<<30 {
		return fmt.Errorf("--max-upload is %d, must be from 1 to %d MiB", o.maxUpload, 1<<30)
	}
	o.MaxUpload = o.maxUpload << 20
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	l, err := studio.Listen(o.listen)
	if err != nil {
		return err
	}
	s, err := studio.New(o.Config)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err = fmt.Fprintf(std.Err, "studio at %s\nKeep that address to yourself: it lets in whoever has it. Ctrl-C ends the studio.\n", s.Address(l.Addr())); err != nil {
		return errors.Join(err, l.Close())
	}
	if !o.noOpen {
		door, failed := s.Door(l.Addr())
		if failed != nil {
			return errors.Join(failed, l.Close())
		}
		browse(std.Err, door)
	}
	return s.Serve(ctx, l)
}

// browse opens a file in the person's browser, or says that it cannot.
func browse(w io.Writer, path string) {
	name, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	c := exec.Command(name, args...) //nolint:gosec,noctx // a fixed program, which outlives the command
	if err := c.Start(); err != nil {
		term.Complain(w, "no browser was found; open the address yourself")
		return
	}
	go c.Wait() //nolint:errcheck // how the browser ends is its own matter
}
