package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/study/influence"
	learnt "sotto/study/influence/command"
	"sotto/text/encode"
)

// source says what is asked.
type source struct {
	model, exec, url string
	key              string
	classes          []string
	trust            bool
	timeout          time.Duration
	view, label      string
	draws            int
	masks            term.ListFlags
	workers          int
}

func (o *source) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.model, "model", "", "folder of a model that sotto train or sotto relations train made, or of a student of sotto influence train, whose teacher is then asked")
	term.AddModelEncoder(fs)
	fs.StringVar(&o.exec, "exec", "", "shell command of a foreign predictor")
	fs.StringVar(&o.url, "url", "", "address of a foreign predictor, which reads every text")
	fs.StringVar(&o.key, "key", "", "environment variable that holds a key for --url")
	fs.DurationVar(&o.timeout, "timeout", time.Minute, "time that --url has for an answer")
	fs.BoolVar(&o.trust, "i-trust-this-address-with-texts", false, "send texts to an address that is not on this machine")
	fs.StringSliceVar(&o.classes, "classes", nil, "names of a foreign predictor's classes, in the order of its probabilities (default: what it says, or numbers)")
	fs.StringVar(&o.view, "view", string(predictor.Before), "answers of a private model to explain: before or expected")
	fs.StringVar(&o.label, "label", "", "label of a model with several (default: the first)")
	fs.IntVar(&o.draws, "draws", 200, "draws of a release whose law is not known")
	o.masks.AddFlags(fs)
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
}

// refuse refuses flags of other sources.
func (o *source) refuse(fs *pflag.FlagSet) error {
	given := 0
	for _, s := range []string{o.model, o.exec, o.url} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return errors.New("want one of --model, --exec and --url")
	}
	if o.model == "" {
		return errors.Join(term.Refuse(fs, "for a foreign predictor", "encoder", "encoder-root", "view", "label", "draws", "mask", "mask-names", "mask-policy", "mask-secret", "mask-relations"), o.refuseURL(fs))
	}
	return errors.Join(term.Refuse(fs, "with --model", "classes"), o.refuseURL(fs))
}

func (o *source) refuseURL(fs *pflag.FlagSet) error {
	if o.url != "" {
		return nil
	}
	return term.Refuse(fs, "without --url", "key", "timeout", "i-trust-this-address-with-texts")
}

// asked is what is asked, and how it ends.
type asked struct {
	explain.Predictor
	model   *predictor.Model // nil for a foreign predictor
	close   func() error
	student *influence.Student // whose teacher is asked; nil for none
}

// open opens what is asked.
func (o *source) open(ctx context.Context, seed uint64) (*asked, error) {
	workers, err := term.Workers(o.workers)
	if err != nil {
		return nil, err
	}
	switch {
	case o.exec != "":
		return o.openCommand(ctx)
	case o.url != "":
		return o.openAddress(ctx)
	}
	if _, err = influence.ReadManifest(o.model); err == nil {
		return openTeacher(ctx, o.model)
	}
	maskers, err := o.masks.Maskers(ctx)
	if err != nil {
		return nil, err
	}
	m, err := predictor.Load(ctx, o.model, predictor.Options{View: predictor.View(o.view), Label: o.label, Draws: o.draws, Seed: seed, Workers: workers, Maskers: maskers})
	if err != nil {
		return nil, err
	}
	return &asked{Predictor: m, model: m, close: term.CloserOf(m.Source())}, nil
}

// openTeacher opens a student, whose teacher is asked.
func openTeacher(ctx context.Context, dir string) (*asked, error) {
	s, err := learnt.Open(ctx, dir, "")
	if err != nil {
		return nil, err
	}
	return &asked{Predictor: s.Teacher, student: s, close: nothingToClose}, nil
}

func nothingToClose() error { return nil }

func (o *source) openCommand(ctx context.Context) (*asked, error) {
	c, err := predictor.NewCommand(ctx, o.exec, o.classes)
	if err != nil {
		return nil, err
	}
	return &asked{Predictor: c, close: c.Close}, nil
}

// openAddress refuses an address beyond this machine, unless the user trusts it.
func (o *source) openAddress(ctx context.Context) (*asked, error) {
	c := encode.AddressConfig{URL: o.url, KeyVar: o.key, Timeout: o.timeout}
	to, err := encode.NewAddress(c)
	if err != nil {
		return nil, err
	}
	if !to.Local() && !o.trust {
		return nil, errors.New("--url is not on this machine, and every text would be sent there, in parts and whole: say --i-trust-this-address-with-texts if whoever runs it may read them")
	}
	a, err := predictor.NewAddress(ctx, c, o.classes)
	if err != nil {
		return nil, err
	}
	return &asked{Predictor: a, close: nothingToClose}, nil
}

// class finds a class by its name.
func (p *asked) class(name string) (int, error) {
	if name == "" {
		return explain.Predicted, nil
	}
	names := p.Classes()
	at := slices.Index(names, name)
	if at < 0 {
		return 0, fmt.Errorf("--class is %q, must be one of %s%s", name, strings.Join(names[:min(20, len(names))], ", "), layout.Hint(name, names))
	}
	return at, nil
}

// view is what is explained of a private model; "" of any other.
func (p *asked) view() predictor.View {
	if p.model == nil || p.model.Manifest().Architecture.Release == nil {
		return ""
	}
	return p.model.View()
}

// guarantee returns what the model's releases promise, and whether it is anything.
func (p *asked) guarantee() (dp.Guarantee, bool) {
	if p.model == nil {
		return dp.None(dp.Text), false
	}
	g := p.model.Guarantee()
	return g, promised(g)
}

// promise is that in words, "" for none.
func (p *asked) promise() string {
	if g, ok := p.guarantee(); ok {
		return g.String()
	}
	return ""
}
