package train_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/compute/channel"
	"sotto/learn/model"
	"sotto/learn/train"
)

// open lists what is released by a public channel.
func open(epsilon float64) map[string]train.Method {
	c := codes(epsilon, 0, 0)
	c.Channel = channel.Public
	selected, balanced := c, c
	selected.Release = codes(epsilon, 2, 0).Release
	balanced.Objective = train.Balanced
	a := tiny(epsilon)
	a.Channel = channel.Public
	return map[string]train.Method{"codes": c, "two selected": selected, "balanced": balanced, "auto": a}
}

// TestPublicTellsOfNoText: what a head holds is the same to the bit whatever the texts
// and their labels were, with the same classes; a fitted one changes.
func TestPublicTellsOfNoText(t *testing.T) {
	one, other := second(plant(1200, 0.8, 0.6, 1), 0, false), second(plant(1200, 0.3, 0.9, 2), 0, false)
	for i := range other.Y {
		if i%5 == 0 {
			other.Y[i] = 0 // other shares of classes, too
		}
	}
	methods := open(1)
	methods["fitted"] = codes(1, 0, 0)
	for name, method := range methods {
		var heads [][]byte
		for _, d := range []planted{one, other} {
			heads = append(heads, headOf(t, fit(t, method, d, 1)))
		}
		if same := bytes.Equal(heads[0], heads[1]); same != (name != "fitted") {
			t.Errorf("%s: the heads are the same: %t", name, same)
		}
	}
	label := train.Label{Training: settings(2), Release: codes(1, 0, 0).Release, Channel: channel.Public}
	a, b := fit(t, label, plant(1200, 0.8, 0.6, 1), 1), fit(t, label, plant(1200, 0.2, 0.1, 7), 1)
	if !bytes.Equal(headOf(t, a), headOf(t, b)) {
		t.Error("label: the heads differ")
	}
}

// headOf is what the folder of a model's head holds, but for what names the model.
func headOf(t *testing.T, m *model.Model) []byte {
	t.Helper()
	dir := t.TempDir()
	whole, head := filepath.Join(dir, "whole"), filepath.Join(dir, "head")
	data := model.DataRecord{Label: "a", Classes: []string{"no", "yes"}}
	if labels := m.Architecture().Labels(); len(labels) > 1 {
		data.More = []model.LabelRecord{{Name: "b", Classes: []string{"no", "yes"}}}
	}
	if err := m.Save(whole, model.Manifest{Method: "codes", Data: data}); err != nil {
		t.Fatal(err)
	}
	loaded, err := model.LoadHead(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err = loaded.Save(head); err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(head, model.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	info := loaded.Manifest
	info.Model = ""
	manifest, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return append(weights, manifest...)
}

// TestPublicIsCompared: the cost of a public channel is what the fitted one would be
// chosen by, kept in the folder, and of two balanced classes there is none.
func TestPublicIsCompared(t *testing.T) {
	d := plant(2000, 1, 1, 1)
	label := train.Label{Training: settings(4), Release: codes(1, 0, 0).Release}
	fitted := fit(t, label, d, 1)
	label.Channel = channel.Public
	m := fit(t, label, d, 1)
	if c := m.Compared; c == nil || c.Public != m.Kept.Accuracy || c.Fitted != fitted.Kept.Accuracy || math.Abs(c.Fitted-c.Public) > 1e-9 {
		t.Errorf("compared is %+v, want %v and no less", c, fitted.Kept.Accuracy)
	}
	if fitted.Compared != nil || fitted.Architecture().Channel != "" || m.Architecture().Channel != channel.Public || m.Coverage() == fitted.Coverage() {
		t.Errorf("%+v is compared, %q and %q", fitted.Compared, m.Architecture().Channel, m.Coverage())
	}
	dir := t.TempDir()
	if err := m.Save(dir, model.Manifest{Data: model.DataRecord{Label: "a", Classes: []string{"no", "yes"}}}); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := model.Load(dir)
	if err != nil || *loaded.Compared != *m.Compared || *loaded.Clone().Compared != *m.Compared {
		t.Errorf("%v, %v, want what was saved", loaded, err)
	}
}

// TestPublicFair: a public channel stays as it is where groups are to be served alike.
func TestPublicFair(t *testing.T) {
	fair := fairCodes(1)
	fair.Channel = channel.Public
	d := plant(2000, 0.8, 0.6, 1)
	m := fit(t, fair, d, 1)
	plain := fit(t, open(1)["codes"], d, 1)
	a, b := m.Architecture(), plain.Architecture()
	if a.Channel != channel.Public || !slices.EqualFunc(a.Answers, b.Answers, slices.Equal) || fmt.Sprint(*a.Release) != fmt.Sprint(*b.Release) {
		t.Errorf("the fair release is %+v, want that of %+v", a, b)
	}
}
