package train_test

import (
	"bytes"
	"context"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// halves returns rows with a label of two classes and one of three, and a third
// label that a manifest does not name.
func halves() train.Data {
	r := weakrand.New(weakrand.NewPCG(3, 4))
	d := train.Data{X: nn.NewMatrix(120, 5), Y: make([]int, 120), Classes: 2}
	more, hidden := make([]int, 120), make([]int, 120)
	for i := range d.Y {
		d.Y[i], more[i], hidden[i] = i%2, i/2%3, i/6%2
		for j, on := range []int{d.Y[i], more[i] & 1, more[i] >> 1, hidden[i], 0} {
			d.X.Row(i)[j] = float32(r.NormFloat64()/4 + float64(on))
		}
		if i < 80 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	d.More = []train.Target{{Y: more, Classes: 3}, {Y: hidden, Classes: 2}}
	return d
}

// record names the first two labels of halves.
func record() model.DataRecord {
	return model.DataRecord{
		Name: "halves", Label: "mood", Classes: []string{"low", "high"},
		More: []model.LabelRecord{{Name: "colour", Classes: []string{"red", "green", "blue"}}}, Reserve: 0.5,
	}
}

// whole fits a model of halves, and returns it as it was saved, with its folder.
func whole(t *testing.T, method train.Method) (*model.Model, model.Manifest, string) {
	t.Helper()
	m, err := train.Fit(t.Context(), method, halves(), train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "whole")
	if err = m.Save(dir, model.Manifest{Method: "some", Data: record()}); err != nil {
		t.Fatal(err)
	}
	m, info, err := model.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m, info, dir
}

func codesMethod() train.Method {
	return train.Codes{Training: train.Training{Shape: train.Shape{Encoder: []int{}}, Epochs: 5}, Release: mech.Params{Epsilon: 3}}
}

func noiseMethod() train.Method {
	return train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{6, 4}, Classifier: []int{8}}, Epochs: 2}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 3}}
}

// TestHead compares a head, before and after it was saved, with its model.
func TestHead(t *testing.T) {
	for name, method := range map[string]train.Method{"codes": codesMethod(), "noise": noiseMethod()} {
		t.Run(name, func(t *testing.T) {
			m, info, dir := whole(t, method)
			p, x := nn.NewPool(1), halves().X
			y, err := m.Release(p, x, []int{0, 1, 2, 3, 4, 5, 6, 7}, model.SimulationKey(1))
			if err != nil {
				t.Fatal(err)
			}
			want := m.Logits(p, y)
			made, err := m.Head(info)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "head")
			for range 2 { // the second takes the first one's place
				if err = made.Save(out); err != nil {
					t.Fatal(err)
				}
			}
			for what, place := range map[string]string{"of a head": out, "of a model": dir} {
				h, loaded := model.LoadHead(place)
				if loaded != nil {
					t.Fatal(loaded)
				}
				if got := h.Clone().Logits(p, y); !slices.Equal(got.Data, want.Data) {
					t.Errorf("the folder %s gives other scores than the model", what)
				}
				if h.Dim() != m.Dim() || h.Guarantee().String() != m.Guarantee().String() || h.Manifest.Model != info.ID || info.ID == "" || h.Manifest.Assumption != info.Assumption {
					t.Errorf("the folder %s is of %d numbers with %v, want %d with %v", what, h.Dim(), h.Guarantee(), m.Dim(), m.Guarantee())
				}
				if l := h.Manifest.Labels; len(l) != 2 || l[0].Name != "mood" || l[1].Name != "colour" || len(l[1].Classes) != 3 {
					t.Errorf("the folder %s answers %v, want the two labels that have names", what, l)
				}
			}
			for _, file := range []string{model.ManifestFile, model.WeightsFile} {
				content, unread := os.ReadFile(filepath.Join(out, file))
				if unread != nil || bytes.Contains(content, []byte(`"encoder`)) || bytes.Contains(content, []byte("input.")) || bytes.Contains(content, []byte(`"answers`)) {
					t.Errorf("%s (%v) holds something of the encoder", file, unread)
				}
			}
			if _, _, err = model.Load(out); err == nil {
				t.Error("Load took a head for a model")
			}
			if err = made.Save(dir); err == nil || !strings.Contains(err.Error(), "whole model") {
				t.Errorf("Save in the model's place: %v, want a refusal", err)
			}
		})
	}
}

func TestHeadRefused(t *testing.T) {
	bare := train.Training{Shape: train.Shape{Encoder: []int{4}}, Epochs: 1}
	for _, tt := range []struct {
		name   string
		method train.Method
		change func(*model.Manifest)
		want   string
	}{
		{"releases nothing", train.Majority{}, nil, "releases nothing"},
		{"no mechanism", train.Unprotected{Training: bare}, nil, "nothing protects"},
		{"no protection", train.DPNR{Training: bare, Release: mech.Params{Mechanism: "dpnr", Variant: mech.Released, Epsilon: 1}}, nil, "nothing protects"},
		{"never saved", noiseMethod(), func(info *model.Manifest) { info.Weights = "" }, "names no weights"},
		{"too many labels", noiseMethod(), func(info *model.Manifest) { info.Data.More = slices.Repeat(info.Data.More, 3) }, "names 4 labels"},
		{"one name twice", noiseMethod(), func(info *model.Manifest) { info.Data.More[0].Name = "mood" }, "no name of its own"},
		{"no name", noiseMethod(), func(info *model.Manifest) { info.Data.Label = "" }, "no name of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, info, _ := whole(t, tt.method)
			if tt.change != nil {
				tt.change(&info)
			}
			if _, err := m.Head(info); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Head error = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestLoadHeadChanged changes a folder in one place each.
func TestLoadHeadChanged(t *testing.T) {
	m, info, _ := whole(t, codesMethod())
	h, err := m.Head(info)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "head")
	if err = h.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, old, by, want string }{
		{"smaller ε", model.ManifestFile, `"true": 2.9`, `"true": 1.9`, "another guarantee"},
		{"another unit", model.ManifestFile, `"unit": "text"`, `"unit": "word"`, "another guarantee"},
		{"another ε of the mechanism", model.ManifestFile, `"epsilon": 3`, `"epsilon": 2.5`, ""},
		{"another reason", model.ManifestFile, `"reason": "`, `"reason": "surely `, "another guarantee"},
		{"another assumption", model.ManifestFile, `"assumption": "the`, `"assumption": "The`, "assumption"},
		{"an encoder", model.ManifestFile, `"architecture": {`, `"architecture": {"encoder":[5],`, ""},
		{"another field", model.ManifestFile, `"method": "some"`, `"method": "some", "texts": 1`, "no manifest of a model"},
		{"a field twice", model.ManifestFile, `"method": "some"`, `"method": "some", "method": "other"`, "not as it was saved"},
		{"a class fewer", model.ManifestFile, `"high"`, ``, ""},
		{"another format", model.ManifestFile, `"format": "sotto-model-head-1"`, `"format": "sotto-model-head-2"`, ""},
		{"no model", model.ManifestFile, `"model": "`, `"model": "zz`, "64 hexadecimal digits"},
		{"another weight", model.WeightsFile, "classifier.0.bias", "classifier.0.bios", "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := bytes.Replace(content, []byte(tt.old), []byte(tt.by), 1)
			if bytes.Equal(changed, content) {
				t.Fatalf("there is no %q to change", tt.old)
			}
			if err = os.WriteFile(path, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err = model.LoadHead(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("LoadHead error = %v, want one with %q", err, tt.want)
			}
			if err = os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	if _, err := model.LoadHead(dir); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

func TestManifestLabels(t *testing.T) {
	info := model.Manifest{Architecture: model.Architecture{Classes: 3, More: []int{2}}}
	info.Data.Classes = []string{"a", "b"}
	got, err := info.Labels()
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Classes, []string{"0", "1", "2"}) {
		t.Errorf("Labels = %v, %v, want one label with numbered classes", got, err)
	}
}

func ExampleModel_Head() {
	dir, err := os.MkdirTemp("", "head")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	d := halves()
	d.More = nil
	h := train.Label{Training: train.Training{Shape: train.Shape{Encoder: []int{}}, Epochs: 5}, Release: mech.Params{Epsilon: 2}}
	m, err := train.Fit(context.Background(), h, d, train.Options{Seed: 1})
	if err == nil {
		err = m.Save(filepath.Join(dir, "model"), model.Manifest{Method: "label", Data: model.DataRecord{Label: "mood", Classes: []string{"low", "high"}}})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	head, err := model.LoadHead(filepath.Join(dir, "model")) // which lets go of the encoder
	if err != nil {
		fmt.Println(err)
		return
	}
	err = head.Save(filepath.Join(dir, "head"))
	fmt.Println(head.Dim(), head.Manifest.Receives.Mechanism, head.Manifest.Labels, err)
	// Output: 2 codes [{mood [low high]}] <nil>
}

// TestDigest: what a model computes with is more than its weights.
func TestDigest(t *testing.T) {
	_, info, _ := whole(t, train.Codes{Training: settings(2), Release: mech.Params{Mechanism: "codes", Epsilon: 3}})
	before, err := info.Digest()
	if err != nil {
		t.Fatal(err)
	}
	a := info.Architecture.Answers
	a[0], a[1] = a[1], a[0]
	if after, err := info.Digest(); err != nil || after == before {
		t.Errorf("the digest of other answers is %q (%v), want another than %q", after, err, before)
	}
}
