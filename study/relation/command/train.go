package relation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
	"sotto/text/encode"
)

// trainOptions are the flags of "sotto relations train".
type trainOptions struct {
	joint.Settings
	data, out, rules, arguments, result string
	encoder                             string
	seeds, workers                      int
	resume, json                        bool
}

func newTrain(std term.Streams) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model that tells relations and writes the rule that explains each",
		Long: `Train a network on the training part of a data set, keep the epoch that is best on its
development part, measure it on its test part, and write it to a folder, which
sotto relations evaluate and sotto relations find take.

The network reads a sentence by LSTMs in both directions and by graph convolutions on the
part of its tree between both arguments. A classifier tells the relation, and a decoder
writes a rule; they are trained together, or apart with --without. What it learns to write
are the rules of --rules, or rules that are induced from the training part. A rule is shown
only where it matches the sentence with both arguments: otherwise the nearest stored rule
that does, otherwise none.

With --on rules, relations to learn from are those of the rules that match, and not those
of the data. Words begin with the vectors of GloVe, which must be among the data sets.

With --encoder minilm, or the folder of another transformer of the BERT family, that is
tuned in place of the LSTM: it reads the sentence with marks around both arguments, whose
vectors tell the relation, and the decoder attends to all tokens. It tells relations better
and takes longer: of semeval2010 about a quarter of an hour on two cores. Get it with
sotto encoder get minilm.

--data is biographies, conll04, fewrel or semeval2010, or the path of a file of your own,
as JSON lines like those of CoNLL04, with split train, dev or test, or none at all:

  {"split":"train","tokens":["Ann","works","for","Acme","."],
   "entities":[["Peop",0,1],["Org",3,4]],"relations":[["Work_For",0,1]]}

Entities are a type, the first token and the one behind the last; relations are a name and
the places of both entities. All other pairs of entities of a sentence have no relation.

The folder holds no sentence, but words of the training sentences and rules, which tell of
them: it is as private as they are. The same command gives the same bytes on any number of
cores, also if it was interrupted and goes on with --resume, with as many --epochs as before, with
more, or with fewer, which ends it.`,
		Example: `  sotto relations train --data semeval2010 --out semeval --seeds 1 --json
  sotto relations train --data semeval2010 --encoder minilm --out marked
  sotto relations train --data conll04 --out conll --without decoder
  sotto relations train --data mine.jsonl --rules mine.rules --out mine`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), c.Flags(), std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.data, "data", "", "data set: biographies, conll04, fewrel or semeval2010, or a FILE.jsonl of your own")
	fs.StringVar(&o.out, "out", "", "folder to write the model to")
	fs.StringVar(&o.encoder, "encoder", lstm, "what reads sentences: lstm, minilm, or the folder of a transformer")
	fs.StringVar(&o.rules, "rules", "", "file of rules to learn to write (default: induced from the training part)")
	fs.StringVar(&o.On, "on", joint.RulesAndLabels, "what to train on: rules, or rules+labels")
	fs.StringVar(&o.Without, "without", "", "part of the network to leave out: decoder or classifier")
	fs.Float64Var(&o.Share, "share", 1, "share of the rules that is used, drawn by the seed")
	fs.StringVar(&o.arguments, "arguments", "auto", "what is read of arguments: words, types, or auto, which is types where the data set gives them")
	fs.IntVar(&o.Epochs, "epochs", 0, "number of passes (default: as many as make some 2,160 steps, but 10 to 100; 5 of a transformer)")
	fs.IntVar(&o.Batch, "batch", 50, "number of pairs in each step; a transformer takes 32 if nobody says")
	fs.Float64Var(&o.Rate, "rate", 0.001, "step size of Adam; a transformer takes 0.00015 if nobody says")
	fs.IntVar(&o.Hidden, "hidden", 200, "numbers of a state")
	fs.IntVar(&o.seeds, "seeds", 1, "number of trainings; results are means, and the one that is best on the development part is kept")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of the first training; each further one has the next")
	fs.BoolVar(&o.resume, "resume", false, "go on with what an interrupted training left beside --out")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.StringVar(&o.result, "result", "", "file to write the result to, for sotto report and sotto gate")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// settle refuses flags that cannot be.
func (o *trainOptions) settle() (err error) {
	switch {
	case o.data == "" || o.out == "":
		return errors.New("--data and --out must be given")
	case o.seeds < 1 || o.seeds > 1000:
		return fmt.Errorf("--seeds is %d, must be from 1 to 1000", o.seeds)
	case !slices.Contains([]string{"auto", "words", "types"}, o.arguments):
		return fmt.Errorf("--arguments is %.40q, must be auto, words or types", o.arguments)
	}
	if o.Mask = o.arguments == "types"; o.arguments == "auto" {
		o.Mask = relation.Typed(o.data)
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	return term.CanWrite(term.Named("--result", o.result))
}

func (o *trainOptions) run(ctx context.Context, fs *pflag.FlagSet, std term.Streams) error {
	if err := o.settle(); err != nil {
		return err
	}
	learn := o.train
	if o.encoder != lstm {
		s, err := o.tuned(fs)
		if err != nil {
			return err
		}
		learn = func(ctx context.Context, set *relation.Set, std term.Streams) (*judge.ModelResult, error) {
			return o.transform(ctx, set, s, std)
		}
	}
	set, err := prepare(ctx, o.data, o.workers, std)
	if err != nil {
		return err
	}
	r, err := learn(ctx, set, std)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; what was done is kept beside %s; the same command with --resume goes on", o.out)
	}
	if err != nil {
		return err
	}
	if o.result != "" {
		if err := term.WriteJSON(o.result, r); err != nil {
			return fmt.Errorf("--result: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, showOutcome)
}

// prepare makes instances of a data set or of a file.
func prepare(ctx context.Context, data string, workers int, std term.Streams) (*relation.Set, error) {
	bar := term.NewProgress(std.Err, "sentences parsed")
	defer bar.Finish()
	o := relation.Options{Data: data, Workers: workers, Progress: func(done, total int) { bar.Set(int64(done), int64(total)) }}
	if !slices.Contains(dataset.RelationSets(), data) && strings.ContainsAny(data, "./\\") {
		o.Data, o.File = "", data
	}
	s, err := relation.Prepare(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return s, nil
}

// lessons returns what is learnt from.
func (o *trainOptions) lessons(ctx context.Context, set *relation.Set, std term.Streams) (joint.Data, error) {
	d := joint.Data{Name: set.Name, Train: set.Part(dataset.Train), Dev: set.Part(dataset.Validation)}
	source, err := encode.Open("glove", dataset.Dir())
	if err != nil {
		return d, err
	}
	var ok bool
	if d.Vectors, ok = source.(joint.Vectors); !ok {
		return d, errors.New("glove gives no vectors of single words, must be the published text file")
	}
	d.Rules, err = o.written(ctx, d.Train, std)
	return d, err
}

// written returns the rules that are to be written.
func (o *trainOptions) written(ctx context.Context, train []relation.Instance, std term.Streams) (*rule.File, error) {
	if o.rules != "" {
		f, err := term.ReadFile(o.rules, rule.Parse)
		if err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
		return f, nil
	}
	return term.While(std.Err, "inducing rules", func() (*rule.File, error) {
		return induce.Rules(ctx, relation.Lessons(train), induce.Options{})
	})
}

// state returns where the state of an interrupted training is kept.
func (o *trainOptions) state(seed uint64) string {
	return fmt.Sprintf("%s.seed%d.state", filepath.Clean(o.out), seed)
}

// train trains with each seed, keeps the best, and measures all.
func (o *trainOptions) train(ctx context.Context, set *relation.Set, std term.Streams) (*judge.ModelResult, error) {
	d, err := o.lessons(ctx, set, std)
	if err != nil {
		return nil, err
	}
	var results []*judge.ModelResult
	var seeds []uint64
	best := -1.0
	for k := range o.seeds {
		s := o.Settings
		s.Seed += uint64(k)
		t, err := joint.New(d, s)
		if err != nil {
			return nil, err
		}
		if err = o.one(ctx, t, s.Seed, std); err != nil {
			return nil, err
		}
		m, err := t.Model()
		if err != nil {
			return nil, err
		}
		m.Workers = o.workers
		r, err := judge.MeasureModel(ctx, m, set, judge.ModelOptions{Model: m.String(), Rules: d.Rules})
		if err != nil {
			return nil, err
		}
		results, seeds = append(results, r), append(seeds, s.Seed)
		if e, _ := t.Kept(); e.F1+e.BLEU > best {
			best = e.F1 + e.BLEU
			if err := t.Write(o.out); err != nil {
				return nil, err
			}
		}
	}
	for _, seed := range seeds { // whoever is interrupted before this need not train again
		if err := os.RemoveAll(o.state(seed)); err != nil {
			return nil, err
		}
	}
	return judge.ModelMean(results, seeds)
}

// one trains with one seed, with progress.
func (o *trainOptions) one(ctx context.Context, t *joint.Trainer, seed uint64, std term.Streams) error {
	bar := term.NewProgress(std.Err, "steps")
	defer bar.Finish()
	options := joint.Options{
		Pool:     nn.NewPool(o.workers),
		Progress: func(p joint.Progress) { bar.Set(int64(p.Step), int64(p.Steps)) },
		Save: func(s *joint.State) error {
			return atomicfile.Write(o.state(seed), s.Write)
		},
	}
	if o.resume {
		s, err := joint.ReadState(o.state(seed))
		if err == nil {
			options.Resume = s
		} else if !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("--resume: %w", err)
		}
	}
	return t.Run(ctx, options)
}

// showOutcome prints a result for people.
func showOutcome(w io.Writer, r *judge.ModelResult) error {
	percent := func(v float64) string { return term.Percent(measure.Number(v)) }
	t := term.NewTable(w, "relation", "precision", "recall", "F1", "right", "wrong", "missed")
	for _, n := range r.Relations {
		t.Row(n.Name, percent(n.Precision), percent(n.Recall), percent(n.F1), n.Right, n.Wrong, n.Missed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t = term.NewTable(w, "over all of "+r.Data+" "+r.Part, "macro F1", "micro F1", "precision", "recall", "BLEU", "greedy BLEU", "faithful", "nearest rule", "no rule")
	row := func(name string, n judge.ModelNumbers) {
		t.Row(name, percent(n.MacroF1), percent(n.MicroF1), percent(n.Precision), percent(n.Recall), percent(n.BLEU), percent(n.GreedyBLEU), percent(n.Faithful), percent(n.Rules.Stored), percent(n.Rules.None))
	}
	for _, s := range r.Seeds {
		row(fmt.Sprintf("seed %d", s.Seed), s.ModelNumbers)
	}
	row(cmp.Or(map[bool]string{true: "mean of seeds"}[len(r.Seeds) > 0], r.Model), r.ModelNumbers)
	if r.New != nil {
		row(fmt.Sprintf("without %d repeated pairs", r.Repeated), *r.New)
	}
	return t.Flush()
}
