package frontier_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/study/reproduce/frontier"
)

// What was asked for is declared, and nothing else.
func TestDeclaredTasks(t *testing.T) {
	want := map[frontier.Part]string{
		frontier.One:     "adult celeba ag_news_pnet snips imdb amazon yelp blog_industry banking77 clinc150 imdb_reviews dialect_offensive dialect_hate dialect_sentiment",
		frontier.Several: "celeba-5 celeba-10 adult-3 blog_industry-2",
		frontier.Later:   "celeba-later adult-later reviews-later",
	}
	got := map[frontier.Part][]string{}
	for _, task := range frontier.Tasks() {
		got[task.Part] = append(got[task.Part], task.Name)
		info, err := dataset.Find(task.Data, "")
		if err != nil {
			t.Errorf("%s: %v", task.Name, err)
			continue
		}
		for _, label := range slices.Concat(task.Labels, task.Unknown) {
			if !slices.Contains(info.Labels, label) {
				t.Errorf("%s has no label %q", task.Data, label)
			}
		}
		if (task.Part == frontier.One) != (len(task.Labels) == 1 && task.Unknown == nil) && task.Part != frontier.Later {
			t.Errorf("%s has labels %q, want one exactly in part one", task.Name, task.Labels)
		}
		if (task.Part == frontier.Later) != (len(task.Unknown) > 0) {
			t.Errorf("%s has unknown labels %q, want some exactly in the last part", task.Name, task.Unknown)
		}
		if (task.Data == "celeba") != (task.Limit == 20_000) {
			t.Errorf("%s is limited to %d rows, want 20,000 of celeba and all of others", task.Name, task.Limit)
		}
	}
	for part, names := range want {
		if strings.Join(got[part], " ") != names {
			t.Errorf("%s: tasks are %q, want %s", part.About(), got[part], names)
		}
	}
}

func TestDeclaredMethods(t *testing.T) {
	want := map[frontier.Part]string{
		frontier.One:     "plain majority label dpnr federate ldpnn privemb auto codes-fair plain-frozen label-frozen auto-frozen plain-tuned label-tuned auto-tuned",
		frontier.Several: "plain majority split dpnr federate ldpnn privemb auto codes-fair",
		frontier.Later:   "plain label laplace-8 privunit-8 auto auto-25 auto-50",
	}
	for part, names := range want {
		var got []string
		for _, m := range frontier.Methods() {
			if slices.Contains(m.Parts, part) {
				got = append(got, m.Name)
			}
		}
		if strings.Join(got, " ") != names {
			t.Errorf("%s: methods are %q, want %s", part.About(), got, names)
		}
	}
	if got := fmt.Sprint(frontier.Epsilons()); got != "[0.5 1 2 4 8]" {
		t.Errorf("ε = %s, want 0.5, 1, 2, 4 and 8", got)
	}
}

// Every experiment is one that package experiment takes, of one configuration
// and five seeds, or one for each seed where an encoder is tuned, and none is there
// twice.
func TestEveryExperiment(t *testing.T) {
	all := frontier.EveryExperiment()
	// 14 tasks of 2 + 6·5, 4 of 2 + 5·5 with the split among the plain ones, and
	// 3 of 1 + 6·5; fair codes at the 7 tasks of one label and 4 of several that have
	// something to protect; and of the 12 of one label that are texts 1 + 2·5 with a
	// transformer as it comes, and as many for each of five seeds with a tuned one.
	if want := 14*32 + 4*27 + 3*31 + (7+4)*5 + 12*11*(1+5); len(all) != want {
		t.Errorf("there are %d experiments, want %d", len(all), want)
	}
	names, hashes, grids := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range all {
		s, err := e.Spec.Filled(t.Context())
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if seeds := map[bool]int{false: 5, true: 1}[s.Tune]; s.Seeds != seeds {
			t.Errorf("%s has %d seeds, want %d", e.Name, s.Seeds, seeds)
		}
		method, _, _ := strings.Cut(e.Name, " ε = ") // whose grids are as long at every ε
		if !grids[method] {
			grids[method] = true
			if grid, err := s.Grid(t.Context()); err != nil || len(grid) != 1 {
				t.Errorf("%s has %d configurations (%v), want 1", e.Name, len(grid), err)
			}
		}
		if names[e.Name] || hashes[s.Hash()] {
			t.Errorf("%s is there twice", e.Name)
		}
		names[e.Name], hashes[s.Hash()] = true, true
	}
}

// An adversary is trained where there is something to protect, and PRIVEMB's ε
// is halved, since two clipped vectors are up to twice the clip apart.
func TestExperiments(t *testing.T) {
	specs := map[string]frontier.Planned{}
	for _, e := range frontier.EveryExperiment() {
		specs[e.Name] = e
	}
	for name, method := range map[string]string{"adult federate ε = 4": "federate", "snips federate ε = 4": "noise", "blog_industry-2 federate ε = 4": "federate"} {
		if s := specs[name].Spec; len(s.Methods) != 1 || s.Methods[0] != method {
			t.Errorf("%s trains %q, want %s", name, s.Methods, method)
		}
	}
	if s := specs["adult privemb ε = 4"].Spec; s.Clip != 1 || len(s.Epsilons) != 1 || s.Epsilons[0] != 2 {
		t.Errorf("privemb at ε = 4 has clip %v and metric ε %v, want 1 and 2", s.Clip, s.Epsilons)
	}
	if s := specs["celeba-later label ε = 4"].Spec; len(s.Labels) != 1 || len(s.Unknown) != 8 {
		t.Errorf("label RR has labels %q and unknown %q, want the first and the eight others", s.Labels, s.Unknown)
	}
	if s := specs["celeba-5 codes-fair ε = 2"].Spec; !s.Fair || len(s.Methods) != 1 || s.Methods[0] != "codes" || len(s.Labels) != 5 {
		t.Errorf("fair codes are %+v, want codes of five labels", s)
	}
	if s, there := specs["snips codes-fair ε = 2"]; there {
		t.Errorf("where nothing is protected there is %+v, want no fair codes", s)
	}
	if s := specs["reviews-later auto-25 ε = 1"].Spec; s.Reserve != 0.25 {
		t.Errorf("auto-25 reserves %v, want a quarter", s.Reserve)
	}
}

// The shares of all processes are together the whole, each experiment once, and what
// learns from the same tuned encoder is in one share.
func TestShards(t *testing.T) {
	for _, n := range []int{1, 3, 16} {
		whole, err := frontier.Plan(frontier.Options{Store: "x"})
		if err != nil {
			t.Fatal(err)
		}
		times, tuned := map[string]int{}, map[string]int{}
		for i := range n {
			share, err := frontier.Plan(frontier.Options{Store: "x", Shard: i + 1, Shards: n})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range share {
				times[e.Name]++
				key := fmt.Sprint(e.Spec.Data, e.Spec.FirstSeed)
				if other, ok := tuned[key]; e.Spec.Tune && ok && other != i {
					t.Errorf("%s is in share %d of %d, want it in %d with the others of its encoder", e.Name, i+1, n, other+1)
				}
				if e.Spec.Tune {
					tuned[key] = i
				}
			}
		}
		for _, e := range whole {
			if times[e.Name] != 1 {
				t.Errorf("in %d shares %s is computed %d times, want once", n, e.Name, times[e.Name])
			}
		}
		if len(times) != len(whole) || len(whole) < 31 { // those of reviews need no data
			t.Errorf("in %d shares there are %d experiments, want %d", n, len(times), len(whole))
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    frontier.Options
		want string
	}{
		{"no store", frontier.Options{}, "store is empty"},
		{"a task that is not there", frontier.Options{Store: "x", Only: []string{"mnist"}}, `task is "mnist"`},
		{"a method that is not there", frontier.Options{Store: "x", Methods: []string{"luck"}}, `method is "luck"`},
		{"no ε", frontier.Options{Store: "x", Epsilons: []float64{0}}, "epsilon is 0"},
		{"shard 0", frontier.Options{Store: "x", Shards: 4}, "shard is 0 of 4"},
		{"shard 5 of 4", frontier.Options{Store: "x", Shard: 5, Shards: 4}, "shard is 5 of 4"},
		{"negative seeds", frontier.Options{Store: "x", Seeds: -1}, "seeds is -1"},
	} {
		for what, err := range map[string]error{"Compute": frontier.Compute(t.Context(), tt.o), "Collect": collected(t.Context(), tt.o)} {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %s: error %v, want %q", tt.name, what, err, tt.want)
			}
		}
	}
}

func collected(ctx context.Context, o frontier.Options) error {
	_, err := frontier.Collect(ctx, o)
	return err
}
