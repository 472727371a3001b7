package model_test

import (
	"math"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/learn/model"
)

func TestScale(t *testing.T) {
	none := float32(math.NaN())
	s := model.ScaleOf([]float32{1, none, 3, 5})
	if s.Mean != 3 || math.Abs(s.Deviation-math.Sqrt(8.0/3)) > 1e-12 {
		t.Errorf("ScaleOf = %+v, want mean 3 and the deviation of 1, 3 and 5", s)
	}
	for _, tt := range []struct {
		scale   model.Scale
		x, want float32
	}{
		{model.Scale{Mean: 3, Deviation: 2}, 7, 2},
		{model.Scale{Mean: 3, Deviation: 2}, none, 0},
		{model.Scale{Mean: 3, Deviation: 2}, 1e30, 10},
		{model.Scale{Mean: 3, Deviation: 2}, -1e30, -10},
		{model.Scale{Mean: 3}, 7, 0},
		{model.ScaleOf([]float32{none}), 7, 0},
	} {
		if got := tt.scale.Apply(tt.x); got != tt.want {
			t.Errorf("%+v.Apply(%v) = %v, want %v", tt.scale, tt.x, got, tt.want)
		}
	}
}

func TestTexts(t *testing.T) {
	mixed := model.FileRecord{Layout: dataset.Layout{Numbers: []string{"age"}}}
	for _, tt := range []struct {
		record model.DataRecord
		want   string // "" for no error
	}{
		{model.DataRecord{Encoder: "default"}, ""},
		{model.DataRecord{Encoder: "default", File: &model.FileRecord{}}, ""},
		{model.DataRecord{}, "a table"},
		{model.DataRecord{Encoder: "default", File: &mixed}, "0 scales"},
	} {
		err := tt.record.Texts()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Texts of %+v = %v, want %q", tt.record, err, tt.want)
		}
	}
}
