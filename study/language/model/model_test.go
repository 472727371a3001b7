package model_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/model"
	"sotto/study/language/parse"
)

// lesson is a treebank of two sentences.
const lesson = "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n" +
	"2\tran\trun\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No\n" +
	"3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n" +
	"1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n" +
	"2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"

func train(t testing.TB) *model.Model {
	t.Helper()
	all, err := conllu.ReadAll(strings.NewReader(strings.Repeat(lesson, 20)))
	if err != nil {
		t.Fatal(err)
	}
	c := parse.Config{Shape: parse.Shape{Width: 32, Layers: "r", Arc: 16, Label: 16}, Epochs: 20, Least: 1, Rate: 0.01}
	m, err := model.Train(context.Background(), c, "from nobody", conllu.Document(all...), parse.Given{}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := train(t).Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Notice() != "from nobody" {
		t.Errorf("notice is %q", m.Notice())
	}
	d, err := language.Pipeline{m}.Document("Cats ran. Dogs slept")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, len(d.Tokens))
	for _, token := range d.Tokens {
		got = append(got, token.Lemma+"/"+token.UPOS+"/"+token.DepRel)
	}
	if want := "cat/NOUN/nsubj run/VERB/root ./PUNCT/punct dog/NOUN/nsubj sleep/VERB/root"; strings.Join(got, " ") != want || d.Sentences() != 2 {
		t.Errorf("%d sentences with %s, want 2 with %s", d.Sentences(), strings.Join(got, " "), want)
	}
}

// No byte of a file can change unnoticed.
func TestDamage(t *testing.T) {
	content, err := train(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(content); at += len(content)/97 + 1 {
		damaged := bytes.Clone(content)
		damaged[at] ^= 1
		if _, err := model.Decode(damaged); !errors.Is(err, model.ErrFormat) {
			t.Fatalf("byte %d changed: error = %v, want %v", at, err, model.ErrFormat)
		}
	}
	for _, n := range []int{0, 10, len(content) - 1} {
		if _, err := model.Decode(content[:n]); !errors.Is(err, model.ErrFormat) {
			t.Errorf("%d bytes: error = %v, want %v", n, err, model.ErrFormat)
		}
	}
	if _, err := model.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load() error = %v, want %v", err, os.ErrNotExist)
	}
}
