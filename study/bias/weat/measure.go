package weat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"sotto/internal/layout"
	"sotto/study/bias"
)

// Measure is how near two words are. Its value is its name.
type Measure string

// The measures in use. All but the first are distances: the nearer, the
// smaller.
const (
	Cosine    Measure = "cosine"
	Euclidean Measure = "euclidean"
	Manhattan Measure = "manhattan"
	// Mahalanobis is √((w−a)ᵀΣ⁻¹(w−a)), with the covariance of the attribute set
	// that a is from. Where two sets differ in scale, that difference rules the
	// association and the statistic hardly matters; Options.Pooled avoids it.
	Mahalanobis Measure = "mahalanobis"
)

// Measures lists the measures.
func Measures() []Measure { return []Measure{Cosine, Euclidean, Manhattan, Mahalanobis} }

// ParseMeasure returns the measure with the given name.
func ParseMeasure(name string) (Measure, error) { return parse("measure", name, Measures()...) }

// parse finds a value by its name, in whichever letters.
func parse[T ~string](what, name string, all ...T) (T, error) {
	i := slices.IndexFunc(all, func(v T) bool { return strings.EqualFold(name, string(v)) })
	if i < 0 {
		known := make([]string, len(all))
		for k, v := range all {
			known[k] = string(v)
		}
		return "", fmt.Errorf("weat: %s is %.40q, must be one of %s%s", what, name, strings.Join(known, ", "), layout.Hint(name, known))
	}
	return all[i], nil
}

// ParseMeasures returns the measures with the given names, each once; "all"
// alone stands for all.
func ParseMeasures(names []string) ([]Measure, error) {
	if slices.Equal(names, []string{"all"}) {
		return Measures(), nil
	}
	return parseEach(names, ParseMeasure)
}

// ParseStatistics returns the statistics with the given names, as ParseMeasures
// does.
func ParseStatistics(names []string) ([]Statistic, error) {
	if slices.Equal(names, []string{"all"}) {
		return Statistics(), nil
	}
	return parseEach(names, ParseStatistic)
}

func parseEach[S ~string, T comparable](names []S, parse func(string) (T, error)) ([]T, error) {
	var some []T
	for _, name := range names {
		v, err := parse(string(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(some, v) {
			some = append(some, v)
		}
	}
	return some, nil
}

// sign is 1 if nearer means greater and −1 if it means smaller.
func (m Measure) sign() float64 {
	if m == Cosine {
		return 1
	}
	return -1
}

// Covariance is how the covariance of an attribute set is estimated. Its value
// is its name.
type Covariance string

// The estimates in use; see [PrecisionLedoitWolf] and [PrecisionGraphicalLasso].
const (
	LedoitWolf     Covariance = "ledoit-wolf"
	GraphicalLasso Covariance = "glasso"
)

// ParseCovariance returns the estimate with the given name.
func ParseCovariance(name string) (Covariance, error) {
	return parse("covariance", name, LedoitWolf, GraphicalLasso)
}

// near holds the nearness of each target word, X before Y, to each attribute.
type near struct{ a, b [][]float64 }

// compare measures the targets against both attribute sets.
func (s *sample) compare(ctx context.Context, m Measure, o Options) (near, error) {
	switch m {
	case Cosine:
		targets := units(s.targets)
		return near{between(targets, units(s.a), floats.Dot), between(targets, units(s.b), floats.Dot)}, nil
	case Mahalanobis:
		return s.mahalanobis(ctx, o)
	default:
		norm := map[Measure]float64{Euclidean: 2, Manhattan: 1}[m]
		distance := func(x, y []float64) float64 { return floats.Distance(x, y, norm) }
		return near{between(s.targets, s.a, distance), between(s.targets, s.b, distance)}, nil
	}
}

// mahalanobis measures Euclidean distances between words that are whitened by
// the covariance of the attribute set, or of both together.
func (s *sample) mahalanobis(ctx context.Context, o Options) (near, error) {
	groups := [][][]float64{s.moreA}
	if o.Pooled {
		groups = append(groups, s.moreB)
	}
	byA, err := estimate(ctx, o.Covariance, groups...)
	byB := byA
	if err == nil && !o.Pooled {
		byB, err = estimate(ctx, o.Covariance, s.moreB)
	}
	if err != nil {
		return near{}, err
	}
	euclidean := func(x, y []float64) float64 { return floats.Distance(x, y, 2) }
	return near{
		between(whiten(byA, s.targets), whiten(byA, s.a), euclidean), between(whiten(byB, s.targets), whiten(byB, s.b), euclidean),
	}, nil
}

// estimate returns what whitens vectors by the covariance within the groups,
// each about its own mean.
func estimate(ctx context.Context, c Covariance, groups ...[][]float64) (Whitener, error) {
	rows := Centre(groups...)
	if c == GraphicalLasso {
		return GraphicalLassoCV(ctx, rows, CV{})
	}
	return PrecisionLedoitWolf(rows)
}

func whiten(w Whitener, rows [][]float64) [][]float64 {
	white := make([][]float64, len(rows))
	for i, r := range rows {
		white[i] = make([]float64, len(r))
		w.Whiten(white[i], r)
	}
	return white
}

// between applies f to each pair.
func between(rows, columns [][]float64, f func(x, y []float64) float64) [][]float64 {
	all := make([][]float64, len(rows))
	for i, x := range rows {
		all[i] = make([]float64, len(columns))
		for j, y := range columns {
			all[i][j] = f(x, y)
		}
	}
	return all
}

// units divides each row, none of which is zero, by its length.
func units(rows [][]float64) [][]float64 {
	all := make([][]float64, len(rows))
	for i, r := range rows {
		all[i] = slices.Clone(r)
		bias.Normalise(all[i])
	}
	return all
}
