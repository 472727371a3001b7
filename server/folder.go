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

	"sotto/train/model"
)

// state is what is known of each model at a moment. It never changes: another
// takes its place.
type state map[string]slot

// slot is what is known of a model.
type slot struct {
	*served             // nil if it is not served
	stale   bool        // it is served, but what lies on disk is refused or gone
	refused error       // why it is not served
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
	manifest [sha256.Size]byte
	size     int64
	changed  int64
}

func fingerprintOf(dir string) (fingerprint, error) {
	content, err := os.ReadFile(filepath.Join(dir, model.ManifestFile))
	if err != nil {
		return fingerprint{}, err
	}
	f := fingerprint{manifest: sha256.Sum256(content)}
	if w, err := os.Stat(filepath.Join(dir, model.WeightsFile)); err == nil {
		f.size, f.changed = w.Size(), w.ModTime().UnixNano()
	}
	return f, nil
}

// depth is how many levels below the given folder models lie: one for each
// seed, or one for each configuration and below it one for each seed.
const depth = 2

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

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
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		if info, err := os.Stat(below); err != nil || !info.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue // a file, or what a save has under way
		}
		path := append(slices.Clone(names), e.Name())
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
		found[name] = below
	}
	return nil
}

// Reload reads every model anew, also those that have not changed, and stops
// serving those that are gone; one that is refused stays as it was before. If
// no model is left, it returns an error and everything stays as it is.
func (s *Server) Reload() error { return s.refresh(true) }

// refresh takes up what has changed in the folder. A model that is refused, or
// that vanished while nobody asked for a reload, stays as it was.
func (s *Server) refresh(all bool) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	old := *s.state.Load()
	found, err := find(s.config.Model)
	if err != nil {
		return err
	}
	next := state{}
	var refused []error
	for _, name := range slices.Sorted(maps.Keys(found)) {
		next[name] = s.take(old[name], name, found[name], all)
		refused = append(refused, next[name].refused)
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

// take returns what comes after the old: the same if nothing changed, the new
// model if it is good, else the old one again.
func (s *Server) take(old slot, name, dir string, all bool) slot {
	seen, err := fingerprintOf(dir)
	if err == nil && seen == old.seen && !all {
		return old
	}
	var m *served
	if !goodName.MatchString(name) {
		err = errors.New("server: name of a model's folder must be letters, digits, dots, hyphens and underscores")
	}
	if err == nil {
		m, err = load(name, dir)
	}
	switch {
	case err == nil:
		s.reads.WithLabelValues("loaded").Inc()
		s.http.Log.Info("model loaded", "model", name, "version", m.version, "method", m.method, "width", m.width, "guarantee", m.guarantee.String(), "interrupted", m.stopped)
		return slot{served: m, seen: seen}
	case old.served != nil:
		s.reads.WithLabelValues("refused").Inc()
		s.http.Log.Error("new model refused; the old one is still served", "model", name, "version", old.version, "error", err.Error())
		return slot{served: old.served, stale: true, seen: seen}
	default:
		s.http.Log.Info("model not served", "model", name, "error", err.Error())
		return slot{refused: err, seen: seen}
	}
}
