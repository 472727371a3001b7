package experiment

import (
	"fmt"
	"slices"
	"strings"

	"sotto/mech"
	"sotto/train"
)

// MethodInfo describes a method for help texts.
type MethodInfo struct {
	Name       string
	About      string
	Mechanisms []string // that it can take; the first is its own; none: it takes no mechanism
	Uses       []string // which lists and numbers of a [Spec] it reads, by JSON name
}

// family is a method with the way to make it.
type family struct {
	MethodInfo
	build func(s Spec, p Point) train.Method
}

// families lists the methods in the order in which tables show them. It is a
// function, so that nobody can write to it.
func families() []family {
	network := []string{"dims", "epochs", "batch", "rate", "hidden"}
	with := func(more ...string) []string { return slices.Concat(network, more) }
	within, protocols := mech.Names(mech.Variant.Within), first("bitrr", mech.Names(mech.Variant.Binary))
	return []family{
		{MethodInfo{"auto", "the best release that a search finds at that ε, for one label or several", []string{"codes"}, []string{"epsilons", "epochs", "batch", "rate", "hidden", "reserve"}}, func(s Spec, p Point) train.Method {
			t := s.training(p)
			return train.Auto{Training: t, Epsilon: p.Epsilon}
		}},
		{MethodInfo{"codes", "one of several codes that stand for answers, the best there are for the labels", []string{"codes"}, with("epsilons", "selected", "fair", "reserve")}, func(s Spec, p Point) train.Method {
			t := s.training(Point{standardise: p.standardise})
			c := train.Codes{Training: t, Release: mech.Params{Mechanism: "codes", Epsilon: p.Epsilon, Dim: p.Dim, Selected: s.Selected}, Fair: s.Fair}
			if s.Fair {
				c.Relax = s.Threshold
			}
			return c
		}},
		{MethodInfo{"label", "classified on the trusted side; the answer is released by randomised response", []string{"codes"}, []string{"epsilons", "epochs", "batch", "rate", "hidden"}}, func(s Spec, p Point) train.Method {
			return train.Label{Training: s.training(p), Release: mech.Params{Mechanism: "codes", Epsilon: p.Epsilon}}
		}},
		{MethodInfo{"plain", "the model on the trusted side alone, no protection", nil, []string{"epochs", "batch", "rate", "hidden"}}, func(s Spec, p Point) train.Method {
			return train.Plain{Training: s.training(p)}
		}},
		{MethodInfo{"majority", "always the commonest class", nil, nil}, func(Spec, Point) train.Method { return train.Majority{} }},
		{MethodInfo{"random", "any class with the same probability", nil, nil}, func(Spec, Point) train.Method { return train.Random{} }},
		{MethodInfo{"unconstrained", "encoder and classifier, no protection", nil, network}, func(s Spec, p Point) train.Method {
			return train.Unconstrained{Training: s.training(p)}
		}},
		{MethodInfo{"inlp", "projection on the null space of linear attackers", nil, with("iterations")}, func(s Spec, p Point) train.Method {
			return train.INLP{Training: s.training(p), Iterations: s.Iterations}
		}},
		{MethodInfo{"noise", "a mechanism between encoder and classifier", within, with("epsilons", "delta", "anneal")}, func(s Spec, p Point) train.Method {
			return train.Noise{Training: s.training(p), Release: p.release(s)}
		}},
		{MethodInfo{"dpnr", "robust training on min-max scaled vectors (DPNR)", []string{"dpnr"}, with("epsilons")}, func(s Spec, p Point) train.Method {
			return train.DPNR{Training: s.training(p), Release: p.release(s)}
		}},
		{MethodInfo{"adversarial", "an adversary behind a reversed gradient", nil, with("lambdas")}, func(s Spec, p Point) train.Method {
			return train.Adversarial{Training: s.training(p), Lambda: p.Lambda}
		}},
		{MethodInfo{"multiple", "three adversaries that are kept apart", nil, with("lambdas", "orthogonality")}, func(s Spec, p Point) train.Method {
			return train.Multiple{Training: s.training(p), Lambda: p.Lambda, Orthogonality: s.Orthogonality}
		}},
		{MethodInfo{"federate", "noise and an adversary together (FEDERATE)", within, with("epsilons", "lambdas", "delta")}, func(s Spec, p Point) train.Method {
			return train.Federate{Training: s.training(p), Lambda: p.Lambda, Release: p.release(s)}
		}},
		{MethodInfo{"ldpnn", "a perceptron on randomised bits (LDPNN)", protocols, []string{"epsilons", "lambdas", "bits", "epochs", "batch", "rate", "hidden"}}, func(s Spec, p Point) train.Method {
			return train.LDPNN{Hidden: s.Hidden, Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Release: p.release(s)}
		}},
		{MethodInfo{"privemb", "a linear model on projected noisy vectors (PRIVEMB)", []string{"privemb"}, []string{"epsilons", "dims", "delta", "clip", "epochs", "batch", "rate"}}, func(s Spec, p Point) train.Method {
			return train.PrivEmb{Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Release: p.release(s)}
		}},
	}
}

// first puts the mechanism that a method takes by default before the others.
func first(name string, names []string) []string {
	return append([]string{name}, slices.DeleteFunc(names, func(n string) bool { return n == name })...)
}

// Methods lists the methods.
func Methods() []MethodInfo {
	var infos []MethodInfo
	for _, f := range families() {
		infos = append(infos, f.MethodInfo)
	}
	return infos
}

func methodNames() string {
	var names []string
	for _, f := range families() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func findMethod(name string) (family, error) {
	for _, f := range families() {
		if f.Name == name {
			return f, nil
		}
	}
	return family{}, fmt.Errorf("experiment: method is %q, must be one of %s", name, methodNames())
}

// uses reports whether the method reads a field of a Spec. The λ of ldpnn is
// that of its protocol, if it has one.
func (f family) uses(field, mechanism string) bool {
	if f.Name == "ldpnn" && field == "lambdas" {
		return mech.Uses(mechanism, "lambda")
	}
	return slices.Contains(f.Uses, field)
}

// training returns what the methods that train a network share.
func (s Spec) training(p Point) train.Training {
	return train.Training{
		Shape: s.shape(p.Dim), Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Standardise: p.standardise, Anneal: s.Anneal,
	}
}

// release returns the parameters of the mechanism, but for the width of the
// data, which the method fills in.
func (p Point) release(s Spec) mech.Params {
	m := mech.Params{Mechanism: p.Mechanism, Variant: p.Variant, Epsilon: p.Epsilon, Delta: s.Delta, Bits: s.Bits, Clip: s.Clip}
	if mech.Uses(p.Mechanism, "lambda") {
		m.Lambda = p.Lambda
	}
	if mech.Uses(p.Mechanism, "output_dim") {
		m.OutputDim = p.Dim
	}
	if m.Bits == 0 && p.Method == "noise" { // one that keeps the number of coordinates
		m = m.Within()
	}
	if mech.VariantOf(m).Form == mech.FormCode {
		m.Dim, m.Selected = p.Dim, s.Selected
	}
	return m.Grid()
}
