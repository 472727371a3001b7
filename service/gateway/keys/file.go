package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// maxFile bounds a file of keys: some forty thousand of them.
const maxFile = 16 << 20

// Load reads a file of keys. It must be a regular one, so that nothing waits for
// a pipe that nobody writes to.
func Load(path string) (*Set, error) {
	_, s, err := load(path)
	return s, err
}

func load(path string) ([]byte, *Set, error) {
	content, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, nil, fmt.Errorf("keys: %w", err)
	}
	s, err := Parse(bytes.NewReader(content))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, s, nil
}

// Add adds an entry to a file of keys, which is made, for its owner alone, if
// there is none. Whoever reads it sees all of the entry or nothing.
func Add(path string, e Entry) error {
	if _, err := e.check(); err != nil {
		return fmt.Errorf("keys: the entry %w", err)
	}
	content, s, err := load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || isEmpty(path):
	case err != nil:
		return err
	case s.add(e) != nil:
		return errors.New("keys: the entry has the id of another, must have its own")
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	before := bytes.Clone(content)
	if n := len(content); n > 0 && content[n-1] != '\n' {
		content = append(content, '\n')
	}
	return replace(path, before, append(append(content, line...), '\n'))
}

// isEmpty reports a file without a key, such as one that was made to have its
// mode and owner.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Revoke marks keys of a file as revoked, by their ids or subjects, and returns
// the entries that were not before. A service takes them until it reads the file
// anew. A name of nothing there is refused, and nothing is changed then.
func Revoke(path string, names []string, now time.Time) ([]Entry, error) {
	before, s, err := load(path)
	if err != nil {
		return nil, err
	}
	all, revoked := s.Entries(), []Entry{}
	for _, name := range names {
		found := false
		for i := range all {
			if all[i].ID != name && all[i].Subject != name {
				continue
			}
			found = true
			if all[i].Revoked.IsZero() {
				all[i].Revoked = now.UTC().Truncate(time.Second)
				revoked = append(revoked, all[i])
			}
		}
		if !found {
			return nil, fmt.Errorf("keys: %s has no key %.80q, must be an id, the 12 digits after %s, or a subject", path, name, prefix)
		}
	}
	var b bytes.Buffer
	for _, e := range all {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("keys: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	if len(revoked) == 0 {
		return revoked, nil
	}
	return revoked, replace(path, before, b.Bytes())
}

// replace writes the file, whole or not at all. It keeps its mode and whose it
// is: a service that could no longer read it would go on with the keys of before.
// A file that somebody else has changed meanwhile is left as it is.
func replace(path string, before, content []byte) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	defer f.Abort()
	if err := f.KeepOwner(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if _, err := f.Write(content); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if now, err := os.ReadFile(path); !bytes.Equal(now, before) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keys: %s was changed meanwhile, must be looked at and the command given again", path)
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
