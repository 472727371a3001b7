// Package tiny helps to test what asks a model of relations: it trains one in a moment, on
// sentences that it makes up.
package tiny

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/rule"
)

// rules are those that it learns to write.
const rules = `rule works: Work_For
  tokens <person>=subject works for <org>=object
rule likes: Likes
  tokens <person>=subject likes <org>=object
`

// Write trains a model that knows who works for whom, Work_For, and who likes whom, Likes, and
// writes its folder, which must not be there yet.
func Write(ctx context.Context, dir string) error {
	scratch, err := os.MkdirTemp("", "sotto-tiny-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // it is gone, or nothing can be done
	path := filepath.Join(scratch, "own.jsonl")
	if err = os.WriteFile(path, sentences(), 0o600); err != nil {
		return err
	}
	set, err := relation.Prepare(ctx, relation.Options{File: path, Cache: "-"})
	if err != nil {
		return err
	}
	file, err := rule.Parse(strings.NewReader(rules))
	if err != nil {
		return err
	}
	t, err := joint.New(joint.Data{
		Name: set.Name, Train: set.Part(dataset.Train), Dev: set.Part(dataset.Validation), Rules: file, Vectors: vectors{},
	}, joint.Settings{Epochs: 12, Batch: 8, Rate: 0.01, Hidden: 16, Mask: true, Seed: 1})
	if err != nil {
		return err
	}
	if err = t.Run(ctx, joint.Options{Pool: nn.NewPool(1)}); err != nil {
		return err
	}
	return t.Write(dir)
}

// sentences are what it learns from, as JSON lines.
func sentences() []byte {
	persons, firms := []string{"Ann", "Bob", "Mary", "John", "Alice"}, []string{"Google", "Microsoft", "Sony", "Siemens"}
	verbs := []struct {
		words    []string
		relation string
	}{{[]string{"works", "for"}, "Work_For"}, {[]string{"likes"}, "Likes"}, {[]string{"left"}, ""}}
	var all []byte
	for k := range 60 {
		v := verbs[k%3]
		words := append(append([]string{persons[k%5]}, v.words...), firms[k%4], ".")
		at := len(words) - 2
		line := map[string]any{
			"split": []string{"train", "train", "train", "dev", "test"}[k/3%5], "tokens": words,
			"entities": []any{[]any{"Peop", 0, 1}, []any{"Org", at, at + 1}}, "relations": []any{},
		}
		if v.relation != "" {
			line["relations"] = []any{[]any{v.relation, 0, 1}}
		}
		b, _ := json.Marshal(line) //nolint:errchkjson // strings and numbers
		all = append(append(all, b...), '\n')
	}
	return all
}

// vectors are those of the few words that matter.
type vectors struct{}

// Dim implements [joint.Vectors].
func (vectors) Dim() int { return 8 }

// Words implements [joint.Vectors].
func (vectors) Words() []string { return []string{"works", "for", "likes", "left"} }

// Vector implements [joint.Vectors].
func (v vectors) Vector(word string) ([]float32, bool) {
	for k, w := range v.Words() {
		if w == word {
			x := make([]float32, v.Dim())
			x[k] = 1
			return x, true
		}
	}
	return nil, false
}
