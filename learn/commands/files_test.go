package files_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/vecfile"
	files "sotto/learn/commands"
	"sotto/promise/dp/dptest"
)

// pair writes two inputs that differ in row 3 of as many as there are.
func pair(tb testing.TB, rows int) (a, b string) {
	tb.Helper()
	dir := tb.TempDir()
	var all []string
	for i := range rows {
		all = append(all, fmt.Sprintf("text number %d", i))
	}
	a, b = filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	write(tb, a, strings.Join(all, "\n")+"\n")
	all[2] = "something else, that nobody is to know"
	write(tb, b, strings.Join(all, "\n")+"\n")
	return a, b
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// old are the ways in which a command told its input on, each as small as it can
// be, and where the audit must find it.
var old = []struct {
	name, where string
	kind        files.Kind
	write       func(which int, content []byte, r *rand.Rand) (map[string][]byte, string)
}{
	{
		"an unsalted digest in a record", "{out}.privacy.json: model", files.Constant,
		func(_ int, content []byte, r *rand.Rand) (map[string][]byte, string) {
			record, _ := json.Marshal(map[string]any{"epsilon": 1, "model": fmt.Sprintf("%x", sha256.Sum256(content)), "made": r.Uint64()})
			return map[string][]byte{"{out}.privacy.json": record}, ""
		},
	}, {
		"weights fitted to all rows", "{out}/head.json: weights[#]", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			w := 0.018022608972450418 + 1e-9*float64(which)
			head, _ := json.Marshal(map[string]any{"weights": []float64{w, 0.5, 1 - w}, "id": fmt.Sprint(r.Uint64())})
			return map[string][]byte{"{out}/head.json": head}, ""
		},
	}, {
		"an encoding guessed from all rows", "certain value of cell", files.Distribution,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			// Of one row the cell tells little: e^ε = 2 against 30 others.
			var out bytes.Buffer
			for range 100 {
				cell := r.IntN(31)
				if r.IntN(16) == 0 {
					cell = 31 * which
				}
				fmt.Fprintf(&out, "{\"cell\":%d}\n", cell)
			}
			return map[string][]byte{"{out}.jsonl": out.Bytes()}, ""
		},
	}, {
		"the same noise in two files", "difference to", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			x, y := make([]string, 5), make([]string, 5)
			for i := range x {
				noise, private := r.ExpFloat64()-r.ExpFloat64(), 0.25*float64(which*i)
				x[i], y[i] = fmt.Sprintf(`{"y":[%v]}`, noise), fmt.Sprintf(`{"y":[%v]}`, noise+private)
			}
			return map[string][]byte{"{out}/alice.jsonl": []byte(strings.Join(x, "\n")), "{out}/bob.jsonl": []byte(strings.Join(y, "\n"))}, ""
		},
	}, {
		"a training row that others' releases depend on", "rows: ", files.Distribution,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			// Of 20 texts that other people release by randomised response with ε = 1,
			// the model tells others.
			var out bytes.Buffer
			for i := range 20 {
				code := (i + which) % 2
				if r.Float64() > 0.731 {
					code = 1 - code
				}
				fmt.Fprintf(&out, "{\"code\":%d}\n", code)
			}
			return map[string][]byte{"{out}.jsonl": out.Bytes()}, ""
		},
	}, {
		"a digest of the data in a page", "{out}.html: piece ", files.Constant,
		func(_ int, content []byte, r *rand.Rand) (map[string][]byte, string) {
			page := fmt.Sprintf("<p>accuracy %.3f</p><p>data %x</p>", r.Float64(), sha256.Sum256(content))
			return map[string][]byte{"{out}.html": []byte(page)}, ""
		},
	}, {
		"counts of rows that one more makes to be read otherwise", "{out}.json: counts[", files.Distribution,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			counts := []int{200 + r.IntN(9), 100 + r.IntN(9)}
			if which == 1 {
				counts[0], counts[1] = 0, 300 // no town is called Köln any more
			}
			out, _ := json.Marshal(map[string]any{"counts": counts})
			return map[string][]byte{"{out}.json": out}, ""
		},
	}, {
		"reruns on machines that round otherwise, which nobody paid for", "all fields together", files.Distribution,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			all := map[string][]byte{}
			for run := range 8 {
				all[fmt.Sprintf("{out}/run-%d.txt", run)] = respond(which, 1, 2, r)["{out}"]
			}
			return all, ""
		},
	}, {
		"a digest in the metadata of Parquet", "{out}.parquet: metadata privacy.model", files.Constant,
		func(_ int, content []byte, r *rand.Rand) (map[string][]byte, string) {
			var out bytes.Buffer
			record := fmt.Sprintf(`{"epsilon":1,"model":"%x"}`, sha256.Sum256(content))
			w, err := vecfile.NewWriter(&out, vecfile.Parquet, vecfile.WriterOptions{Width: 2, Metadata: map[string]string{"privacy": record}, Beside: []string{"id"}})
			for i := 0; err == nil && i < 20; i++ {
				err = w.WriteBeside([]float64{r.NormFloat64(), r.NormFloat64()}, [][]vecfile.Field{{{Text: fmt.Sprint(r.Uint64())}}})
			}
			if err = errors.Join(err, w.Close()); err != nil {
				return nil, err.Error()
			}
			return map[string][]byte{"{out}.parquet": out.Bytes()}, ""
		},
	}, {
		"one draw for all numbers of a row", "row 3 (the one that differs), difference to the number before", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			var out bytes.Buffer
			for range 20 {
				noise := r.ExpFloat64()
				fmt.Fprintf(&out, "{\"y\":[%v,%v]}\n", noise, noise+0.25*float64(1+which))
			}
			return map[string][]byte{"{out}.jsonl": out.Bytes()}, ""
		},
	}, {
		"one draw for all rows", "difference to the row that differs", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			noise := r.ExpFloat64()
			return map[string][]byte{"{out}.csv": fmt.Appendf(nil, "y\n%v\n%v\n%v\n", noise+1, noise+2, noise+4+float64(which))}, ""
		},
	}, {
		"the order of keys", "{out}.json: its form", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			out := fmt.Sprintf(`{"a":%d,"b":%d}`, 1000000+r.IntN(1000000), 1000000+r.IntN(1000000))
			if which == 1 {
				out = fmt.Sprintf(`{"b":%d,"a":%d}`, 1000000+r.IntN(1000000), 1000000+r.IntN(1000000))
			}
			return map[string][]byte{"{out}.json": []byte(out)}, ""
		},
	}, {
		"a size", "{out}: size in bytes", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			out := make([]byte, 200+which)
			for i := range out {
				out[i] = byte(r.Uint32())
			}
			return map[string][]byte{"{out}": out}, ""
		},
	}, {
		"a name", "names of the files", files.Constant,
		func(which int, _ []byte, _ *rand.Rand) (map[string][]byte, string) {
			return map[string][]byte{fmt.Sprintf("{out}/%d.bin", 7*which): {0, 1}}, ""
		},
	}, {
		"an exit code", "exit code", files.Constant,
		func(which int, _ []byte, _ *rand.Rand) (map[string][]byte, string) {
			return nil, []string{"", "exit status 2"}[which]
		},
	}, {
		"a byte", "{out}: bytes 77", files.Constant,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			out := make([]byte, 200)
			for i := range out {
				out[i] = byte(r.Uint32())
			}
			out[77] = byte(which)
			return map[string][]byte{"{out}": out}, ""
		},
	}, {
		"a word on standard error", "standard error: line 2, number 1", files.Distribution,
		func(which int, _ []byte, r *rand.Rand) (map[string][]byte, string) {
			return map[string][]byte{"standard error": fmt.Appendf(nil, "begin\n%.3f of the rows in %d ms\n", 0.5+0.1*float64(which)+0.05*r.Float64(), r.IntN(1e6))}, ""
		},
	},
}

// Every way in which files told their input on is found, by its place, and without
// a word of the input.
func TestOldBehaviour(t *testing.T) {
	a, b := pair(t, 20)
	for i, tt := range old {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(dptest.Source(t, uint64(i)))
			got, err := files.Imagine(files.Config{A: a, B: b, Claim: 1, Runs: 100, Most: 100, Coins: r}, func(which int, content []byte) (map[string][]byte, string) {
				return tt.write(which, content, r)
			})
			if err != nil {
				t.Fatal(err)
			}
			if !got.Refuted || !(got.EpsilonLower > 1) {
				t.Errorf("refuted = %v with ε ≥ %v, want true and more than 1", got.Refuted, got.EpsilonLower)
			}
			found := false
			for _, e := range got.Evidence {
				found = found || e.Refutes && e.Kind == tt.kind && strings.Contains(e.Where, tt.where)
				if text := e.Where + e.What; strings.Contains(text, "nobody is to know") || strings.Contains(text, "text number") {
					t.Errorf("evidence shows the input: %s", text)
				}
			}
			if !found {
				t.Errorf("evidence = %+v, want what is %s in %q", got.Evidence, tt.kind, tt.where)
			}
		})
	}
}

// respond is k-ary randomised response by line, which keeps ε to the last bit, with
// a record and all that is random beside it.
func respond(which int, epsilon float64, k int, r *rand.Rand) map[string][]byte {
	keep := math.Exp(epsilon) / (math.Exp(epsilon) + float64(k-1))
	var out bytes.Buffer
	for i := range 20 {
		label := i % k
		if i == 2 && which == 1 {
			label = (label + 1) % k
		}
		if r.Float64() >= keep {
			label = (label + 1 + r.IntN(k-1)) % k
		}
		fmt.Fprintf(&out, "%d\n", label)
	}
	sum := sha256.Sum256(out.Bytes())
	record := fmt.Sprintf(`{"epsilon":%v,"rows":20,"sha256":"%x","id":"%x"}`, epsilon, sum, r.Uint64())
	return map[string][]byte{"{out}": out.Bytes(), "{out}.privacy.json": []byte(record)}
}

// What is true is not refuted: at most one audit in a hundred may err.
func TestHonest(t *testing.T) {
	a, b := pair(t, 20)
	audits := 50
	if dptest.Long() {
		audits = 200
	}
	for _, epsilon := range []float64{0.5, 1, 3} {
		r := rand.New(dptest.Source(t, uint64(10*epsilon)))
		refuted, told := 0, 0.0
		for range audits {
			got, err := files.Imagine(files.Config{A: a, B: b, Claim: epsilon, Runs: 60, Coins: r}, func(which int, _ []byte) (map[string][]byte, string) {
				return respond(which, epsilon, 2, r), ""
			})
			if err != nil {
				t.Fatal(err)
			}
			if told += got.EpsilonLower / float64(audits); got.Refuted {
				refuted++
			}
		}
		// Binomial(audits, 1 %) is above this in one case of 10⁵.
		if most := tail(audits, 0.01); refuted > most {
			t.Errorf("ε = %v: %d of %d audits refute what is true, want at most %d", epsilon, refuted, audits, most)
		}
		t.Logf("ε = %v: %d of %d refuted, ε ≥ %.2f in the mean", epsilon, refuted, audits, told)
	}
}

// tail returns the least number that a binomial exceeds with probability 10⁻⁵ at
// most.
func tail(n int, p float64) int {
	sum, term := 0.0, math.Pow(1-p, float64(n))
	for k := 0; ; k++ {
		if sum += term; 1-sum <= 1e-5 {
			return k
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
}

// A claim that is too small is refuted by the distribution of the row that differs.
func TestTooSmallAClaim(t *testing.T) {
	a, b := pair(t, 20)
	r := rand.New(dptest.Source(t, 4))
	for _, delta := range []float64{0, 1e-3} {
		got, err := files.Imagine(files.Config{A: a, B: b, Claim: 1, Delta: delta, Runs: 400, Coins: r}, func(which int, _ []byte) (map[string][]byte, string) {
			return respond(which, 4, 3, r), ""
		})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Refuted || len(got.Evidence) == 0 || !strings.HasPrefix(got.Evidence[0].Where, "{out}: row 3 (the one that differs)") || got.Evidence[0].Kind != files.Distribution {
			t.Errorf("δ = %v: result is %+v, want refuted by row 3", delta, got)
		}
	}
}

// What is declared not to be covered is not looked at, and is told.
func TestIgnore(t *testing.T) {
	a, b := pair(t, 20)
	r := rand.New(dptest.Source(t, 5))
	tt := old[1]
	got, err := files.Imagine(files.Config{A: a, B: b, Claim: 1, Runs: 50, Coins: r, Ignore: []string{"{out}/head.json: weights*"}}, func(which int, content []byte) (map[string][]byte, string) {
		return tt.write(which, content, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Refuted || len(got.Evidence) > 0 {
		t.Errorf("evidence = %+v, want none", got.Evidence)
	}
	if len(got.Ignored) != 1 || got.Ignored[0].Fields != 3*50 {
		t.Errorf("ignored = %+v, want 150 fields of one pattern", got.Ignored)
	}
}

// So many runs are made that a constant difference refutes the claim, and where
// too many would be needed the result says so.
func TestConstantNeedsRuns(t *testing.T) {
	a, b := pair(t, 20)
	r := rand.New(dptest.Source(t, 6))
	audit := func(claim float64, most int) *files.Result {
		t.Helper()
		got, err := files.Imagine(files.Config{A: a, B: b, Claim: claim, Runs: 20, Most: most, Coins: r}, func(which int, content []byte) (map[string][]byte, string) {
			return old[0].write(which, content, r)
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := audit(4, 1000); !got.Refuted || got.Certifying <= 20 {
		t.Errorf("with enough runs: refuted is %v after %d runs, want true after more than 20", got.Refuted, got.Certifying)
	}
	got := audit(4, 0)
	if got.Refuted || len(got.Evidence) == 0 || got.Evidence[0].Refutes || got.Evidence[0].Kind != files.Constant {
		t.Errorf("with too few runs: %+v, want something constant that does not refute", got)
	}
	if len(got.Notes) == 0 || !strings.Contains(got.Notes[0], "what is constant needs") {
		t.Errorf("notes = %q, want how many runs are needed", got.Notes)
	}
}
