package learn

import (
	"context"

	"sotto/command/term"
	"sotto/learn/experiment"
)

// Demo runs the demo with stages that differ from base in what is shown, and audits
// with few draws.
func Demo(ctx context.Context, dir string, base experiment.Spec, std term.Streams) error {
	return runDemo(ctx, demoOptions{out: dir, draws: 1500}, base, std)
}

// What the tests look at inside.
const DemoReport = demoReport

var (
	DemoEpsilons = demoEpsilons
	Selected     = selected
)
