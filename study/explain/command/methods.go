package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sotto/internal/layout"
	"sotto/study/explain"
	"sotto/study/influence"
	learnt "sotto/study/influence/command"
)

// method is a way to explain, by the name that --method takes.
type method struct {
	name, about string
	flags       []string // of its own
	make        func(ctx context.Context, o *explainOptions, p *asked) (explain.Explainer, error)
}

// methods lists the ways to explain.
func methods() []method {
	of := func(e func(o *explainOptions) explain.Explainer) func(context.Context, *explainOptions, *asked) (explain.Explainer, error) {
		return func(_ context.Context, o *explainOptions, _ *asked) (explain.Explainer, error) { return e(o), nil }
	}
	return []method{
		{"occlusion", "leave out one word at a time", nil, of(func(*explainOptions) explain.Explainer { return explain.Occlusion{} })},
		{"lime", "fit a linear model to the text with words left out at random", []string{"samples", "features", "seed"}, of(func(o *explainOptions) explain.Explainer {
			return explain.LIME{Samples: o.samples, Features: o.features, Seed: o.seed}
		})},
		{"shap", "Shapley values: what a word adds, over all orders", []string{"samples", "exact", "seed"}, of(func(o *explainOptions) explain.Explainer {
			return explain.SHAP{Samples: o.samples, Exact: o.exact, Seed: o.seed}
		})},
		{"gradient", "gradient × input: the slope at the text", nil, of(func(*explainOptions) explain.Explainer { return explain.GradientInput{} })},
		{"ig", "integrated gradients: the slope on the way to the text", []string{"steps"}, of(func(o *explainOptions) explain.Explainer { return explain.Gradients{Steps: o.steps} })},
		{"influence", "what a student says that words do to its teacher (see sotto influence train)", []string{"student"}, student},
	}
}

// student explains by the student of the model that is asked.
func student(ctx context.Context, o *explainOptions, p *asked) (explain.Explainer, error) {
	s := p.student
	if s == nil {
		if p.model == nil {
			return nil, errors.New("--method influence explains the teacher of a student, must be given --model: the folder of a student, or the model that it learnt from")
		}
		var err error
		if s, err = learnt.Open(ctx, o.student, p.model.Folder()); err != nil {
			return nil, err
		}
	}
	return influence.Explainer{Student: s}, nil
}

// findMethod returns the method of a name.
func findMethod(name string) (method, error) {
	var names []string
	for _, m := range methods() {
		if m.name == name {
			return m, nil
		}
		names = append(names, m.name)
	}
	return method{}, fmt.Errorf("--method is %q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
}

// methodNames lists the names for a help text.
func methodNames() string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// methodHelp lists the methods for a help text.
func methodHelp() string {
	var b strings.Builder
	for _, m := range methods() {
		fmt.Fprintf(&b, "  %-10s %s\n", m.name, m.about)
	}
	return b.String()
}
