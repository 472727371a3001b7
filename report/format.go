package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// none is written where there is no number because it was not measured. What
// cannot be is page.Undefined.
const none = "–"

// foldRows is how many rows a table beside a figure of the same numbers has
// before it is folded altogether.
const foldRows = 16

// cleanLines is page.Clean for text of several lines.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		rest := strings.TrimLeft(l, " ")
		lines[i] = l[:len(l)-len(rest)] + page.Clean(rest, textLength)
	}
	return strings.Join(lines, "\n")
}

// textLength is that to which sentences of results are cut.
const textLength = 600

func nameText(s string) string { return page.Name(s) }
func longText(s string) string { return page.Clean(page.WithoutPaths(s), textLength) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// percent renders a share with two decimals, as the commands print it.
func percent[T ~float64](v T) string { return inPercent(v, 2) }

// atMost renders a share that nothing exceeds, rounded up.
func atMost[T ~float64](v T) string { return evidence.PlainPercent(float64(v)) }

// roughly renders a share with one decimal, for sentences and labels.
func roughly[T ~float64](v T) string { return inPercent(v, 1) }

func inPercent[T ~float64](v T, decimals int) string {
	if !finite(float64(v)) {
		return page.Undefined
	}
	return page.Decimal(100*v, decimals) + " %"
}

// orNone renders v by f, and what was not measured by a dash.
func orNone[T ~float64](f func(T) string, v T) string {
	if !finite(float64(v)) {
		return none
	}
	return f(v)
}

// plusMinus renders a mean with its deviation, if there is one.
func plusMinus(mean, deviation measure.Number, decimals int) string {
	text := page.Decimal(mean, decimals)
	if finite(float64(mean)) && finite(float64(deviation)) {
		text += " ± " + page.Decimal(deviation, decimals)
	}
	return text
}

// percentPlusMinus renders a mean share with its deviation.
func percentPlusMinus(mean, deviation measure.Number) string {
	return orNone(func(v measure.Number) string { return plusMinus(100*v, 100*deviation, 2) + " %" }, mean)
}

// between renders an interval of shares.
func between[T ~float64](low, high T) string {
	if !finite(float64(low)) || !finite(float64(high)) {
		return page.Undefined
	}
	return page.Decimal(100*low, 2) + " to " + percent(high)
}

// holding returns the interval of a value, undefined if one of the three is. It
// holds the value: results of versions that stored percentiles of resamples alone
// may have others.
func holding(value, low, high measure.Number) (from, to float64) {
	if !finite(float64(value)) || !finite(float64(low)) || !finite(float64(high)) {
		return math.NaN(), math.NaN()
	}
	low, high = measure.Holding(value, low, high)
	return float64(low), float64(high)
}

// epsilonText renders an ε with four digits, rounded upwards: what is read of a
// bound is one too.
func epsilonText(e dp.Epsilon) string {
	if !(e >= 0) {
		return page.Undefined
	}
	return evidence.PlainEpsilon(e)
}

// atLeast renders a lower bound of an ε, rounded downwards.
func atLeast(bound float64) string {
	switch {
	case !finite(bound) || bound < 0:
		return epsilonText(dp.Epsilon(bound))
	case bound >= 1000 && bound < 1e9:
		return page.Decimal(math.Floor(bound), 0)
	}
	return dp.Below(bound, 4)
}

// statedText renders an ε that may be missing.
func statedText(e *dp.Epsilon) string {
	if e == nil {
		return none
	}
	return epsilonText(*e)
}

// guaranteeText renders an ε with its unit and δ.
func guaranteeText(e *dp.Epsilon, unit dp.Unit, delta float64) string {
	text := statedText(e)
	if e == nil || *e == dp.Infinite {
		return text
	}
	if delta > 0 {
		text += ", δ = " + strconv.FormatFloat(delta, 'g', 3, 64)
	}
	return text + unitText(unit)
}

// provedText is guaranteeText without the unit that is the common one.
func provedText(e *dp.Epsilon, unit dp.Unit, delta float64) string {
	if unit == dp.Text {
		unit = ""
	}
	return guaranteeText(e, unit, delta)
}

func unitText(unit dp.Unit) string {
	switch unit {
	case dp.Text, dp.Word:
		return " (" + string(unit) + "-level)"
	case dp.Metric:
		return " per unit of distance"
	}
	return ""
}

// digits renders a parameter.
func digits(v float64) string {
	if !finite(v) {
		return page.Undefined
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// timesText renders a factor, nothing if the claim was 0.
func timesText(f float64) string {
	switch {
	case !finite(f):
		return ""
	case f >= 100:
		return " ×" + page.Decimal(f, 0)
	}
	return " ×" + strconv.FormatFloat(f, 'g', 3, 64)
}

// seriesName names the method and mechanism of a configuration.
func seriesName(c *experiment.Configuration) string {
	if c.Mechanism == "" || c.Mechanism == c.Method {
		return nameText(c.Method)
	}
	return nameText(c.Method) + " " + nameText(c.Mechanism)
}

// configurationName names a configuration, apart from its ε.
func configurationName(c *experiment.Configuration) string { return naming{true, true}.of(c) }

// naming says which parameters a name needs.
type naming struct{ lambda, dim bool }

// namingOf leaves out what all configurations have in common.
func namingOf(all []*experiment.Configuration) naming {
	return naming{
		lambda: slices.ContainsFunc(all, func(c *experiment.Configuration) bool { return c.Lambda != all[0].Lambda }),
		dim:    slices.ContainsFunc(all, func(c *experiment.Configuration) bool { return c.Dim != all[0].Dim }),
	}
}

func (n naming) of(c *experiment.Configuration) string {
	name := seriesName(c)
	if v := variantOf(c); v != "" {
		name += " " + v
	}
	if c.Lambda != 0 && n.lambda {
		name += " λ=" + digits(c.Lambda)
	}
	if c.Dim != 0 && n.dim {
		name += fmt.Sprintf(" D=%d", c.Dim)
	}
	return name
}

func variantOf(c *experiment.Configuration) string {
	if c.Statement != nil {
		return nameText(c.Statement.Variant)
	}
	return nameText(c.Variant)
}

// atEpsilon names a configuration with what is true of it.
func (n naming) atEpsilon(c *experiment.Configuration) string {
	name := n.of(c)
	if c.Statement == nil || c.Mean.True == nil {
		return name
	}
	name += ", ε " + epsilonText(*c.Mean.True)
	if !c.Statement.Honest() {
		name += " (claimed " + epsilonText(c.Statement.Claimed) + ")"
	}
	return name
}

// metricText renders a value of a metric: an accuracy as a share in percent,
// any other as it is defined.
func metricText(metric string, v measure.Number) string {
	if metric == "accuracy" {
		return percent(v)
	}
	return page.Decimal(v, 3)
}

// limitText renders what no value of a metric exceeds.
func limitText(metric string, v measure.Number) string {
	if metric == "accuracy" && finite(float64(v)) {
		return atMost(v)
	}
	return metricText(metric, v)
}

// once appends what the list does not have yet.
func once[T comparable](list []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// kept returns the values that are to be kept.
func kept[T any](all []T, keep func(T) bool) []T {
	var some []T
	for _, v := range all {
		if keep(v) {
			some = append(some, v)
		}
	}
	return some
}

// some returns the strings that are not empty.
func some(all ...string) []string { return kept(all, func(s string) bool { return s != "" }) }

// join joins what is not empty with blanks.
func join(parts ...string) string { return strings.Join(some(parts...), " ") }

// entry returns the value of a list that is meant, after adding it if there is
// none.
func entry[T any](list *[]T, meant func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*list, meant)
	if i < 0 {
		i, *list = len(*list), append(*list, fresh)
	}
	return &(*list)[i]
}
