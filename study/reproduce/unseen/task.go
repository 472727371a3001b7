package unseen

import (
	"fmt"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/internal/layout"
)

// Kind says what is measured of a task.
type Kind string

// The kinds of tasks. What is measured is the share of right answers, the rank
// correlation with people's scores, and the share of neighbours that are found again.
const (
	Classes    Kind = "classes"
	Similarity Kind = "similarity"
	Neighbours Kind = "neighbours"
)

// Task is a question that releases know nothing of.
type Task struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	About string `json:"about"`

	set  string // of package dataset
	one  bool   // of a pair, one side alone is private
	k    int    // of neighbours
	main bool   // it counts for the mean
}

// Tasks lists the tasks, the five of the mean first.
func Tasks() []Task {
	classes := func(name, set, about string, main bool) Task {
		return Task{Name: name, Kind: Classes, About: about, set: set, main: main}
	}
	return []Task{
		classes("trec", "trec", "what a question asks for, 6 classes", true),
		classes("sst2", "sst2", "sentiment of sentences about films", true),
		classes("subj", "subj", "subjective or objective sentences", true),
		classes("cr", "cr", "sentiment of sentences about products", true),
		classes("snips", "snips", "intent of a spoken request, 7 classes", true),
		classes("ag", "ag_news_pnet", "topic of a news item, 4 classes", false),
		classes("banking77", "banking77", "intent of a question to a bank, 77 classes", false),
		classes("clinc150", "clinc150", "intent of a request to an assistant, 150 classes", false),
		classes("airline", "airline", "sentiment of a tweet to an airline, 3 classes", false),
		{Name: "stsb-both", Kind: Similarity, About: "similarity of two sentences, both released", set: "stsb"},
		{Name: "stsb-one", Kind: Similarity, About: "similarity of two sentences, one of them released", set: "stsb", one: true},
		{Name: "recall@10", Kind: Neighbours, About: "which 10 texts of clinc150 are nearest", set: "clinc150", k: 10},
		{Name: "recall@100", Kind: Neighbours, About: "which 100 texts of clinc150 are nearest", set: "clinc150", k: 100},
	}
}

// find returns the tasks of those names, all for none, in the order of [Tasks].
func find(names []string) ([]Task, error) {
	all := Tasks()
	known := each(all, func(t Task) string { return t.Name })
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unseen: task is %.40q, must be one of %s%s", name, strings.Join(known, ", "), layout.Hint(name, known))
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(t Task) bool { return !slices.Contains(names, t.Name) }), nil
}

// load reads the set of a task, with the split of a seed.
func (t Task) load(dir string, seed int) (*dataset.Set, error) {
	return dataset.Load(t.set, dataset.Options{Dir: dir, Seed: uint64(seed)})
}

func each[T, U any](of []T, f func(T) U) []U {
	var list []U
	for _, v := range of {
		list = append(list, f(v))
	}
	return list
}
