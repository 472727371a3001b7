package catalogue_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/text/encode/catalogue"
)

// entry is a part of an archive.
type entry struct {
	name, content string
	kind          byte   // 0 for a file
	link          string // where it leads
}

// archive packs entries as npm does.
func archive(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	t := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o777, Size: int64(len(e.content)), Typeflag: e.kind, Linkname: e.link}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := t.WriteHeader(h); err != nil {
			tb.Fatal(err)
		}
		if _, err := t.Write([]byte(e.content)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func write(tb testing.TB, path string, content []byte) string {
	tb.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// The files of a small encoder, and where npm puts them.
const one, two = "one, which is\n", "two"

var whole = []entry{{name: "package/package.json", content: "{}"}, {name: "package/model/one.json", content: one}, {name: "package/two.bin", content: two}}

// info describes the small encoder in a folder.
func info(dir string) catalogue.Info {
	file := func(name, content string) catalogue.File {
		sum := sha256.Sum256([]byte(content))
		return catalogue.File{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	}
	return catalogue.Info{Name: "small", Package: "small@1", Path: filepath.Join(dir, "encoders", "small"), Files: []catalogue.File{file("one.json", one), file("two.bin", two)}}
}

// names lists what lies in a folder, however deep.
func names(tb testing.TB, dir string) []string {
	tb.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

var complete = []string{"small/one.json", "small/two.bin"}

func TestGetArchive(t *testing.T) {
	dir := t.TempDir()
	i := info(dir)
	from := write(t, filepath.Join(dir, "small.tgz"), archive(t, whole...))
	got, err := catalogue.GetInfo(i, t.Context(), from)
	if err != nil || !got.Present || got.Path != i.Path {
		t.Fatalf("Get = %+v, %v, want it present", got, err)
	}
	if left := names(t, filepath.Dir(i.Path)); !slices.Equal(left, complete) {
		t.Errorf("the folder holds %q, want %q", left, complete)
	}
	if err := catalogue.CheckInfo(i, i.Path, true); err != nil {
		t.Errorf("what was fetched is wrong: %v", err)
	}
	// What is there and right needs no archive.
	if _, err := catalogue.GetInfo(i, t.Context(), filepath.Join(dir, "none")); err != nil {
		t.Errorf("again: error = %v, want none", err)
	}
	// What is wrong is replaced, and what lies beside it goes.
	write(t, filepath.Join(i.Path, "two.bin"), []byte("TWO"))
	write(t, filepath.Join(i.Path, "more"), nil)
	if _, err := catalogue.GetInfo(i, t.Context(), from); err != nil {
		t.Errorf("over a wrong file: error = %v, want none", err)
	}
	if left := names(t, filepath.Dir(i.Path)); !slices.Equal(left, complete) {
		t.Errorf("the folder holds %q, want %q", left, complete)
	}
}

// Nothing of a wrong archive is kept, nothing is written elsewhere, and what was
// there before stays.
func TestGetRefuses(t *testing.T) {
	good := archive(t, whole...)
	long := archive(t, slices.Concat([]entry{{name: "package/readme", content: strings.Repeat("\x00\x01\x02", 5000)}}, whole)...)
	half := archive(t, whole...)
	for k := range half[20 : len(half)-40] {
		half[20+k] ^= 0x55
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want string
		is   error // nil for any
	}{
		{"no file", nil, "no such file", fs.ErrNotExist},
		{"no archive", []byte("something else"), "is no archive of npm", nil},
		{"empty archive", archive(t), "lacks one.json", catalogue.ErrWrong},
		{"file missing", archive(t, whole[:2]...), "lacks two.bin", catalogue.ErrWrong},
		{"cut off in the header", long[:len(long)/2], "", nil},
		{"cut off in the middle", good[:len(good)/2], "", nil},
		{"damaged", half, "", nil},
		{"too small", archive(t, whole[0], whole[1], entry{name: "two.bin", content: "tw"}), "has 2 bytes, must have 3", catalogue.ErrWrong},
		{"too large", archive(t, whole[0], whole[1], entry{name: "two.bin", content: strings.Repeat("x", 1<<20)}), "has 1048576 bytes, must have 3", catalogue.ErrWrong},
		{"other content", archive(t, whole[0], whole[1], entry{name: "two.bin", content: "TWO"}), "has SHA-256", catalogue.ErrWrong},
		{"symbolic link", archive(t, whole[1], entry{name: "two.bin", kind: tar.TypeSymlink, link: "/etc/passwd"}), "lacks two.bin", catalogue.ErrWrong},
		{"hard link", archive(t, whole[1], entry{name: "two.bin", kind: tar.TypeLink, link: "package/model/one.json"}), "lacks two.bin", catalogue.ErrWrong},
		{"folder", archive(t, whole[1], entry{name: "two.bin/", kind: tar.TypeDir}), "lacks two.bin", catalogue.ErrWrong},
		{"device", archive(t, whole[1], entry{name: "two.bin", kind: tar.TypeChar}), "lacks two.bin", catalogue.ErrWrong},
		{"names that lead out", archive(t, entry{name: "../../outside", content: "x"}, entry{name: "/outside", content: "x"}, entry{name: `..\outside`, content: "x"}), "lacks one.json", catalogue.ErrWrong},
	} {
		for _, before := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				dir := t.TempDir()
				i := info(dir)
				var want []string
				if before {
					if err := os.MkdirAll(i.Path, 0o700); err != nil {
						t.Fatal(err)
					}
					write(t, filepath.Join(i.Path, "one.json"), []byte("older"))
					want = []string{"encoders/small/one.json"}
				}
				from := filepath.Join(dir, "small.tgz")
				if tt.in != nil {
					write(t, from, tt.in)
					want = append(want, "small.tgz")
				}
				got, err := catalogue.GetInfo(i, t.Context(), from)
				if err == nil || got.Present || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("Get error = %v, want %q and %v", err, tt.want, tt.is)
				}
				if left := names(t, dir); !slices.Equal(left, want) {
					t.Errorf("left are %q, want %q", left, want)
				}
			})
		}
	}
}

// A name with ".." in it is one of the known files, or none; it is no path.
func TestGetTraversal(t *testing.T) {
	dir := t.TempDir()
	i := info(dir)
	from := write(t, filepath.Join(dir, "small.tgz"), archive(t, entry{name: "../../one.json", content: one}, entry{name: "/two.bin", content: two}))
	if _, err := catalogue.GetInfo(i, t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if left, want := names(t, dir), []string{"encoders/small/one.json", "encoders/small/two.bin", "small.tgz"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

// Whatever an archive holds, the known files appear or nothing does.
func FuzzGet(f *testing.F) {
	f.Add(archive(f, whole...))
	f.Add(archive(f, entry{name: "../../one.json", content: one}, entry{name: "two.bin", kind: tar.TypeSymlink, link: "one.json"}))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		want := []string{"small.tgz"}
		_, err := catalogue.GetInfo(info(dir), t.Context(), write(t, filepath.Join(dir, "small.tgz"), content))
		if err == nil {
			want = []string{"encoders/small/one.json", "encoders/small/two.bin", "small.tgz"}
		}
		if left := names(t, dir); !slices.Equal(left, want) {
			t.Errorf("left are %q after error %v, want %q", left, err, want)
		}
	})
}

func TestGetCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	from := write(t, filepath.Join(dir, "small.tgz"), archive(t, whole...))
	if _, err := catalogue.GetInfo(info(dir), ctx, from); !errors.Is(err, context.Canceled) {
		t.Errorf("Get error = %v, want %v", err, context.Canceled)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"small.tgz"}) {
		t.Errorf("left are %q, want the archive", left)
	}
}

// npm puts a script of that name into the path, alone.
func npm(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script that stands for npm needs a shell")
	}
	dir := t.TempDir()
	if script != "" {
		path := write(t, filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script+"\n"))
		if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestGetNPM(t *testing.T) {
	good := write(t, filepath.Join(t.TempDir(), "good.tgz"), archive(t, whole...))
	for _, tt := range []struct {
		name, script string
		want         string // "" for none
	}{
		{"good", `[ "$*" = "pack --ignore-scripts --silent --pack-destination . small@1" ] && /bin/cp ` + good + ` .`, ""},
		{"absent", "", `the npm client is not here, which fetches small@1: install npm, or run "npm pack small@1" elsewhere and give the archive with --from`},
		{"fails", "echo no such package >&2; exit 7", "npm could not fetch small@1: exit status 7: no such package"},
		{"leaves nothing", ":", "npm left 0 archives of small@1, must be one"},
		{"leaves two", ": > a.tgz; : > b.tgz", "npm left 2 archives"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			npm(t, tt.script)
			dir := filepath.Join(t.TempDir(), "a[b]*") // of which Glob would make a pattern
			i := info(dir)
			_, err := catalogue.GetInfo(i, t.Context(), "")
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Get error = %v, want %q", err, tt.want)
			}
			var want []string
			if tt.want == "" {
				want = complete
			}
			if left := names(t, filepath.Dir(i.Path)); !slices.Equal(left, want) {
				t.Errorf("left are %q, want %q", left, want)
			}
		})
	}
}

// A client that hangs is ended, and what it says then is not shown.
func TestGetNPMCancel(t *testing.T) {
	npm(t, ": > started; exec /bin/sleep 600")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for len(all(dir)) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := catalogue.GetInfo(info(dir), ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Get error = %v, want %v", err, context.Canceled)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left are %q, want nothing", left)
	}
}

// all lists the files that a client started in a folder made.
func all(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "encoders", "*", "started")) // the pattern is good
	return found
}
