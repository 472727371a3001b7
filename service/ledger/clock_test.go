package ledger_test

import (
	"errors"
	"testing"
	"time"

	"sotto/service/ledger"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at is a moment a time after noon on the wall, and another one by the machine.
func at(boot string, wall, since time.Duration) ledger.Moment {
	return ledger.Moment{Wall: noon.Add(wall), Boot: boot, Since: since}
}

func TestCheck(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name string
		now  ledger.Moment
		want error
	}{
		{"time that passes", at("a", 100*day, 100*day), nil},
		{"a step of NTP", at("a", 50*time.Minute, 0), nil},
		{"a day forward", at("a", day, time.Second), ledger.ErrJumped},
		{"a day back", at("a", -day, time.Second), ledger.ErrJumped},
		{"many small steps forward", at("a", day+61*time.Minute, day), ledger.ErrJumped},
		{"standing still", at("a", 0, 61*time.Minute), ledger.ErrJumped},
		{"off for a day", at("b", day, time.Minute), nil},
		{"off for a month", at("b", 30*day, time.Minute), ledger.ErrJumped},
		{"back after a start", at("b", -2*time.Hour, time.Minute), ledger.ErrJumped},
		{"a little back after a start", at("b", -time.Minute, time.Minute), nil},
	} {
		if err := (ledger.ClockLimits{}).Check(at("a", 0, 0), tt.now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	// Without a name, nothing is known of what has passed.
	if err := (ledger.ClockLimits{}).Check(at("", 0, 0), at("", 2*day, 0)); err != nil {
		t.Errorf("moments without a boot: %v", err)
	}
}

func TestNear(t *testing.T) {
	var l ledger.ClockLimits
	if !l.Near(at("a", 0, 0), at("a", 48*time.Hour, 48*time.Hour)) || !l.Near(at("a", 0, 0), at("b", time.Minute, 0)) {
		t.Error("what was confirmed is refused")
	}
	if l.Near(at("a", 0, 0), at("b", 48*time.Hour, 0)) || l.Near(at("a", 0, 0), at("a", 48*time.Hour, 0)) {
		t.Error("another time than the one that was confirmed is taken for it")
	}
}

func TestValidate(t *testing.T) {
	for _, l := range []ledger.ClockLimits{{Jump: -1}, {Jump: time.Millisecond}, {Jump: 2 * time.Hour, Away: time.Hour}} {
		if l.Validate() == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
	if err := (ledger.ClockLimits{}).Validate(); err != nil {
		t.Error(err)
	}
}

// The machine's clocks agree about a moment of this test.
func TestNow(t *testing.T) {
	first := ledger.MachineNow()
	time.Sleep(20 * time.Millisecond)
	second := ledger.MachineNow()
	if first.Boot == "" || first.Boot != second.Boot || second.Since-first.Since < 20*time.Millisecond {
		t.Errorf("%+v, then %+v; want the same boot, 20 ms later", first, second)
	}
	if err := (ledger.ClockLimits{Jump: time.Second}).Check(first, second); err != nil {
		t.Error(err)
	}
	steady := ledger.Steady(func() time.Time { return noon })()
	if err := (ledger.ClockLimits{}).Check(steady, ledger.Steady(func() time.Time { return noon.Add(-1000 * time.Hour) })()); err != nil {
		t.Errorf("a clock that is taken as right: %v", err)
	}
}
