package shares

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/internal/layout"
)

// loaders make the population of each data set.
var loaders = []struct {
	data string
	load func(dir string) (*population, error)
}{{"clinc150", clinc}, {"airline", airline}}

// Names lists the data sets.
func Names() []string {
	var all []string
	for _, l := range loaders {
		all = append(all, l.data)
	}
	return all
}

// load makes the populations that were asked for.
func load(o Options) ([]*population, error) {
	for _, name := range o.Only {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("shares: data set is %q, must be one of %s%s", name, strings.Join(Names(), ", "), layout.Hint(name, Names()))
		}
	}
	var all []*population
	for _, l := range loaders {
		if o.Only != nil && !slices.Contains(o.Only, l.data) {
			continue
		}
		p, err := l.load(cmp.Or(o.Dir, dataset.Dir()))
		if err != nil {
			return nil, err
		}
		p.data = l.data
		all = append(all, p)
	}
	return all, nil
}

// months is how many periods are simulated where the data has none.
const months = 6

// clinc has the intents of CLINC150. The set has as many texts of each and no dates,
// so that shares are simulated: they fall as one over the rank, by an order that a
// seed draws, and four intents rise fourfold over the months while four fall.
func clinc(dir string) (*population, error) {
	set, err := dataset.Load("clinc150", dataset.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	p := &population{about: "intents of what people ask an assistant; shares over six months are simulated"}
	for _, name := range set.Label.Classes {
		if name != "oos" {
			p.answers = append(p.answers, name)
		}
	}
	const movers, times = 4, 4
	rank := weakrand.New(weakrand.NewPCG(150, 1)).Perm(len(p.answers))
	for t := range months {
		p.period = append(p.period, fmt.Sprintf("month %d", t+1))
		shares := make([]float64, len(p.answers))
		by := math.Pow(times, float64(t)/(months-1))
		for a, r := range rank {
			shares[a] = 1 / float64(r+10)
			switch {
			case r < movers:
				shares[a] /= by
			case r < 2*movers:
				shares[a] *= by
			}
		}
		p.truth = append(p.truth, scaled(shares))
	}
	return p, nil
}

// scaled divides numbers by their sum.
func scaled(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	for i := range v {
		v[i] /= sum
	}
	return v
}

// leastTweets is how many tweets a day must have to count as a period.
const leastTweets = 500

// airline has the reasons that annotators gave for each complaint in tweets to
// airlines, and none for other tweets. Periods are the days of the data, with the
// shares that they really have.
func airline(dir string) (_ *population, err error) {
	path := filepath.Join(dir, "airline", "Tweets.csv")
	if _, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
	}
	in, err := table.Open(path, table.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err = in.Select("negativereason", "tweet_created"); err != nil {
		return nil, err
	}
	const none = "no complaint"
	days, reasons := map[string]map[string]float64{}, map[string]bool{}
	for {
		row, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		reason, day := cmp.Or(row[0].Text, none), strings.SplitN(row[1].Text, " ", 2)[0]
		if days[day] == nil {
			days[day] = map[string]float64{}
		}
		days[day][reason]++
		reasons[reason] = true
	}
	p := &population{about: "reasons of complaints in tweets to airlines; shares are those of each day", answers: slices.Sorted(maps.Keys(reasons))}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		n, shares := 0.0, make([]float64, len(p.answers))
		for a, reason := range p.answers {
			shares[a] = days[day][reason]
			n += shares[a]
		}
		if n >= leastTweets {
			p.period, p.truth = append(p.period, day), append(p.truth, scaled(shares))
		}
	}
	if len(p.period) < 2 || len(p.answers) < 2 {
		return nil, fmt.Errorf("shares: airline has %d days and %d reasons, must have at least two of each", len(p.period), len(p.answers))
	}
	return p, nil
}
