package pack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sotto/deploy/pack"
)

var (
	moment = time.Date(2026, 1, 31, 12, 0, 0, 0, time.FixedZone("elsewhere", 3600))
	files  = []pack.File{
		{Path: "etc/tool.json", Data: []byte("{}\n"), Conffile: true},
		{Path: "bin/tool", Data: []byte("#!/bin/sh\n"), Executable: true},
		{Path: "README", Data: []byte("read me\n")},
	}
	sortedPaths = []string{"README", "bin/tool", "etc/tool.json"}
)

// backwards returns the files in the other order.
func backwards() []pack.File {
	b := slices.Clone(files)
	slices.Reverse(b)
	return b
}

// gunzip returns what a compressed file holds, which must have neither name nor time.
func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || !z.ModTime.IsZero() {
		t.Errorf("gzip has the name %q and the time %v, want neither", z.Name, z.ModTime)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// untar returns the names of an archive and what each holds, and checks what must not
// depend on who packs.
func untar(t *testing.T, plain []byte) (names []string, held map[string]string) {
	t.Helper()
	held = map[string]string{}
	for r := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // what a reader of archives returns at its end
			return names, held
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" || !h.ModTime.Equal(moment) {
			t.Errorf("%s is of %s/%s at %v, want root/root at %v", h.Name, h.Uname, h.Gname, h.ModTime, moment)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0o644)
		if strings.HasSuffix(h.Name, "/") || strings.HasSuffix(h.Name, "tool") || strings.HasSuffix(h.Name, "inst") {
			want = 0o755
		}
		if h.Mode != want {
			t.Errorf("%s has mode %o, want %o", h.Name, h.Mode, want)
		}
		names, held[h.Name] = append(names, h.Name), string(data)
	}
}

func TestTarGz(t *testing.T) {
	got, err := pack.TarGz(files, moment)
	if err != nil {
		t.Fatal(err)
	}
	names, held := untar(t, gunzip(t, got))
	if !slices.Equal(names, sortedPaths) || held["README"] != "read me\n" {
		t.Errorf("archive holds %q with %q, want %q", names, held["README"], sortedPaths)
	}
	again, err := pack.TarGz(backwards(), moment.UTC())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the same files in another order and zone give other bytes (%v)", err)
	}
}

func TestZip(t *testing.T) {
	got, err := pack.Zip(files, moment)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(got), int64(len(got)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if !f.Modified.Equal(moment) || (f.Mode().Perm() == 0o755) != (f.Name == "bin/tool") {
			t.Errorf("%s has mode %v and time %v", f.Name, f.Mode(), f.Modified)
		}
	}
	if !slices.Equal(names, sortedPaths) {
		t.Errorf("archive holds %q, want %q", names, sortedPaths)
	}
	again, err := pack.Zip(backwards(), moment.UTC())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the same files in another order and zone give other bytes (%v)", err)
	}
}

func TestRefusedPaths(t *testing.T) {
	for _, tt := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"absolute", []string{"/etc/passwd"}, "must be relative"},
		{"outside", []string{"../up"}, "must be relative"},
		{"nameless", []string{""}, "must be relative"},
		{"the folder itself", []string{"."}, "must be relative"},
		{"two lines", []string{"a\nb"}, "on one line"},
		{"twice", []string{"a", "a"}, "two files"},
		{"file and folder", []string{"a", "a/b"}, "a file and a folder"},
		{"file and folder, apart", []string{"a", "a-b", "a/b/c"}, "a file and a folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var given []pack.File
			for _, p := range tt.paths {
				given = append(given, pack.File{Path: p})
			}
			d := deb()
			d.Files = given
			for kind, make := range map[string]func() ([]byte, error){
				"tar": func() ([]byte, error) { return pack.TarGz(given, moment) },
				"zip": func() ([]byte, error) { return pack.Zip(given, moment) },
				"deb": func() ([]byte, error) { return d.Pack(moment) },
			} {
				if out, err := make(); err == nil || !strings.Contains(err.Error(), tt.want) || out != nil {
					t.Errorf("%s: error is %v with %d bytes, want none and %q", kind, err, len(out), tt.want)
				}
			}
		})
	}
}

func TestSums(t *testing.T) {
	got := string(pack.Sums(map[string][]byte{"b": []byte("two"), "a": []byte("one")}))
	if want := fmt.Sprintf("%x  a\n%x  b\n", sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))); got != want {
		t.Errorf("sums are %q, want %q", got, want)
	}
}

func deb() pack.Deb {
	return pack.Deb{
		Name: "tool", Version: "0.1.0~dev-1", Architecture: "all", Maintainer: "Us <us@example.com>", Section: "utils",
		Summary: "a tool", Description: "One line.\n\nAnother.", Files: files, Scripts: map[string][]byte{"postinst": []byte("#!/bin/sh\n")},
	}
}

// members takes an archive of ar apart.
func members(t *testing.T, b []byte) (names []string, held map[string][]byte) {
	t.Helper()
	held = map[string][]byte{}
	b, ok := bytes.CutPrefix(b, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("package does not begin as an archive of ar")
	}
	for len(b) > 0 {
		header := string(b[:60])
		size, err := strconv.Atoi(strings.TrimSpace(header[48:58]))
		if err != nil || header[58:] != "`\n" || strings.TrimSpace(header[16:28]) != strconv.FormatInt(moment.Unix(), 10) {
			t.Fatalf("header of a member is %q (%v)", header, err)
		}
		name := strings.TrimSpace(header[:16])
		names, held[name] = append(names, name), b[60:60+size]
		b = b[60+size+size%2:]
	}
	return names, held
}

func TestDeb(t *testing.T) {
	got, err := deb().Pack(moment)
	if err != nil {
		t.Fatal(err)
	}
	order, parts := members(t, got)
	if want := []string{"debian-binary", "control.tar.gz", "data.tar.gz"}; !slices.Equal(order, want) || string(parts["debian-binary"]) != "2.0\n" {
		t.Fatalf("package holds %q, want %q", order, want)
	}
	names, control := untar(t, gunzip(t, parts["control.tar.gz"]))
	if want := []string{"./", "./control", "./md5sums", "./conffiles", "./postinst"}; !slices.Equal(names, want) {
		t.Errorf("control holds %q, want %q", names, want)
	}
	for file, want := range map[string]string{
		"./control":   "Package: tool\nVersion: 0.1.0~dev-1\nArchitecture: all\nMaintainer: Us <us@example.com>\nInstalled-Size: 5\nSection: utils\nPriority: optional\nDescription: a tool\n One line.\n .\n Another.\n",
		"./conffiles": "/etc/tool.json\n",
		"./md5sums":   fmt.Sprintf("%x  README\n%x  bin/tool\n", md5.Sum(files[2].Data), md5.Sum(files[1].Data)),
	} {
		if control[file] != want {
			t.Errorf("%s is %q, want %q", file, control[file], want)
		}
	}
	names, data := untar(t, gunzip(t, parts["data.tar.gz"]))
	if want := []string{"./", "./bin/", "./etc/", "./README", "./bin/tool", "./etc/tool.json"}; !slices.Equal(names, want) || data["./README"] != "read me\n" {
		t.Errorf("data holds %q, want %q", names, want)
	}
	backward := deb()
	backward.Files = backwards()
	if again, err := backward.Pack(moment.UTC()); err != nil || !bytes.Equal(got, again) {
		t.Errorf("the same files in another order and zone give other bytes (%v)", err)
	}
	if want := "tool (0.1.0~dev-1) unstable; urgency=medium\n\n  * What changed is in changelog.gz.\n\n -- Us <us@example.com>  Sat, 31 Jan 2026 11:00:00 +0000\n"; string(deb().Changelog(moment)) != want {
		t.Errorf("changelog is %q, want %q", deb().Changelog(moment), want)
	}
}

// TestDebIsRead lets dpkg unpack a package.
func TestDebIsRead(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	made, err := deb().Pack(moment)
	if err != nil {
		t.Fatal(err)
	}
	file, to := filepath.Join(t.TempDir(), "tool.deb"), t.TempDir()
	if err := os.WriteFile(file, made, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--info", file}, {"--raw-extract", file, to}} {
		if out, err := exec.Command("dpkg-deb", args...).CombinedOutput(); err != nil {
			t.Fatalf("dpkg-deb %s: %v\n%s", args[0], err, out)
		}
	}
	if got, err := os.ReadFile(filepath.Join(to, "bin", "tool")); err != nil || string(got) != "#!/bin/sh\n" {
		t.Errorf("bin/tool is %q (%v)", got, err)
	}
	c := exec.Command("md5sum", "--check", "--strict", filepath.Join(to, "DEBIAN", "md5sums"))
	c.Dir = to
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("md5sums: %v\n%s", err, out)
	}
}

func TestDebRefused(t *testing.T) {
	for name, edit := range map[string]func(*pack.Deb){
		"name":         func(d *pack.Deb) { d.Name = "Tool" },
		"version":      func(d *pack.Deb) { d.Version = "v1" },
		"architecture": func(d *pack.Deb) { d.Architecture = "" },
		"maintainer":   func(d *pack.Deb) { d.Maintainer = "Us\nDepends: evil" },
		"summary":      func(d *pack.Deb) { d.Summary = "" },
		"script":       func(d *pack.Deb) { d.Scripts = map[string][]byte{"config": nil} },
	} {
		d := deb()
		edit(&d)
		if out, err := d.Pack(moment); err == nil || !strings.Contains(err.Error(), "pack: "+name+" is ") || out != nil {
			t.Errorf("%s: error is %v, want one of it", name, err)
		}
	}
}

// TestBill reads what this test was built from.
func TestBill(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	modules, err := pack.Modules(program)
	if err != nil {
		t.Fatal(err)
	}
	held := map[string][]string{"tool": {"Apache-2.0"}, "std": {"BSD-3-Clause"}}
	for _, m := range modules {
		held[m.Path] = []string{"BSD-2-Clause", "MIT"}
	}
	text, err := pack.Bill("tool", "0.1.0", held, program, moment)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		BOMFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Timestamp string
			Component struct {
				PURL   string
				Hashes []struct{ Content string }
			}
		}
		Components   []struct{ Name, Version, PURL string }
		Dependencies []struct{ DependsOn []string }
	}
	if err = json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.BOMFormat != "CycloneDX" || got.SpecVersion != "1.5" || got.SerialNumber != "" || got.Metadata.Timestamp != "2026-01-31T11:00:00Z" ||
		got.Metadata.Component.PURL != "pkg:golang/tool@0.1.0" || got.Metadata.Component.Hashes[0].Content != fmt.Sprintf("%x", sha256.Sum256(program)) {
		t.Errorf("bill is %+v", got)
	}
	if len(got.Components) != len(modules)+1 || got.Components[0].Name != "std" || len(got.Dependencies[0].DependsOn) != len(got.Components) {
		t.Errorf("bill has %d components for %d modules, want the standard library besides", len(got.Components), len(modules))
	}
	if again, err := pack.Bill("tool", "0.1.0", held, program, moment); err != nil || !bytes.Equal(text, again) {
		t.Errorf("the bill of the same program differs (%v)", err)
	}
	if _, err := pack.Bill("tool", "0.1.0", held, []byte("no program"), moment); err == nil {
		t.Error("something that is no program has a bill, want an error")
	}
	for name := range held {
		less := maps.Clone(held)
		delete(less, name)
		if _, err := pack.Bill("tool", "0.1.0", less, program, moment); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the licence of %s, the bill is made (%v), want an error that names it", name, err)
		}
	}
}

// TestLicences: the licences of what we hold, by their texts, and texts that are none.
func TestLicences(t *testing.T) {
	const bsd = "Redistribution and use in source and binary\n// forms, with or without modification. "
	for text, want := range map[string]string{
		"                     Apache License\n               Version 2.0, January 2004":   "Apache-2.0",
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy":   "MIT",
		strings.ReplaceAll(bsd, "// ", ""):                                                "BSD-2-Clause",
		strings.ReplaceAll(bsd, "// ", "") + "may be used to endorse or promote products": "BSD-3-Clause",
		"All rights reserved.": "",
		"":                     "",
	} {
		if got := strings.Join(pack.Licences([]byte(text)), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	own, err := os.ReadFile("../../LICENSE")
	if err != nil || !slices.Equal(pack.Licences(own), []string{"Apache-2.0"}) {
		t.Errorf("our own licence is %v (%v), want Apache-2.0", pack.Licences(own), err)
	}
}
