package measure_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// BenchmarkPeer is our side of compute/measure/peer/run: the description length of the
// rows that it made.
func BenchmarkPeer(b *testing.B) {
	dir := os.Getenv("SOTTO_MDL")
	if dir == "" {
		b.Skip("compares with scikit-learn: run make bench-mdl")
	}
	x, err := os.ReadFile(filepath.Join(dir, "x"))
	if err != nil {
		b.Fatal(err)
	}
	z, err := os.ReadFile(filepath.Join(dir, "z"))
	if err != nil {
		b.Fatal(err)
	}
	d := measure.Labelled{X: nn.NewMatrix(len(z), len(x)/4/len(z)), Z: make([]int, len(z))}
	for i := range d.X.Data {
		d.X.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(x[4*i:]))
	}
	for i, v := range z {
		d.Z[i] = int(v)
	}
	pool := nn.NewPool(runtime.GOMAXPROCS(0))
	var length measure.DescriptionLength
	for b.Loop() {
		if length, err = (measure.Probe{Seed: 1}).DescriptionLength(context.Background(), pool, d, 2, measure.BlockCoding); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(length.Kbit), "kbit")
}
