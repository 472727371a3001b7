package outside_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/command/clitest"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/service/server"
	"sotto/text/encode"
)

// sotto runs a command that must succeed.
func sotto(t *testing.T, line string) string {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", strings.Fields(line)...)
	if code != 0 {
		t.Fatalf("sotto %s: exit code %d: %s", line, code, errs)
	}
	return out
}

// TestConformance: the mechanism below keeps what every mechanism must.
func TestConformance(t *testing.T) {
	for _, dim := range []int{2, 5} {
		m, err := mech.New(mech.Params{Mechanism: "levels", Dim: dim, Epsilon: 2})
		if err != nil {
			t.Fatal(err)
		}
		half := make([]float64, dim)
		half[0] = 0.5
		dptest.Vector(t, m, dptest.Options{Impossible: [][]float64{half}})
	}
}

// TestMechanisms: a mechanism that registers here, of which nobody else knows the
// name, goes through every room of the house.
func TestMechanisms(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }

	// It is stated, with a flag for its own parameter that others refuse.
	if out := sotto(t, "epsilon levels --levels 3 --dim 4 --epsilon 2"); !strings.Contains(out, "dim 4, levels 3") {
		t.Errorf("sotto epsilon says %q, want its parameters", out)
	}
	if code, _, errs := clitest.Sotto(t, "", strings.Fields("epsilon laplace-l1 --levels 3 --epsilon 2")...); code == 0 || !strings.Contains(errs, `laplace-l1 takes no parameter "levels"`) {
		t.Errorf("sotto epsilon laplace-l1 --levels 3: exit code %d: %s", code, errs)
	}

	// It is audited, and releases a file.
	clitest.Write(t, file("audit.json"), sotto(t, "audit levels --dim 2 --epsilon 1 --draws 20000 --confidence 0.99999 --json"))
	clitest.Write(t, file("in.csv"), "1,2,3\n-4,0.5,6\n")
	sotto(t, "privatize levels --levels 5 --epsilon 3 --in "+file("in.csv")+" --out "+file("out.csv"))

	// It trains, within a network, and the model is stored with its parameters.
	sotto(t, "train --data reviews --method noise --mechanism levels --epsilon 4 --out "+file("model")+clitest.Quickly)
	folder := filepath.Join(file("model"), "seed-1")
	m, info, err := model.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := m.Statement(); !ok || !s.Honest() || s.Parameters.Own != (levelParams{4}) {
		t.Errorf("the model states %+v, want 4 levels and a true claim", s)
	}

	served(t, folder, released(t, m, info))

	// It is reported and gated.
	found := strings.Join([]string{file("model/results.json"), file("audit.json"), file("out.csv.privacy.json")}, " ")
	page := sotto(t, "report --format md --out - "+found)
	for _, want := range []string{"levels true D=16", "levels true D=2", "levels true D=3"} { // trained, audited, released
		if !strings.Contains(page, want) {
			t.Errorf("the report says %q, want %q in it", page, want)
		}
	}
	clitest.Write(t, file("policy.json"), `{"rules":[{"name":"true","match":{"mechanism":"levels"},"epsilon":{"max":4.001},"claim":"true"}]}`)
	if out := sotto(t, "gate --policy "+file("policy.json")+" "+found); !strings.Contains(out, "pass") {
		t.Errorf("the gate says %q, want it to pass", out)
	}
}

// released sends a text through the mechanism of a model, in a gateway.
func released(t *testing.T, m *model.Model, info model.Manifest) []float32 {
	t.Helper()
	of, err := gateway.FromModel(m, info)
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.OpenFile(filepath.Join(t.TempDir(), "ledger"), ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 16, Window: 24 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { book.Close() })
	e, err := encode.NewHash(32)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := gateway.NewSecret(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(t.Context(), gateway.Config{Encoder: e, Mechanism: of, Ledger: book, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Embed(t.Context(), "alice", []string{"the food was good"}, gateway.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := json.Marshal(got.Privacy.Parameters)
	if err != nil || string(p) != `{"mechanism":"levels","variant":"true","epsilon":4,"dim":16,"levels":4}` {
		t.Errorf("the gateway says %s, %v, want the parameters", p, err)
	}
	return got.Vectors[0]
}

// served asks a server for the class of a vector.
func served(t *testing.T, folder string, vector []float32) {
	t.Helper()
	s, err := server.New(server.Config{Model: folder})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	data := strings.Join(strings.Fields(fmt.Sprint(slices.Clone(vector))), ",")
	body := fmt.Sprintf(`{"parameters":{"sotto_privacy":{"unit":"text","epsilon":4,"delta":0}},"inputs":[{"name":"vector","datatype":"FP32","shape":[1,16],"data":%s}]}`, data)
	answer, err := http.Post(h.URL+"/v2/models/seed-1/infer", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the server answers %s, want a class", answer.Status)
	}
}

// TestRegisterRefuses: what would be ambiguous or incomplete does not register.
func TestRegisterRefuses(t *testing.T) {
	good := func(change func(*mech.Kind)) mech.Kind {
		k := mech.Kind{Name: "other", About: "a test", Variants: []mech.Variant{{Name: mech.AsStated, Form: mech.FormVector}}, New: newLevels}
		change(&k)
		return k
	}
	for want, k := range map[string]mech.Kind{
		"registered already": good(func(k *mech.Kind) { k.Name = "levels" }),
		"lower-case":         good(func(k *mech.Kind) { k.Name = "Levels" }),
		"lacks variants":     good(func(k *mech.Kind) { k.New = nil }),
		"name of its own":    good(func(k *mech.Kind) { k.Variants = append(k.Variants, k.Variants[0]) }),
		"is a float64": good(func(k *mech.Kind) {
			k.Own = struct {
				Levels float64 `json:"levels" help:"a number"`
			}{}
		}),
		`"dim" of other`: good(func(k *mech.Kind) {
			k.Own = struct {
				Dim int `json:"dim" help:"a number"`
			}{}
		}),
		`"" of other`: good(func(k *mech.Kind) { k.Own = struct{ Levels int }{} }),
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("Register panics with %q, want %q in it", got, want)
				}
			}()
			mech.Register(k)
		}()
	}
	if names := mech.Names(func(mech.Variant) bool { return true }); slices.Contains(names, "other") {
		t.Errorf("mechanisms are %q, want none that was refused", names)
	}
}
