package cells

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
)

// This part of the package holds the public cells that come with sotto, for the built-in encoder
// and for MiniLM, so that the mechanism cells works with nothing else, and finds the
// cells that a release needs. "make cells" makes them; NOTICE says of whose texts.
//
// It is not where cells are made; package cells does that. The smallest use is
//
//	f, err := FindShipped("", "default")
//	own := f.Own(f.For(8))

//go:embed *.cells
var files embed.FS

// end is that of the embedded files.
const end = ".cells"

// ShippedEncoders lists those that have cells here.
func ShippedEncoders() []string {
	entries, _ := files.ReadDir(".") // it is embedded
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), end))
	}
	return names
}

var opened sync.Map // name of an encoder: function that returns its cells

// load returns the cells that come with sotto for the encoder of that name; the error
// wraps [fs.ErrNotExist] if there are none.
func load(encoder string) (*File, error) {
	parse, _ := opened.LoadOrStore(encoder, sync.OnceValues(func() (*File, error) {
		content, err := files.ReadFile(encoder + end)
		if err != nil {
			return nil, noCells(encoder)
		}
		return Read(bytes.NewReader(content))
	}))
	return parse.(func() (*File, error))()
}

// noCells is the error for an encoder of that name, which is an [fs.ErrNotExist].
type noCells string

func (n noCells) Error() string {
	return fmt.Sprintf("shipped: there are no cells for the encoder %.60s, must be given (--cells FILE): make them of public texts by sotto cells make; those of %s come with sotto", string(n), strings.Join(ShippedEncoders(), " and "))
}

// Is implements what [errors.Is] asks for.
func (noCells) Is(target error) bool { return target == fs.ErrNotExist }

// FindShipped returns cells: those in a file, those that come with sotto under a name, or, if
// where is "", those of the encoder. Cells of another encoder than that one are
// refused; "" for the encoder means that nothing is known of it.
func FindShipped(where, encoder string) (*File, error) {
	if where == "" {
		where = encoder
	}
	f, err := load(where)
	if _, failed := os.Stat(where); errors.Is(err, fs.ErrNotExist) && failed == nil {
		f, err = Open(where)
	}
	if err != nil || encoder == "" {
		return f, err
	}
	digest, err := catalogue.Digest(encoder)
	if err != nil {
		return nil, err
	}
	return f, f.Fits(encoder, digest)
}

// ShippedFor returns the parameters of cells for releases at ε of an encoder's vectors, from
// where [Find] finds them.
func ShippedFor(where, encoder string, epsilon float64) (mech.CellsParams, error) {
	f, err := FindShipped(where, encoder)
	if err != nil {
		return mech.CellsParams{}, err
	}
	return f.Own(f.For(epsilon)), nil
}

// KnownShipped returns the cells that come with sotto and have that digest, as a record of
// releases keeps it.
func KnownShipped(sha256 string) (f *File, set int, ok bool) {
	for _, name := range ShippedEncoders() {
		f, err := load(name)
		if err != nil {
			continue
		}
		for set, s := range f.Sets {
			if s.SHA256 == sha256 {
				return f, set, true
			}
		}
	}
	return nil, 0, false
}

// ShippedOf returns the cells that a record of releases speaks of by their digest: those of a
// file or name, or, if where is "", those that come with sotto.
func ShippedOf(digest, where string) (*File, int, error) {
	if where == "" {
		if f, set, ok := KnownShipped(digest); ok {
			return f, set, nil
		}
		return nil, 0, fmt.Errorf("shipped: the releases were not made with cells that come with sotto: name the file of theirs with --cells (SHA-256 of the cells: %s)", digest)
	}
	f, err := FindShipped(where, "")
	if err != nil {
		return nil, 0, err
	}
	for set, s := range f.Sets {
		if s.SHA256 == digest {
			return f, set, nil
		}
	}
	return nil, 0, fmt.Errorf("shipped: %s has no cells with SHA-256 %s, must be the file that the releases were made with", where, digest)
}

// CompleteShipped returns p with the centres that come with sotto, if p has their digest and
// no centres, as what was read from a record has.
func CompleteShipped(p mech.Params) mech.Params {
	digest, _ := p.Value("cells_sha256").(string)
	if digest == "" || p.Value("cells") != nil {
		return p
	}
	if f, set, ok := KnownShipped(digest); ok {
		return p.With(f.Own(set).Given())
	}
	return p
}
