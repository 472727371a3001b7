package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"sotto/data/dataset"
)

// put writes a file below dir.
func put(t *testing.T, dir, path, data string) {
	t.Helper()
	path = filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("SOTTO_DATA", "/somewhere")
	if got := dataset.Dir(); got != "/somewhere" {
		t.Errorf("Dir() = %s, want SOTTO_DATA", got)
	}
	t.Setenv("SOTTO_DATA", "")
	t.Setenv("XDG_DATA_HOME", "/data")
	if got := dataset.Dir(); runtime.GOOS == "linux" && got != filepath.FromSlash("/data/sotto") {
		t.Errorf("Dir() = %s, want the user's data folder", got)
	}
}

func TestUserData(t *testing.T) {
	for _, tt := range []struct {
		system, want string
		env          map[string]string
	}{
		{"linux", "/home/a/.local/share/sotto", map[string]string{"HOME": "/home/a"}},
		{"linux", "/data/sotto", map[string]string{"HOME": "/home/a", "XDG_DATA_HOME": "/data"}},
		{"linux", "/home/a/.local/share/sotto", map[string]string{"HOME": "/home/a", "XDG_DATA_HOME": "data"}},
		{"freebsd", "/home/a/.local/share/sotto", map[string]string{"HOME": "/home/a"}},
		{"darwin", "/Users/a/Library/Application Support/sotto", map[string]string{"HOME": "/Users/a", "XDG_DATA_HOME": "/data"}},
		{"windows", "/a/Local/sotto", map[string]string{"LocalAppData": "/a/Local", "USERPROFILE": "/b"}},
		{"windows", "/b/AppData/Local/sotto", map[string]string{"USERPROFILE": "/b", "HOME": "/c"}},
		{"linux", "sotto", nil},
	} {
		got := dataset.UserData(tt.system, func(name string) string { return tt.env[name] })
		if runtime.GOOS != "windows" && got != tt.want {
			t.Errorf("on %s with %v the folder is %s, want %s", tt.system, tt.env, got, tt.want)
		}
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	check := func(want dataset.State, fault string) {
		t.Helper()
		checks, err := dataset.Verify("yelp", dir)
		if err != nil || len(checks) != 1 || checks[0].State != want || !strings.Contains(checks[0].Fault, fault) {
			t.Errorf("Verify = %+v, %v; want %s %q", checks, err, want, fault)
		}
	}
	const path = "sentiment_labelled_sentences/yelp_labelled.txt"
	check(dataset.Absent, "")
	put(t, dir, path, "short")
	check(dataset.Wrong, "it holds 5 bytes, must hold 61293")
	put(t, dir, path, strings.Repeat("x", 61294))
	check(dataset.Wrong, "it holds more than 61293 bytes")
	put(t, dir, path, strings.Repeat("x", 61293))
	check(dataset.Wrong, "its SHA-256 is ")
	if err := os.Remove(filepath.Join(dir, path)); err != nil {
		t.Fatal(err)
	}
	put(t, dir, path+".gz", "no gzip")
	check(dataset.Wrong, "yelp_labelled.txt.gz: ")
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 10<<20)) //nolint:errcheck // a buffer takes everything
	z.Close()
	put(t, dir, path+".gz", bomb.String())
	check(dataset.Wrong, "it holds more than 61293 bytes")
	if _, err := dataset.Verify("nope", dir); err == nil {
		t.Error("Verify of an unknown name succeeds")
	}
}

func TestLoadCounts(t *testing.T) {
	dir := t.TempDir()
	_, err := dataset.Load("yelp", dataset.Options{Dir: dir})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "archive.ics.uci.edu") {
		t.Errorf("Load of an absent set: %v, want its home", err)
	}
	put(t, dir, "sentiment_labelled_sentences/yelp_labelled.txt", "good\t1\n")
	_, err = dataset.Load("yelp", dataset.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "yelp_labelled.txt holds 1 rows, must hold 1000") {
		t.Errorf("Load of a short file: %v, want both counts", err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	last := ""
	used := map[string]bool{}
	for _, s := range dataset.List(dir) {
		if s.Name <= last {
			t.Errorf("%s stands after %s", s.Name, last)
		}
		last = s.Name
		if s.About == "" || s.Rows <= 0 || s.Label == "" || s.Licence == "" || s.Home == "" || s.Attributes == nil {
			t.Errorf("%+v lacks something", s)
		}
		if s.Present != (s.Name == "reviews") {
			t.Errorf("%s is present = %v in an empty folder", s.Name, s.Present)
		}
		for _, f := range s.Files {
			used[f.Path] = true
			if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(f.SHA256) || f.Size <= 0 || f.Rows <= 0 || (f.URL != "" && !strings.HasPrefix(f.URL, "https://")) {
				t.Errorf("%s: bad entry %+v", s.Name, f)
			}
		}
	}
	for _, f := range dataset.Known {
		if !used[f.Path] {
			t.Errorf("%s belongs to no set", f.Path)
		}
	}
}

// The page on data sets has a row for each.
func TestListIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range dataset.List(t.TempDir()) {
		if !strings.Contains(string(page), "`"+s.Name+"`") {
			t.Errorf("data set %s is not described in docs/data.md", s.Name)
		}
	}
}
