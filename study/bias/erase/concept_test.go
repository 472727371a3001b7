package erase_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// words returns a table of two columns: the first falls from 1 to −1.
func words(t testing.TB, n int) *bias.Table {
	t.Helper()
	list, rows := []string{"she", "he", "Upper", "w1"}, []float64{2, 1, -2, 1, 5, 1, 5, 1}
	for i := range n {
		list = append(list, fmt.Sprintf("w%c%c%c", 'a'+i/676, 'a'+i/26%26, 'a'+i%26))
		rows = append(rows, 1-2*float64(i)/float64(n-1), 1)
	}
	tb, err := bias.NewTable(2, list, rows)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

func TestGender(t *testing.T) {
	tb := words(t, 100)
	c, err := erase.Gender{Words: 30, Exclude: []string{"waaa", "HE"}}.Choose(tb)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Classes, []string{"female", "male"}) || len(c.Rows) != 60 || len(c.Z) != 60 || len(c.Clear) != 60 {
		t.Fatalf("classes %v, %d rows, %d clear, want 60 of both of two classes", c.Classes, len(c.Rows), len(c.Clear))
	}
	// she first, then waab, as waaa is excluded; the most male is the last.
	for k, want := range map[int]string{0: "she", 1: "waab", 30: "wadv", 31: "wadu"} {
		if got := tb.Word(c.Rows[k]); got != want {
			t.Errorf("word %d = %q, want %q", k, got, want)
		}
	}
	for k, z := range c.Z {
		if want := k / 30; z != want {
			t.Errorf("class of word %d = %d, want %d", k, z, want)
		}
	}
	c, err = erase.Gender{Words: 1000, Among: 90}.Choose(tb)
	if err != nil {
		t.Fatal(err)
	}
	if last := tb.Row(c.Rows[len(c.Rows)-1]); last[0] >= 0 {
		t.Error("a word on the side of she is male")
	}
}

func TestGenderNeutral(t *testing.T) {
	tb := words(t, 800) // 24 of them within 0.03
	c, err := erase.Gender{Words: 20, Neutral: true, Seed: 3}.Choose(tb)
	if err != nil {
		t.Fatal(err)
	}
	neutral := 0
	for k, i := range c.Rows {
		if v := tb.Row(i)[0]; c.Z[k] == 2 {
			neutral++
			if !(v < 0.031 && v > -0.031) {
				t.Errorf("a neutral word has %v", v)
			}
		}
	}
	if neutral != 20 {
		t.Errorf("%d words are neutral, want 20", neutral)
	}
}

func TestGenderRefuses(t *testing.T) {
	none, err := bias.NewTable(1, []string{"he"}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	same, err := bias.NewTable(1, []string{"he", "she"}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		gender erase.Gender
		table  *bias.Table
	}{
		"no she":         {erase.Gender{}, none},
		"no difference":  {erase.Gender{}, same},
		"too few words":  {erase.Gender{}, words(t, 20)},
		"negative words": {erase.Gender{Words: -1}, words(t, 100)},
		"negative among": {erase.Gender{Among: -1}, words(t, 100)},
	} {
		if _, err := c.gender.Choose(c.table); err == nil {
			t.Errorf("%s: Choose = nil, want an error", name)
		}
	}
}

func TestReadConcept(t *testing.T) {
	tb := words(t, 100)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%s\t%s\r\n", strings.ToUpper(tb.Word(4+i)), []string{"one", "other"}[i%2])
	}
	good := b.String()
	c, err := erase.ReadConcept(strings.NewReader(good+"missing\tone\n"), tb)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Classes, []string{"one", "other"}) || c.Lost != 1 || len(c.Rows) != 40 || c.Rows[5] != 9 || c.Z[5] != 1 {
		t.Errorf("concept = %+v", c)
	}
	for name, text := range map[string]string{
		"empty":         "",
		"no tab":        good + "secret\n",
		"no word":       good + "\tone\n",
		"no class":      good + "secret\t\n",
		"two tabs":      good + "secret\tone\ttwo\n",
		"twice":         good + tb.Word(4) + "\tone\n",
		"one class":     "waaa\tone\n",
		"a small class": good + "wadd\tthird\n",
	} {
		_, err := erase.ReadConcept(strings.NewReader(text), tb)
		if err == nil {
			t.Errorf("%s: ReadConcept = nil, want an error", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %q quotes the list", name, err)
		}
	}
}

func FuzzReadConcept(f *testing.F) {
	f.Add("she\tf\nhe\tm\n")
	f.Add("she\tf\r\n\n")
	tb := words(f, 60)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := erase.ReadConcept(strings.NewReader(text), tb)
		if err != nil {
			return
		}
		if len(c.Rows) != len(c.Z) || len(c.Clear) > len(c.Rows) {
			t.Errorf("%d rows have %d classes", len(c.Rows), len(c.Z))
		}
		for k, z := range c.Z {
			if z < 0 || z >= len(c.Classes) || c.Rows[k] < 0 || c.Rows[k] >= tb.Len() {
				t.Errorf("row %d of class %d is out of range", c.Rows[k], z)
			}
		}
	})
}
