package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sotto/internal/fault"
	"sotto/internal/regular"
	"sotto/internal/signed"
	"sotto/learn/model"
)

// state is what is known of each model at a moment. It never changes: another
// takes its place.
type state map[string]slot

// slot is what is known of a model.
type slot struct {
	*served             // nil if it is not served
	stale   bool        // it is served, but what lies on disk is refused or gone
	refused error       // why what lies on disk is not served; nil if it is, or is gone
	seen    fingerprint // of what lies on disk
}

// names returns those that are served, or those that are not, in order.
func (s state) names(served bool) []string {
	var names []string
	for name, m := range s {
		if (m.served != nil) == served {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fingerprint tells whether a folder changed. The manifest holds the digest of
// the weights; their size and time tell when a copy has become complete.
type fingerprint struct {
	manifest  [sha256.Size]byte
	size      int64 // of the weights
	changed   int64
	signature [sha256.Size]byte // zeros where none is looked at
}

func fingerprintOf(dir string) (fingerprint, error) {
	content, err := regular.Read(filepath.Join(dir, model.ManifestFile), maxManifest)
	if err != nil {
		return fingerprint{}, fmt.Errorf("server: %w", err)
	}
	f := fingerprint{manifest: sha256.Sum256(content)}
	if w, err := os.Stat(filepath.Join(dir, model.WeightsFile)); err == nil {
		f.size, f.changed = w.Size(), w.ModTime().UnixNano()
	}
	return f, nil
}

// Bounds of a folder of models, so that one that is none is refused instead of
// read for ever.
const (
	depth       = 2 // levels below the folder: one for each seed, or one for each configuration and below it one for each seed
	maxEntries  = 10_000
	maxModels   = 1_000
	maxManifest = 16 << 20 // bytes
)

var wordForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// goodName reports whether a folder may be a model's. To count within the expression
// would take long at the start of every program.
func goodName(name string) bool { return len(name) <= 255 && wordForm.MatchString(name) }

// find returns the folders of models by name: that of the folder itself if it
// is a model, else the names of the folders on the way to it, joined by hyphens.
func find(root string) (map[string]string, error) {
	if _, err := os.Stat(filepath.Join(root, model.ManifestFile)); err == nil {
		path, err := filepath.Abs(root)
		return map[string]string{filepath.Base(path): root}, err
	}
	found := map[string]string{}
	if err := walk(found, root, nil); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("server: %s holds no model", root)
	}
	return found, nil
}

func walk(found map[string]string, dir string, names []string) error {
	entries, err := regular.List(dir, maxEntries)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	for _, entry := range entries {
		below := filepath.Join(dir, entry)
		if info, err := os.Stat(below); err != nil || !info.IsDir() || strings.HasPrefix(entry, ".") {
			continue // a file, or what a save has under way
		}
		path := append(slices.Clone(names), entry)
		if _, err := os.Stat(filepath.Join(below, model.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
			if len(path) < depth {
				err = walk(found, below, path)
				if err != nil {
					return err
				}
			}
			continue
		}
		name := strings.Join(path, "-")
		if other, twice := found[name]; twice {
			return fmt.Errorf("server: %s and %s would both be called %s, must differ", other, below, name)
		}
		if len(found) == maxModels {
			return fmt.Errorf("server: there are more than %d models, must be fewer", maxModels)
		}
		found[name] = below
	}
	return nil
}

// Reload reads every model anew, also those that have not changed, and stops
// serving those that are gone; one that is refused stays as it was before. If
// no model is left, or the folder cannot be read in time, it returns an error and
// everything stays as it is.
func (s *Server) Reload() error {
	err := s.refresh(true)
	s.reloads.WithLabelValues(resultOf(err)).Inc()
	return err
}

// errLate is wrapped where a folder is not read in time.
var errLate = errors.New("the models' folder was not read in time")

// refresh takes up what has changed in the folder. It waits for that no longer
// than it may: a disk that does not answer holds up one goroutine, whatever it is
// asked, and neither an answer nor an end.
func (s *Server) refresh(all bool) error {
	late := time.NewTimer(s.config.LoadTimeout)
	defer late.Stop()
	select {
	case s.reading <- struct{}{}:
	case <-late.C:
		return fmt.Errorf("server: %w, %v; it is still being read", errLate, s.config.LoadTimeout)
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-s.reading }()
		done <- s.read(all)
	}()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("server: %w, %v; what is found is taken up when it is", errLate, s.config.LoadTimeout)
	}
}

// read puts what lies in the folder in the place of what is served. A model that
// is refused, or that vanished while nobody asked for a reload, stays as it was.
func (s *Server) read(all bool) (err error) {
	defer fault.Catch(&err)
	old := *s.state.Load()
	found, err := find(s.config.Model)
	if err != nil {
		return err
	}
	next, left := state{}, s.config.MaxModels
	var refused []error
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m := s.take(old[name], name, found[name], all, left)
		if m.served != nil {
			left -= m.bytes
		}
		next[name], refused = m, append(refused, m.refused)
	}
	for _, name := range old.names(true) {
		if found[name] == "" && !all {
			next[name] = slot{served: old[name].served, stale: true}
			if !old[name].stale {
				s.http.Log.Warn("model is gone from disk and is still served; reload to end that", "model", name)
			}
		}
	}
	if len(next.names(true)) == 0 {
		return fmt.Errorf("server: no model of %s can be served: %w", s.config.Model, errors.Join(refused...))
	}
	s.state.Store(&next)
	return nil
}

// load reads a model, from copies of what was verified where it must be signed.
func (s *Server) load(name, dir string, most int64) (*served, error) {
	if s.config.Verify == nil {
		return load(name, dir, most)
	}
	folder, err := model.OpenSigned(*s.config.Verify, dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close() //nolint:errcheck // what is left is in a temporary folder
	m, err := load(name, folder.Dir, most)
	return m, folder.Name(err)
}

// take returns what comes after the old: the same if nothing changed, the new
// model if it is good and its weights have not more bytes than are left, else the
// old one again.
func (s *Server) take(old slot, name, dir string, all bool, left int64) slot {
	seen, err := fingerprintOf(dir)
	if s.config.Verify != nil { // it may come after the rest
		seen.signature = signed.Mark(dir)
	}
	if err == nil && seen == old.seen && !all {
		return old
	}
	if !goodName(name) {
		err = errors.New("server: name of a model's folder must be letters, digits, dots, hyphens and underscores, at most 255")
	}
	if err == nil && seen.size > left {
		err = fmt.Errorf("server: weights of %s have %d bytes, must have at most the %d that are left for all models together", name, seen.size, max(0, left))
	}
	var m *served
	if err == nil {
		m, err = s.load(name, dir, left)
	}
	if err == nil {
		s.reads.WithLabelValues("loaded").Inc()
		s.http.Log.Info("model loaded", "model", name, "version", m.version, "method", m.method, "width", m.width, "guarantee", m.guarantee.String(), "interrupted", m.stopped)
		m.bytes = seen.size
		return slot{served: m, seen: seen}
	}
	now := slot{served: old.served, stale: old.served != nil, refused: err, seen: seen}
	if !all && old.refused != nil && old.refused.Error() == err.Error() {
		return now // the same trouble is told once
	}
	s.reads.WithLabelValues("refused").Inc()
	if old.served != nil {
		s.http.Log.Error("new model refused; the old one is still served", "model", name, "version", old.version, "error", err.Error())
	} else {
		s.http.Log.Info("model not served", "model", name, "error", err.Error())
	}
	return now
}
