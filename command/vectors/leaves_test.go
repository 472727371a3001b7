package vectors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/learn/model"
)

// TestWhatLeavesTellsOfNoText trains twice on a file, and once on one in which a single
// text differs, each with the same seed. Of codes by a public channel nothing that leaves
// is the same in the first two and another in the third: that would tell the files apart,
// to whoever knows all texts but one. A fitted channel says what it tells.
func TestWhatLeavesTellsOfNoText(t *testing.T) {
	in := feedback(t)
	content, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	changed := clitest.TextFile(t, "feedback.csv", strings.Replace(string(content), "r3,p1,lovely quick clean thing 3", "r3,p1,cheap and never delivered", 1))
	var rows strings.Builder // so many that two files of releases are never the same by chance
	rows.WriteString("id,text\n")
	for i := range 400 {
		fmt.Fprintf(&rows, "%d,an awful thing and a lovely one %d\n", i, i)
	}
	fresh := clitest.TextFile(t, "new.csv", rows.String())
	for _, method := range []string{"codes", "label", "label --encoder " + tinyTransformer(t) + " --tune --tune-epochs 1 --tune-length 16"} {
		var left []map[string]string
		var inside []string // what must not leave: the weights' digest, and the encoder's where it is tuned
		for _, file := range []string{in, in, changed} {
			dir := trained(t, file, "--epsilon 2 --hidden 8 --method "+method)
			left = append(left, leaves(t, filepath.Join(dir, "seed-1"), fresh))
			_, info, err := model.Load(filepath.Join(dir, "seed-1"))
			if err != nil {
				t.Fatal(err)
			}
			inside = append(inside, info.Weights+string(info.Data.Encoder))
		}
		if inside[0] != inside[1] || inside[0] == inside[2] {
			t.Errorf("%s: the weights are %q, want those of the first two alike and others in the third", method, inside)
		}
		for name, value := range left[0] {
			// The hash of three releases is that of three others as often as these are.
			if name != "record/sha256" && left[1][name] == value && left[2][name] != value {
				t.Errorf("%s: %s is %.80s with the same texts, and %.80s with one changed", method, name, value, left[2][name])
			}
		}
		for _, name := range slices.Collect(maps.Keys(left[2])) {
			if _, in := left[0][name]; !in {
				t.Errorf("%s: %s is there with one text changed alone", method, name)
			}
		}
		if name := left[0]["record/model"]; name == "" || name == left[1]["record/model"] || name != left[0]["head/manifest.json/model"] {
			t.Errorf("%s: two trainings are named %s and %s, want different names, which their heads have", method, name, left[1]["record/model"])
		}
		if tuned := strings.Contains(method, "--tune"); tuned != (left[0]["record/encoder"] == `"tuned"`) {
			t.Errorf("%s: the record has the encoder %s", method, left[0]["record/encoder"])
		}
		if left[0]["record/tells"]+left[0]["head/manifest.json/tells"] != "" {
			t.Errorf("%s: a public channel says that it tells something", method)
		}
	}
	fitted := leaves(t, filepath.Join(trained(t, in, "--epsilon 2 --hidden 8 --method codes --channel fitted"), "seed-1"), fresh)
	noisy := leaves(t, filepath.Join(trained(t, in, "--epsilon 2 --hidden 8 --method noise --mechanism laplace-l1 --dim 2"), "seed-1"), fresh)
	if !strings.Contains(fitted["record/tells"], "no guarantee covers") || !strings.Contains(fitted["head/manifest.json/tells"], "no guarantee covers") || !strings.Contains(noisy["head/manifest.json/tells"], "no guarantee covers") {
		t.Errorf("what is fitted says %q and %q, noise %q, want what they tell", fitted["record/tells"], fitted["head/manifest.json/tells"], noisy["head/manifest.json/tells"])
	}
	noSecret(t, filepath.Join(trained(t, in, "--epsilon 2 --hidden 8 --method codes"), "seed-1"), fresh)
}

// noSecret: a folder of before has no name, says why, and serves as it did.
func noSecret(t *testing.T, dir, fresh string) {
	t.Helper()
	if err := errors.Join(os.Remove(filepath.Join(dir, model.SecretFile)), os.Remove(filepath.Join(dir, model.TrainedFile))); err != nil {
		t.Fatal(err)
	}
	before := leaves(t, dir, fresh)
	if before["record/model"] != "" || !strings.Contains(before["record/no_model"], "secret") || len(before["head/manifest.json/model"]) != 66 {
		t.Errorf("a folder without a secret is named %q because %q, its head %q", before["record/model"], before["record/no_model"], before["head/manifest.json/model"])
	}
}

// leaves lists what leaves with a model: each field of the record of releases and of
// its head, and each file whole that is no JSON.
func leaves(t *testing.T, dir, fresh string) map[string]string {
	t.Helper()
	all, out, head := map[string]string{}, filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "head")
	encoded(t, "--model", dir, "--in", fresh, "--text", "text", "--out", out)
	if code, _, errs := program.Sotto(t, "", "serve", "head", dir, head); code != command.ExitDone {
		t.Fatal(errs)
	}
	fields := func(name, path string) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if json.Unmarshal(content, &v) != nil {
			all[name] = fmt.Sprintf("%x", content)
			return
		}
		flatten(all, name, v)
	}
	fields("record", out+".privacy.json")
	files, err := os.ReadDir(head)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		fields("head/"+f.Name(), filepath.Join(head, f.Name()))
	}
	return all
}

func flatten(all map[string]string, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, of := range v {
			flatten(all, name+"/"+key, of)
		}
	case []any:
		for i, of := range v {
			flatten(all, fmt.Sprintf("%s/%d", name, i), of)
		}
	default:
		b, _ := json.Marshal(v)
		all[name] = string(b)
	}
}
