//go:build linux

package fortress_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"sotto/promise/dp/dptest"
)

// attack is one row of the table.
type attack struct {
	name  string // what is done
	bound string // what must hold
	try   func(s *scene)
}

// attacks are all of them, in the order of the table. Each group stands in a file
// of its own.
func attacks() []attack {
	var all []attack
	for _, group := range [][]attack{
		oracles, rebindings, oddities, floods, slowClients, calls, rollbacks, crashes, forgeries, writers, databases, untrusted, folders, clocks, signals, roles, production, online, money, strangers, grammatical,
	} {
		all = append(all, group...)
	}
	return all
}

// row is what came of an attack. It is a line of the JSON of SOTTO_ATTACK_JSON.
type row struct {
	Attack   string  `json:"attack"`
	Bound    string  `json:"bound"`
	Measured string  `json:"measured"`
	Verdict  string  `json:"verdict"` // held, FELL, stated or skipped
	Seconds  float64 `json:"seconds"`
}

const (
	held    = "held"
	fell    = "FELL"
	stated  = "stated" // measured, and not promised
	skipped = "skipped"
)

// scene is an attack under way.
type scene struct {
	*testing.T
	full bool // large numbers, and times are judged
	// slowly is of an attack whose bound says nothing of how long others wait.
	slowly bool

	mu       sync.Mutex // guards the rest
	measured []string
	fallen   bool
	only     bool // nothing is promised
	keys     []string
}

// note adds to what was measured.
func (s *scene) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.measured = append(s.measured, fmt.Sprintf(format, args...))
}

// fell says that the bound did not hold.
func (s *scene) fell(format string, args ...any) {
	s.Helper()
	s.note(format, args...)
	s.mu.Lock()
	s.fallen = true
	s.mu.Unlock()
	s.Errorf(format, args...)
}

// judge notes what was measured, and that the bound fell unless it holds.
func (s *scene) judge(holds bool, format string, args ...any) {
	s.Helper()
	if holds {
		s.note(format, args...)
	} else {
		s.fell(format, args...)
	}
}

// state says that what is measured is not promised.
func (s *scene) state() { s.only = true }

// many is how large an attack is: the first number in the whole list, the second
// in plain tests.
func (s *scene) many(full, plain int) int {
	if s.full {
		return full
	}
	return plain
}

// patient skips an attack that is for the most part a long wait, but in the long run.
func (s *scene) patient() {
	s.Helper()
	if !s.full && !dptest.Long() {
		s.Skip("waits for long: SOTTO_LONG=1 runs it")
	}
}

func (s *scene) row(a attack, took time.Duration) row {
	r := row{a.name, a.bound, strings.Join(s.measured, "; "), held, took.Seconds()}
	switch {
	case s.Skipped():
		r.Verdict = skipped
	case s.Failed():
		r.Verdict = fell
		if !s.fallen {
			r.Measured = "the attack could not be carried out: see above"
		}
	case s.only:
		r.Verdict = stated
	}
	return r
}

// rows are those of all attacks that were made, in the order of the table.
var rows struct {
	mu  sync.Mutex
	all []row
}

// TestAttacks makes every attack. SOTTO_ATTACK=full makes them large, one after
// the other.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	full := os.Getenv("SOTTO_ATTACK") == "full"
	all := attacks()
	done := make([]row, len(all))
	t.Run("all", func(t *testing.T) {
		for i, a := range all {
			t.Run(a.name, func(t *testing.T) {
				s := &scene{T: t, full: full}
				if !full {
					t.Parallel()
				}
				began := time.Now()
				defer func() {
					done[i] = s.row(a, time.Since(began))
					if full {
						fmt.Fprintf(os.Stdout, "%-7s %s: %s\n", done[i].Verdict, a.name, done[i].Measured) //nolint:errcheck // progress
					}
				}()
				a.try(s)
			})
		}
	})
	rows.all = done
}

// show writes the table, and the rows as JSON where SOTTO_ATTACK_JSON names a file.
func show(w io.Writer, rows []row) error {
	if path := os.Getenv("SOTTO_ATTACK_JSON"); path != "" {
		content, err := json.MarshalIndent(rows, "", "  ")
		if err == nil {
			err = os.WriteFile(path, append(content, '\n'), 0o644)
		}
		if err != nil {
			return err
		}
	}
	cells := [][]string{{"ATTACK", "BOUND", "MEASURED", ""}}
	count := map[string]int{}
	for _, r := range rows {
		if r.Attack == "" {
			continue // -run left it out
		}
		cells = append(cells, []string{r.Attack, r.Bound, r.Measured, r.Verdict})
		count[r.Verdict]++
	}
	var width [4]int
	for _, line := range cells {
		for i, c := range line {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, line := range cells {
		var b strings.Builder
		for i, c := range line {
			b.WriteString(c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%d attacks: %d held, %d fell, %d stated, %d skipped\n", len(cells)-1, count[held], count[fell], count[stated], count[skipped])
	return err
}
