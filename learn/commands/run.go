package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sotto/internal/layout"
	"sotto/internal/lineproc"
)

// An outcome is everything that one run wrote, by name.
type outcome struct {
	exit  string // how it ended
	files map[string][]byte
	modes map[string]string
}

// finished is how a run ends that went well.
const finished = "exit status 0"

// Names of what is no file.
const (
	stdout = "standard output"
	stderr = "standard error"
)

// A place is where runs take place, one after the other.
type place struct {
	dir     string
	config  *Config
	in      *inputs
	command []string
}

// newPlace makes a place below a folder. Runs in different places must not show
// where they were: names have one length, and what runs write is cleared of them.
func newPlace(base string, number int, c *Config, in *inputs) *place {
	p := &place{dir: filepath.Join(base, fmt.Sprintf("p%03d", number)), config: c, in: in}
	replace := strings.NewReplacer("{in}", p.path("in", in.name), "{out}", p.path("out", "out"), "{secret}", p.path("secret"), "{dir}", p.path("dir"))
	if len(c.Command) == 1 && strings.ContainsAny(c.Command[0], " \t\n;|&<>") {
		p.command = []string{"sh", "-c", replace.Replace(c.Command[0])}
		return p
	}
	for _, word := range c.Command {
		p.command = append(p.command, replace.Replace(word))
	}
	return p
}

func (p *place) path(names ...string) string {
	return filepath.Join(append([]string{p.dir}, names...)...)
}

// prepare makes everything fresh for a run on an input: the folders, a secret and
// the file, which has the same name and the same time whichever it is.
func (p *place) prepare(which int) error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("files: a run could not be cleared away: %w", err)
	}
	folders := []string{"in", "out", "work", "dir", "tmp"}
	if slices.ContainsFunc(p.config.Command, func(word string) bool { return strings.Contains(word, "{out}/") }) {
		folders = append(folders, filepath.Join("out", "out"))
	}
	for _, f := range folders {
		if err := os.MkdirAll(p.path(f), 0o700); err != nil {
			return fmt.Errorf("files: no folder for a run: %w", err)
		}
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	for path, content := range map[string][]byte{p.path("secret"): secret, p.path("in", p.in.name): p.in.content[which]} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("files: no file for a run: %w", err)
		}
		if err := os.Chtimes(path, epoch, epoch); err != nil {
			return fmt.Errorf("files: no file for a run: %w", err)
		}
	}
	return nil
}

// epoch is the time of every input, so that it tells nothing.
var epoch = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// run runs the command once on A (0) or B (1).
func (p *place) run(ctx context.Context, which int) (outcome, error) {
	if err := p.prepare(which); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	c := exec.CommandContext(limited, p.command[0], p.command[1:]...)
	lineproc.Alone(c)
	said := [2]bounded{}
	c.Stdout, c.Stderr, c.Dir, c.WaitDelay = &said[0], &said[1], p.path("work"), time.Second
	c.Env = p.environment()
	err := c.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	o := outcome{exit: finished, files: map[string][]byte{stdout: said[0].text, stderr: said[1].text}, modes: map[string]string{}}
	var ended *exec.ExitError
	switch {
	case limited.Err() != nil:
		o.exit = "stopped by the time limit"
	case errors.As(err, &ended):
		o.exit = ended.String()
	case err != nil:
		return outcome{}, fmt.Errorf("files: %s could not be run: %w", layout.Command(p.config.Command[0]), err)
	}
	if said[0].lost+said[1].lost > 0 {
		return outcome{}, fmt.Errorf("files: a run said more than %d MiB: take smaller inputs", maxBytes/4>>20)
	}
	if err := p.collect(&o); err != nil {
		return outcome{}, err
	}
	for name, content := range o.files {
		o.files[name] = bytes.ReplaceAll(content, []byte(p.dir), []byte("{run}"))
	}
	return o, nil
}

// environment is the same for all runs, apart from the folders that are a run's
// own: what a program keeps at home ends with the run.
func (p *place) environment() []string {
	own := map[string]string{
		"HOME": p.path("dir"), "XDG_CONFIG_HOME": p.path("dir", ".config"), "XDG_CACHE_HOME": p.path("dir", ".cache"),
		"XDG_DATA_HOME": p.path("dir", ".local", "share"), "XDG_STATE_HOME": p.path("dir", ".local", "state"),
		"TMPDIR": p.path("tmp"), "TZ": "UTC", "NO_COLOR": "1",
	}
	var all []string
	for _, each := range slices.Concat(os.Environ(), p.config.Env) {
		name, _, _ := strings.Cut(each, "=")
		if _, ours := own[name]; !ours && name != "PWD" && name != "OLDPWD" {
			all = append(all, each)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		all = append(all, name+"="+own[name])
	}
	return all
}

// collect reads what a run wrote to {out}, beside it, and in the folder where it
// was started.
func (p *place) collect(o *outcome) error {
	total := len(o.files[stdout]) + len(o.files[stderr])
	for _, root := range []string{"out", "work"} {
		err := filepath.WalkDir(p.path(root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == p.path(root) {
				return err
			}
			name, err := filepath.Rel(p.path(root), path)
			if err != nil {
				return err
			}
			if name = "./" + filepath.ToSlash(name); root == "out" {
				name = strings.Replace(strings.TrimPrefix(name, "./"), "out", "{out}", 1)
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			o.modes[name] = info.Mode().String()
			if !info.Mode().IsRegular() {
				return nil
			}
			if total += int(min(info.Size(), maxBytes+1)); total > maxBytes || len(o.files) > maxFiles {
				return fmt.Errorf("a run wrote more than %d MiB or %d files: take smaller inputs", maxBytes>>20, maxFiles)
			}
			o.files[name], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	return nil
}

// maxFiles bounds how many files one run may write.
const maxFiles = 1000

// bounded keeps what a command says. What is more than the bound is counted and
// left out, so that it is read further and does not wait.
type bounded struct {
	text []byte
	lost int
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(0, min(len(p), maxBytes/4-len(b.text)))
	b.text = append(b.text, p[:room]...)
	b.lost += len(p) - room
	return len(p), nil
}
