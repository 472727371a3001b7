package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/text/encode/bert/tune"
)

// Options say how, not what, to run.
type Options struct {
	Out     string // folder of models and results; "" keeps nothing
	Resume  bool   // go on with what Out holds
	Workers int    // how many cores; 0 means all. Results do not depend on it.
	// Pictures is how many texts to lay out in the plane, before release and
	// after; 0 makes no pictures.
	Pictures int
	// Reference also trains the model without protection beside a single
	// configuration whose score does not need it, so that [Headline] has it.
	Reference bool
	// Sets, if not nil, keeps the data for others that use it.
	Sets *Sets
	// Encoders is a folder of tuned encoders that experiments share: one that is there
	// is not tuned again, and what is unfinished goes on. The models in Out then have
	// no encoder beside them. "" keeps each encoder in Out.
	Encoders string
	// Notes, if not nil, is called once before anything is trained, with what a
	// person should know of the data and the spec; the result has it, too.
	Notes func(notes []string)
	// Progress, if not nil, is called after each epoch, from several
	// goroutines but never from two at a time.
	Progress func(Event)
}

// Event is a step of one training.
type Event struct {
	Job string // configuration and seed
	At  model.Progress
	// Trial is what a search has just tried, in place of At; nil in a training.
	Trial *train.Trial
	// Tuning is where the training of the encoder stands, in place of At, with Done
	// the share of that; nil in whatever comes behind it.
	Tuning *tune.Progress
	Done   float64 // share of the whole work, from 0 to 1
}

// job is one configuration with one seed.
type job struct {
	name   string // configuration and seed, fit for a file
	folder string // of its model, below that of the result
	point  Point
	seed   uint64
	config int // place in Result.Configurations; −1 for the reference
	// encoder is the folder of the encoder that was tuned for it, below that of the
	// result; "" where none is tuned.
	encoder string
	*setup
}

// setup is what is fitted with each seed of a configuration.
type setup struct {
	method  train.Method
	fitting *train.Fitting
	found   *train.Found // where the method of the configuration has searched for this one
}

// use makes a method the one that is fitted, or lets it refuse its settings and
// the data.
func (s *setup) use(m train.Method, d train.Data) error {
	f, err := m.Prepare(d)
	s.method, s.fitting = m, f
	return err
}

// runner holds what the jobs of one Run share.
type runner struct {
	spec   Spec
	opt    Options
	data   *TrainingSet // as the first encoder shows it, which is that of the first job
	scorer *scorer
	store  store
	sketch *sketch
	tuned  *TunedEncoders // nil where none are
	taught *train.Teachers

	mu       sync.Mutex // guards the rest
	progress map[string]float64
	jobs     int
	result   *Result
}

// ErrInterrupted is wrapped by the error of a Run that ctx ended. Its Result
// then holds what was trained so far.
var ErrInterrupted = errors.New("experiment: interrupted")

// ErrFailed is wrapped by the error of a Run in which a training came to
// nothing. Its Result holds the others, and says which failed and why.
var ErrFailed = errors.New("experiment: a training failed")

// Run trains and measures every configuration of a spec. If ctx ends, it
// returns what there is with an error wrapping [ErrInterrupted], and if a
// training fails, the others with an error wrapping [ErrFailed].
func Run(ctx context.Context, s Spec, o Options) (*Result, error) {
	s, err := s.Filled(ctx)
	if err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Workers < 1 {
		return nil, fmt.Errorf("experiment: workers is %d, must be at least 1", o.Workers)
	}
	if o.Pictures < 0 || o.Pictures > measure.MaxPlaneRows {
		return nil, fmt.Errorf("experiment: pictures is %d, must be between 0 and %d", o.Pictures, measure.MaxPlaneRows)
	}
	st, err := openStore(o.Out, s, o.Resume)
	if err != nil {
		return nil, err
	}
	r := &runner{spec: s, opt: o, store: st, taught: &train.Teachers{}}
	if o.Sets != nil {
		r.taught = &o.Sets.Teachers
	}
	defer func() { r.tuned.Close() }()
	d, err := r.load(ctx, true)
	if err != nil {
		return nil, err
	}
	if d.Record.File != nil {
		s.In = "" // from here on the data is known by its hash
		st.id += " " + d.Record.Hash
	}
	r.spec, r.store, r.data, r.scorer, r.sketch, r.progress = s, st, d, newScorer(d), newSketch(d, o.Pictures, s.FirstSeed), map[string]float64{}
	r.result = &Result{
		Format: ResultsFormat, Spec: s, Data: d.Record, Notes: append(slices.Clone(d.Notes), remarks(s.Epsilons)...), Priors: r.scorer.labels[0], MorePriors: r.scorer.labels[1:], Reference: measure.Undefined,
		Rows: Rows{len(d.Train), len(d.Validation), len(d.Test)},
	}
	jobs, err := r.plan()
	if err != nil {
		return nil, err
	}
	if err = st.begin(s); err == nil && !s.Tune {
		r.result.Notes, err = CarryTuned(r.result.Notes, string(d.Record.Encoder), string(s.Encoder), st.dir)
	}
	if err != nil {
		return nil, err
	}
	if o.Notes != nil {
		o.Notes(r.result.Notes)
	}
	began := time.Now()
	if err = r.search(ctx, jobs); err == nil {
		err = r.all(ctx, jobs)
	}
	if err != nil && !errors.Is(err, ErrInterrupted) {
		return nil, err
	}
	r.conclude()
	if err == nil {
		r.frontier(jobs, time.Since(began))
		r.headline(ctx)
		if ctx.Err() != nil { // in the middle of computing the limit
			r.result.Frontier, r.result.Headline, r.result.Interrupted = nil, nil, true
			err = fmt.Errorf("%w: %w", ErrInterrupted, ctx.Err())
		}
	}
	if err == nil {
		r.result.Pictures, err = r.sketch.draw(ctx, nn.NewPool(o.Workers), r.result.Configurations)
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ErrInterrupted, err)
		} else if err != nil {
			return nil, err
		}
	}
	for _, f := range r.result.Failed {
		err = errors.Join(err, fmt.Errorf("%w: %s: %s", ErrFailed, f.Job, f.Reason))
	}
	return r.result, errors.Join(err, st.finish(r.result))
}

// plan lists the jobs: the reference first, since the scores of what is
// private need it. Every method refuses its settings and the data before anything
// is trained.
func (r *runner) plan() ([]job, error) {
	points, err := r.spec.points()
	if err != nil {
		return nil, err
	}
	var jobs []job
	if slices.ContainsFunc(points, func(p Point) bool { return p.Mechanism != "" }) || r.opt.Reference && len(points) == 1 && !protectsNothing(points[0].Method) {
		// What the spec says of layers, batches and rates is meant for the methods
		// that it names, not for the reference.
		name := r.spec.referenceMethod()
		set, err := r.prepare(Spec{Data: r.spec.Data, Epochs: r.spec.Epochs}, Point{Method: name})
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job{ReferenceDir, ReferenceDir, Point{Method: name}, r.spec.FirstSeed, -1, r.encoderOf(Point{Method: name}, r.spec.FirstSeed), set})
	}
	for i, p := range points {
		set, err := r.prepare(r.spec, p)
		if err != nil {
			return nil, err
		}
		c := Configuration{Point: p, Seeds: make([]Score, r.spec.Seeds)}
		if len(points) > 1 {
			c.Folder = p.Name()
		}
		r.result.Configurations = append(r.result.Configurations, c)
		for seed := r.spec.FirstSeed; seed < r.spec.FirstSeed+uint64(r.spec.Seeds); seed++ {
			name := fmt.Sprintf("%s-seed-%d", p.Name(), seed)
			jobs = append(jobs, job{name, filepath.Join(c.Folder, fmt.Sprintf("seed-%d", seed)), p, seed, i, r.encoderOf(p, seed), set})
		}
	}
	r.jobs = len(jobs)
	return jobs, nil
}

// prepare makes the method of a point.
func (r *runner) prepare(s Spec, p Point) (*setup, error) {
	f, err := findMethod(p.Method)
	if err != nil {
		return nil, err
	}
	p.standardise = r.data.Standardise
	set := &setup{}
	d := r.data.Data
	d.Start = nil // which is that of one configuration
	if err := set.use(f.build(s, p), d); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name(), err)
	}
	return set, nil
}

// all runs the reference on every core, and then as many jobs side by side as
// there are cores, each on its share of them.
func (r *runner) all(ctx context.Context, jobs []job) error {
	if jobs[0].config < 0 {
		if err := r.run(ctx, jobs[0], nn.NewPool(r.opt.Workers)); err != nil {
			return err
		}
		jobs = jobs[1:]
	}
	side := min(r.opt.Workers, len(jobs))
	pools := make(chan *nn.Pool, side)
	for range side {
		pools <- nn.NewPool(r.opt.Workers / side)
	}
	errs := make([]error, len(jobs))
	group, ctx := errgroup.WithContext(ctx) // after an error the others stop, and keep what they have
	group.SetLimit(side)
	for i, j := range jobs {
		group.Go(func() error {
			pool := <-pools
			defer func() { pools <- pool }()
			if i >= side && ctx.Err() != nil {
				errs[i] = fmt.Errorf("%w: %w", ErrInterrupted, ctx.Err())
			} else {
				errs[i] = r.run(ctx, j, pool)
			}
			return errs[i]
		})
	}
	err := group.Wait()
	for _, each := range errs {
		if each != nil && !errors.Is(each, ErrInterrupted) {
			return each // why the others were interrupted
		}
	}
	return err
}

// run trains and measures one job, unless a finished model is there. If ctx
// ends, what there is of it is kept, with what is needed to go on.
func (r *runner) run(ctx context.Context, j job, pool *nn.Pool) error {
	began, seconds := time.Now(), measure.Undefined
	d, fitting, err := r.see(ctx, j)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	} else if err != nil {
		return r.fail(j, err)
	}
	if r.tuned != nil {
		defer r.tuned.Used(j.encoder)
	}
	m, found := r.store.finished(j.folder, r.manifest(j, d, Score{}))
	var state *train.State
	var stopped error // by ctx
	if !found {
		var borrowed time.Duration
		if m, state, err = r.fit(ctx, j, fitting, pool, &borrowed); err != nil && ctx.Err() == nil {
			return r.fail(j, err)
		}
		stopped, seconds = err, measure.Number((time.Since(began) + borrowed).Seconds())
	}
	trained := stopped == nil
	if m != nil {
		score, err := r.scorer.score(ctx, pool, m, d.X, j.seed, trained && j.config >= 0)
		if err != nil && ctx.Err() != nil {
			stopped = err
			score, err = r.scorer.score(ctx, pool, m, d.X, j.seed, false)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		score.Seconds, score.Interrupted = seconds, stopped != nil
		told := score.Score
		if trained && stopped != nil {
			told = Score{} // it is yet to be measured
		}
		info := r.manifest(j, d, told)
		info.Interrupted = !trained
		if !found || stopped == nil {
			if err := r.store.saveModel(j.folder, m, info, d.Saw); err != nil {
				return err
			}
		}
		r.record(j, m, score, pool)
	}
	if !trained {
		if err := r.store.saveState(j.name, state); err != nil {
			return fmt.Errorf("%s was stopped and its state is lost: %w", j.name, err)
		}
	} else if err := r.store.dropState(j.name); err != nil {
		return err
	}
	if stopped != nil {
		return fmt.Errorf("%w: %w", ErrInterrupted, stopped)
	}
	return nil
}

// fail notes that a training came to nothing, so that the others go on. Without
// the reference none can be judged.
func (r *runner) fail(j job, err error) error {
	if j.config < 0 {
		return fmt.Errorf("%s: %w", j.name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress[j.name] = 1
	r.result.Failed = append(r.result.Failed, Failure{j.name, err.Error()})
	return nil
}

// saveEvery is how often an unfinished training is written down, in case the
// process is killed without warning.
const saveEvery = 20 * time.Second

// fit trains one job and returns the model with the last state, nil for a
// method that has none. If ctx ends, they are returned with the error. Borrowed is set
// to how long what another job had trained took.
func (r *runner) fit(ctx context.Context, j job, fitting *train.Fitting, pool *nn.Pool, borrowed *time.Duration) (*model.Model, *train.State, error) {
	last, err := r.store.loadState(j.name)
	if err != nil {
		return nil, nil, err
	}
	saved := time.Now()
	m, err := fitting.Fit(ctx, train.Options{
		Seed: j.seed, Pool: pool, Resume: last, Teachers: r.taught, Borrowed: borrowed,
		Progress: func(p model.Progress) { r.tell(j, p) },
		Save: func(s *train.State) error {
			last = s
			if time.Since(saved) < saveEvery {
				return nil
			}
			saved = time.Now()
			return r.store.saveState(j.name, s)
		},
	})
	return m, last, err
}

// tell passes on where a job stands.
func (r *runner) tell(j job, p model.Progress) {
	if r.opt.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress[j.name] = float64(p.Epoch) / float64(p.Epochs)
	done := 0.0
	for share := range maps.Values(r.progress) {
		done += share
	}
	r.opt.Progress(Event{Job: j.name, At: p, Done: done / float64(r.jobs)})
}

// record enters a score into the result.
func (r *runner) record(j job, m *model.Model, score measured, pool *nn.Pool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress[j.name] = 1
	if j.config < 0 {
		r.result.Reference = score.Accuracy
		if !score.Interrupted {
			r.scorer.refer(pool, m, r.data.X, j.seed)
		}
		return
	}
	c := &r.result.Configurations[j.config]
	c.Seeds[j.seed-r.spec.FirstSeed] = score.Score
	if j.seed == r.spec.FirstSeed {
		c.Fairness = score.fairness
		c.Channel = channelOf(m)
		r.sketch.keep(j.config, score.released)
	}
	if st, ok := m.Statement(); ok {
		c.Statement, c.Coverage, c.Person = &st, m.Coverage(), r.data.Record.Person(m.Guarantee())
	}
}

// refer sets the model that yardsticks are computed from, with the vectors x of its
// encoder.
func (s *scorer) refer(pool *nn.Pool, m *model.Model, x nn.Matrix, seed uint64) {
	if test, err := s.release(pool, m, x, s.data.Test, seed, "test"); err == nil {
		s.reference = m.Logits(pool, test.released)
		s.known = sync.OnceValue(s.learn)
	}
}

// manifest describes the model of a job, with nothing that differs from run to
// run. A zero score stands for nothing measured yet.
func (r *runner) manifest(j job, d *TrainingSet, score Score) model.Manifest {
	settings, _ := json.Marshal(j.method) // plain numbers
	info := model.Manifest{Method: j.point.Method, Settings: settings, Seed: j.seed, Data: d.Record, Interrupted: score.Interrupted, Metrics: map[string]float64{}}
	for name, v := range map[string]measure.Number{
		"accuracy": score.Accuracy, "validation_accuracy": score.ValidationAccuracy, "gap": score.Gap, "grms": score.GRMS,
		"macro_f1": score.F1(), "leakage": score.Leakage, "limit": score.Limit, "leakage_limit": score.AttackLimit, "yardstick": score.Yardstick,
	} {
		if score.Seed != 0 && !math.IsNaN(float64(v)) {
			info.Metrics[name] = float64(v)
		}
	}
	return info
}

// conclude takes means, selects, and drops what was never trained.
func (r *runner) conclude() {
	res := r.result
	slices.SortFunc(res.Failed, func(a, b Failure) int { return strings.Compare(a.Job, b.Job) })
	missing := -len(res.Failed)
	for i := range res.Configurations {
		c := &res.Configurations[i]
		var done []Score
		for _, s := range c.Seeds {
			if s.Seed != 0 {
				done = append(done, s)
				res.Interrupted = res.Interrupted || s.Interrupted
			}
		}
		missing += len(c.Seeds) - len(done)
		c.Seeds = append([]Score{}, done...) // [] in JSON, not null
		c.Mean, c.Deviation, c.Interval = Summarise(done)
	}
	res.Interrupted = res.Interrupted || missing > 0
	res.Method, res.Seeds = r.spec.Methods[0], []Score{}
	res.Mean, res.Deviation, res.Interval = Summarise(nil)
	choose(res.Configurations, r.spec.Threshold, res.commonest())
	for _, c := range res.Configurations {
		if c.Collapsed {
			res.Notes = append(res.Notes, fmt.Sprintf("%s collapsed: a training ended in answering the commonest class; it is not selected", c.Name()))
		}
	}
	for _, c := range res.Configurations {
		res.Notes = append(res.Notes, c.Vanished(res.Data, train.Objective(r.spec.Objective))...)
		if c.Selected && !c.Companion && c.Method == r.spec.Methods[0] {
			res.Method, res.Seeds, res.Mean, res.Deviation, res.Interval = c.Method, c.Seeds, c.Mean, c.Deviation, c.Interval
		}
	}
}
