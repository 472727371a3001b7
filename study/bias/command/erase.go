package bias

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/vecfile"
	"sotto/internal/atomicfile"
	"sotto/internal/layout"
	"sotto/internal/regular"
	"sotto/promise/mech"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// eraseOptions are the flags of "sotto bias erase".
type eraseOptions struct {
	flags
	study     erase.Study
	rows      erase.Rows   // of --labels
	gender    erase.Gender // without --concept
	concept   string       // file of words and classes
	specific  string
	pairs     string
	defining  string
	shrinkage string
	out       string
	save      string
	apply     string
}

func (o *eraseOptions) addFlags(fs *pflag.FlagSet) {
	o.flags.addFlags(fs, 20)
	fs.Lookup("vectors").Usage += "; with --labels a file of rows: npy, parquet, jsonl or csv"
	fs.StringVar((*string)(&o.study.Method), "method", "", "method of erasing: inlp, leace or hard")
	fs.StringVar(&o.out, "out", "", "file to write, - for standard output: word vectors as text, .gz too, or rows in the format of its name")
	fs.StringVar(&o.concept, "concept", "", "file of words and classes, a word, a tab and its class a line (default: gender, by the words nearest to she and to he)")
	fs.StringVar(&o.rows.Labels, "labels", "", "file of classes, one a line for each row of --vectors; an empty line is unknown")
	fs.StringVar(&o.rows.Column, "column", "", "list column that holds the vectors, for a Parquet file with several")
	fs.IntVar(&o.gender.Words, "words", 7500, "number of words of each gender if there is no --concept")
	fs.BoolVar(&o.gender.Neutral, "neutral", false, "take a third class of neutral words if there is no --concept")
	fs.StringVar(&o.specific, "specific", "", "file of words that mean a gender, which are no examples of gender and which hard leaves alone (default for hard: the words of the pairs)")
	fs.StringVar(&o.pairs, "pairs", "", "file of the pairs that hard equalises, a JSON list of lists of two (default: the defining pairs)")
	fs.StringVar(&o.defining, "defining", "", "file of the defining pairs of hard, female first, a JSON list of lists of two (default: the ten of Bolukbasi et al.)")
	fs.IntVar(&o.study.Iterations, "iterations", 35, "largest number of classifiers that inlp fits")
	fs.StringVar(&o.shrinkage, "shrinkage", "0", "shrinkage of leace's covariance, from 0 to 1, or auto")
	fs.IntVar(&o.study.Probes.Units, "units", 256, "number of hidden units of the probe that is not linear")
	fs.IntVar(&o.study.Probes.Epochs, "epochs", 0, "largest number of passes of a probe (default 200, or as many as make 5,000 steps)")
	fs.IntVar(&o.rows.ProbeRows, "probe-rows", 10_000, "largest number of rows of --labels that probes are fitted to, and scored on")
	fs.StringVar(&o.save, "save", "", "also write the eraser to this file")
	fs.StringVar(&o.apply, "apply", "", "apply the eraser of this file instead of fitting one")
}

func newBiasErase(std term.Streams) *cobra.Command {
	var o eraseOptions
	c := &cobra.Command{
		Use:   "erase",
		Short: "Remove a concept such as gender from vectors, and probe what is left of it",
		Long: `Remove a concept from vectors and write what is left: hard debiasing (hard),
iterative null-space projection (inlp) or least-squares concept erasure (leace).
` + erasePrivacy + `

--vectors is a file of word vectors, and the concept is gender, shown by the words
nearest to she and to he, unless --concept lists words and classes. With --labels
it is a file of rows, such as vectors of texts, with a class each; leace then
reads it twice and holds no more than a sample.

Six rows in ten fit the eraser, two in ten fit the probes, and on two in ten these
are scored, before and after: a linear probe and one with hidden units. MAJORITY
is the share of the commonest class. --save keeps the eraser, --apply takes it to
other vectors. With --mechanism both raw and erased vectors are also probed as
they leave through it.

` + term.MechanismList(),
		Example: `  sotto bias erase --method inlp --vectors glove.6B.100d.txt.gz --out erased.txt
  sotto bias erase --method leace --vectors texts.npy --labels gender.txt --out erased.npy --save gender.eraser.json
  sotto bias erase --apply gender.eraser.json --vectors more.npy --out more-erased.npy`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return runErase(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// erasePrivacy is the sentence that goes with every eraser, as one.
const erasePrivacy = `None of them is a privacy guarantee: whoever looks with more than a linear eye
mostly finds the concept again.`

// check refuses flags that are missing or have no meaning together.
func (o *eraseOptions) check(fs *pflag.FlagSet) error {
	if err := o.flags.check(fs, "shrinkage"); err != nil {
		return err
	}
	if len(o.vectors)+len(o.encoders) != 1 {
		return errors.New("want one file of --vectors, or one --encoder")
	}
	if o.out == "" {
		return errors.New("want --out, the file to write")
	}
	var refused []string
	where := "with --method " + string(o.study.Method)
	switch {
	case o.apply != "":
		where, refused = "with --apply", []string{"method", "mechanism", "concept", "labels", "words", "neutral", "specific", "pairs", "defining", "iterations", "shrinkage", "units", "epochs", "probe-rows", "save", "seed"}
	case o.study.Method == erase.MethodHard:
		refused = []string{"labels", "iterations", "shrinkage", "probe-rows"}
	case o.study.Method == erase.MethodINLP:
		refused = []string{"shrinkage", "pairs", "defining"}
	case o.study.Method == erase.MethodLEACE:
		refused = []string{"iterations", "pairs", "defining"}
	default:
		return fmt.Errorf("--method is %.40q, must be inlp, leace or hard", string(o.study.Method))
	}
	if err := term.Refuse(fs, where, refused...); err != nil {
		return err
	}
	if o.study.Method == erase.MethodHard && o.concept != "" && o.defining == "" {
		return errors.New("want --defining with --method hard and --concept: the pairs built in are of gender, whatever the words of the concept are")
	}
	return o.checkSource(fs)
}

// checkSource refuses flags that do not go with where the vectors are from.
func (o *eraseOptions) checkSource(fs *pflag.FlagSet) error {
	var refused []string
	where := ""
	switch {
	case o.rows.Labels != "":
		where, refused = "with --labels", []string{"encoder", "format", "concept", "words", "neutral", "specific"}
	case o.concept != "":
		where, refused = "with --concept", []string{"words", "neutral", "probe-rows", "column"}
	case len(o.encoders) > 0:
		return errors.New("want --concept with --encoder, which has no words of its own")
	case o.apply == "":
		where, refused = "without --labels", []string{"probe-rows", "column"}
		if o.isRows() {
			return errors.New("want --labels, a class for each row, or a file of word vectors")
		}
	}
	if err := term.Refuse(fs, where, refused...); err != nil {
		return err
	}
	inputs := []term.NamedPath{term.Named("--concept", o.concept), term.Named("--labels", o.rows.Labels), term.Named("--specific", o.specific), term.Named("--pairs", o.pairs), term.Named("--defining", o.defining), term.Named("--apply", o.apply)}
	for _, v := range o.vectors {
		inputs = append(inputs, term.Named("--vectors", v))
	}
	for _, in := range inputs { // two of them may be the same file
		if err := term.RefuseSame(in, term.Named("--out", o.out), term.Named("--save", o.save), term.Named("what is said of --out", o.side())); err != nil {
			return err
		}
	}
	if o.save == "-" {
		return errors.New("--save is -, must be a file: standard output is for vectors or the report")
	}
	if err := o.checkOut(); err != nil {
		return err
	}
	return o.refusePromise()
}

// checkOut refuses a name of --out that tells of another format than is written.
func (o *eraseOptions) checkOut() error {
	if o.out == "-" {
		return nil
	}
	if o.isRows() {
		_, err := vecfile.ByName(o.out)
		return err
	}
	switch ending := filepath.Ext(strings.TrimSuffix(strings.ToLower(o.out), ".gz")); ending {
	case ".npy", ".npz", ".csv", ".json", ".jsonl", ".svec", ".bin", ".parquet":
		return fmt.Errorf("--out ends in %s, but word vectors are written as text; choose a name that ends in .txt or .vec, or .gz of them", ending)
	}
	return nil
}

// refusePromise refuses to write vectors beside a record that promises what they
// do not have.
func (o *eraseOptions) refusePromise() error {
	record := o.out + ".privacy.json"
	if _, err := os.Stat(record); o.out != "-" && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already and would promise what erased vectors do not have; remove it or choose another --out", record)
	}
	return nil
}

// isRows reports whether the vectors are rows without words.
func (o *eraseOptions) isRows() bool {
	if len(o.vectors) == 0 || o.format != "" {
		return false
	}
	f, err := vecfile.ByName(o.vectors[0])
	return o.rows.Labels != "" || err == nil && (f != vecfile.CSV || o.apply != "")
}

// side returns the path of what is said of rows, "" for none. Words are public
// and need no warning.
func (o *eraseOptions) side() string {
	if o.out == "-" || !o.isRows() {
		return ""
	}
	return o.out + ".raw.json"
}

// leace returns the method with its shrinkage.
func (o *eraseOptions) leace() (erase.LEACE, error) {
	if o.shrinkage == "auto" {
		return erase.LEACE{Shrink: true}, nil
	}
	rho, err := strconv.ParseFloat(o.shrinkage, 64)
	if err != nil || !(rho >= 0 && rho <= 1) {
		return erase.LEACE{}, fmt.Errorf("--shrinkage is %.40q, must be auto or a number from 0 to 1", o.shrinkage)
	}
	return erase.LEACE{Shrinkage: rho}, nil
}

func runErase(ctx context.Context, o eraseOptions, std term.Streams) error {
	if o.study.Iterations < 1 || o.gender.Words < 1 || o.study.Probes.Units < 1 || o.study.Probes.Epochs < 0 || o.rows.ProbeRows < 1 {
		return errors.New("--iterations, --words, --units, --epochs and --probe-rows must be positive")
	}
	defer o.show(std.Err)()
	var source erase.Source
	var e *erase.Eraser
	var r *erase.Report
	var note []byte
	var files outputs
	defer files.abort()
	err := files.begin(o.out, func(w io.WriteSeeker) error { return source.Erase(ctx, e, w, o.out, string(note), r, o.tell) })
	if err != nil {
		return err
	}
	if err = files.begin(o.save, func(w io.WriteSeeker) error { return e.Write(w) }); err != nil {
		return err
	}
	if side := o.side(); side != "" { // it is written last, and must be possible to
		f, failed := atomicfile.Create(side)
		if failed != nil {
			return failed
		}
		f.Abort()
	}
	source, name, err := o.source(ctx)
	if err != nil {
		return err
	}
	if e, r, err = o.eraser(ctx, source); err != nil {
		return err
	}
	r.Vectors, r.Out, r.Saved = name, o.out, o.save
	said := eraseNote{term.RawWarning, false, erase.Privacy, e.Method(), e.Dim(), e.Rank(), mech.Binding{}}
	if note, err = json.MarshalIndent(said, "", "  "); err != nil {
		return err
	}
	files[0].side, files[0].note = o.side(), func(b mech.Binding) ([]byte, error) {
		said.Binding, said.Rows = b, int64(r.Rows)
		note, err := json.MarshalIndent(said, "", "  ")
		return append(note, '\n'), err
	}
	return files.finish(std, std.Err, o.json, r, func(b *layout.Buffer) { printErase(b, r) })
}

// eraseNote is what stands beside erased rows: they are as raw as before.
type eraseNote struct {
	Warning     string       `json:"warning"`
	Private     bool         `json:"private"` // false
	Privacy     string       `json:"privacy"`
	Method      erase.Method `json:"method"`
	Dim         int          `json:"dim"`
	RankRemoved int          `json:"rank_removed"`
	mech.Binding
}

// eraser makes the eraser, or reads that of --apply.
func (o *eraseOptions) eraser(ctx context.Context, source erase.Source) (*erase.Eraser, *erase.Report, error) {
	if o.apply == "" {
		return source.Fit(ctx, o.study)
	}
	e, err := term.ReadFile(o.apply, erase.Read)
	if err != nil {
		return nil, nil, err
	}
	if dim, err := source.Width(); err != nil || e.Dim() != dim {
		return nil, nil, cmp.Or(err, fmt.Errorf("%s: the eraser is for %d numbers, but the vectors have %d", o.apply, e.Dim(), dim))
	}
	return e, erase.NewReport(e), nil
}

// source opens the vectors and reads what is to be erased from them, and
// completes what is done.
func (o *eraseOptions) source(ctx context.Context) (s erase.Source, name string, err error) {
	o.study.Seed, o.study.Release, o.study.Progress = o.Seed(), o.release(), o.tell
	if o.study.LEACE, err = o.leace(); err != nil {
		return nil, "", err
	}
	if o.isRows() {
		o.rows.Path = o.vectors[0]
		return o.rows, o.rows.Path, nil
	}
	table, name, err := o.table(ctx)
	if err != nil || o.apply != "" {
		return erase.Words{Table: table}, name, err
	}
	concept, from, err := o.chooseWords(table)
	if err == nil && o.study.Method == erase.MethodHard {
		o.study.Hard, err = o.hard()
	}
	return erase.Words{Table: table, Concept: concept, From: from, Gender: o.concept == ""}, name, err
}

// table reads all word vectors, or makes those of the words of --concept.
func (o *eraseOptions) table(ctx context.Context) (*bias.Table, string, error) {
	var words []string
	if len(o.encoders) > 0 {
		text, err := regular.Read(o.concept, 1<<30)
		if err != nil {
			return nil, "", err
		}
		words = []string{}
		for line := range strings.Lines(string(text)) {
			word, _, _ := strings.Cut(line, "\t")
			words = append(words, word)
		}
	}
	sources, err := o.sources(ctx, words)
	if err != nil {
		return nil, "", err
	}
	return sources[0].Table, sources[0].Name, sources[0].Table.CheckWritable()
}

// chooseWords returns the words that show the concept, and where they are from.
func (o *eraseOptions) chooseWords(t *bias.Table) (erase.Concept, string, error) {
	if o.concept != "" {
		c, err := term.ReadFile(o.concept, func(r io.Reader) (erase.Concept, error) { return erase.ReadConcept(r, t) })
		return c, o.concept, err
	}
	var err error
	o.gender.Seed = o.Seed()
	if o.gender.Exclude, err = list(o.specific, erase.ReadWords); err != nil {
		return erase.Concept{}, "", err
	}
	c, err := o.gender.Choose(t)
	return c, "gender: the words with the largest and smallest cosine with she − he", err
}

// hard reads the words of hard debiasing.
func (o *eraseOptions) hard() (h erase.Hard, err error) {
	var failed, wrong error
	h.Defining, err = list(o.defining, erase.ReadPairs)
	h.Specific, failed = list(o.specific, erase.ReadWords)
	h.Pairs, wrong = list(o.pairs, erase.ReadPairs)
	return h, cmp.Or(err, failed, wrong)
}

// list reads a file, nil for none.
func list[T any](path string, parse func(io.Reader) ([]T, error)) ([]T, error) {
	if path == "" {
		return nil, nil
	}
	return term.ReadFile(path, parse)
}
