package pack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A bill of materials in the form of CycloneDX 1.5, as far as a Go program needs it.
// It has no serial number, which would have to be random.
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     billMetadata `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type billMetadata struct {
	Timestamp string    `json:"timestamp"`
	Authors   []author  `json:"authors"` // of the bill
	Component component `json:"component"`
}

type author struct {
	Name string `json:"name"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []digest   `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

// digest of a module is what go.sum calls h1: the SHA-256 of the list of its files and
// their digests.
type digest struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// dependency is flat: a program does not record which module asked for which.
type dependency struct {
	Ref  string   `json:"ref"`
	Ends []string `json:"dependsOn"`
}

// Modules returns the modules that a Go program holds, without the standard library
// and its own, as it says itself.
func Modules(program []byte) ([]debug.Module, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("pack: program does not say what it was built from: %w", err)
	}
	modules := make([]debug.Module, 0, len(info.Deps))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		modules = append(modules, *m)
	}
	slices.SortFunc(modules, func(a, b debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	return modules, nil
}

// Bill returns the bill of materials of a Go program, as CycloneDX JSON. held are the
// SPDX names of the licences of what it holds, by the path of the module, "std" for the
// standard library and name for its own. A module without one, or without a checksum,
// is refused: a bill has all or is none.
func Bill(name, version string, held map[string][]string, program []byte, at time.Time) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("pack: program does not say what it was built from: %w", err)
	}
	modules, err := Modules(program)
	if err != nil {
		return nil, err
	}
	own := goComponent("application", name, version)
	own.Hashes = []digest{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(program))}}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || s.Key == "CGO_ENABLED" || s.Key == "-trimpath" {
			own.Properties = append(own.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	if own.Licences, err = licencesOf(own, held); err != nil {
		return nil, err
	}
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: billMetadata{at.UTC().Format(time.RFC3339), []author{{"The " + name + " authors"}}, own}}
	std := goComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"))
	if std.Licences, err = licencesOf(std, held); err != nil {
		return nil, err
	}
	b.Components = append(b.Components, std)
	for _, m := range modules {
		c := goComponent("library", m.Path, m.Version)
		sum, bad := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if bad != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("pack: checksum of module %s is %q, must be h1: and a SHA-256", m.Path, m.Sum)
		}
		c.Hashes, c.Properties = []digest{{"SHA-256", hex.EncodeToString(sum)}}, []property{{"go:sum", m.Sum}}
		if c.Licences, err = licencesOf(c, held); err != nil {
			return nil, err
		}
		b.Components = append(b.Components, c)
	}
	all := dependency{Ref: own.Ref}
	for _, c := range b.Components {
		all.Ends = append(all.Ends, c.Ref)
	}
	b.Dependencies = []dependency{all}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

func licencesOf(c component, held map[string][]string) ([]licence, error) {
	ids := held[c.Name]
	if len(ids) == 0 {
		return nil, fmt.Errorf("pack: licence of %s is unknown, must be said", c.Name)
	}
	all := make([]licence, len(ids))
	for i, id := range ids {
		all[i].License.ID = id
	}
	return all, nil
}

func goComponent(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + url.PathEscape(version)
	return component{Ref: purl, Type: kind, Name: path, Version: version, PURL: purl}
}
