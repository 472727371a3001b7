package plan

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/learn/train"
)

// Options say how, not what, to plan.
type Options struct {
	Workers int // cores; 0 means all. The result does not depend on it.
	// Rows bounds the rows that the model is trained on, evenly spaced; 0 means
	// [MostRows]. It is said in the notes of the result where it matters.
	Rows int
	Sets *experiment.Sets // if not nil, keeps the data for others that use it
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Event)
}

// MostRows is how many rows a plan trains on where nothing else is said, so that
// it is a matter of seconds.
const MostRows = 30_000

// Event is a step of a plan.
type Event struct {
	Step string  // what is being done
	Done float64 // share of the whole work, from 0 to 1
}

// Shares of the work, roughly, by which a bar moves.
const (
	loadedShare = 0.2
	taughtShare = 0.7
)

// Planner holds data and the model that was trained on it. It is safe for
// concurrent use.
type Planner struct {
	data     *experiment.Prepared
	progress func(Event)
	taught   *train.Taught
	known    *channel.Known
	trained  int              // rows
	labels   [][]float64      // shares of each label's classes in the test part
	groups   []float64        // of the attribute's groups; nil without one
	plain    experiment.Score // of the model itself

	mu   sync.Mutex // guards the rest
	pool *nn.Pool
	seen map[float64]Point
}

// New loads and encodes the data of a spec and trains the model. Of the spec,
// methods, mechanism and ε are those of the plan; others that the method codes
// does not read are refused.
func New(ctx context.Context, s experiment.Spec, o Options) (*Planner, error) {
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if workers < 1 || o.Rows < 0 {
		return nil, fmt.Errorf("plan: workers is %d and rows %d, must be at least 1, or 0 for the default", o.Workers, o.Rows)
	}
	p := &Planner{progress: o.Progress, pool: nn.NewPool(workers), seen: map[float64]Point{}}
	s.Methods, s.Epsilons, s.Seeds = []string{"codes"}, []float64{1}, 1
	s = s.Fresh()
	p.tell("loading", 0)
	var err error
	if p.data, err = experiment.Prepare(ctx, s, experiment.Options{Workers: workers, Sets: o.Sets}); err != nil {
		return nil, err
	}
	h, ok := p.data.Method.(train.Codes)
	if !ok {
		panic("plan: codes are made by another method")
	}
	d := p.data.Data
	d.Train = train.Evenly(d.Train, cmp.Or(o.Rows, MostRows))
	p.trained = len(d.Train)
	p.tell("training", loadedShare)
	p.taught, err = h.Teach(ctx, d, train.Options{Seed: p.data.Spec.FirstSeed, Pool: p.pool, Progress: func(at model.Progress) {
		share := float64(at.Epoch) / float64(max(at.Epochs, 1))
		p.tell(fmt.Sprintf("training, epoch %d of %d", at.Epoch, at.Epochs), loadedShare+share*(taughtShare-loadedShare))
	}})
	if err != nil {
		return nil, err
	}
	return p, p.judge()
}

func (p *Planner) tell(step string, done float64) {
	if p.progress != nil {
		p.progress(Event{step, done})
	}
}

// judge measures the model without protection on the test part.
func (p *Planner) judge() error {
	m, err := p.taught.Plain()
	if err != nil {
		return err
	}
	p.labels, p.groups = p.data.Priors()
	p.plain, p.known, err = p.data.Answers(p.pool, m)
	return err
}

// Grid lists the values of ε of a curve: 32 from 0.25 to 16, or 13 where there
// are so many answers, or so many texts, that each takes seconds.
func (p *Planner) Grid() []float64 {
	answers := 1
	for _, c := range p.data.Labels {
		answers = min(answers*len(c.Classes), channel.MaxAnswers)
	}
	if answers > manyAnswers || answers*p.known.Texts() > manyScores {
		return []float64{0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16}
	}
	var all []float64
	for e := 0.25; e <= 16; {
		all = append(all, e)
		switch {
		case e < 4:
			e += 0.25
		case e < 8:
			e += 0.5
		default:
			e++
		}
	}
	return all
}

const (
	manyAnswers = 128
	manyScores  = 20_000
)

// Curve returns the points of the grid and of further values of ε, in order.
func (p *Planner) Curve(ctx context.Context, more ...float64) ([]Point, error) {
	all := slices.Concat(p.Grid(), more)
	slices.Sort(all)
	all = slices.Compact(all)
	var curve []Point
	for i, e := range all {
		p.tell(fmt.Sprintf("planning ε = %v", e), taughtShare+(1-taughtShare)*float64(i)/float64(len(all)))
		at, err := p.At(ctx, e)
		if err != nil {
			return nil, err
		}
		curve = append(curve, at)
	}
	return curve, nil
}
