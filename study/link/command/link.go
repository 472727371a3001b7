// Package link holds the command link, which decides who is the same and says why.
package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/study/link"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{term.Group(
		&cobra.Command{Use: "link", Short: "Decide which records or mentions are one and the same, and say why"},
		newGraph(std), newExplain(std), newRecords(std), newMentions(std))}
}

// graphFlags say what graph is divided, and how long it may take.
type graphFlags struct {
	edges, must, cannot string
	decisions           string
	unknown             string
	penalty             float64
	options             link.Options
}

func (o *graphFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&o.edges, "edges", "", "file of scored pairs, with the columns i, j and weight, or i, j and probability")
	fs.StringVar(&o.unknown, "unknown", string(link.Forbidden), "what a pair without a score costs inside a cluster: forbidden, neutral (nothing) or penalty")
	fs.Float64Var(&o.penalty, "penalty", 0, "cost of a pair without a score, with --unknown penalty (default: none)")
	fs.StringVar(&o.must, "must", "", "file of pairs that must share a cluster, with the columns i and j")
	fs.StringVar(&o.cannot, "cannot", "", "file of pairs that must not share a cluster, with the columns i and j")
	fs.StringVar(&o.decisions, "decisions", "", "file of pairs that a person decided, as sotto studio exports it, with the columns i, j and decision: same or apart")
	fs.Int64Var(&o.options.Work, "work", 0, "most steps of the search of each component, which end it alike on every machine (default 2e9, some twenty seconds)")
	fs.DurationVar(&o.options.Limit, "limit", 0, "time after which the best division found is printed, with its proven gap (default: none)")
	fs.IntVar(&o.options.Workers, "workers", 0, "components that are searched at once (default: one for each core)")
}

// read reads the graph, the truth about it if a file of it is named, which may have
// nodes without an edge, and then what the other flags say of it.
func (o *graphFlags) read(truthFile string) (f *link.GraphFile, g link.Graph, truth *link.Truth, err error) {
	if o.edges == "" {
		return nil, g, nil, errors.New("want --edges, a file with the columns i, j and weight")
	}
	if f, err = link.ReadEdges(o.edges); err != nil {
		return nil, g, nil, err
	}
	if truthFile != "" {
		if truth, err = f.Truth(truthFile); err != nil {
			return nil, g, nil, err
		}
	}
	g, err = o.settle(f)
	return f, g, truth, err
}

// settle returns the graph with what the other flags say of it. It must be called
// when all nodes are known.
func (o *graphFlags) settle(f *link.GraphFile) (g link.Graph, err error) {
	g = f.Graph()
	g.Unknown, g.Penalty = link.Unknown(o.unknown), o.penalty
	if g.Unknown == "" {
		return g, fmt.Errorf("--unknown is empty, must be one of %v", link.Unknowns())
	}
	if o.must != "" {
		if g.Must, err = f.Pairs(o.must); err != nil {
			return g, err
		}
	}
	if o.cannot != "" {
		if g.Cannot, err = f.Pairs(o.cannot); err != nil {
			return g, err
		}
	}
	if o.decisions != "" {
		must, cannot, err := f.Decisions(o.decisions)
		if err != nil {
			return g, err
		}
		g.Must, g.Cannot = append(g.Must, must...), append(g.Cannot, cannot...)
	}
	return g, g.Validate()
}

// solve divides a graph by some way, with a line of progress, and says how many
// seconds it took.
func (o *graphFlags) solve(ctx context.Context, to io.Writer, way func(context.Context, link.Options) error) (float64, error) {
	bar := term.NewProgress(to, "dividing")
	defer bar.Finish()
	p := o.options
	p.Progress = func(done, total int) { bar.Set(int64(done), int64(total)) }
	begun := time.Now()
	err := way(ctx, p)
	return time.Since(begun).Seconds(), err
}
