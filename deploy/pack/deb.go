package pack

import (
	"bytes"
	"crypto/md5" // what dpkg --verify reads; nothing rests on it
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Deb is a binary package of Debian.
type Deb struct {
	Name         string
	Version      string // of Debian, such as 0.1.0-1 or 0.1.0~dev-1
	Architecture string // amd64, arm64
	Maintainer   string
	Section      string
	Summary      string // one line, which begins with a small letter
	Description  string // paragraphs, with an empty line between them
	Files        []File
	Scripts      map[string][]byte // preinst, postinst, prerm, postrm
}

var (
	debName    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	debVersion = regexp.MustCompile(`^[0-9][A-Za-z0-9.+~-]*$`)
	debScripts = []string{"postinst", "postrm", "preinst", "prerm"}
)

// validate refuses what dpkg would refuse, or would read as something else.
func (d Deb) validate() error {
	if !debName.MatchString(d.Name) {
		return fmt.Errorf("pack: name is %q, must be of small letters, digits, dots, + and -", d.Name)
	}
	if !debVersion.MatchString(d.Version) {
		return fmt.Errorf("pack: version is %q, must begin with a digit and hold letters, digits, ., +, ~ and -", d.Version)
	}
	for what, line := range map[string]string{"architecture": d.Architecture, "maintainer": d.Maintainer, "section": d.Section, "summary": d.Summary} {
		if line == "" || strings.ContainsAny(line, "\r\n") {
			return fmt.Errorf("pack: %s is %q, must be one line", what, line)
		}
	}
	for name := range d.Scripts {
		if !slices.Contains(debScripts, name) {
			return fmt.Errorf("pack: script is %q, must be one of %s", name, strings.Join(debScripts, ", "))
		}
	}
	return nil
}

// Changelog returns the package's own list of changes, which only says where the
// program's is.
func (d Deb) Changelog(at time.Time) []byte {
	return fmt.Appendf(nil, "%s (%s) unstable; urgency=medium\n\n  * What changed is in changelog.gz.\n\n -- %s  %s\n",
		d.Name, d.Version, d.Maintainer, at.UTC().Format(time.RFC1123Z))
}

// Pack returns the package, all of one time.
func (d Deb) Pack(at time.Time) ([]byte, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	files, err := sorted(d.Files)
	if err != nil {
		return nil, err
	}
	control, err := dottedTarGz(d.control(files), nil, at)
	if err != nil {
		return nil, err
	}
	data, err := dottedTarGz(files, foldersOf(files), at)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []struct {
		name string
		data []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", control}, {"data.tar.gz", data}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, at.Unix(), 0, 0, "100644", len(member.data))
		b.Write(member.data)
		if len(member.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}

// dottedTarGz makes an archive whose paths begin with ./, as dpkg lists them.
func dottedTarGz(files []File, folders []string, at time.Time) ([]byte, error) {
	dirs := []string{"./"}
	for _, dir := range folders {
		dirs = append(dirs, "./"+dir+"/")
	}
	files = slices.Clone(files)
	for i := range files {
		files[i].Path = "./" + files[i].Path
	}
	plain, err := tarOf(files, dirs, at)
	if err != nil {
		return nil, err
	}
	return Gzip(plain)
}

// control returns what dpkg reads of the package itself.
func (d Deb) control(files []File) []File {
	var sums, settings bytes.Buffer
	size := 0
	for _, f := range files {
		size += (len(f.Data) + 1023) / 1024
		if f.Conffile {
			fmt.Fprintf(&settings, "/%s\n", f.Path)
			continue // dpkg has a sum of its own for these
		}
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.Data), f.Path)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSection: %s\nPriority: optional\n",
		d.Name, d.Version, d.Architecture, d.Maintainer, size+len(foldersOf(files)), d.Section)
	fmt.Fprintf(&b, "Description: %s\n", d.Summary)
	for line := range strings.Lines(strings.TrimSpace(d.Description)) {
		if line = strings.TrimSpace(line); line == "" {
			line = "." // an empty line would end the entry
		}
		fmt.Fprintf(&b, " %s\n", line)
	}
	made := []File{{Path: "control", Data: b.Bytes()}, {Path: "md5sums", Data: sums.Bytes()}}
	if settings.Len() > 0 {
		made = append(made, File{Path: "conffiles", Data: settings.Bytes()})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Scripts)) {
		made = append(made, File{Path: name, Data: d.Scripts[name], Executable: true})
	}
	return made
}
