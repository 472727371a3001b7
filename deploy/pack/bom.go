package pack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
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
	Component component `json:"component"`
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

// Bill returns the bill of materials of a Go program, as CycloneDX JSON. licence is
// the SPDX name of the program's own.
func Bill(name, version, licenceID string, program []byte, at time.Time) ([]byte, error) {
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
	own.Licences = make([]licence, 1)
	own.Licences[0].License.ID = licenceID
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || s.Key == "CGO_ENABLED" || s.Key == "-trimpath" {
			own.Properties = append(own.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: billMetadata{at.UTC().Format(time.RFC3339), own}}
	b.Components = append(b.Components, goComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range modules {
		c := goComponent("library", m.Path, m.Version)
		c.Properties = []property{{"go:sum", m.Sum}}
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

func goComponent(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + url.PathEscape(version)
	return component{Ref: purl, Type: kind, Name: path, Version: version, PURL: purl}
}
