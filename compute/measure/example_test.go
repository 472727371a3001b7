package measure_test

import (
	"context"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

func ExampleTable() {
	want := []int{1, 1, 1, 1, 0, 0}
	got := []int{1, 1, 1, 0, 0, 1}
	group := []int{0, 0, 1, 1, 0, 0}
	table := measure.TruePositives(want, got, group, 2, 2)
	gap, _ := table.Gap(1)
	grms, defined := table.GRMS()
	fmt.Printf("TPR gap %.2f, GRMS %.2f over %d of %d classes\n", gap, grms, defined, len(table))
	// Output: TPR gap 0.50, GRMS 0.50 over 1 of 2 classes
}

func ExampleCompareGroups() {
	fairness, err := measure.CompareGroups(nn.NewPool(1), measure.Outcomes{
		Want:    []int{1, 1, 1, 1, 0, 0, 0},
		Got:     []int{1, 1, 1, 0, 0, 1, 0},
		Group:   []int{0, 0, 1, 1, 0, 0, 1},
		Classes: []string{"refused", "granted"},
		Groups:  []string{"young", "old"},
	}, measure.Bootstrap{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range fairness.Groups {
		granted := g.Classes[1]
		fmt.Printf("%s: %d rows, granted %.2f, TPR %.2f of %d\n", g.Name, g.Rows, granted.Selection.Value, granted.TPR.Value, granted.TPR.Rows)
	}
	fmt.Printf("equalised odds difference %.2f\n", fairness.OddsDifference.Value)
	// Output:
	// young: 4 rows, granted 0.75, TPR 1.00 of 2
	// old: 3 rows, granted 0.33, TPR 0.50 of 2
	// equalised odds difference 0.50
}

func ExampleProbe_DescriptionLength() {
	// The attribute is a column of the vectors, so few bits are left to send.
	data := measure.Labelled{X: nn.NewMatrix(2000, 2), Z: make([]int, 2000)}
	for i := range data.Z {
		data.Z[i] = i % 2
		data.X.Row(i)[0], data.X.Row(i)[1] = float32(data.Z[i]), float32(i%7)
	}
	probe := measure.Probe{Hidden: []int{}, Rate: 0.05}
	length, err := probe.DescriptionLength(context.Background(), nn.NewPool(1), data, 2, measure.BlockCoding)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("less than a third of %.0f bits: %t\n", length.Uniform, length.Bits < length.Uniform/3)
	// Output: less than a third of 2000 bits: true
}

func ExampleLeak() {
	// The released vectors copy the attribute, so an attacker reads it off.
	part := func(n int) measure.Labelled {
		d := measure.Labelled{X: nn.NewMatrix(n, 2), Z: make([]int, n)}
		for i := range n {
			d.Z[i] = i % 2
			d.X.Row(i)[0], d.X.Row(i)[1] = float32(d.Z[i]), float32(i%3)
		}
		return d
	}
	leakage, err := measure.Leak(context.Background(), nn.NewPool(1), measure.Probe{}, part(300), part(100), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy %.2f in [%.2f, %.2f], majority %.2f\n",
		leakage.Accuracy, leakage.Low, leakage.High, leakage.Majority)
	// Output: accuracy 1.00 in [0.96, 1.00], majority 0.50
}

func ExampleYardstick() {
	posteriors := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{.7, .3, .1, .9}}
	epsilon := dp.Epsilon(math.Log(3))
	limit, _ := dp.AccuracyBound(epsilon, []float64{0.5, 0.5})
	yardstick, err := measure.Yardstick(epsilon, posteriors, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("nobody above %.2f, this model at most %.2f\n", limit, yardstick)
	// Output: nobody above 0.75, this model at most 0.65
}

func ExampleSummarise() {
	s := measure.Summarise([]float64{71.2, 72.0, 71.6, 71.9, 71.3})
	fmt.Printf("%.1f ± %.1f, mean in [%.1f, %.1f]\n", s.Mean, s.Deviation, s.Low, s.High)
	// Output: 71.6 ± 0.4, mean in [71.2, 72.0]
}
