package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sotto/deploy/pack"
)

const licenceID = "Apache-2.0"

// platform makes what one platform gets, and adds it to what was made.
func (s source) platform(ctx context.Context, work, name, maintainer string, c common, made map[string][]byte) error {
	goos, goarch, _ := strings.Cut(name, "/")
	at, err := s.build(ctx, work, goos, goarch)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	notices, licences, err := noticesOf(ctx, program)
	if err != nil {
		return err
	}
	licences["sotto"] = []string{licenceID}
	bill, err := pack.Bill("sotto", s.version, licences, program, s.at)
	if err != nil {
		return err
	}
	base := fmt.Sprintf("sotto_%s_%s_%s", s.version, goos, goarch)
	made[base+".cdx.json"] = bill
	files := c.archive(base, goos, program, notices)
	if goos == "windows" {
		made[base+".zip"], err = pack.Zip(files, s.at)
		return err
	}
	if made[base+".tar.gz"], err = pack.TarGz(files, s.at); err != nil || goos != "linux" {
		return err
	}
	deb := pack.Deb{
		Name: "sotto", Version: s.debVersion(), Architecture: goarch, Maintainer: maintainer, Section: "utils",
		Summary: "private vectors of text, with an epsilon that is true",
		Description: `sotto makes vectors of text differentially private, checks what is claimed
of such methods, attacks them, and trains models on them.

The package has units for the gateway, which answers texts with private
vectors and keeps the budget of every user, and for the server that answers
those vectors with classes. Neither is started by the installation.`,
	}
	if deb.Scripts, err = scripts(); err != nil {
		return err
	}
	if deb.Files, err = c.debFiles(program, notices, deb.Changelog(s.at)); err != nil {
		return err
	}
	made[fmt.Sprintf("sotto_%s_%s.deb", deb.Version, goarch)], err = deb.Pack(s.at)
	return err
}

// archive lists what an archive holds, in one folder.
func (c common) archive(dir, goos string, program, notices []byte) []pack.File {
	name := "sotto"
	if goos == "windows" {
		name += ".exe"
	}
	files := []pack.File{{Path: name, Data: program, Executable: true}, {Path: "NOTICES.txt", Data: notices}}
	for name, text := range c.documents {
		files = append(files, pack.File{Path: name, Data: text})
	}
	for name, page := range c.man {
		files = append(files, pack.File{Path: "man/man1/" + name, Data: page})
	}
	for _, sh := range shells {
		files = append(files, pack.File{Path: sh.archive, Data: c.completions[sh.name]})
	}
	for i := range files {
		files[i].Path = dir + "/" + files[i].Path
	}
	return files
}

// systemFiles are the files of deploy/debian that a package holds, and where.
var systemFiles = []struct {
	from, to string
	conffile bool
}{
	{"deploy/sotto-gateway.service", "usr/lib/systemd/system/sotto-gateway.service", false},
	{"deploy/sotto-serve.service", "usr/lib/systemd/system/sotto-serve.service", false},
	{"deploy/debian/sysusers.conf", "usr/lib/sysusers.d/sotto.conf", false},
	{"deploy/debian/gateway.json", "etc/sotto/gateway.json", true},
	{"deploy/debian/serve.json", "etc/sotto/serve.json", true},
	{"deploy/debian/README.Debian", "usr/share/doc/sotto/README.Debian", false},
	{"deploy/debian/lintian-overrides", "usr/share/lintian/overrides/sotto", false},
}

// debFiles lists what a Debian package holds.
func (c common) debFiles(program, notices, changes []byte) ([]pack.File, error) {
	files := []pack.File{{Path: "usr/bin/sotto", Data: program, Executable: true}}
	for _, f := range systemFiles {
		text, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		files = append(files, pack.File{Path: f.to, Data: text, Conffile: f.conffile})
	}
	head, err := os.ReadFile("deploy/debian/copyright")
	if err != nil {
		return nil, err
	}
	const doc = "usr/share/doc/sotto/"
	files = append(files, pack.File{Path: doc + "copyright", Data: head}, pack.File{Path: doc + "README.md", Data: c.documents["README.md"]})
	compressed := map[string][]byte{doc + "changelog.gz": c.documents["CHANGELOG.md"], doc + "changelog.Debian.gz": changes, doc + "NOTICES.txt.gz": notices}
	for name, page := range c.man {
		compressed[path.Join("usr/share/man/man1", name+".gz")] = page
	}
	for name, text := range compressed {
		small, err := pack.Gzip(text)
		if err != nil {
			return nil, err
		}
		files = append(files, pack.File{Path: name, Data: small})
	}
	for _, sh := range shells {
		if sh.deb != "" {
			files = append(files, pack.File{Path: sh.deb, Data: c.completions[sh.name]})
		}
	}
	return files, nil
}

// scripts are what dpkg runs.
func scripts() (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		text, err := os.ReadFile(filepath.Join("deploy", "debian", name))
		if err != nil {
			return nil, err
		}
		found[name] = text
	}
	return found, nil
}
