package mech

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sotto/internal/layout"
)

// Kind is a mechanism as it registers: what others need to know of it, so that
// nobody else has to know its name.
type Kind struct {
	Name     string
	About    string    // one line for help texts
	Variants []Variant // the first is the default
	Takes    []string  // which of dim and delta
	// Own is the zero value of the struct of its own parameters; nil if there
	// are none. Where an input has another number of coordinates than dim says,
	// it has fields input_dim and output_dim.
	Own any
	// New makes it.
	New func(Params) (Mechanism, error)
	// Honest names the mechanism and the variant that keep what this one
	// claims. An absent mechanism means this one, an absent variant the first.
	Honest Params
	// Fit fills in the size that p leaves open, for inputs of that many
	// numbers. Nil sets dim.
	Fit func(p Params, width int) Params
	// Assume fills in sizes where there is no input to take them from. Nil
	// leaves them to Fit.
	Assume func(p Params) Params
	// Grid holds own parameters that a grid of experiments does not say.
	Grid Given
}

// Variant is one form of a mechanism.
type Variant struct {
	Name          string
	Form          Form
	Normalisation Normalisation
}

// Form says what a release is.
type Form string

// The forms of releases.
const (
	FormVector     Form = "vector"     // a noisy copy of the input after its normalisation
	FormProjection Form = "projection" // a noisy copy of a projection of the input
	FormBits       Form = "bits"       // noisy bits of a binary expansion
	FormMarks      Form = "marks"      // noisy bits of which no mean estimates the input
	FormCode       Form = "code"       // one of several codes: 1 in one place and 0 in all others
	FormCell       Form = "cell"       // a vector that stands for one of several public cells
	FormLabel      Form = "label"      // a class, or the number of a cell
	FormSubset     Form = "subset"     // several of the classes: 1 in their places and 0 in all others
)

// Within reports whether the variant can stand within a network: gradients pass,
// and it releases as many numbers as it takes.
func (v Variant) Within() bool { return v.Normalisation != "" }

// Binary reports whether a release is made of zeros and ones, several for each
// number or one.
func (v Variant) Binary() bool { return v.Form == FormBits || v.Form == FormMarks }

// Labels reports whether a release is a class, or several, and no vector.
func (v Variant) Labels() bool { return v.Form == FormLabel || v.Form == FormSubset }

// Normalisation says what is done to an input before noise, so that a network
// can do it too and gradients pass. "" means that the mechanism cannot stand
// within a network.
type Normalisation string

// The normalisations.
const (
	NormaliseL1     Normalisation = "l1"     // divided by the L1 norm
	NormaliseL2     Normalisation = "l2"     // divided by the L2 norm
	NormaliseMinMax Normalisation = "minmax" // scaled to [0, 1] by its least and largest number
	NormaliseRange  Normalisation = "range"  // clipped to ±[Range]
)

// Range is where [NormaliseRange] clips.
const Range = oneHotRange

// kinds is what was registered, in order.
var kinds struct {
	sync.RWMutex
	list []Kind
}

// sharedNames are those of parameters that stand in [Params] itself.
var sharedNames = []string{"mechanism", "variant", "epsilon", "delta", "dim"}

var kindName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Register makes a mechanism known by its name. Programs call it from init. It
// panics if the name is taken or k is incomplete: such a program is wrong.
func Register(k Kind) {
	known := Parameters()
	kinds.Lock()
	defer kinds.Unlock()
	switch {
	case !kindName.MatchString(k.Name):
		panic(fmt.Sprintf("mech: name of a mechanism is %q, must be lower-case letters, digits and hyphens", k.Name))
	case slices.ContainsFunc(kinds.list, func(other Kind) bool { return other.Name == k.Name }):
		panic(fmt.Sprintf("mech: mechanism %s is registered already, must be registered once", k.Name))
	case len(k.Variants) == 0 || k.New == nil || k.About == "":
		panic(fmt.Sprintf("mech: mechanism %s lacks variants, a description or New, must have all three", k.Name))
	}
	for i, v := range k.Variants {
		if v.Name == "" || v.Form == "" || slices.ContainsFunc(k.Variants[:i], func(w Variant) bool { return w.Name == v.Name }) {
			panic(fmt.Sprintf("mech: variant %d of %s is %q with form %q, must have a name of its own and a form", i, k.Name, v.Name, v.Form))
		}
	}
	for _, f := range fieldsOf(k.Own) {
		if f.Name == "" || f.Help == "" || slices.Contains(sharedNames, f.Name) || slices.ContainsFunc(known, func(g Parameter) bool { return g.Name == f.Name && g.Type != f.Type }) {
			panic(fmt.Sprintf("mech: parameter %q of %s is a %v with help %q, must have help, a name that all mechanisms do not share, and the type that others give it", f.Name, k.Name, f.Type, f.Help))
		}
	}
	if k.Fit == nil {
		k.Fit = func(p Params, width int) Params { p.Dim = cmp.Or(p.Dim, width); return p }
	}
	if k.Assume == nil {
		k.Assume = func(p Params) Params { return p }
	}
	k.Honest.Mechanism = cmp.Or(k.Honest.Mechanism, k.Name)
	kinds.list = append(kinds.list, k.clone())
}

// Kinds lists the mechanisms that [New] makes, in the order in which help and
// tables show them.
func Kinds() []Kind {
	kinds.RLock()
	defer kinds.RUnlock()
	var all []Kind
	for _, k := range kinds.list {
		all = append(all, k.clone())
	}
	return all
}

func (k Kind) clone() Kind {
	k.Variants, k.Takes = slices.Clone(k.Variants), slices.Clone(k.Takes)
	return k
}

// Names lists the mechanisms of which a variant has what is asked for.
func Names(has func(Variant) bool) []string {
	var names []string
	for _, k := range Kinds() {
		if slices.ContainsFunc(k.Variants, has) {
			names = append(names, k.Name)
		}
	}
	return names
}

func find(name string) (Kind, error) {
	kinds.RLock()
	defer kinds.RUnlock()
	if i := slices.IndexFunc(kinds.list, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return kinds.list[i], nil
	}
	var names []string
	for _, k := range kinds.list {
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("mech: mechanism is %q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
}

// VariantNames lists the variants, the default first.
func (k Kind) VariantNames() []string {
	var names []string
	for _, v := range k.Variants {
		names = append(names, v.Name)
	}
	return names
}

// unknown stands for a mechanism that did not register. [New] refuses it.
var unknown = Kind{
	Variants: make([]Variant, 1),
	Fit:      func(p Params, _ int) Params { return p },
	Assume:   func(p Params) Params { return p },
}

func kindOf(name string) Kind {
	k, err := find(name)
	if err != nil {
		return unknown
	}
	return k
}

// VariantOf returns the variant that p names: the mechanism's default for none
// or for one that it has not, and nothing for an unknown mechanism. [New]
// refuses both.
func VariantOf(p Params) Variant {
	all := kindOf(p.Mechanism).Variants
	return all[max(0, slices.IndexFunc(all, func(v Variant) bool { return v.Name == p.Variant }))]
}

// Uses reports whether the mechanism of that name takes the parameter with
// that JSON name.
func Uses(mechanism, parameter string) bool { return kindOf(mechanism).uses(parameter) }

func (k Kind) uses(parameter string) bool {
	return slices.Contains(k.Takes, parameter) || slices.ContainsFunc(fieldsOf(k.Own), func(f Parameter) bool { return f.Name == parameter })
}

// Fit fills in the size that p leaves open, for inputs of that many numbers.
func (p Params) Fit(width int) Params { return kindOf(p.Mechanism).Fit(p, width) }

// Assume fills in the sizes that p leaves open and that are not those of an
// input at hand.
func (p Params) Assume() Params { return kindOf(p.Mechanism).Assume(p) }

// Grid fills in what a grid of experiments leaves open.
func (p Params) Grid() Params { return p.With(kindOf(p.Mechanism).Grid) }

// Within returns p in the first variant that can stand within a network, unless
// it names one that can or there is none.
func (p Params) Within() Params {
	all := kindOf(p.Mechanism).Variants
	if i := slices.IndexFunc(all, Variant.Within); i >= 0 && !VariantOf(p).Within() {
		p.Variant = all[i].Name
	}
	return p
}

// Honest names the mechanism and the variant that keep what p claims.
func (p Params) Honest() (mechanism, variant string) {
	honest := kindOf(p.Mechanism).Honest
	return honest.Mechanism, honest.Variant
}

// Twin describes a mechanism that releases the same as p's but for noise too
// small to matter.
func (p Params) Twin() Params {
	if VariantOf(p).Form == FormBits {
		return Params{Mechanism: "bitrr", Variant: Uniform, Dim: p.Dim, Epsilon: MaxEpsilon}.With(Given{"bits": p.Value("bits")})
	}
	p.Epsilon = MaxEpsilon
	return p
}
