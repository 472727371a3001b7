package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/text/encode"
	"sotto/text/encode/bert"
)

// Flag is an encoder that a person named, on the command line or in a program of their
// own. It may be anything that [Open] knows: also a program, which is then run, and an
// address, which is then sent every text. There is no way from JSON to a Flag.
type Flag struct{ spec string }

// Said returns what a person named. What was read from a file is no such thing: it is a
// [Name], and a test lists who may call this.
func Said(spec string) Flag { return Flag{spec} }

// String returns what was named.
func (f Flag) String() string { return f.spec }

// UnmarshalJSON refuses: a file cannot speak for a person.
func (*Flag) UnmarshalJSON([]byte) error {
	return errors.New("catalogue: a file names an encoder as if a person had, must be named on the command line")
}

// Name is an encoder that a file names: the manifest of a model, a model of links, the
// spec of an experiment. Whoever gives one the file chooses it. So it may be one that is
// built in or known by its digest, or a file or folder below a root, and is otherwise
// opened only if a person named the same; see [OpenNamed].
type Name string

// Roots say where encoders may lie that a file names.
type Roots struct {
	From string   // what names them, for errors; "" means a manifest
	Dirs []string // besides that of fetched encoders, Data, and what [Within] added
	Data string   // the folder of data sets

	anywhere bool
}

// Anywhere are roots that hold every file: programs and addresses alone are refused. They
// are for names that a person wrote down, such as those in a file of settings.
func Anywhere(from, data string) Roots { return Roots{From: from, Data: data, anywhere: true} }

// Beside returns the roots of what the manifest in a folder names: the folder, its two
// parents, and that of data sets.
func Beside(model, data string) Roots {
	r := Roots{From: "the manifest of " + model, Data: data}
	if dir, err := filepath.Abs(model); err == nil {
		r.Dirs = []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))}
	}
	return r
}

// trust is what a person said, as a context carries it to where files are read.
type trust struct {
	said []Flag
	dirs []string
	only []string // nil: as the roots say
}

type trustKey struct{}

func trusted(ctx context.Context) trust {
	t, _ := ctx.Value(trustKey{}).(trust)
	return t
}

// Permit returns a context under which a file may name what a person named, too.
func Permit(ctx context.Context, said ...Flag) context.Context {
	t := trusted(ctx)
	t.said = slices.Concat(t.said, said)
	return context.WithValue(ctx, trustKey{}, t)
}

// Agree refuses what a person named beside a model whose manifest names another encoder.
func Agree(ctx context.Context, model string, named Name) error {
	for _, said := range trusted(ctx).said {
		if said != Said(string(named)) {
			return fmt.Errorf("catalogue: --encoder is %.1000q, must be that of the manifest of %s, %.1000q, or left out", said, model, named)
		}
	}
	return nil
}

// Within returns a context under which a file may name encoders that lie in these folders.
func Within(ctx context.Context, dirs ...string) context.Context {
	t := trusted(ctx)
	t.dirs = slices.Concat(t.dirs, dirs)
	return context.WithValue(ctx, trustKey{}, t)
}

// Only returns a context under which the files and folders of encoders that a file may
// name lie in these folders, or where a person said ([Within]), and in no roots: what is
// signed is believed to name what was signed with it.
func Only(ctx context.Context, dirs ...string) context.Context {
	t := trusted(ctx)
	t.only = dirs
	return context.WithValue(ctx, trustKey{}, t)
}

// ErrNamed is wrapped by the error for an encoder that a file must not choose.
var ErrNamed = errors.New("a file must not choose it")

// OpenNamed makes the encoder that a file names, as [Open] does, if [Roots.Allow] allows
// it. Nothing is run and nothing is sent before that.
func OpenNamed(ctx context.Context, name Name, r Roots) (encode.Source, error) {
	if err := r.Allow(ctx, name); err != nil {
		return nil, err
	}
	return Open(ctx, Said(string(name)), r.Data) // which is now as good as said
}

// Allow refuses what a file must not choose: programs, addresses, and files outside of
// the roots, also where a symbolic link leads there.
func (r Roots) Allow(ctx context.Context, name Name) error {
	if slices.Contains(trusted(ctx).said, Said(string(name))) {
		return nil
	}
	from := r.From
	if from == "" {
		from = "a manifest"
	}
	switch kind, _, _ := strings.Cut(string(name), ":"); kind {
	case "command", "endpoint":
		what := map[string]string{"command": "a program to be run", "endpoint": "an address that texts are sent to"}[kind]
		return fmt.Errorf("catalogue: %s names the encoder %.1000q, which is %s: %w; nothing was run or sent; if you know it and trust it, say the same yourself with --encoder", from, name, what, ErrNamed)
	case "hash":
		return nil
	}
	if r.anywhere || name == "default" || name == "minilm" || name == "glove" {
		return nil
	}
	outside, err := r.outside(ctx, string(name))
	if path, _, pooled := strings.Cut(string(name), "?"); pooled { // as it stands behind the name of a mapped file
		outside, err = r.outside(ctx, path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("catalogue: %s names the encoder %.1000q, which is not here, must be there or one that comes with sotto: %w", from, name, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("catalogue: %s names the encoder %.1000q: %w", from, name, err)
	case outside != "":
		return fmt.Errorf("catalogue: %s names the encoder %.1000q, and %.1000q lies outside of the folders that a file may name: %w; if you trust it, say the same yourself with --encoder, or name its folder with --encoder-root", from, name, outside, ErrNamed)
	}
	return nil
}

// outside returns what of a file, or of a folder and the files in it, lies in no root
// once symbolic links are followed; "" if nothing does.
func (r Roots) outside(ctx context.Context, path string) (string, error) {
	var roots []string
	dirs := slices.Concat(r.Dirs, trusted(ctx).dirs, []string{r.Data})
	if fetched, err := Dir(); err == nil {
		dirs = append(dirs, fetched)
	}
	if only := trusted(ctx).only; only != nil {
		dirs = slices.Concat(only, trusted(ctx).dirs)
	}
	for _, dir := range dirs {
		if actual, err := resolve(dir); dir != "" && err == nil {
			roots = append(roots, actual)
		}
	}
	all := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		entries, failed := os.ReadDir(path)
		if failed != nil {
			return "", failed
		}
		for _, e := range entries {
			all = append(all, filepath.Join(path, e.Name()))
		}
	}
	for _, p := range all {
		actual, failed := resolve(p)
		if failed != nil {
			return "", failed
		}
		if !slices.ContainsFunc(roots, func(root string) bool { return below(root, actual) }) {
			return p, nil
		}
	}
	return "", nil
}

// resolve follows every symbolic link of a path.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// below reports whether a path is a folder or lies in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Told returns by what name an encoder may be called where others see it. That of a tuned
// one has digits of the digest of its weights, by which whoever knows all texts that it was
// tuned on but one can try candidates for the last.
func Told(name string) string {
	if strings.HasPrefix(name, bert.TunedPrefix) {
		return strings.TrimSuffix(bert.TunedPrefix, ":")
	}
	return name
}

// Covers says whose texts no release of an encoder's vectors covers; "" for one that comes
// with sotto or that a stranger made, of whose texts nobody here knows.
func Covers(e encode.Source) string {
	switch e.(type) {
	case file, hashed:
	default:
		if !strings.HasPrefix(e.Name(), bert.TunedPrefix) {
			return ""
		}
	}
	return "the texts that the encoder was made from, or tuned on, are not covered"
}

// Near returns what opens the encoder of a model in a folder: the path of a tuned
// one, which lies beside the model or above it, and the name itself of any other.
func Near(name Name, model string) (Name, error) {
	if !strings.HasPrefix(string(name), bert.TunedPrefix) {
		return name, nil
	}
	for _, up := range []string{".", "..", filepath.Join("..", "..")} {
		entries, err := os.ReadDir(filepath.Join(model, up))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.Name() != TunedDir && !strings.HasPrefix(e.Name(), TunedDir+"-") {
				continue
			}
			dir := filepath.Join(model, up, e.Name())
			if m, err := bert.ReadManifest(dir); err == nil && m != nil && m.Name() == string(name) {
				return Name(dir), nil
			}
		}
	}
	return "", fmt.Errorf("catalogue: the encoder %.40q is not beside the model in %s, must be in the folder %s there or above: %w", name, model, TunedDir, fs.ErrNotExist)
}
