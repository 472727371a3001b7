package tune_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// toy returns sentences in which a word is a verb, unless an article stands before
// it, which makes it a noun: the word alone does not tell.
func toy(n int) []tune.TaggedSentence {
	rng := tiny.Generator()
	var all []tune.TaggedSentence
	for range n {
		var s tune.TaggedSentence
		for range 2 + rng.IntN(4) {
			word := []string{"play", "plays", "guitar", "cat"}[rng.IntN(4)]
			if rng.IntN(2) == 0 {
				s.Words, s.Labels = append(s.Words, []string{"a", "the"}[rng.IntN(2)], word), append(s.Labels, "article", "noun")
			} else {
				s.Words, s.Labels = append(s.Words, "no", word), append(s.Labels, "other", "verb")
			}
		}
		all = append(all, s)
	}
	return all
}

// gentle returns a random encoder whose layers change less than the tests of bits
// want, so that words can still be told after them, as in an encoder that was trained.
func gentle() *tiny.Model {
	m := tiny.Even()
	for name, x := range m.Tensors {
		if strings.HasPrefix(name, "encoder.") && !strings.Contains(name, "LayerNorm") {
			for i := range x.Data {
				x.Data[i] *= 0.2
			}
		}
	}
	return m
}

func parent(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := gentle().Write(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func tagSettings() tune.Settings {
	return tune.Settings{Rate: 5e-3, Epochs: 6, Batch: 8, Length: 12, Seed: 1, Patience: 6}
}

// TestTag learns what only the word before tells, with sentences longer than a
// sequence, and checks that the folder says what was validated, for any number of
// workers.
func TestTag(t *testing.T) {
	all := toy(400)
	d := tune.TaggerData{Name: "toy", Train: all[:320], Validation: all[320:]}
	dir := filepath.Join(t.TempDir(), "tagger")
	from := parent(t)
	result, err := tune.TrainTagger(t.Context(), from, dir, d, tagSettings(), tune.Options{Pool: nn.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	if !(result.Accuracy > 0.95) { // nouns and verbs alike are guessed in three of four words
		t.Errorf("validation accuracy is %.3f in epoch %d, want above 0.95", result.Accuracy, result.Epoch)
	}
	tagger, err := tune.OpenTagger(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tagger.Labels(), []string{"article", "noun", "other", "verb"}; !slices.Equal(got, want) {
		t.Errorf("labels are %q, want %q", got, want)
	}
	if s, failed := tagger.Settings(); failed != nil || s.Length != 12 {
		t.Errorf("settings are %+v, %v", s, failed)
	}
	right, words, err := tagger.Accuracy(t.Context(), d.Validation, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(right) / float64(words); got < result.Accuracy-0.005 || got > result.Accuracy+0.005 { // a word on the border may fall to the other side
		t.Errorf("the folder has accuracy %v, want %v", got, result.Accuracy)
	}
	bare := [][]string{all[0].Words, {}, slices.Concat(all[1].Words, all[2].Words, all[3].Words), {"\x00", "plays"}}
	one, err := tagger.Tag(t.Context(), bare, 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := tagger.Tag(t.Context(), bare, 2)
	if err != nil || !slices.EqualFunc(one, two, slices.Equal[[]string]) {
		t.Errorf("two workers say %v, %v, want %v", two, err, one)
	}
	for i, words := range bare {
		if len(one[i]) != len(words) {
			t.Errorf("%d words have %d labels", len(words), len(one[i]))
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	same, err := tune.TrainTagger(t.Context(), from, again, d, tagSettings(), tune.Options{})
	if err != nil || same.Manifest.Hash != result.Manifest.Hash || same.Manifest.HeadHash != result.Manifest.HeadHash {
		t.Errorf("one worker learns another tagger than two: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tagger.Tag(ctx, bare, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx ended: %v", err)
	}
}

func TestTagRefusals(t *testing.T) {
	from := parent(t)
	out := filepath.Join(t.TempDir(), "x")
	good := toy(4)
	for want, d := range map[string]tune.TaggerData{
		"0 sentences to learn from": {Validation: good},
		"0 to validate":             {Train: good},
		"in validation sentences":   {Train: good, Validation: []tune.TaggedSentence{{Words: []string{"a"}, Labels: []string{"new"}}}},
		"has 1 words and 0 labels":  {Train: []tune.TaggedSentence{{Words: []string{"a"}}}, Validation: good},
		"has 0 words and 0 labels":  {Train: append(good, tune.TaggedSentence{}), Validation: good},
		"one number of at least 2":  {Train: []tune.TaggedSentence{{Words: []string{"a"}, Labels: []string{"x"}}}, Validation: []tune.TaggedSentence{{Words: []string{"a"}, Labels: []string{"x"}}}},
	} {
		_, err := tune.TrainTagger(t.Context(), from, out, d, tagSettings(), tune.Options{})
		if want == "0 sentences to learn from" {
			want = "in validation sentences" // which have labels that nobody trained
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("something was written")
		}
	}
	if _, err := tune.OpenTagger(from); err == nil || !strings.Contains(err.Error(), "is no tagger") {
		t.Errorf("a plain encoder is opened as a tagger: %v", err)
	}
}

// TestWordSequences checks that no word is cut or lost.
func TestWordSequences(t *testing.T) {
	m, err := bert.Open(parent(t), bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"playing", "cats", "\x00", "a", "unheard", "man", "plays", "no"}
	at := 0
	for _, s := range bert.WordSequences(m.WordPiece(), words, 6) {
		if len(s.IDs) > 6 || len(s.Types) != len(s.IDs) || s.IDs[0] != 2 || s.IDs[len(s.IDs)-1] != 3 {
			t.Errorf("a sequence is %v, want at most 6 tokens between 2 and 3", s.IDs)
		}
		for _, first := range s.First {
			want := m.WordPiece().Encode(words[at], 9).IDs[1]
			if words[at] == "\x00" {
				want = 1 // unknown
			}
			if s.IDs[first] != want {
				t.Errorf("word %d stands at token %d, want %d", at, s.IDs[first], want)
			}
			at++
		}
	}
	if at != len(words) {
		t.Errorf("%d of %d words have a place", at, len(words))
	}
}

func Example_tag() {
	dir, err := os.MkdirTemp("", "tag")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	from, out := filepath.Join(dir, "encoder"), filepath.Join(dir, "tagger")
	if err = errors.Join(os.Mkdir(from, 0o700), gentle().Write(from)); err != nil { // or the folder of minilm
		fmt.Println(err)
		return
	}
	all := toy(400)
	if _, err = tune.TrainTagger(context.Background(), from, out, tune.TaggerData{Train: all[:320], Validation: all[320:]}, tagSettings(), tune.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	tagger, err := tune.OpenTagger(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	said, err := tagger.Tag(context.Background(), [][]string{{"no", "plays", "the", "plays"}}, 1)
	fmt.Println(said, err)
	// Output: [[other verb article noun]] <nil>
}
