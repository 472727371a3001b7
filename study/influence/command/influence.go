// Package influence holds the command influence, which asks what words do to a
// classifier's answer.
package influence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/study/influence"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{term.Group(
		&cobra.Command{
			Use:   "influence",
			Short: "Ask what words do to a classifier's answer, and which others would flip it",
			Long: `Teach a student what each word does to a classifier, its teacher, and then ask the
student, which answers thousands of questions in the time that the teacher takes for
a few: what a word contributes, which other word would flip the answer, and whether
one word is treated worse than another over tens of thousands of contexts. What it
says is a conjecture; the teacher checks it.

Answers name words of texts: they are as secret as the texts, and no ε covers them.`,
		},
		newTrain(std), newScore(std), newSwap(std), newBias(std))}
}

// askFlags say which student is asked.
type askFlags struct {
	student string
	model   string
	in      string
	workers int
	json    bool
}

func (o *askFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&o.student, "student", "", "folder of the student, as \"sotto influence train\" wrote it (default: beside --model, in a folder of its name and \".student\", or where that command writes by default)")
	fs.StringVar(&o.model, "model", "", "folder of the teacher, if it is a model of \"sotto train\"")
	term.AddModelEncoder(fs)
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// addData adds the flag of commands that also read what the student learnt from.
func (o *askFlags) addData(fs *pflag.FlagSet) {
	fs.StringVar(&o.in, "in", "", "file that the student learnt from, if it was one of your own")
}

// Open opens the student in a folder, or the one that [influence.Folder] finds, for
// whoever explains by it. model is the folder of its teacher, if that is a model of
// "sotto train".
func Open(ctx context.Context, student, model string) (*influence.Student, error) {
	o := askFlags{student: student, model: model}
	return o.open(ctx)
}

// open opens the student.
func (o *askFlags) open(ctx context.Context) (s *influence.Student, err error) {
	if o.workers, err = term.Workers(o.workers); err != nil {
		return nil, err
	}
	if o.model, err = theModel(o.model); err != nil {
		return nil, err
	}
	if o.student == "" {
		if o.student, err = influence.Folder(o.model); err != nil {
			return nil, err
		}
	}
	s, err = influence.Open(ctx, o.student, influence.OpenOptions{Model: o.model, Workers: o.workers})
	if errors.Is(err, fs.ErrNotExist) {
		if _, failed := influence.ReadManifest(o.student); errors.Is(failed, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no student in %s: train one with \"sotto influence train\", or name its folder with --student", o.student)
		}
	}
	if errors.Is(err, influence.ErrTeacher) {
		return nil, fmt.Errorf("%w; name the model that it learnt from with --model, or train another student", err)
	}
	return s, err
}

// theModel returns the folder of the model that is meant: a training holds one a seed.
func theModel(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	_, _, folder, err := experiment.FirstModel(dir)
	return folder, err
}

// about opens the student and reads the text that it is asked about.
func (o *askFlags) about(ctx context.Context, std term.Streams) (s *influence.Student, text string, err error) {
	if s, err = o.open(ctx); err != nil {
		return nil, "", err
	}
	text, err = readText(std.In)
	return s, text, err
}

// examine measures the student on what it learnt from, with progress, and returns its
// report with what measure adds.
func (o *askFlags) examine(ctx context.Context, std term.Streams, measure func(*influence.Student, *influence.Data, *influence.Report, influence.Options) error) (*influence.Report, error) {
	s, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	d, err := o.data(ctx, s, std)
	if err != nil {
		return nil, err
	}
	tell, done := progress(std.Err)
	defer done()
	report := s.Report()
	return report, measure(s, d, report, influence.Options{Progress: tell})
}

// data reads what a student learnt from, with its words.
func (o *askFlags) data(ctx context.Context, s *influence.Student, std term.Streams) (*influence.Data, error) {
	set, err := o.set(ctx, s)
	if err != nil {
		return nil, err
	}
	return found(ctx, set, o.workers, std)
}

// texts is data without the words.
func (o *askFlags) texts(ctx context.Context, s *influence.Student) (*influence.Data, error) {
	set, err := o.set(ctx, s)
	if err != nil {
		return nil, err
	}
	return influence.NewTexts(set)
}

// set loads what a student learnt from.
func (o *askFlags) set(ctx context.Context, s *influence.Student) (*dataset.Set, error) {
	r := model.DataRecord{Name: s.Data, Label: s.Teacher.Label}
	if s.Layout != nil {
		r.File = &model.FileRecord{Layout: *s.Layout}
		if o.in == "" {
			return nil, errors.New("the student learnt from a file of your own: name it with --in")
		}
	}
	set, err := experiment.LoadSet(ctx, r, experiment.Path(o.in))
	if err != nil {
		return nil, err
	}
	if set.Hash() != s.DataHash {
		return nil, errors.New("the data is not what the student learnt from: train it again")
	}
	return set, nil
}

// found finds the words of a set.
func found(ctx context.Context, set *dataset.Set, workers int, std term.Streams) (*influence.Data, error) {
	tell, done := progress(std.Err)
	defer done()
	return influence.NewData(ctx, set, dataset.Dir(), influence.Options{Workers: workers, Progress: tell})
}

// progress shows how far work is, stage by stage: in a line at a terminal, and in a
// line for each stage elsewhere.
func progress(w io.Writer) (tell func(stage string, done, total int), end func()) {
	bar := term.NewProgress(w, "loading")
	var mu sync.Mutex
	last := ""
	return func(stage string, done, total int) {
		bar.Set(int64(done), int64(total))
		mu.Lock()
		defer mu.Unlock()
		if stage == last {
			return
		}
		last = stage
		bar.Describe(stage)
		if !bar.Shown() {
			fmt.Fprintf(w, "%s: %d\n", stage, total) //nolint:errcheck // words only
		}
	}, bar.Finish
}
