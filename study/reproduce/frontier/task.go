package frontier

import (
	"slices"

	"sotto/data/dataset"
)

// Part is a kind of task.
type Part string

// The parts of the frontier.
const (
	One     Part = "one"     // one label, known beforehand
	Several Part = "several" // several labels from one release
	Later   Part = "later"   // labels unseen in training
)

// About says what a part is, for headings.
func (p Part) About() string {
	switch p {
	case One:
		return "one label"
	case Several:
		return "several labels from one release"
	case Later:
		return "labels unseen in training"
	}
	return string(p)
}

// Task is a data set with what is wanted of it.
type Task struct {
	Name    string   `json:"name"`
	Part    Part     `json:"part"`
	Data    string   `json:"data"`
	Labels  []string `json:"labels"`            // known in training
	Unknown []string `json:"unknown,omitempty"` // learnt from the releases afterwards
	// Limit bounds the rows to train on, for every method alike; a quarter as
	// many validate and test. 0 takes all.
	Limit int `json:"limit,omitempty"`
}

// celebaRows bounds the rows of CelebA, of which there are 160,000: with all of
// them the five seeds of LDPNN at its published settings, 50 epochs of 32 rows a
// step, would take longer than all other sets together.
const celebaRows = 20_000

// Tasks lists the tasks in the order in which they are shown.
func Tasks() []Task {
	five := []string{"Smiling", "High_Cheekbones", "Attractive", "Heavy_Makeup", "Young"}
	ten := slices.Concat(five, []string{"Big_Nose", "Wavy_Hair", "Oval_Face", "Pointy_Nose", "Mouth_Slightly_Open"})
	return []Task{
		{Name: "adult", Part: One, Data: "adult", Labels: []string{"income"}},
		{Name: "celeba", Part: One, Data: "celeba", Labels: []string{"Smiling"}, Limit: celebaRows},
		{Name: "ag_news_pnet", Part: One, Data: "ag_news_pnet", Labels: []string{"topic"}},
		{Name: "snips", Part: One, Data: "snips", Labels: []string{"intent"}},
		{Name: "imdb", Part: One, Data: "imdb", Labels: []string{"sentiment"}},
		{Name: "amazon", Part: One, Data: "amazon", Labels: []string{"sentiment"}},
		{Name: "yelp", Part: One, Data: "yelp", Labels: []string{"sentiment"}},
		{Name: "blog_industry", Part: One, Data: "blog_industry", Labels: []string{"industry"}},
		{Name: "banking77", Part: One, Data: "banking77", Labels: []string{"intent"}},
		{Name: "clinc150", Part: One, Data: "clinc150", Labels: []string{"intent"}},
		{Name: "imdb_reviews", Part: One, Data: "imdb_reviews", Labels: []string{"sentiment"}},
		{Name: "dialect_offensive", Part: One, Data: "dialect_offensive", Labels: []string{"offensive"}},
		{Name: "dialect_hate", Part: One, Data: "dialect_hate", Labels: []string{"hate"}},
		{Name: "dialect_sentiment", Part: One, Data: "dialect_sentiment", Labels: []string{"sentiment"}},

		{Name: "celeba-5", Part: Several, Data: "celeba", Labels: five, Limit: celebaRows},
		{Name: "celeba-10", Part: Several, Data: "celeba", Labels: ten, Limit: celebaRows},
		{Name: "adult-3", Part: Several, Data: "adult", Labels: []string{"income", "marital-status", "workclass"}},
		{Name: "blog_industry-2", Part: Several, Data: "blog_industry", Labels: []string{"industry", "age_group"}},

		{Name: "celeba-later", Part: Later, Data: "celeba", Labels: five, Unknown: []string{"Wavy_Hair", "Big_Nose", "Wearing_Lipstick", "Bangs"}, Limit: celebaRows},
		{Name: "adult-later", Part: Later, Data: "adult", Labels: []string{"income"}, Unknown: []string{"marital-status", "occupation"}},
		{Name: "reviews-later", Part: Later, Data: "reviews", Labels: []string{"sentiment"}, Unknown: []string{"author"}},
	}
}

// is reports whether a name means the task, or its part.
func (t Task) is(name string) bool { return name == t.Name || name == string(t.Part) }

func taskNames() []string {
	var names []string
	for _, t := range Tasks() {
		names = append(names, t.Name)
	}
	return append(names, string(One), string(Several), string(Later))
}

// texts reports whether the rows are texts, which a transformer needs; else they
// are tables.
func (t Task) texts() bool { return t.Data != "adult" && t.Data != "celeba" }

// attribute reports whether the set has an attribute left to protect, which is
// what an adversary needs.
func (t Task) attribute() bool {
	info, err := dataset.Find(t.Data, "")
	return err == nil && slices.ContainsFunc(info.Attributes, func(name string) bool {
		return !slices.Contains(t.Labels, name) && !slices.Contains(t.Unknown, name)
	})
}
