package plan

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"sotto/promise/dp"
)

// Use is how often texts of one user are released. The zero value says nothing
// of it.
type Use struct {
	TextsPerDay int
	Days        int     // 0 means 30
	Daily       float64 // ε that a user may spend in a day; 0 says nothing of it
	Delta       float64 // of the optimal composition; 0 means 1e-6
}

// Budget is what releases of one user at one ε come to. Texts are counted that
// differ: the gateway gives the same text of a user the same release, which costs
// nothing the second time.
type Budget struct {
	Epsilon     float64 `json:"epsilon"` // of each release
	Delta       float64 `json:"delta"`   // of the optimal composition
	TextsPerDay int     `json:"texts_per_day,omitempty"`
	Days        int     `json:"days,omitempty"`
	// Day and Period are what a user's releases of a day, and of all days,
	// promise together.
	Day    *Spent `json:"day,omitempty"`
	Period *Spent `json:"period,omitempty"`
	// Daily is a daily ε, and Affords how many texts a day it pays for.
	Daily   float64 `json:"daily_epsilon,omitempty"`
	Affords *Count  `json:"affords,omitempty"`
}

// Spent is an ε of several releases together: their sum, which holds with δ = 0,
// and the least that is true at the δ of the budget.
type Spent struct {
	Releases int        `json:"releases"`
	Basic    dp.Epsilon `json:"basic"`
	Optimal  dp.Epsilon `json:"optimal"`
	// Assumptions are those of Optimal.
	Assumptions []string `json:"assumptions,omitempty"`
}

// Count is a number of releases, by the sum and by the optimal composition.
type Count struct {
	Basic   int `json:"basic"`
	Optimal int `json:"optimal"`
}

const (
	standardDays  = 30
	standardDelta = 1e-6
	mostReleases  = 1_000_000   // that are composed
	rounding      = 1 + 0x1p-40 // which the ledger allows, too
)

func (u Use) validate() error {
	switch days := u.days(); {
	case u.TextsPerDay < 0 || u.TextsPerDay > mostReleases:
		return fmt.Errorf("plan: texts per day is %d, must be from 1 to %d", u.TextsPerDay, mostReleases)
	case u.Days < 0 || days > mostReleases/max(u.TextsPerDay, 1):
		return fmt.Errorf("plan: days is %d, must be positive and with %d texts a day at most %d", u.Days, u.TextsPerDay, mostReleases/max(u.TextsPerDay, 1))
	case !(u.Daily >= 0 && u.Daily <= 1e6):
		return fmt.Errorf("plan: daily ε is %v, must be positive and at most 1e6", u.Daily)
	case !(u.Delta >= 0 && u.Delta < 1):
		return fmt.Errorf("plan: delta is %v, must be positive and below 1", u.Delta)
	case u.Days > 0 && u.TextsPerDay == 0:
		return errors.New("plan: days are given without texts per day, must be both")
	}
	return nil
}

func (u Use) days() int {
	if u.Days == 0 {
		return standardDays
	}
	return u.Days
}

func (u Use) delta() float64 {
	if u.Delta == 0 {
		return standardDelta
	}
	return u.Delta
}

// each returns the most ε, to a hundredth, that each of a day's texts may have
// so that together they stay within the daily ε; false if the use does not say
// both, or if even a hundredth is too much.
func (u Use) each() (float64, bool) {
	if u.TextsPerDay == 0 || u.Daily == 0 {
		return 0, false
	}
	most := int(math.Min(u.Daily, MostEpsilon) * steps)
	above := sort.Search(most, func(i int) bool { // the first that is too much
		spent, err := u.compose(dp.Epsilon(float64(i+1)/steps), u.TextsPerDay)
		return err != nil || !(float64(spent.Optimal) <= u.Daily*rounding)
	})
	return float64(above) / steps, above > 0
}

// compose returns what so many releases promise together.
func (u Use) compose(epsilon dp.Epsilon, releases int) (Spent, error) {
	part := dp.Repeated{Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: epsilon}, Times: releases}
	basic, err := dp.ComposeAt(0, part)
	if err != nil {
		return Spent{}, err
	}
	optimal, err := dp.ComposeAt(u.delta(), part)
	return Spent{releases, basic.Epsilon, optimal.Epsilon, optimal.Assumptions}, err
}

// budgets says what the use comes to at the proved ε of each point; none if
// nothing was said of the use.
func (u Use) budgets(points []Point) ([]Budget, error) {
	if u.TextsPerDay == 0 && u.Daily == 0 {
		return nil, nil
	}
	var all []Budget
	for _, at := range points {
		b := Budget{Epsilon: at.Epsilon, Delta: u.delta(), TextsPerDay: u.TextsPerDay, Daily: u.Daily}
		if u.TextsPerDay > 0 {
			b.Days = u.days()
			day, err := u.compose(at.True, u.TextsPerDay)
			if err != nil {
				return nil, err
			}
			period, err := u.compose(at.True, u.TextsPerDay*b.Days)
			if err != nil {
				return nil, err
			}
			b.Day, b.Period = &day, &period
		}
		if u.Daily > 0 {
			b.Affords = &Count{u.affords(at.True, func(s Spent) dp.Epsilon { return s.Basic }), u.affords(at.True, func(s Spent) dp.Epsilon { return s.Optimal })}
		}
		all = append(all, b)
	}
	return all, nil
}

// affords returns how many releases stay within the daily ε, up to a million.
func (u Use) affords(epsilon dp.Epsilon, of func(Spent) dp.Epsilon) int {
	return sort.Search(mostReleases, func(i int) bool {
		s, err := u.compose(epsilon, i+1)
		return err != nil || !(float64(of(s)) <= u.Daily*rounding)
	})
}
