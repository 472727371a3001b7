package train_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// manifest has something in every field.
func manifest() model.Manifest {
	return model.Manifest{
		Method: "federate", Settings: json.RawMessage(`{"lambda": 1}`), Seed: 1 << 63, Interrupted: true,
		Data: model.DataRecord{
			Name: "planted", Variant: "v", Encoder: "e", Label: "label", Classes: []string{"a<b", "\xff"},
			Attribute: "group", Groups: []string{"c", "d"}, Hash: "0123",
		},
		Metrics: map[string]float64{"accuracy": 0.5},
	}
}

// saved fits and saves a model, alone in a folder of its own.
func saved(t *testing.T, h train.Method) (*model.Model, string) {
	t.Helper()
	m := fit(t, h, plant(100, 1, 1, 1), 1)
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir, manifest()); err != nil {
		t.Fatal(err)
	}
	return m, dir
}

func federate(epsilon float64) train.Federate {
	return train.Federate{Training: settings(1), Release: mech.Params{Mechanism: "laplace-l1", Epsilon: epsilon}}
}

func TestSaveLoad(t *testing.T) {
	d := plant(100, 1, 1, 1)
	p := nn.NewPool(1)
	all := methods(1)
	all["dpnr released"] = train.DPNR{Training: settings(1), Release: mech.Params{Variant: mech.Released, Epsilon: 8}}
	all["gaussian"] = train.Noise{Training: settings(1), Release: mech.Params{Mechanism: "gaussian", Epsilon: 1}}
	for _, mechanism := range []string{"sue", "oue", "ome"} {
		all[mechanism] = train.LDPNN{Epochs: 1, Release: mech.Params{Mechanism: mechanism, Epsilon: 8}}
	}
	for _, variant := range []string{mech.Spectral, mech.Paper, mech.M1} {
		all["privemb "+variant] = train.PrivEmb{Epochs: 1, Release: mech.Params{Variant: variant, Epsilon: 8}}
	}
	for _, variant := range []string{mech.Mean, mech.Centroid} {
		all["cells "+variant] = train.Cells{Epochs: 1, Release: mech.Params{Mechanism: "cells", Variant: variant, Epsilon: 3, Own: mech.CellsParams{Centres: centres(d, 5)}}}
	}
	deep := settings(1)
	deep.Classifier, deep.Standardise = []int{5, 3}, true
	all["deep"] = train.INLP{Training: deep}
	for name, h := range all {
		t.Run(name, func(t *testing.T) {
			m, dir := saved(t, h)
			loaded, info, err := model.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			key := model.SimulationKey(1)
			y, err := m.Release(p, d.X, d.test, key)
			if err != nil {
				t.Fatal(err)
			}
			y2, err := loaded.Release(p, d.X, d.test, key)
			if err != nil || !slices.Equal(y.Data, y2.Data) {
				t.Errorf("the loaded model releases something else (%v)", err)
			}
			if a, b := m.Logits(p, y), loaded.Logits(p, y); !slices.Equal(a.Data, b.Data) {
				t.Error("the loaded model has other scores")
			}
			if !slices.Equal(m.Predict(p, y, 1)[0], loaded.Predict(p, y, 1)[0]) {
				t.Error("the loaded model predicts something else")
			}
			if loaded.Kept != m.Kept || loaded.Guarantee().String() != m.Guarantee().String() || loaded.Coverage() != m.Coverage() {
				t.Error("the loaded model says something else of itself")
			}
			want := manifest()
			if info.Method != want.Method || info.Seed != want.Seed || info.Data.Classes[0] != "a<b" || info.Metrics["accuracy"] != 0.5 || !info.Interrupted {
				t.Errorf("the manifest is %+v", info)
			}
			var settings bytes.Buffer
			if err = json.Compact(&settings, info.Settings); err != nil || settings.String() != `{"lambda":1}` {
				t.Errorf("settings are %s (%v)", info.Settings, err)
			}
			entries, err := os.ReadDir(filepath.Dir(dir))
			if err != nil || len(entries) != 1 {
				t.Errorf("beside the model there is something: %v (%v)", entries, err)
			}
			if again := weights(t, loaded); !bytes.Equal(again, weights(t, m)) {
				t.Error("saved again, the weights differ")
			}
		})
	}
}

func TestSaveOver(t *testing.T) {
	m, dir := saved(t, federate(8))
	other := fit(t, federate(9), plant(100, 1, 1, 2), 2)
	if err := other.Save(dir+"/", manifest()); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := model.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(weights(t, loaded), weights(t, m)) || !bytes.Equal(weights(t, loaded), weights(t, other)) {
		t.Error("the model was not replaced")
	}
	if info, err := os.Stat(filepath.Join(dir, model.SecretFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the secret is %v (%v), must be its owner's alone", info, err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(empty, manifest()); err != nil {
		t.Errorf("over an empty folder: %v", err)
	}
	for _, place := range []string{dir, empty} {
		if entries, err := os.ReadDir(filepath.Dir(place)); err != nil || len(entries) != 1 {
			t.Errorf("beside the model there is something: %v (%v)", entries, err)
		}
	}
}

// TestSaveRefuses checks that nothing but a model is ever replaced.
func TestSaveRefuses(t *testing.T) {
	m, _ := saved(t, federate(8))
	for name, make := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(dir, []byte("mine"), 0o600) },
		"other files": func(dir string) error {
			return errors.Join(m.Save(dir, manifest()), os.WriteFile(filepath.Join(dir, "notes"), []byte("mine"), 0o600))
		},
		"another manifest": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, model.ManifestFile), []byte(`{"manifest_version": 3}`), 0o600))
		},
		"other weights": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, model.WeightsFile), []byte("mine"), 0o600))
		},
		"a folder in it": func(dir string) error { return os.MkdirAll(filepath.Join(dir, model.ManifestFile), 0o755) },
		"a folder as weights": func(dir string) error {
			path := filepath.Join(dir, model.WeightsFile)
			return errors.Join(m.Save(dir, manifest()), os.Remove(path), os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "mine"), nil, 0o600))
		},
		"no parent": func(string) error { return nil },
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if name == "no parent" {
			dir = filepath.Join(dir, "model")
		}
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		before := tree(t, filepath.Dir(dir))
		if err := m.Save(dir, manifest()); err == nil {
			t.Errorf("%s: saved over it", name)
		}
		if after := tree(t, filepath.Dir(dir)); after != before {
			t.Errorf("%s: there was\n%s\nand is\n%s", name, before, after)
		}
	}
	nan := manifest()
	nan.Settings = json.RawMessage("{")
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir, nan); err == nil || tree(t, filepath.Dir(dir)) != "" {
		t.Errorf("settings that are no JSON: error is %v", err)
	}
}

// tree lists what is in a folder, with contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if path == dir || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		content, _ := os.ReadFile(path) // none of a folder
		sum := sha256.Sum256(content)
		b.WriteString(path + " " + e.Type().String() + " " + hex.EncodeToString(sum[:4]) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rewrite changes a manifest as a map, so that anything can be put into it.
func rewrite(t *testing.T, dir string, change func(map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, model.ManifestFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err = json.Unmarshal(content, &fields); err != nil {
		t.Fatal(err)
	}
	change(fields)
	b, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	// In the order of the file, so that nothing but the change is different.
	var info model.Manifest
	if err := json.Unmarshal(b, &info); err == nil {
		if ordered, err := json.MarshalIndent(info, "", "  "); err == nil && len(compact(ordered)) == len(compact(b)) {
			b = ordered
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func compact(b []byte) []byte {
	var c bytes.Buffer
	if json.Compact(&c, b) != nil {
		return nil
	}
	return c.Bytes()
}

// reweigh changes the weights of a model and writes the matching hash.
func reweigh(t *testing.T, dir string, change func(*safetensors.File)) {
	t.Helper()
	path := filepath.Join(dir, model.WeightsFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Decode(content)
	if err != nil {
		t.Fatal(err)
	}
	change(f)
	var b bytes.Buffer
	if err := safetensors.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	replace(t, dir, b.Bytes())
}

// replace writes weights and their hash.
func replace(t *testing.T, dir string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, model.WeightsFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	rewrite(t, dir, func(m map[string]any) { m["weights"] = hex.EncodeToString(sum[:]) })
}

func edit(t *testing.T, dir, name string, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	part := func(m map[string]any, path ...string) map[string]any {
		for _, p := range path {
			m = m[p].(map[string]any)
		}
		return m
	}
	change := func(f func(m map[string]any)) func(*testing.T, string) {
		return func(t *testing.T, dir string) { rewrite(t, dir, f) }
	}
	text := func(f func(s string) string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			edit(t, dir, model.ManifestFile, func(b []byte) []byte { return []byte(f(string(b))) })
		}
	}
	content := func(name string, f func(b []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { edit(t, dir, name, f) }
	}
	tensor := func(f func(*safetensors.File)) func(*testing.T, string) {
		return func(t *testing.T, dir string) { reweigh(t, dir, f) }
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		want   string
	}{
		"no manifest":        {remove(model.ManifestFile), "is no model"},
		"no weights":         {remove(model.WeightsFile), "no weights"},
		"truncated weights":  {content(model.WeightsFile, func(b []byte) []byte { return b[:len(b)-1] }), "damaged"},
		"flipped bit":        {content(model.WeightsFile, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }), "damaged"},
		"empty manifest":     {content(model.ManifestFile, func([]byte) []byte { return nil }), "no manifest"},
		"truncated manifest": {content(model.ManifestFile, func(b []byte) []byte { return b[:len(b)/2] }), "no manifest"},
		"format":             {change(func(m map[string]any) { m["format"] = "sotto-model-2" }), `format "sotto-model-2"`},
		"unknown field":      {change(func(m map[string]any) { m["more"] = 1 }), "more"},
		"field in part":      {change(func(m map[string]any) { part(m, "architecture")["more"] = 1 }), "more"},
		"trailing JSON":      {text(func(s string) string { return s + "{}" }), "not as it was saved"},
		"trailing brace":     {text(func(s string) string { return s + "}" }), "not as it was saved"},
		"trailing text":      {text(func(s string) string { return s + "x" }), "not as it was saved"},
		"two guarantees":     {text(func(s string) string { return strings.Replace(s, "{", `{"guarantee": null,`, 1) }), "not as it was saved"},
		"capitals":           {text(func(s string) string { return strings.Replace(s, `"guarantee"`, `"Guarantee"`, 1) }), "not as it was saved"},
		"no seed":            {text(func(s string) string { return strings.Replace(s, `"seed": 9223372036854775808,`, "", 1) }), "not as it was saved"},
		"true ε":             {change(func(m map[string]any) { part(m, "guarantee")["true"] = 1 }), "another guarantee"},
		"claimed ε":          {change(func(m map[string]any) { part(m, "guarantee")["claimed"] = 1 }), "another guarantee"},
		"unit":               {change(func(m map[string]any) { part(m, "guarantee")["unit"] = "word" }), "another guarantee"},
		"parameters":         {change(func(m map[string]any) { part(m, "guarantee", "parameters")["epsilon"] = 9 }), "another guarantee"},
		"no guarantee":       {change(func(m map[string]any) { m["guarantee"] = nil }), "another guarantee"},
		"assumption":         {change(func(m map[string]any) { m["assumption"] = "all texts are covered" }), "another assumption"},
		"used ε":             {change(func(m map[string]any) { part(m, "architecture", "release")["epsilon"] = 9 }), "another guarantee"},
		"used variant":       {change(func(m map[string]any) { part(m, "architecture", "release")["variant"] = mech.Released }), "another guarantee"},
		"no such ε":          {change(func(m map[string]any) { part(m, "architecture", "release")["epsilon"] = -1 }), "epsilon is -1"},
		"no mechanism":       {change(func(m map[string]any) { delete(part(m, "architecture"), "release") }), "assumption"},
		"other mechanism":    {change(func(m map[string]any) { part(m, "architecture", "release")["mechanism"] = "krr" }), "krr"},
		"mechanism's size":   {change(func(m map[string]any) { part(m, "architecture", "release")["dim"] = 9 }), "takes 9 numbers"},
		"inputs":             {change(func(m map[string]any) { part(m, "architecture")["inputs"] = 9 }), "must be 9×16"},
		"no inputs":          {change(func(m map[string]any) { part(m, "architecture")["inputs"] = 0 }), "0 inputs"},
		"huge inputs":        {change(func(m map[string]any) { part(m, "architecture")["inputs"] = 1 << 40 }), "inputs"},
		"huge width":         {change(func(m map[string]any) { part(m, "architecture")["encoder"] = []int{1 << 40, 8} }), "wide"},
		"wide":               {change(func(m map[string]any) { part(m, "architecture")["encoder"] = []int{1 << 16, 8} }), "must be 8×65536"},
		"negative width":     {change(func(m map[string]any) { part(m, "architecture")["encoder"] = []int{-1, 8} }), "-1 wide"},
		"more layers":        {change(func(m map[string]any) { part(m, "architecture")["encoder"] = []int{16, 8, 8} }), `no "encoder.2.weight"`},
		"fewer layers":       {change(func(m map[string]any) { part(m, "architecture")["encoder"] = []int{8} }), "must be 8×8"},
		"no classifier":      {change(func(m map[string]any) { delete(part(m, "architecture"), "classifier") }), "classifier"},
		"classes":            {change(func(m map[string]any) { part(m, "architecture")["classes"] = 3 }), "3 classes"},
		"huge classes":       {change(func(m map[string]any) { part(m, "architecture")["classes"] = 1 << 40 }), "classes"},
		"standardise":        {change(func(m map[string]any) { part(m, "architecture")["standardise"] = true }), "input.shift"},
		"scaling":            {change(func(m map[string]any) { part(m, "architecture")["scaling"] = "log" }), `scaling is "log"`},
		"constant":           {change(func(m map[string]any) { part(m, "architecture")["constant"] = "random" }), "has layers"},
		"other constant":     {change(func(m map[string]any) { part(m, "architecture")["constant"] = "any" }), `constant is "any"`},
		"hash":               {change(func(m map[string]any) { m["weights"] = "" }), "damaged"},
		"another's weights":  {anothers, "damaged"},
		"weights of nothing": {func(t *testing.T, dir string) { replace(t, dir, nil) }, "safetensors"},
		"NaN":                {nan, "NaN"},
		"missing tensor":     {tensor(func(f *safetensors.File) { f.Tensors = f.Tensors[1:] }), "no "},
		"more tensors": {tensor(func(f *safetensors.File) {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "more", Shape: []int{1, 1}, Data: []float32{0}})
		}), "must hold the"},
		"renamed tensor":   {tensor(func(f *safetensors.File) { f.Tensors[0].Name = "more" }), "no "},
		"transposed":       {tensor(func(f *safetensors.File) { s := f.Tensors[0].Shape; s[0], s[1] = s[1], s[0] }), "×"},
		"three dimensions": {tensor(func(f *safetensors.File) { f.Tensors[0].Shape = append(f.Tensors[0].Shape, 1) }), "3 dimensions"},
	} {
		t.Run(name, func(t *testing.T) {
			_, dir := saved(t, federate(8))
			c.damage(t, dir)
			m, info, err := model.Load(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
			if m != nil || info.Guarantee != nil || info.Format != "" {
				t.Error("with the error comes a model or a manifest")
			}
		})
	}
}

// anothers puts the weights of a model of the same shape into a folder.
func anothers(t *testing.T, dir string) {
	m := fit(t, federate(8), plant(100, 1, 1, 2), 2)
	edit(t, dir, model.WeightsFile, func([]byte) []byte { return weights(t, m) })
}

// nan makes the last number of the weights NaN and writes the matching hash.
func nan(t *testing.T, dir string) {
	content, err := os.ReadFile(filepath.Join(dir, model.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	copy(content[len(content)-4:], []byte{0, 0, 0xc0, 0x7f})
	replace(t, dir, content)
}

// TestLoadConstant checks the faults that only models without layers can have.
func TestLoadConstant(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, string){
		"class": func(t *testing.T, dir string) {
			reweigh(t, dir, func(f *safetensors.File) { f.Tensors[0].Data[0] = 2 })
		},
		"negative class": func(t *testing.T, dir string) {
			reweigh(t, dir, func(f *safetensors.File) { f.Tensors[0].Data[0] = -1 })
		},
		"half a class": func(t *testing.T, dir string) {
			reweigh(t, dir, func(f *safetensors.File) { f.Tensors[0].Data[0] = 0.5 })
		},
		"huge class": func(t *testing.T, dir string) {
			reweigh(t, dir, func(f *safetensors.File) { f.Tensors[0].Data[0] = 1e30 })
		},
		"guarantee": func(t *testing.T, dir string) {
			rewrite(t, dir, func(m map[string]any) { m["guarantee"] = map[string]any{"true": 0} })
		},
		"assumption": func(t *testing.T, dir string) {
			rewrite(t, dir, func(m map[string]any) { m["assumption"] = "everybody is covered" })
		},
	} {
		_, dir := saved(t, train.Majority{})
		if _, _, err := model.Load(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, dir)
		if _, _, err := model.Load(dir); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
}

// TestWhiteSpace checks that a manifest may be laid out in other ways.
func TestWhiteSpace(t *testing.T) {
	_, dir := saved(t, federate(8))
	edit(t, dir, model.ManifestFile, compact)
	if _, _, err := model.Load(dir); err != nil {
		t.Error(err)
	}
}

// FuzzLoad loads a folder whose manifest is anything. What it accepts must
// state the guarantee of its mechanism.
func FuzzLoad(f *testing.F) {
	d := plant(60, 1, 1, 1)
	root := f.TempDir()
	var all [][]byte
	for name, h := range methods(1) {
		m, err := train.Fit(f.Context(), h, d.Data, train.Options{Seed: 1})
		if err != nil {
			f.Fatal(err)
		}
		dir := filepath.Join(root, name)
		if err = m.Save(dir, manifest()); err != nil {
			f.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, model.ManifestFile))
		if err != nil {
			f.Fatal(err)
		}
		w, err := os.ReadFile(filepath.Join(dir, model.WeightsFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(len(all)), content)
		all = append(all, w)
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		dir := t.TempDir()
		w := all[int(which)%len(all)]
		if sum := sha256.Sum256(w); !bytes.Contains(content, []byte(`"weights"`)) { // let it get past the hash
			content = append(bytes.TrimRight(content, "}\n "), []byte(`, "weights": "`+hex.EncodeToString(sum[:])+`"}`)...)
		}
		for name, b := range map[string][]byte{model.ManifestFile: content, model.WeightsFile: w} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, info, err := model.Load(dir)
		if err != nil {
			return
		}
		if _, err := m.Release(nn.NewPool(1), nn.NewMatrix(1, m.Architecture().Inputs), []int{0}, model.SimulationKey(1)); err != nil {
			t.Errorf("what was loaded does not release zeros: %v", err)
		}
		if (info.Guarantee != nil) != (m.Architecture().Release != nil) || info.Guarantee != nil && info.Guarantee.True != m.Guarantee().Epsilon {
			t.Errorf("the manifest states %v, the mechanism has %v", info.Guarantee, m.Guarantee())
		}
	})
}
