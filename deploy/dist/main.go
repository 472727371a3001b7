// Command dist makes what a release of sotto is handed out in: for each platform an
// archive with the program, its manual and completions, and the list of what it was
// built from; for Linux a Debian package; and the checksums of all.
//
//	go run ./deploy/dist --out dist
//
// It is run in the root of the repository. The same commit and the same Go give the
// same bytes, in whatever folder and on whatever machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sotto/deploy/pack"
)

// platforms are those that a release has, by their names in Go.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// sumsName is the file of checksums.
const sumsName = "SHA256SUMS"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(2)
	}
}

// options are the flags.
type options struct {
	out        string
	platforms  []string
	commit     string
	maintainer string
}

func parse(args []string, errs io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("dist", flag.ContinueOnError)
	fs.SetOutput(errs)
	fs.StringVar(&o.out, "out", "dist", "folder for the files, which must hold no other release")
	list := fs.String("platforms", strings.Join(platforms, ","), "what to build for, separated by commas")
	fs.StringVar(&o.commit, "commit", "", "full hash of the commit, where there is no clone to ask; its time is SOURCE_DATE_EPOCH then")
	fs.StringVar(&o.maintainer, "maintainer", "The sotto authors <authors@sotto.invalid>", "who answers for the Debian package")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", fs.Arg(0))
	}
	o.platforms = strings.Split(*list, ",")
	for _, p := range o.platforms {
		if !slices.Contains(platforms, p) {
			return o, fmt.Errorf("--platforms has %q, must be some of %s", p, strings.Join(platforms, ","))
		}
	}
	return o, nil
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	src, err := findSource(ctx, o.commit, errs)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sotto-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // temporary
	shared, err := src.gather(ctx, work)
	if err != nil {
		return err
	}
	made := map[string][]byte{}
	for _, p := range o.platforms {
		if err = src.platform(ctx, work, p, o.maintainer, shared, made); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if _, err = fmt.Fprintln(errs, "made", p); err != nil {
			return err
		}
	}
	made[sumsName] = pack.Sums(made)
	if err = write(o.out, made); err != nil {
		return err
	}
	_, err = out.Write(made[sumsName])
	return err
}

// write puts the files into a folder, the checksums last, so that whoever finds them
// finds all that they speak of. Files of another release would not be among them.
func write(dir string, made map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range there {
		if _, ours := made[e.Name()]; !ours {
			return fmt.Errorf("--out has %s, which is not of this release; remove it or choose another folder", e.Name())
		}
	}
	if err := os.Remove(filepath.Join(dir, sumsName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for name, data := range made {
		if name == sumsName {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, sumsName), made[sumsName], 0o644)
}
