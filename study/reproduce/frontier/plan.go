package frontier

import (
	"cmp"
	"fmt"
	"slices"

	"sotto/data/dataset"
	"sotto/learn/experiment"
)

// job is one experiment: a task, a method, and an ε unless the method protects
// nothing.
type job struct {
	task    Task
	method  Method
	epsilon float64 // 0 if the method is measured once
	seed    uint64  // 0 if it has all seeds
	spec    experiment.Spec
}

func (j job) name() string {
	name := j.task.Name + " " + j.method.Name
	if j.epsilon != 0 {
		name += fmt.Sprintf(" ε = %v", j.epsilon)
	}
	if j.seed != 0 {
		name += fmt.Sprintf(" seed %d", j.seed)
	}
	return name
}

// vectors names what a job learns from if that takes long to make, and so is made
// once for all that need it; "" if it does not.
func (j job) vectors() string {
	switch {
	case j.method.encoder == "":
		return ""
	case j.seed == 0:
		return j.task.Name
	}
	return fmt.Sprintf("%s-%d", j.task.Name, j.seed)
}

// tasks returns what o chooses of the tasks, and the names of those of which
// the data is absent.
func (o Options) tasks() (there []Task, absent []string) {
	for _, t := range Tasks() {
		if o.Only != nil && !slices.ContainsFunc(o.Only, t.is) {
			continue
		}
		if info, err := dataset.Find(t.Data, ""); err != nil || !info.Present {
			absent = append(absent, t.Name)
			continue
		}
		there = append(there, t)
	}
	return there, absent
}

// methods returns what o chooses of the methods that take part at a task.
func (o Options) methods(t Task) []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool {
		return !slices.Contains(m.Parts, t.Part) || m.protects && !t.attribute() || m.encoder != "" && (!t.texts() || o.without) || o.Methods != nil && !slices.Contains(o.Methods, m.Name)
	})
}

// jobs lists the experiments of a task: with a tuned encoder one for each seed, since
// each has an encoder of its own. The answers that ε is split over are
// those of the model without protection, so that they need no experiment of
// their own, but that one.
func (o Options) jobs(t Task) []job {
	var all []job
	add := func(m Method, epsilon float64) {
		j := job{task: t, method: m, epsilon: epsilon, spec: o.experiment(t, m, epsilon)}
		if !j.spec.Tune {
			all = append(all, j)
			return
		}
		for seed := range uint64(o.Seeds) { //nolint:gosec // it is not negative
			j.seed, j.spec.FirstSeed, j.spec.Seeds = seed+1, seed+1, 1
			all = append(all, j)
		}
	}
	methods := o.methods(t)
	plain := slices.ContainsFunc(methods, func(m Method) bool { return m.Name == answered })
	for _, m := range methods {
		switch {
		case m.Name == split && plain:
		case m.Name == split:
			if unprotected, err := findMethod(answered); err == nil {
				add(unprotected, 0)
			}
		case !m.Private:
			add(m, 0)
		default:
			for _, epsilon := range o.Epsilons {
				add(m, epsilon)
			}
		}
	}
	return all
}

// plan lists all experiments, those together that learn from the same vectors, and
// the longest first, so that each share of every n-th is about as long as the
// others.
func (o Options) plan() [][]job {
	var all [][]job
	there, _ := o.tasks()
	for _, t := range there {
		groups := map[string]int{} // place in all, by vectors
		for _, j := range o.jobs(t) {
			if at, ok := groups[j.vectors()]; ok && j.vectors() != "" {
				all[at] = append(all[at], j)
				continue
			}
			groups[j.vectors()] = len(all)
			all = append(all, []job{j})
		}
	}
	slices.SortStableFunc(all, func(a, b []job) int { return cmp.Compare(b[0].method.weight, a[0].method.weight) })
	return all
}

// share returns the jobs of this process.
func (o Options) share() [][]job {
	var mine [][]job
	for i, group := range o.plan() {
		if i%o.Shards == o.Shard-1 {
			mine = append(mine, group)
		}
	}
	return mine
}
