package signed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// ListFile lists the files of a folder with their SHA-256, as sha256sum --check reads
// it, and its signature lies beside it.
const ListFile = "SHA256SUMS"

const (
	listStart = "# sotto-signed-folder-1"
	maxList   = 16 << 20
	maxFiles  = 100_000
	maxDepth  = 16
)

// entry is a file of a folder.
type entry struct {
	name string // its path below the folder, with slashes
	sum  [sha256.Size]byte
}

// list is what a folder holds: files in order of their names, and the bytes of all of
// them, which bounds what is copied.
type list struct {
	files []entry
	bytes int64
}

// text is the only text of a list.
func (l list) text() []byte {
	b := fmt.Appendf(nil, "%s: %d files, %d bytes\n", listStart, len(l.files), l.bytes)
	for _, e := range l.files {
		b = fmt.Appendf(b, "%x  %s\n", e.sum, e.name)
	}
	return b
}

// parseList reads a list that is exactly as text writes it.
func parseList(content []byte) (list, error) {
	wrong := errors.New("this is no list of files that sotto signed")
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	var l list
	var n int
	if _, err := fmt.Sscanf(lines[0], listStart+": %d files, %d bytes", &n, &l.bytes); err != nil || n != len(lines)-1 || n > maxFiles || l.bytes < 0 {
		return l, wrong
	}
	for _, line := range lines[1:] {
		digits, name, ok := strings.Cut(line, "  ")
		sum, err := hex.DecodeString(digits)
		if !ok || err != nil || len(sum) != sha256.Size {
			return l, wrong
		}
		l.files = append(l.files, entry{name, [sha256.Size]byte(sum)})
	}
	if err := l.check(); err != nil {
		return l, err
	}
	if string(l.text()) != string(content) {
		return l, wrong
	}
	return l, nil
}

// check refuses names that lead elsewhere, or that some file system takes for one.
func (l list) check() error {
	seen := map[string]bool{}
	for i, e := range l.files {
		if err := checkName(e.name); err != nil {
			return err
		}
		folded := strings.ToLower(e.name)
		if seen[folded] {
			return fmt.Errorf("two files are called %s but for capitals, must have names of their own", e.name)
		}
		seen[folded] = true
		if i > 0 && l.files[i-1].name >= e.name {
			return errors.New("the list of files is not in order")
		}
	}
	return nil
}

// checkName lets letters, digits and few other characters be in names, so that what
// a list says is read alike by everybody, and by a terminal.
func checkName(name string) error {
	parts := strings.Split(name, "/")
	for _, part := range parts {
		odd := strings.IndexFunc(part, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-+=,@", r)
		})
		if part == "" || part == "." || part == ".." || odd >= 0 {
			return fmt.Errorf("a file is called %.200q, must be called by letters, digits and ._-+=,@ to be signed", name)
		}
	}
	if len(parts) > maxDepth || len(name) > 1024 {
		return fmt.Errorf("a file is called %.200q, must lie at most %d folders deep to be signed", name, maxDepth)
	}
	return nil
}

// walk calls each for every file below a folder that is wanted, and refuses what is
// neither file nor folder, links above all: what is behind one can change.
func walk(root string, wanted func(name string) bool, each func(name string) error) error {
	n := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil || name == "." {
			return err
		}
		name = filepath.ToSlash(name)
		if n++; n > maxFiles {
			return fmt.Errorf("%s holds more than %d files, must hold fewer to be signed", root, maxFiles)
		}
		switch {
		case name == ListFile || name == ListFile+End || !wanted(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: %w: it is a link or no regular file, must be a file", p, ErrSignature)
		}
		return each(name)
	})
	if err != nil {
		return fmt.Errorf("signed: %w", err)
	}
	return nil
}

// SignFolder writes the list of a folder's files and its signature into the folder.
// Names must be of letters, digits and few other characters.
func (k SecretKey) SignFolder(dir, comment string) error {
	var l list
	all := func(string) bool { return true }
	err := walk(dir, all, func(name string) error {
		f, _, err := regular.Open(filepath.Join(dir, filepath.FromSlash(name)), regular.Most)
		if err != nil {
			return err
		}
		sum, size, err := digest(f, io.Discard, regular.Most)
		l.files, l.bytes = append(l.files, entry{name, sum}), l.bytes+size
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(l.files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if err = l.check(); err != nil {
		return fmt.Errorf("signed: %s: %w", dir, err)
	}
	text := l.text()
	return errors.Join(
		write(filepath.Join(dir, ListFile), text),
		write(filepath.Join(dir, ListFile+End), k.Sign(text, comment)),
	)
}

// write makes a file that leaves with what it lies beside.
func write(path string, content []byte) error {
	return atomicfile.WriteShared(path, func(w io.Writer) error { _, err := w.Write(content); return err })
}

// SignFile writes the signature of a file's content beside it.
func (k SecretKey) SignFile(path string, content []byte, comment string) error {
	return write(path+End, k.Sign(content, comment))
}

// digest copies an open file of at most so many bytes, closes it, and returns the SHA-256
// of what it copied and how many bytes these are.
func digest(f *os.File, to io.Writer, most int64) (sum [sha256.Size]byte, size int64, err error) {
	h := sha256.New()
	if most < regular.Most {
		most++ // so that one that grows meanwhile is found
	}
	size, err = io.Copy(io.MultiWriter(h, to), io.LimitReader(f, most))
	return [sha256.Size]byte(h.Sum(nil)), size, errors.Join(err, f.Close())
}

// Want says what of a folder is asked for.
type Want struct {
	// Beside reports whether a file or a folder of this name belongs to what is asked for
	// where it lies in a folder above, up to that of the list; nil for none.
	Beside func(name string) bool
	// Private reports whether files of this name may be missing, or not be ours to read:
	// they stay on another machine or with another user. Nil for none.
	Private func(name string) bool
}

// takes returns what reports whether the name of a file or folder is asked for, or leads
// to what is, of those in and beside a folder below that of the list.
func (w Want) takes(below string) func(string) bool {
	return func(name string) bool {
		if below == "." || name == below || strings.HasPrefix(name, below+"/") || strings.HasPrefix(below, name+"/") {
			return true
		}
		// It is not on the way, so the first folder that is not decides.
		at, rest := "", name
		for {
			first, more, deeper := strings.Cut(rest, "/")
			here := path.Join(at, first)
			if here != below && !strings.HasPrefix(below, here+"/") {
				return w.Beside != nil && w.Beside(first)
			}
			if !deeper {
				return true
			}
			at, rest = here, more
		}
	}
}

// missing reports whether a file that could not be read may be missing.
func (w Want) missing(name string, err error) bool {
	return w.Private != nil && w.Private(path.Base(name)) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission))
}
