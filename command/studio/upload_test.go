package studio_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
)

// held lists the files in the private folder.
func (b *bench) held() []string { return files(b, b.Studio) }

// files lists the files in a private folder.
func files(tb testing.TB, s *studio.Studio) []string {
	tb.Helper()
	var all []string
	if err := filepath.WalkDir(s.PrivateDir(), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		tb.Fatal(err)
	}
	return all
}

// endless is a body that never ends, and says how much of it was read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestUploadBounds(t *testing.T) {
	b := start(t, studio.Config{MaxUpload: 1 << 20})
	b.Refused("POST", "/api/data/upload?name=a.csv", strings.Repeat("a", 1<<20+1), http.StatusRequestEntityTooLarge, "larger than 1 MiB")
	body := &endless{}
	if w := b.Stream("POST", "/api/data/upload?name=a.csv", io.MultiReader(body)); w.Code != http.StatusRequestEntityTooLarge || body.read > 2<<20 {
		t.Errorf("a body without end is answered with %d after %d bytes", w.Code, body.read)
	}
	b.Refused("POST", "/api/data/upload?name=a.csv", "", http.StatusUnprocessableEntity, "empty")
	if left := b.held(); len(left) != 0 {
		t.Errorf("what was refused is still there: %v", left)
	}

	// Several may be dropped, but not without end.
	row := strings.Repeat("a nice text to read,x\na bad text to read,y\n", 1<<20/44)
	status := http.StatusOK
	for range 10 {
		if status = b.Send("POST", "/api/data/upload?name=a.csv", "text,label\n"+row).Code; status != http.StatusOK {
			break
		}
	}
	if status != http.StatusInsufficientStorage {
		t.Errorf("after ten files the answer is %d, want 507", status)
	}
	for _, path := range b.held() {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v (%v), want 0600", path, info.Mode(), err)
		}
	}
}

// TestUploadRefusals drops what is no table. The answers name no folder and quote
// nothing of the file.
func TestUploadRefusals(t *testing.T) {
	b := start(t, studio.Config{})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("cut off")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"header.csv":  "text,label\n",
		"ragged.csv":  "text,label\nsecret one,a,b,c\nsecret two\n",
		"bad.jsonl":   "{\"text\": \"secret\"\n",
		"bad.parquet": "PAR1secret",
		"bad.csv.gz":  packed.String(),
		"nul.csv":     "te\x00xt,la\x00bel\nse\x00cret,1\n",
	} {
		w := b.Send("POST", "/api/data/upload?name="+name, content)
		if answer := w.Body.String(); w.Code != http.StatusUnprocessableEntity || strings.Contains(answer, "secret") || strings.Contains(answer, "sotto-studio") || !strings.Contains(answer, `"error":"`) {
			t.Errorf("%s is answered with %d %s", name, w.Code, answer)
		}
	}
	if left := b.held(); len(left) != 0 {
		t.Errorf("what was refused is still there: %v", left)
	}
}

func TestUploadNames(t *testing.T) {
	b := start(t, studio.Config{})
	const body = "text,label\nit is good,1\nit is bad,2\nit is fine,1\nit is poor,2\n"
	for name, want := range map[string]string{
		"mine.csv": "mine.csv", "..%2F..%2Fetc%2Fmine.csv": "mine.csv", "C:%5Cdata%5Cmine.csv": "mine.csv", "": "file.csv", "..": "file.csv",
		"--in.csv": "in.csv", "a%00b%0a.csv": "ab.csv", "m%C3%BCller%20%3Cb%3E.csv": "müller b.csv", strings.Repeat("a", 300) + ".csv": strings.Repeat("a", 96) + ".csv",
	} {
		var u studiotest.Understood
		b.Ask("POST", "/api/data/upload?name="+name, body, http.StatusOK, &u)
		if u.Name != want {
			t.Errorf("%q is called %q, want %q", name, u.Name, want)
		}
	}
	for _, path := range b.held() {
		if !strings.HasPrefix(path, b.PrivateDir()+string(filepath.Separator)+"files") {
			t.Errorf("%s lies outside of the private folder", path)
		}
	}
}

// TestFirst opens a studio with a file of the person's, which is not copied.
func TestFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte("text,label\nit is good,1\nit is bad,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := start(t, studio.Config{File: path})
	var u studiotest.Understood
	if b.Ask("GET", "/api/data/first", "", http.StatusOK, &u); u.Rows != 2 || u.Name != path {
		t.Errorf("the first file is %+v", u)
	}
	if b.Ask("GET", "/api/data/again?source="+u.Source, "", http.StatusOK, &u); u.Rows != 2 {
		t.Errorf("the first file is %+v the second time", u)
	}
	b.Refused("GET", "/api/data/again?source=none", "", http.StatusNotFound, "drop it again")
	if left := b.held(); len(left) != 0 {
		t.Errorf("the file was copied: %v", left)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
	if _, err := studio.New(studio.Config{File: path + "x"}); err == nil {
		t.Error("a file that is not there is taken")
	}
}
