package experiment_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
	"sotto/text/encode"
)

// TestMasksOfFiles masks the words that a training masks in a file of its texts,
// which then has the vectors of the training. The model remembers its masks.
func TestMasksOfFiles(t *testing.T) {
	dir, result := trained(t, func(s *experiment.Spec) { s.Dropout = 0.5 })
	_, info, err := model.Load(filepath.Join(dir, "seed-1"))
	if err != nil || info.Masks.Dropout != 0.5 || info.Masks.Draw != mech.Bernoulli {
		t.Errorf("the manifest has masks %+v, %v, want dropout 0.5", info.Masks, err)
	}
	set, err := dataset.Load(result.Data.Name, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.NewHash(32)
	if err != nil {
		t.Fatal(err)
	}
	var lines, out bytes.Buffer
	for _, s := range set.Text {
		line, failed := json.Marshal(map[string]string{"text": s})
		if failed != nil {
			t.Fatal(failed)
		}
		lines.Write(append(line, '\n'))
	}
	j := vectorise.Job{Encoder: e, Workers: 1}
	if j.In, err = textfile.ReadDeclared(&lines, textfile.Options{Name: "texts", Format: textfile.JSONL, Column: "text"}); err != nil {
		t.Fatal(err)
	}
	if j.Out, err = vecfile.NewWriter(&out, vecfile.JSONL, vecfile.WriterOptions{Width: 32}); err != nil {
		t.Fatal(err)
	}
	row := 0
	j.Drop = func(masked []bool) {
		key := append(append(model.SimulationKey(1), "dropout:"...), set.Text[row]...)
		mech.DrawMasks(masked, 0.5, mech.Bernoulli, rand.NewChaCha8(sha256.Sum256(key)))
		row++
	}
	if _, err = vectorise.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if err = j.Out.Close(); err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for line := range strings.Lines(out.String()) {
		var vector struct{ Y []float64 }
		if err := json.Unmarshal([]byte(line), &vector); err != nil {
			t.Fatal(err)
		}
		for _, v := range vector.Y {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != result.Data.Vectors {
		t.Errorf("the file's vectors have SHA-256 %s, want those of the training, %s", got, result.Data.Vectors)
	}
}
