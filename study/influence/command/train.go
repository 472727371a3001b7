package influence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/study/influence"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// trainOptions are the flags of "sotto influence train".
type trainOptions struct {
	influence.Settings
	stored      influence.StoredOptions
	data        string
	in          string
	text, label string
	encoder     string
	model       string
	out         string
	epochsTuned int
	resume      bool
	workers     int
	json        bool
}

func newTrain(std term.Streams) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train",
		Short: "Teach a student what words do to a classifier",
		Long: `Teach a student what masking a word or a phrase does to what a classifier, its
teacher, makes of a text. The teacher is one of these:

  --encoder default      a static encoder, or any other, and a linear layer that is
                         fitted to its vectors; a minute
  --encoder minilm       a transformer that is tuned with its linear layer first;
                         20 to 30 minutes on two cores
  --model DIR            a model of "sotto train", private or not; its noise is averaged
                         over draws or frozen (--noise), and the share of answers that
                         noise alone flips is printed

An epoch is kept by its all-correct accuracy: the share of validation texts of which
every masked word is answered as the teacher answers the text. The baseline is what
the teacher says of the masked texts themselves. Ctrl-C keeps what was read, and
--resume goes on to the same result. The folder also gets tables of words and
contexts, which are made from the texts and as secret as they are.`,
		Example: `  sotto influence train --data sst2
  sotto influence train --data sst2 --encoder minilm --out probe
  sotto influence train --model private/seed-1 --noise frozen --out probe`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed", "noise-seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.settle(c.Flags()); err != nil {
				return err
			}
			return runTrain(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

func (o *trainOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.data, "data", "sst2", "data set to learn from, of \"sotto data list\"; that of --model by default")
	fs.StringVar(&o.in, "in", "", "file of your own to learn from, in place of --data")
	fs.StringVar(&o.text, "text", "", "column of the texts of --in")
	fs.StringVar(&o.label, "label", "", "column of the labels of --in, or label of --data (default: the main one)")
	fs.StringVar(&o.encoder, "encoder", "default", "encoder of the teacher: default, minilm, or another of \"sotto encoder list\"; a transformer is tuned first")
	fs.StringVar(&o.model, "model", "", "folder of a model of \"sotto train\" that is the teacher, in place of --encoder, which then is the one that its manifest names and permits a program or an address")
	term.AddEncoderRoots(fs)
	fs.StringVar((*string)(&o.stored.Noise), "noise", string(influence.Averaged), "what the noise of a private --model is: averaged over draws or frozen")
	fs.IntVar(&o.stored.Draws, "draws", 32, "number of draws of --noise averaged, and of what noise alone flips")
	fs.Uint64Var(&o.stored.Seed, "noise-seed", 0, "seed of the draws (default 0)")
	fs.StringVar(&o.out, "out", "", "folder to write (default: one in your cache, where the other commands look)")
	fs.BoolVar(&o.resume, "resume", false, "go on with what an interrupted training left in --out")
	fs.IntVar(&o.Words, "words", 0, "number of words of each text to learn from, −1 for none (default 24, or 6 with a transformer)")
	fs.IntVar(&o.Phrases, "phrases", 0, "number of phrases of each text, where a treebank has them, −1 for none (default 4, or 2 with a transformer)")
	fs.IntVar(&o.Swaps, "swaps", 0, "number of those words to learn from with another word in their place, too, −1 for none (default 24, or 6 with a transformer)")
	fs.IntVar(&o.Width, "width", 0, "width of what contexts and words become (default 64)")
	fs.IntVar(&o.Epochs, "epochs", 0, "number of passes of the student (default 12)")
	fs.IntVar(&o.Batch, "batch", 0, "number of lessons in each step (default 512)")
	fs.Float64Var(&o.Rate, "rate", 0, "step size of AdamW at its highest (default 0.001)")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of weights and choices (default 0)")
	fs.IntVar(&o.epochsTuned, "tune-epochs", 3, "number of passes in which a transformer is tuned")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// settle refuses flags that contradict each other, and fills in the rest.
func (o *trainOptions) settle(fs *pflag.FlagSet) (err error) {
	if o.model != "" {
		err = term.RefuseFlags(fs, "with --model", "tune-epochs")
	} else {
		err = term.RefuseFlags(fs, "without --model", "noise", "draws", "noise-seed")
	}
	if err != nil {
		return err
	}
	if o.in != "" {
		if err = term.RefuseFlags(fs, "with --in", "data"); err != nil {
			return err
		}
		if o.model == "" && (o.text == "" || o.label == "") {
			return errors.New("give --text and --label, the columns of --in")
		}
	} else if err = term.RefuseFlags(fs, "without --in", "text"); err != nil {
		return err
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	if err = o.Validate(); err != nil {
		return err
	}
	if o.model, err = theModel(o.model); err != nil {
		return err
	}
	if o.out == "" {
		o.out, err = influence.Place()
	}
	return err
}

// record returns what names the data.
func (o *trainOptions) record(changed bool) (model.DataRecord, error) {
	r := model.DataRecord{Name: o.data, Label: o.label}
	if o.in != "" {
		r = model.DataRecord{Label: o.label, File: &model.FileRecord{Layout: dataset.Layout{Text: o.text}}}
	}
	if o.model == "" {
		return r, nil
	}
	_, info, err := model.Load(o.model)
	if err != nil {
		return r, err
	}
	if info.Data.File != nil && o.in == "" {
		return r, errors.New("the model was trained on a file of your own: name it with --in")
	}
	if o.in != "" && info.Data.File != nil || o.in == "" && !changed {
		r = model.DataRecord{Name: info.Data.Name, Variant: info.Data.Variant, Label: info.Data.Label, File: info.Data.File}
	}
	return r, nil
}

func runTrain(ctx context.Context, o trainOptions, std term.Streams) error {
	begun := time.Now()
	r, err := o.record(o.data != "sst2")
	if err != nil {
		return err
	}
	set, err := experiment.LoadSet(ctx, r, experiment.Path(o.in))
	if err != nil {
		return err
	}
	d, err := found(ctx, set, o.workers, std)
	if err != nil {
		return err
	}
	report, err := o.train(ctx, r, d, std)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; what was done is in %s; the same command with --resume goes on", o.out)
	}
	if err != nil {
		return err
	}
	report.Seconds = time.Since(begun).Seconds()
	return term.Show(std.Out, o.json, report, func(w io.Writer, r *influence.Report) error { return printTrained(w, r, o.out) })
}

// train makes the teacher and the student and stores what there is.
func (o *trainOptions) train(ctx context.Context, r model.DataRecord, d *influence.Data, std term.Streams) (*influence.Report, error) {
	reading := filepath.Join(o.out, influence.ReadingDir)
	if !o.resume {
		if err := os.RemoveAll(reading); err != nil {
			return nil, err
		}
	}
	t, err := o.teacher(ctx, r, d, std)
	if err != nil {
		return nil, err
	}
	tell, done := progress(std.Err)
	defer done()
	options := influence.Options{Workers: o.workers, Progress: tell, Keep: reading}
	s, err := influence.Train(ctx, t, d, o.Settings, options)
	if err != nil {
		return nil, err
	}
	if r.File != nil {
		s.Layout = &r.File.Layout
	}
	if err = s.Save(o.out); err != nil {
		return nil, err
	}
	report := s.Report()
	if s.Tags()[adjectives] > 0 {
		c, err := s.NewContexts(ctx, d, adjectives, len(d.Classes)-1, options)
		if err != nil {
			return nil, err
		}
		if err = s.SaveContexts(o.out, c); err != nil {
			return nil, err
		}
		report.Contexts = c.Counts(d.Classes)
	}
	return report, os.RemoveAll(reading) // whoever stops before this need not read again
}

// adjectives is the part of speech of which contexts are read at once.
const adjectives = "ADJ"

// teacher makes the teacher.
func (o *trainOptions) teacher(ctx context.Context, r model.DataRecord, d *influence.Data, std term.Streams) (*influence.Teacher, error) {
	if o.model != "" {
		t, err := influence.OpenStored(ctx, o.model, o.stored)
		if err != nil {
			return nil, err
		}
		if t.Label != d.Label || len(t.Names) != len(d.Classes) {
			return nil, fmt.Errorf("the model tells %d classes of %s, must tell the %d of %s", len(t.Names), t.Label, len(d.Classes), d.Label)
		}
		return t, nil
	}
	if _, _, err := catalogue.Transformer(o.encoder); err != nil {
		e, err := catalogue.Open(ctx, catalogue.Said(o.encoder), dataset.Dir())
		if err != nil {
			return nil, err
		}
		return influence.NewTeacher(ctx, e, d, o.workers)
	}
	bar := term.NewProgress(std.Err, "tuning the teacher")
	defer bar.Finish()
	dir := filepath.Join(o.out, influence.TeacherDir)
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, err
	}
	r.Encoder = catalogue.Name(o.encoder)
	_, err := experiment.TuneEncoder(ctx, r, experiment.Path(o.in), tune.Settings{Epochs: o.epochsTuned, Seed: o.Seed}, experiment.TuneOptions{
		Dir: dir, State: filepath.Join(o.out, "teacher.state"), Resume: o.resume, Workers: o.workers,
		Progress: func(p tune.Progress) {
			bar.Set(int64(p.Step), int64(p.Steps))
			if p.Ended && !bar.Shown() {
				fmt.Fprintf(std.Err, "tuning the teacher: epoch %d of %d, accuracy %.2f %%\n", p.Epoch, p.Epochs, 100*p.Accuracy) //nolint:errcheck // words only
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return influence.OpenTuned(dir, d.Label, d.Classes)
}

func printTrained(w io.Writer, r *influence.Report, out string) error {
	t := term.NewTable(w, "PART", "TEXTS", "ALL CORRECT %", "95 % INTERVAL", "MASKED TEXT ALONE %", "AGAINST LABELS %", "TEACHER %")
	for _, e := range []struct {
		name string
		exam *influence.Exam
	}{{"validation", &r.Result.Validation}, {"test", r.Result.Test}} {
		if x := e.exam; x != nil {
			t.Row(e.name, x.Texts, percent(x.AllCorrect), percent(x.Low)+" to "+percent(x.High), percent(x.Baseline), percent(x.AllCorrectGold), percent(x.Teacher))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	text := fmt.Sprintf("\n%s\nThe student is in %s", r.Sentence(), out)
	if c := r.Contexts; c != nil {
		text += fmt.Sprintf(", with %d contexts of adjectives", c.Contexts)
	}
	if r.Result.NoiseFlips > 0 {
		text += fmt.Sprintf(". Noise alone flips %s %% of answers", percent(r.Result.NoiseFlips))
	}
	_, err := fmt.Fprintf(w, "%s. It took %.0f seconds.\n", text, r.Seconds)
	return err
}

func percent(v float64) string { return fmt.Sprintf("%.2f", 100*v) }
