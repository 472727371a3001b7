package reproduce_test

import (
	"errors"
	"path/filepath"
	"testing"

	"sotto/learn/experiment"
	"sotto/study/reproduce"
)

func TestDir(t *testing.T) {
	t.Setenv("SOTTO_RESULTS", "/somewhere")
	if dir, err := reproduce.CacheDir(); err != nil || dir != "/somewhere" {
		t.Errorf("Dir() = %q, %v, want what SOTTO_RESULTS says", dir, err)
	}
	t.Setenv("SOTTO_RESULTS", "")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home/nobody")
	if dir, err := reproduce.CacheDir(); err != nil || filepath.Base(dir) != "results" || filepath.Base(filepath.Dir(dir)) != "sotto" {
		t.Errorf("Dir() = %q, %v, want sotto/results in the user's cache", dir, err)
	}
}

// small is an experiment that takes a moment.
func small() experiment.Spec {
	return experiment.Spec{Data: "reviews", Attribute: "none", Methods: []string{"majority", "random"}, Limit: 40}
}

func open(t *testing.T, dir string) *reproduce.CacheEntry {
	t.Helper()
	e, err := reproduce.OpenCache(t.Context(), dir, small())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEntry(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	if r, err := e.Result(); r != nil || err != nil {
		t.Fatalf("before anything is computed the result is %v, %v", r, err)
	}
	want, err := e.Run(t.Context(), experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := open(t, dir).Result()
	if err != nil || got == nil || got.Spec.Hash() != want.Spec.Hash() || len(got.Configurations) != 2 {
		t.Fatalf("stored is %+v, %v, want what was computed", got, err)
	}
	if names, err := e.Models(); err != nil || len(names) != 2 {
		t.Errorf("models lie in %v, %v, want a folder for each method", names, err)
	}
	if err := e.DropModels(); err != nil {
		t.Fatal(err)
	}
	if names, err := e.Models(); err != nil || len(names) != 0 {
		t.Errorf("models lie in %v, %v, want none after they were dropped", names, err)
	}
	if r, err := e.Result(); err != nil || r == nil {
		t.Errorf("without models the result is %v, %v, want it still", r, err)
	}
	if err := e.Remove(); err != nil {
		t.Fatal(err)
	}
	if r, err := e.Result(); r != nil || err != nil {
		t.Errorf("after it was removed the result is %v, %v", r, err)
	}
}

func TestDamaged(t *testing.T) {
	e := open(t, t.TempDir())
	r, err := e.Run(t.Context(), experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*experiment.Result){
		"another format":          func(r *experiment.Result) { r.Format = "sotto-results-0" },
		"another spec":            func(r *experiment.Result) { r.Spec.Limit = 80 },
		"a missing configuration": func(r *experiment.Result) { r.Configurations = r.Configurations[:1] },
	} {
		other := *r
		change(&other)
		if err := e.Write(experiment.ResultsFile, other); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Result(); !errors.Is(err, reproduce.ErrCacheDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	stopped := *r
	stopped.Interrupted = true
	if err := e.Write(experiment.ResultsFile, stopped); err != nil {
		t.Fatal(err)
	}
	if r, err := e.Result(); r != nil || err != nil {
		t.Errorf("an interrupted result is %v, %v, want none", r, err)
	}
	if r, err := e.Run(t.Context(), experiment.Options{Workers: 1}); err != nil || r.Interrupted {
		t.Errorf("going on gives %v, %v, want the whole", r, err)
	}
}

func TestReadStrictly(t *testing.T) {
	e := &reproduce.CacheEntry{Dir: filepath.Join(t.TempDir(), "new")}
	type note struct{ Text string }
	var n note
	if found, err := e.Read("note.json", &n); found || err != nil {
		t.Errorf("what is not there is read: %t, %v", found, err)
	}
	if err := e.Write("note.json", note{"a"}); err != nil {
		t.Fatal(err)
	}
	if found, err := e.Read("note.json", &n); !found || err != nil || n.Text != "a" {
		t.Errorf("read %+v, %t, %v, want what was written", n, found, err)
	}
	var other struct{ Number int }
	if _, err := e.Read("note.json", &other); !errors.Is(err, reproduce.ErrCacheDamaged) {
		t.Errorf("another type is read with %v, want ErrDamaged", err)
	}
}
