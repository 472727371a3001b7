package train_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/learn/model"
	"sotto/promise/mech"
)

// TestMasks saves what texts were masked by, and reads it again, also from a
// manifest of before there was a field for it.
func TestMasks(t *testing.T) {
	m := fit(t, federate(8), plant(100, 1, 1, 1), 1)
	rules := []string{"list 0123", "names capitals"}
	for _, tt := range []struct {
		dropout float64 // of the data
		masks   model.Masks
		want    model.Masks
		refused string
	}{
		{0, model.Masks{}, model.Masks{}, ""},
		{0.5, model.Masks{}, model.Masks{Dropout: 0.5, Draw: mech.Bernoulli}, ""},
		{0.5, model.Masks{Dropout: 0.5, Draw: mech.FixedCount}, model.Masks{Dropout: 0.5, Draw: mech.FixedCount}, ""},
		{0, model.Masks{Rules: rules}, model.Masks{Rules: rules}, ""},
		{0.5, model.Masks{Rules: rules}, model.Masks{Dropout: 0.5, Draw: mech.Bernoulli, Rules: rules}, ""},
		{0.5, model.Masks{Dropout: 0.4, Draw: mech.Bernoulli}, model.Masks{}, "dropout of the masks is 0.4 and of the data 0.5"},
		{0, model.Masks{Dropout: 0.4, Draw: mech.Bernoulli}, model.Masks{}, "of the data 0"},
		{0.5, model.Masks{Dropout: 0.5, Draw: "often"}, model.Masks{}, "drawn by"},
		{0, model.Masks{Draw: mech.Bernoulli}, model.Masks{}, "drawn by"},
		{1, model.Masks{}, model.Masks{}, "in [0, 1)"},
	} {
		info := manifest()
		info.Data.Dropout, info.Masks = tt.dropout, tt.masks
		dir := filepath.Join(t.TempDir(), "model")
		if err := m.Save(dir, info); (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("Save of %+v: %v, want %q", tt.masks, err, tt.refused)
		} else if err != nil {
			continue
		}
		_, info, err := model.Load(dir)
		if err != nil || !reflect.DeepEqual(info.Masked(), tt.want) || !reflect.DeepEqual(info.Masks, tt.want) {
			t.Errorf("masks are %+v, %v, want %+v", info.Masks, err, tt.want)
		}
		if lacking := info.Masked().Lacking(rules[:1]); len(tt.want.Rules) > 0 != (len(lacking) == 1 && lacking[0] == rules[1]) {
			t.Errorf("%+v lacks %q beside %q", tt.want, lacking, rules[:1])
		}
	}
	info := manifest()
	info.Data.Dropout = 0.5
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir, info); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, model.ManifestFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(content), `  "masks": {`)
	end := begin + strings.Index(string(content[begin:]), "},\n") + len("},\n")
	for _, tt := range []struct{ masks, refused string }{
		{"", ""},
		{`"masks": {"dropout": 0.25, "draw": "bernoulli"},`, "dropout of the masks"},
	} {
		if err = os.WriteFile(path, []byte(string(content[:begin])+tt.masks+string(content[end:])), 0o600); err != nil {
			t.Fatal(err)
		}
		_, info, err = model.Load(dir)
		if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) || err == nil && info.Masked().Dropout != 0.5 {
			t.Errorf("a manifest with %q: masked %+v, %v, want %q", tt.masks, info.Masked(), err, tt.refused)
		}
	}
}
