package frontier

import (
	"cmp"
	"fmt"
	"slices"

	"sotto/dataset"
	"sotto/experiment"
)

// job is one experiment: a task, a method, and an ε unless the method protects
// nothing.
type job struct {
	task    Task
	method  Method
	epsilon float64 // 0 if the method is measured once
	spec    experiment.Spec
}

func (j job) name() string {
	if j.epsilon == 0 {
		return j.task.Name + " " + j.method.Name
	}
	return fmt.Sprintf("%s %s ε = %v", j.task.Name, j.method.Name, j.epsilon)
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
		return !slices.Contains(m.Parts, t.Part) || m.protects && !t.attribute() || o.Methods != nil && !slices.Contains(o.Methods, m.Name)
	})
}

// jobs lists the experiments of a task. The answers that ε is split over are
// those of the model without protection, so that they need no experiment of
// their own, but that one.
func (o Options) jobs(t Task) []job {
	var all []job
	add := func(m Method, epsilon float64) { all = append(all, job{t, m, epsilon, o.experiment(t, m, epsilon)}) }
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

// plan lists all experiments, the longest first, so that each share of every
// n-th is about as long as the others.
func (o Options) plan() []job {
	var all []job
	there, _ := o.tasks()
	for _, t := range there {
		all = append(all, o.jobs(t)...)
	}
	slices.SortStableFunc(all, func(a, b job) int { return cmp.Compare(b.method.weight, a.method.weight) })
	return all
}

// share returns the jobs of this process.
func (o Options) share() []job {
	var mine []job
	for i, j := range o.plan() {
		if i%o.Shards == o.Shard-1 {
			mine = append(mine, j)
		}
	}
	return mine
}
