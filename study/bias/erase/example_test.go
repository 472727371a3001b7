package erase_test

import (
	"bytes"
	"fmt"

	"sotto/compute/nn"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// Six vectors of three numbers, three of each class. Afterwards no linear reader
// does better than a constant; readers of other kinds may.
func ExampleLEACE() {
	rows := []float64{1, 2, 0, 2, 1, 1, 0, 1, 3, 3, 0, 1, 1, 1, 1, 2, 3, 2}
	m, err := erase.NewMoments(3, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 6 {
		if err = m.AddClass(rows[3*i:3*i+3], i/3); err != nil {
			fmt.Println(err)
			return
		}
	}
	e, err := erase.LEACE{}.Fit(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	e.Apply(nn.NewPool(1), rows)
	fmt.Println("directions removed:", e.Rank())
	for i := range 6 {
		fmt.Printf("%.4f\n", rows[3*i:3*i+3])
	}
	// Output:
	// directions removed: 1
	// [1.8765 2.0000 0.0000]
	// [1.6765 1.0000 1.0000]
	// [0.9471 1.0000 3.0000]
	// [1.8412 0.0000 1.0000]
	// [1.6765 1.0000 1.0000]
	// [0.9824 3.0000 2.0000]
}

func ExampleNewHard() {
	table, err := bias.NewTable(2, []string{"she", "he", "doctor"}, []float64{1, 1, -1, 1, -3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := erase.NewHard([][]float64{{1, 0}}, []string{"she", "he"}, [][2]string{{"she", "he"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	erased, changes, err := e.ApplyTable(nn.NewPool(1), table)
	if err != nil {
		fmt.Println(err)
		return
	}
	doctor, _ := erased.Find("doctor")
	fmt.Println(doctor, changes.Kept, "kept,", changes.Pairs, "pair equalised")
	// Output: [0 1] 2 kept, 1 pair equalised
}

func ExampleEraser_Write() {
	e, err := erase.NewHard([][]float64{{3, 4}}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err = e.Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	again, err := erase.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Method(), again.Dim(), again.Rank())
	// Output: hard 2 1
}
