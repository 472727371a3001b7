package tune_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/testenv"
	"sotto/text/encode/bert/tune"
)

// sentences reads so many sentences with their parts of speech from a file of
// Universal Dependencies.
func sentences(tb testing.TB, path string, most int) (all []tune.TaggedSentence) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var now tune.TaggedSentence
	lines := bufio.NewScanner(in)
	for lines.Scan() && len(all) < most {
		fields := strings.Split(lines.Text(), "\t")
		switch {
		case lines.Text() == "" && len(now.Words) > 0:
			all, now = append(all, now), tune.TaggedSentence{}
		case len(fields) == 10 && !strings.ContainsAny(fields[0], "-."): // no parts of words, no empty ones
			now.Words, now.Labels = append(now.Words, fields[1]), append(now.Labels, fields[3])
		}
	}
	if lines.Err() != nil {
		tb.Fatal(lines.Err())
	}
	return all
}

// TestUPOS trains MiniLM to tell parts of speech from 600 sentences of English and
// tells those of 500 others: "make tag" runs it, since it takes minutes. A word of
// EWT has the part of speech that it has most often in 85 to 86 of 100 cases, the
// usual baseline; no interval is wanted to tell 90 % from that.
func TestUPOS(t *testing.T) {
	if os.Getenv("SOTTO_TAG") == "" {
		t.Skip("it takes minutes; make tag runs it")
	}
	parent := testenv.Encoder(t, "minilm")
	train, test := testenv.Data(t, "ud_ewt", "en_ewt-ud-train.conllu.gz"), testenv.Data(t, "ud_ewt", "en_ewt-ud-test.conllu.gz")
	all := sentences(t, train, 700)
	dir := filepath.Join(t.TempDir(), "tagger")
	s := tune.Settings{Layers: 3, Rate: 3e-4, Epochs: 4, Batch: 16, Seed: 1}
	r, err := tune.TrainTagger(t.Context(), parent, dir, tune.TaggerData{Name: "ud_ewt", Train: all[:600], Validation: all[600:]}, s, tune.Options{
		Pool: nn.NewPool(1), Progress: func(p tune.Progress) {
			if p.Ended {
				t.Logf("epoch %d: loss %.4f, accuracy on validation words %.2f %%", p.Epoch, p.Loss, 100*p.Accuracy)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	tagger, err := tune.OpenTagger(dir)
	if err != nil {
		t.Fatal(err)
	}
	right, words, err := tagger.Accuracy(t.Context(), sentences(t, test, 500), 1)
	if err != nil {
		t.Fatal(err)
	}
	low, high := measure.ClopperPearson(right, words, 0.95)
	t.Logf("kept epoch %d; %d of %d test words are right: %.2f %% [%.2f, %.2f]", r.Epoch, right, words, 100*float64(right)/float64(words), 100*low, 100*high)
	if low < 0.9 {
		t.Errorf("accuracy is above %.4f with 95 %% confidence, want above 0.9", low)
	}
}
