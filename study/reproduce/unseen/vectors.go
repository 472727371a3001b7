package unseen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"sotto/compute/nn"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/text/encode"
)

// vectors is an encoder whose vectors of public sets are kept in a folder, since a
// transformer takes minutes for them. A file holds those of some texts, in order, and
// has the name of their digest; what it holds is checked by encoding a few of the texts
// again, so that another encoder of the same name is noticed.
type vectors struct {
	from    encode.Source
	dir     string
	workers int
}

const (
	chunk  = 2048 // texts of a file
	probes = 3    // texts of a file that are encoded again
)

// texts returns the vectors of texts; tell hears how many are there.
func (v vectors) texts(ctx context.Context, texts []string, tell func(done int)) (nn.Matrix, error) {
	x := nn.NewMatrix(len(texts), v.from.Dim())
	for lo := 0; lo < len(texts); lo += chunk {
		hi := min(lo+chunk, len(texts))
		part, err := v.part(ctx, texts[lo:hi])
		if err != nil {
			return x, err
		}
		copy(x.Data[lo*x.Cols:], part.Data)
		tell(hi)
	}
	return x, nil
}

// part returns the vectors of a file's texts.
func (v vectors) part(ctx context.Context, texts []string) (nn.Matrix, error) {
	path := filepath.Join(v.dir, v.name(texts))
	some := []int{0, len(texts) / 2, len(texts) - 1}[:min(probes, len(texts))]
	probe, err := encode.Texts(ctx, v.from, each(some, func(i int) string { return texts[i] }), v.workers)
	if err != nil {
		return probe, err
	}
	x, err := v.read(path, len(texts))
	if err != nil {
		return x, err
	}
	if x.Rows > 0 && !slices.ContainsFunc(nn.Indices(len(some)), func(i int) bool { return !slices.Equal(x.Row(some[i]), probe.Row(i)) }) {
		return x, nil
	}
	if x, err = encode.Texts(ctx, v.from, texts, v.workers); err != nil {
		return x, err
	}
	return x, write(path, x)
}

// name is what a file of texts is called.
func (v vectors) name(texts []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d\n", v.from.Name(), v.from.Dim()) //nolint:errcheck // a hash takes everything
	for _, t := range texts {
		fmt.Fprintf(h, "%d %s\n", len(t), t) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:16]) + ".f32"
}

// read returns what a file holds, nothing if there is none, or one that is damaged.
func (v vectors) read(path string, rows int) (nn.Matrix, error) {
	size := 4 * rows * v.from.Dim()
	content, err := regular.Read(path, int64(size+sha256.Size))
	if errors.Is(err, fs.ErrNotExist) {
		return nn.Matrix{}, nil
	} else if err != nil {
		return nn.Matrix{}, err
	}
	if len(content) != size+sha256.Size {
		return nn.Matrix{}, nil
	}
	if sum := sha256.Sum256(content[:size]); !bytes.Equal(sum[:], content[size:]) {
		return nn.Matrix{}, nil
	}
	x := nn.NewMatrix(rows, v.from.Dim())
	for i := range x.Data {
		x.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(content[4*i:]))
	}
	return x, nil
}

// write keeps vectors, with their digest behind them.
func write(path string, x nn.Matrix) error {
	content := make([]byte, 0, 4*len(x.Data)+sha256.Size)
	for _, v := range x.Data {
		content = binary.LittleEndian.AppendUint32(content, math.Float32bits(v))
	}
	sum := sha256.Sum256(content)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // vectors of public texts may be read by others
		return fmt.Errorf("unseen: %w", err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(append(content, sum[:]...)); err != nil {
		return err
	}
	return f.Commit()
}
