package forest_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"sotto/compute/forest"
	"sotto/compute/nn"
)

// FuzzRead: whatever a file holds behind a checksum that is right, it is refused or
// a forest that answers and is written as it was.
func FuzzRead(f *testing.F) {
	m, y := made(f, 40, 4, 5)
	var b bytes.Buffer
	if err := fit(f, forest.Options{Trees: 2}, m, nn.Indices(40), y, 1).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-sha256.Size])
	f.Add([]byte("sotto-forest-1\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		sum := sha256.Sum256(content)
		content = append(content, sum[:]...)
		g, err := forest.Read(bytes.NewReader(content))
		if err != nil {
			return
		}
		if g.Columns() == m.Columns() {
			if p := g.Predict(m, []int{0}, 1)[0]; !(p >= 0 && p <= 1) {
				t.Errorf("answer is %v, want a probability", p)
			}
		}
		var again bytes.Buffer
		if err := g.Write(&again); err != nil || !bytes.Equal(again.Bytes(), content) {
			t.Error("what was read is written otherwise")
		}
	})
}
