package serve_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// ownFile writes a CSV whose classes are easy to tell apart, and returns its
// path.
func ownFile(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("key;comment;verdict;city;stars\n")
	for i := range 240 {
		word := []string{"splendid", "dreadful", "middling"}[i%3]
		fmt.Fprintf(&b, "k%d;\"the %s parcel, number %d\";%s;%s;%d\n", i, word, i, word[:3], []string{"Rome", "Oslo"}[i/3%2], i%3+i%2)
	}
	return clitest.TextFile(t, "customers.csv", b.String())
}

// must runs a command that has to succeed and returns what it printed.
func must(t *testing.T, args string) string {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", strings.Fields(args)...)
	if code != command.ExitDone {
		t.Fatalf("sotto %s: exit %d: %s", args, code, errs)
	}
	return out
}

// TestOwnFile takes a CSV from training to every command that takes a model.
func TestOwnFile(t *testing.T) {
	t.Parallel()
	file, dir := ownFile(t), filepath.Join(t.TempDir(), "model")
	out := must(t, "train --in "+file+" --text comment --label verdict --attribute city --id key --name parcels --method label --epsilon 4 --encoder hash:32 --epochs 5 --json --out "+dir)
	var result struct {
		Data struct {
			Name, Label, Attribute, Hash string
			Classes                      []string
			File                         struct{ Rows int }
		}
		Rows struct{ Train, Validation, Test int }
		Mean struct{ Accuracy float64 }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if d := result.Data; d.Name != "parcels" || d.Label != "verdict" || d.Attribute != "city" || len(d.Hash) != 64 || len(d.Classes) != 3 || d.File.Rows != 240 || result.Rows.Test != 48 {
		t.Errorf("train printed %+v", result)
	}
	t.Run("no path is stored", func(t *testing.T) {
		storesNothing(t, dir, filepath.Base(file), filepath.Dir(file))
		if strings.Contains(out, "customers") {
			t.Error("train printed the path of the file")
		}
	})
	t.Run("evaluate", func(t *testing.T) {
		var again struct{ Mean struct{ Accuracy float64 } }
		if err := json.Unmarshal([]byte(must(t, "evaluate "+dir+" --json --in "+file)), &again); err != nil || again.Mean != result.Mean {
			t.Errorf("evaluate gave %v, train %v, error %v", again.Mean, result.Mean, err)
		}
		if code, _, errs := clitest.Sotto(t, "", "evaluate", dir); code != command.ExitUse || !strings.Contains(errs, "--in") {
			t.Errorf("evaluate without the file: exit %d, %s", code, errs)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		other := clitest.TextFile(t, "other.csv", strings.Replace(string(content), "number 7", "number 8", 1))
		if code, _, errs := clitest.Sotto(t, "", "evaluate", dir, "--in", other); code != command.ExitUse || !strings.Contains(errs, "other rows") {
			t.Errorf("evaluate with another file: exit %d, %s", code, errs)
		}
	})
	attacked := filepath.Join(t.TempDir(), "attack.json")
	t.Run("attack", func(t *testing.T) {
		clitest.Write(t, attacked, must(t, "attack --mdl none --json --model "+dir+" --in "+file))
	})
	t.Run("report", func(t *testing.T) {
		page := must(t, "report "+dir+" "+attacked+" --out - --format md")
		if !strings.Contains(page, "parcels") || strings.Contains(page, "customers") {
			t.Errorf("the page names the data wrongly:\n%.400s", page)
		}
	})
	t.Run("gate", func(t *testing.T) {
		policy := clitest.TextFile(t, "policy.json", `{"rules": [{"match": {"method": "label"}, "epsilon": {"max": 4}, "claim": "true"}]}`)
		must(t, "gate --policy "+policy+" "+dir)
	})
	t.Run("gateway", func(t *testing.T) {
		base, stop := startGateway(t, append(gatewayPlaces(t), "--model", filepath.Join(dir, "seed-1"))...)
		a := postGateway(t, base+"/v1/embeddings", "", `{"input": "a splendid parcel", "user": "ann"}`)
		if len(a.Data) != 1 || a.Privacy.Epsilon > 4*(1+0x1p-40) {
			t.Errorf("the gateway answered %+v", a)
		}
		if said := stop(); strings.Contains(said, "customers") {
			t.Error("the gateway printed the path of the file")
		}
	})
	t.Run("serve", func(t *testing.T) {
		log, end := serveCommand(t, "--model", dir)
		url := log.line(t, "serving", 1)["address"].(string)
		res, err := http.Get(url + "/v2/models/seed-1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(got), "verdict") {
			t.Errorf("serve says %d %s of the model, error %v", res.StatusCode, got, err)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// TestOwnNumbers checks that a model of texts with numbers beside them is judged
// and served like any other.
func TestOwnNumbers(t *testing.T) {
	t.Parallel()
	file, dir := ownFile(t), filepath.Join(t.TempDir(), "model")
	must(t, "train --in "+file+" --column comment --label verdict --numbers stars --method label,ldpnn,privemb --epsilon 4 --encoder hash:32 --epochs 2 --out "+dir)
	must(t, "evaluate "+dir+" --in "+file)
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", filepath.Join(dir, "label-codes-e4", "seed-1"))...)
	a := postGateway(t, base+"/v1/embeddings", "", `{"input": "a splendid parcel", "user": "ann", "numbers": {"stars": 4}}`)
	if len(a.Data) != 1 || a.Privacy.Epsilon > 4*(1+0x1p-40) {
		t.Errorf("the gateway answered %+v", a)
	}
	stop()
	alone := filepath.Join(t.TempDir(), "numbers")
	must(t, "train --in "+file+" --label verdict --numbers stars --method unconstrained --epochs 2 --hidden 8 --dim 8 --out "+alone)
	must(t, "evaluate "+alone+" --in "+file)
}

// storesNothing fails if a file below dir holds one of the words.
func storesNothing(t *testing.T, dir string, words ...string) {
	t.Helper()
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(filepath.Join(dir, path))
		for _, w := range words {
			if strings.Contains(string(content), w) {
				t.Errorf("%s holds %q", path, w)
			}
		}
		return err
	})
	if err != nil || files < 4 {
		t.Errorf("%d files were looked at, error %v", files, err)
	}
}
