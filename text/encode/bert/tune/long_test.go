package tune_test

import (
	"math"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// long has texts of many tokens, of which the last alone tells the label.
func long() tune.Data {
	d := tune.Data{Labels: [][]int{nil}, Classes: []int{2}, Weights: []float64{1}}
	words := []string{"a", "man", "is", "playing", "the", "guitar", "no", "plays"}
	rng := tiny.Generator()
	for i := range 240 {
		var text strings.Builder
		for range 14 + rng.IntN(6) {
			text.WriteString(words[rng.IntN(len(words))] + " ")
		}
		if i%2 == 1 {
			text.WriteString("cat cat cat")
		}
		d.Texts, d.Labels[0] = append(d.Texts, text.String()), append(d.Labels[0], i%2)
		if i%3 < 2 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	return d
}

// TestLong tunes with windows, and checks that the folder makes the vectors that
// were trained, also of texts of one window.
func TestLong(t *testing.T) {
	for _, rule := range []string{bert.Ends, bert.Windows, bert.WindowsMax} {
		d := long()
		s := settings(0)
		s.Long, s.Length, s.Epochs = rule, 8, 1
		if rule == bert.Windows {
			s.Epochs = 8
		}
		f, err := bert.Read(folder(t, tiny.Even(), false))
		if err != nil {
			t.Fatal(err)
		}
		trainer, err := tune.New(f, d, s)
		if err != nil {
			t.Fatal(err)
		}
		run(t, trainer, tune.Options{})
		if kept, _ := trainer.Kept(); rule == bert.Windows && !(kept.Accuracy > 0.74) { // chance is 0.5 ± 0.056, and 4.3 deviations above it 0.74
			t.Errorf("%s: validation accuracy is %.2f, want above 0.74", rule, kept.Accuracy)
		}
		dir, info := write(t, trainer)
		if !strings.Contains(string(info.Settings), `"long":"`+rule+`"`) {
			t.Errorf("settings in the manifest are %s, want the rule %s", info.Settings, rule)
		}
		m, err := bert.Open(dir, bert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f, err = bert.Read(dir); err != nil {
			t.Fatal(err)
		}
		s.Long = "" // the folder's
		d.Texts[d.Validation[0]] = "a cat"
		again, err := tune.New(f, d, s)
		if err != nil {
			t.Fatal(err)
		}
		want := again.Vectors(d.Validation)
		got := nn.NewMatrix(1, m.Dim())
		for i, row := range d.Validation {
			m.Encode(got.Data, d.Texts[row])
			for j, v := range want.Row(i) {
				if off := math.Abs(float64(v - got.Data[j])); !(off < 1e-5) {
					t.Fatalf("%s: number %d of the vector of text %d is off by %g from what is trained, want less than 1e-5", rule, j, row, off)
				}
			}
		}
	}
}

// TestChooseLong checks that validation finds a rule that reads the end, and that
// nothing is tried where texts are short.
func TestChooseLong(t *testing.T) {
	dir := folder(t, tiny.Even(), false)
	s := settings(0)
	s.Length = 8
	var tried []string
	c, err := tune.ChooseLong(t.Context(), dir, long(), s, 2, func(rule string) { tried = append(tried, rule) })
	if err != nil {
		t.Fatal(err)
	}
	if c.Rule == bert.Truncate || len(tried) != 3 || c.Longer != 1 || c.Tried[0].Accuracy > 0.7 || !strings.Contains(c.Text(8), c.Rule) {
		t.Errorf("of texts whose end tells the label the choice is %+v, want a rule that reads it", c)
	}
	s.Length = 30
	if c, err = tune.ChooseLong(t.Context(), dir, long(), s, 2, nil); err != nil || c.Rule != bert.Truncate || c.Tried != nil || c.Text(30) != "" {
		t.Errorf("of short texts the choice is %+v, %v, want none", c, err)
	}
	s.Long = "middle"
	f, err := bert.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tune.New(f, long(), s); err == nil || !strings.Contains(err.Error(), `"middle", must be one of`) {
		t.Errorf("a rule that there is not gives %v", err)
	}
}
