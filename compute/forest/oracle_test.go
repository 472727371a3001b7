package forest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/study/errors"
	"sotto/study/errors/feature"
)

// readTable reads a table as oracle.py writes it: the label, and columns with numbers.
func readTable(t *testing.T, path string) (rows []forest.Row, y []bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		row := forest.Row{}
		for _, field := range fields[1:] {
			column, value, _ := strings.Cut(field, ":")
			j, errColumn := strconv.Atoi(column)
			v, errValue := strconv.ParseFloat(value, 64)
			if errColumn != nil || errValue != nil {
				t.Fatalf("%s: %q is no cell", path, field)
			}
			if v != 0 {
				row = append(row, forest.Cell{Column: j, Value: v})
			}
		}
		rows, y = append(rows, row), append(y, fields[0] == "1")
	}
	return rows, y
}

// areas returns the areas under the curve of forests of several seeds, on the rows
// behind the first ones.
func areas(t *testing.T, m *forest.Matrix, y []bool, train, seeds int, o forest.Options) []float64 {
	t.Helper()
	all := nn.Indices(m.Rows())
	var found []float64
	for seed := range seeds {
		o.Seed = uint64(seed)
		f, err := o.Fit(context.Background(), m, all[:train], y, 2)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, measure.AUC(y[train:], f.Predict(m, all[train:], 2)))
	}
	return found
}

// TestScikitLearn: on a table that is stored with what scikit-learn reaches on it, ours
// reaches the same. Both are means over seeds; their difference is 0 up to 4.42 standard
// errors, which a true one exceeds once in 10⁵ runs of other seeds.
func TestScikitLearn(t *testing.T) {
	rows, y := readTable(t, "testdata/small.svm")
	content, err := os.ReadFile("testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Train, Columns int
		Forests        []struct {
			MinLeaf  int `json:"min_leaf"`
			Seeds    int
			Mean, SD float64
		}
	}
	if err = json.Unmarshal(content, &theirs); err != nil {
		t.Fatal(err)
	}
	m, err := forest.NewMatrix(theirs.Columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range theirs.Forests {
		s := measure.Summarise(areas(t, m, y, theirs.Train, 30, forest.Options{MinLeaf: other.MinLeaf}))
		limit := 4.42 * math.Sqrt(other.SD*other.SD/float64(other.Seeds)+float64(s.Deviation*s.Deviation)/30)
		if got := float64(s.Mean); !(math.Abs(got-other.Mean) <= limit) {
			t.Errorf("leaves of %d: area %.4f, want that of scikit-learn, %.4f, within %.4f", other.MinLeaf, got, other.Mean, limit)
		}
		t.Logf("leaves of %d: ours %.4f ± %.4f, scikit-learn's %.4f ± %.4f", other.MinLeaf, s.Mean, s.Deviation, other.Mean, other.SD)
	}
}

// TestOracle asks the scikit-learn of this machine, on features of real texts: of
// which tweets a list of words tells the sentiment wrongly. make forest-oracle.
func TestOracle(t *testing.T) {
	python := os.Getenv("SOTTO_PYTHON")
	if python == "" {
		t.Skip("asks scikit-learn for minutes; make forest-oracle")
	}
	testenv.Set(t, "airline")
	set, err := dataset.Load("airline", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const rows, train, seeds = 3000, 2400, 4
	reader, err := feature.New(feature.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := reader.Make(context.Background(), set.Text[:rows], errors.Work{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := made.Frequent(5)
	good, bad := slices.Index(x.Names, "emotion:positive"), slices.Index(x.Names, "emotion:negative")
	if good < 0 || bad < 0 {
		t.Fatal("no features of emotions")
	}
	var b strings.Builder
	y := make([]bool, rows)
	for i, row := range x.Rows {
		answer := "neutral"
		if d := row.At(good) - row.At(bad); d > 0 {
			answer = "positive"
		} else if d < 0 {
			answer = "negative"
		}
		y[i] = answer != set.Label.Classes[set.Label.IDs[i]]
		label := 0
		if y[i] {
			label = 1
		}
		fmt.Fprint(&b, label)
		for _, c := range row {
			fmt.Fprintf(&b, " %d:%v", c.Column, c.Value)
		}
		b.WriteByte('\n')
	}
	table := filepath.Join(t.TempDir(), "table.svm")
	if err = os.WriteFile(table, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "oracle.py", "fit", table, strconv.Itoa(train), strconv.Itoa(seeds))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []float64
	for _, line := range strings.Fields(string(out)) {
		v, bad := strconv.ParseFloat(line, 64)
		if bad != nil {
			t.Fatal(bad)
		}
		theirs = append(theirs, v)
	}
	m, err := forest.NewMatrix(len(x.Names), x.Rows)
	if err != nil {
		t.Fatal(err)
	}
	ours, other := measure.Summarise(areas(t, m, y, train, seeds, forest.Options{})), measure.Summarise(theirs)
	t.Logf("%d features of %d tweets, %d of them wrong: area %.4f ± %.4f, scikit-learn's %.4f ± %.4f, over %d seeds each",
		len(x.Names), rows, count(y), ours.Mean, ours.Deviation, other.Mean, other.Deviation, seeds)
	if d := math.Abs(float64(ours.Mean - other.Mean)); !(d <= 0.005) {
		t.Errorf("the areas differ by %.4f, want at most 0.005", d)
	}
}

func count(is []bool) (n int) {
	for _, yes := range is {
		if yes {
			n++
		}
	}
	return n
}
