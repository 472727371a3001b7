package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/channel"
	"sotto/internal/layout"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
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

	origin    Origin
	reference string // the method without protection that it is judged by; "" means unconstrained
	within    bool   // its mechanism keeps the number of coordinates where that is not said
	together  bool   // an encoder that is tuned is trained together with its network
	// ofMechanism are those of Uses that only a mechanism of that parameter reads.
	ofMechanism []string
}

// Origin says whose a method is.
type Origin string

// The origins. A method that is nobody's, such as always the commonest class, has
// none.
const (
	Published Origin = "published" // by others
	Ours      Origin = "ours"
)

// OriginOf returns the origin of the method of that name, "" if it is not known.
func OriginOf(method string) Origin {
	f, _ := findMethod(method) // the zero family of a name that is not known has none
	return f.origin
}

// families lists the methods in the order in which tables show them. It is a
// function, so that nobody can write to it.
func families() []family {
	layers := []string{"epochs", "batch", "rate", "hidden"}
	network := func(more ...string) []string { return slices.Concat(layers, []string{"dims"}, more) }
	trusted := func(more ...string) []string { return slices.Concat(layers, []string{"epsilons"}, more) }
	codes, within, protocols := []string{"codes"}, mech.Names(mech.Variant.Within), first("bitrr", mech.Names(mech.Variant.Binary))
	return []family{
		{MethodInfo: MethodInfo{"auto", "the model that a search finds best, released as codes, for one label or several", codes, trusted("reserve", "objective", "channel")}, origin: Ours, reference: "plain", build: func(s Spec, p Point) train.Method {
			return train.Auto{Training: s.training(p), Epsilon: p.Epsilon, Channel: channel.Kind(s.Channel), Objective: train.Objective(s.Objective)}
		}},
		{MethodInfo: MethodInfo{"codes", "one of several codes that stand for answers to the labels", codes, trusted("dims", "selected", "fair", "reserve", "objective", "channel")}, origin: Ours, reference: "plain", build: func(s Spec, p Point) train.Method {
			release := mech.Params{Mechanism: "codes", Epsilon: p.Epsilon, Dim: p.Dim, Own: mech.CodesParams{Selected: s.Selected}}
			c := train.Codes{Training: s.training(Point{standardise: p.standardise}), Channel: channel.Kind(s.Channel), Release: release, Fair: s.Fair, Objective: train.Objective(s.Objective)}
			if s.Fair {
				c.Relax = s.Threshold
			}
			return c
		}},
		{MethodInfo: MethodInfo{"label", "classified on the trusted side; the answer is released by randomised response", codes, trusted("objective", "channel")}, reference: "plain", build: func(s Spec, p Point) train.Method {
			return train.Label{Training: s.training(p), Channel: channel.Kind(s.Channel), Release: mech.Params{Mechanism: "codes", Epsilon: p.Epsilon}, Objective: train.Objective(s.Objective)}
		}},
		{MethodInfo: MethodInfo{"plain", "the model on the trusted side alone, no protection", nil, layers}, build: func(s Spec, p Point) train.Method {
			return train.TrustedSide{Training: s.training(p)}
		}},
		{MethodInfo: MethodInfo{"majority", "always the commonest class", nil, nil}, build: func(Spec, Point) train.Method { return train.Majority{} }},
		{MethodInfo: MethodInfo{"random", "any class with the same probability", nil, nil}, build: func(Spec, Point) train.Method { return train.Random{} }},
		{MethodInfo: MethodInfo{"unconstrained", "encoder and classifier, no protection", nil, network()}, build: func(s Spec, p Point) train.Method {
			return train.Unprotected{Training: s.training(p)}
		}},
		{MethodInfo: MethodInfo{"inlp", "projection on the null space of linear attackers", nil, network("iterations")}, origin: Published, build: func(s Spec, p Point) train.Method {
			return train.INLP{Training: s.training(p), Iterations: s.Iterations}
		}},
		{MethodInfo: MethodInfo{"noise", "a mechanism between encoder and classifier", within, network("epsilons", "delta", "anneal")}, within: true, build: func(s Spec, p Point) train.Method {
			return train.Noise{Training: s.training(p), Release: p.release(s)}
		}},
		{MethodInfo: MethodInfo{"dpnr", "robust training on min-max scaled vectors (DPNR)", []string{"dpnr"}, network("epsilons")}, origin: Published, together: true, build: func(s Spec, p Point) train.Method {
			return train.DPNR{Training: s.training(p), Release: p.release(s)}
		}},
		{MethodInfo: MethodInfo{"adversarial", "an adversary behind a reversed gradient", nil, network("lambdas")}, origin: Published, together: true, build: func(s Spec, p Point) train.Method {
			return train.Adversarial{Training: s.training(p), Lambda: p.Lambda}
		}},
		{MethodInfo: MethodInfo{"multiple", "three adversaries that are kept apart", nil, network("lambdas", "orthogonality")}, origin: Published, together: true, build: func(s Spec, p Point) train.Method {
			return train.Multiple{Training: s.training(p), Lambda: p.Lambda, Orthogonality: s.Orthogonality}
		}},
		{MethodInfo: MethodInfo{"federate", "noise and an adversary together (FEDERATE)", within, network("epsilons", "lambdas", "delta")}, origin: Published, together: true, build: func(s Spec, p Point) train.Method {
			return train.Federate{Training: s.training(p), Lambda: p.Lambda, Release: p.release(s)}
		}},
		{MethodInfo: MethodInfo{"ldpnn", "a perceptron on randomised bits (LDPNN)", protocols, trusted("lambdas", "bits")}, origin: Published, ofMechanism: []string{"lambdas"}, build: func(s Spec, p Point) train.Method {
			return train.LDPNN{Hidden: s.Hidden, Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Release: p.release(s)}
		}},
		{MethodInfo: MethodInfo{"privemb", "a linear model on projected noisy vectors (PRIVEMB)", []string{"privemb"}, []string{"epsilons", "dims", "delta", "clip", "epochs", "batch", "rate"}}, origin: Published, build: func(s Spec, p Point) train.Method {
			return train.PrivEmb{Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Release: p.release(s)}
		}},
		{MethodInfo: MethodInfo{"cells", "a linear model on public cells in which texts lie, for labels nobody knew of", []string{"cells"}, trusted("cells")}, origin: Ours, build: func(s Spec, p Point) train.Method {
			return train.Cells{Hidden: s.Hidden, Epochs: s.Epochs, Batch: s.Batch, Rate: s.Rate, Release: p.release(s)}
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

func methodNames() (names []string) {
	for _, f := range families() {
		names = append(names, f.Name)
	}
	return names
}

func findMethod(name string) (family, error) {
	for _, f := range families() {
		if f.Name == name {
			return f, nil
		}
	}
	return family{}, fmt.Errorf("experiment: method is %q, must be one of %s%s", name, strings.Join(methodNames(), ", "), layout.Hint(name, methodNames()))
}

// uses reports whether the method reads a field of a Spec.
func (f family) uses(field, mechanism string) bool {
	switch {
	case field == "mechanism" || field == "variant":
		return f.Mechanisms != nil
	case slices.Contains(f.ofMechanism, field):
		return mech.Uses(mechanism, strings.TrimSuffix(field, "s"))
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
	m := mech.Params{Mechanism: p.Mechanism, Variant: p.Variant, Epsilon: p.Epsilon, Delta: s.Delta}
	given := mech.Given{"bits": s.Bits, "clip": s.Clip}
	if mech.Uses(p.Mechanism, "lambda") {
		given["lambda"] = p.Lambda
	}
	if mech.Uses(p.Mechanism, "output_dim") {
		given["output_dim"] = p.Dim
	}
	if mech.Uses(p.Mechanism, "cells") {
		own, _ := cells.ShippedFor(string(s.Cells), string(cmp.Or(s.Encoder, "default")), p.Epsilon) // companion has refused what is not there
		m.Own = own
	}
	if s.Bits == 0 && p.within {
		m = m.Within()
	}
	if mech.VariantOf(m).Form == mech.FormCode {
		m.Dim, given["selected"] = p.Dim, s.Selected
	}
	return m.With(given).Grid()
}
