// Package command is the command sotto-batch: its flags, what it prints, and its exit
// codes, which are those of sotto. What computes is in packages shard and pipeline.
package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/batch/pipeline"
	"sotto/batch/shard"
	told "sotto/command/estimate"
	"sotto/command/term"
	"sotto/data/vecfile"
	"sotto/internal/atomicfile"
	"sotto/internal/fault"
	"sotto/learn/estimate"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/ledger"
)

// Exit codes, as those of sotto.
const (
	exitDone     = 0
	exitNo       = 1
	exitUse      = 2
	exitInternal = 4
)

// options are the flags.
type options struct {
	term.MechanismFlags
	job       pipeline.Job
	stream    pipeline.Stream
	table     term.TableFlags
	masks     string
	dropout   float64
	mechanism string
	runner    string
	outFormat string
	nameOf    string
	cells     string // file of --cells
	sign      string // file of --sign
	json      bool
	verbose   bool
}

func (o *options) addFlags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.job.In, "in", nil, "file of texts, or a pattern such as 'DIR/*.jsonl', here or as in gs://BUCKET/NAME; may be given several times")
	o.table.AddDeclaredFlags(fs)
	fs.BoolVar(&o.job.Header, "header", false, "take the first line of CSV for names, and not for a row, with --vectors")
	fs.StringVar(&o.job.Text, "text", "", "column of the texts (default: the only one that can be meant)")
	fs.StringVar(&o.job.ID, "id", "", "column of the rows' ids, which must be unique and name a row of a user for ever: in every job under the secret it has the same release (default: the job, the file as it is, and the line)")
	fs.StringVar(&o.job.User, "user", "", "column that names whose a row is: its noise is that user's own, who pays for it if there is a --ledger")
	fs.StringSliceVar(&o.job.Keep, "keep", nil, "columns, separated by commas, that are written beside the releases as they are, with the id")
	fs.BoolVar(&o.job.SkipBad, "skip-bad", false, "leave bad rows out and count them")
	fs.BoolVar(&o.job.Vectors, "vectors", false, "the files hold vectors, as sotto privatize reads them, in place of texts")
	fs.StringVar(&o.job.Encoder, "encoder", "default", "encoder that makes the vectors, one that is computed here (see sotto encoder list)")
	fs.StringVar(&o.mechanism, "mechanism", "codebook", "mechanism that releases each vector (see sotto privatize)")
	fs.Float64Var(&o.dropout, "dropout", 0, "probability μ of masking each word before it is encoded (default: no masking)")
	fs.StringVar(&o.masks, "masks", "bernoulli", "how dropout chooses words: bernoulli, each word by itself, or fixed-count, as near to a share of μ as can be")
	o.job.Lists.AddFlags(fs)
	o.AddFlags(fs)
	term.Widths(fs, "as the encoder makes them")
	fs.StringVar(&o.job.Secret, "secret", "", "file of 32 random bytes that keys the noise, as a gateway's, on every worker at this path")
	fs.StringVar(&o.job.Out, "out", "", "folder for the parts and the record of the set, set.privacy.json")
	term.AddSign(fs, &o.sign, "set.privacy.json is signed, and by it all parts")
	fs.StringVar(&o.outFormat, "format", "jsonl", "format of the parts: jsonl, csv, npy or parquet")
	fs.BoolVar(&o.job.Count, "estimate", false, "count the answers that releases name, by krr, subset or codes, and write into estimate.json what sotto estimate tells of all of them")
	fs.StringVar(&o.job.Evaluate, "evaluate", "", "folder of a model that sotto train --out or sotto estimate train made for such releases, on every worker: how often it is right about them is counted from --label, which is not private, into --evaluation")
	fs.StringSliceVar(&o.job.Labels, "label", nil, "columns, separated by commas, of the true labels that --evaluate counts by; they are released nowhere")
	fs.StringVar(&o.job.Evaluation, "evaluation", "", "file for what --evaluate counts, which stays on the trusted side, outside of --out (default: OUT.evaluation.json)")
	fs.StringVar(&o.job.Pairs, "pairs", "", "folder for raw vectors beside their releases, which sotto attack --pairs reads; nothing of it is private, and it stays on the trusted side, outside of --out")
	fs.StringSliceVar(&o.job.Attributes, "attributes", nil, "columns, separated by commas, that are written beside --pairs for attackers to guess")
	fs.StringVar(&o.job.Ledger, "ledger", "", "ledger that the users of --user pay from before anything is released: a file that sotto budget init made, or postgres://… (default: nobody pays)")
	fs.StringVar(&o.job.Head, "head", "", "place where the end of the ledger is noted (default: beside the ledger)")
	fs.StringVar(&o.job.OnExhausted, "on-exhausted", pipeline.LeaveOut, "what happens to users with too little left: leave-out leaves out their rows and counts them, refuse releases nothing")
	fs.StringVar(&o.job.Name, "job", "", "name of the job, under which it pays once however often it runs, and to which rows without --id belong (default: a digest under the secret of what it does, with which numerics, and of which files at which places)")
	fs.Int64Var(&o.job.SplitBytes, "split", shard.DefaultSplit, "about how many bytes of a file are one part")
	fs.IntVar(&o.job.Workers, "workers", 0, "parts at a time in one process (default: one for each core)")
	fs.IntVar(&o.job.Processes, "processes", 0, "processes of their own that make parts, one at a time each; the part of one that dies is made again by another (default: parts are made in this process)")
	fs.StringVar(&o.runner, "runner", "prism", "engine: prism, in this process, or one that Beam knows, such as flink, spark or universal; what it needs follows --, as in -- --endpoint=HOST:8099 --environment_type=DOCKER")
	fs.StringVar(&o.stream.URL, "stream", "", "address of a server of NATS JetStream, as in nats://HOST:4222: records that keep coming are released, in place of files, until the command is stopped; each id has one release")
	fs.StringVar(&o.stream.From, "stream-from", "", "stream of the records, which are objects of JSON")
	fs.StringVar(&o.stream.Subject, "stream-subject", "", "subject of the records (default: the name of their stream and .>)")
	fs.StringVar(&o.stream.To, "stream-to", "", "subject of the releases, before the names of ids, of a stream that takes SUBJECT.>")
	fs.StringVar(&o.stream.Creds, "stream-creds", "", "file of credentials for the server, on every worker (default: none)")
	fs.Int64Var(&o.stream.Last, "stream-last", 0, "place in the stream of the record at which to end (default: never)")
	fs.StringVar(&o.nameOf, "name-of", "", "print the name of this id, by which errors speak of it, and do nothing else")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON")
	fs.BoolVar(&o.verbose, "verbose", false, "print what the engine says while it works")
}

// settle makes a job of the flags.
func (o *options) settle(fs *pflag.FlagSet) error {
	if err := term.RefuseZeros(fs, "seed", "dropout"); err != nil {
		return err
	}
	if o.Epsilon == 0 {
		return errors.New("want --epsilon, the ε of each release")
	}
	if !o.job.Vectors {
		o.Encoder = o.job.Encoder // whose cells come with sotto, if they do
	}
	p, err := o.Resolve(o.mechanism)
	if err != nil {
		return err
	}
	o.job.Mechanism, o.cells = p, fs.Lookup("cells").Value.String()
	if o.job.Public, err = p.Public(); err != nil {
		return err
	}
	for name, given := range map[string]bool{"estimate": o.job.Count, "evaluate": o.job.Evaluate != "", "pairs": o.job.Pairs != "", "sign": o.sign != ""} {
		if given && o.stream.URL != "" {
			return fmt.Errorf("--%s is for files, must be absent with --stream, which has no end at which to tell anything", name)
		}
	}
	if o.job.Processes > 0 && o.stream.URL != "" {
		return errors.New("--processes is for files, must be absent with --stream")
	}
	rows, err := o.table.Options()
	if err != nil {
		return err
	}
	o.job.Format, o.job.Encoding, o.job.Delimiter, o.job.NoHeader = o.table.InFormat, rows.Encoding, rows.Delimiter, rows.NoHeader
	if o.job.OutFormat, err = vecfile.ParseFormat(o.outFormat); err != nil {
		return err
	}
	if o.job.Vectors && !fs.Changed("encoder") {
		o.job.Encoder = ""
	}
	if o.job.Dropout = o.dropout; o.dropout > 0 {
		o.job.Masks = mech.Masks(o.masks)
	}
	return nil
}

// Summary is what --json prints.
type Summary struct {
	Rows     int64      `json:"rows"`     // read
	Released int64      `json:"released"` // and written
	LeftOut  int64      `json:"left_out"`
	Seconds  float64    `json:"seconds"`
	Rate     float64    `json:"rows_per_second"`
	Out      string     `json:"out"`
	Parts    int        `json:"parts"`
	Record   *shard.Set `json:"record"`

	Estimate *estimate.Result `json:"estimate,omitempty"` // with --estimate

	// Evaluation and Pairs are where the trusted side finds what is not private, and is
	// therefore not here.
	Evaluation string `json:"evaluation,omitempty"`
	Pairs      string `json:"pairs,omitempty"`

	right *experiment.Evaluation // what the file says, for the person who runs this
}

// New returns the command.
func New(std term.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "sotto-batch",
		Short: "Release the texts of many files on a distributed engine",
		Long: `Read the texts of many files, mask, encode and release each, and write the releases
as a set of files with one record, on Apache Beam: on its runner Prism in this
process, or on a cluster.

Noise is keyed by the secret, the row's user and id, the mechanism with its ε, and the
row's vector, so that a part that an engine runs twice is written twice with the same
bytes, and is no second release; nor is a row of today in tomorrow's file. Without --id
a row is of its job, its file and its line, and another job releases it again. Ids must
be unique, which is checked before anything is released. With --ledger, all of it is
paid for before that, too; a job that died has paid, and costs nothing when it runs
again. A name that was paid for other files, for other settings, or on machines that
round otherwise, is refused.

--evaluate says how often a model is right about the releases, and --pairs keeps raw
vectors beside them, for attacks. Both are made of what releases hide: they are covered
by no ε, are readable by their owner alone, and never lie below --out, which leaves.

--sign signs set.privacy.json, which holds the SHA-256 of every part, in this process.`,
		Example: `  sotto-batch --in 'texts/*.jsonl' --text text --id id --out private --mechanism codebook --epsilon 4 --secret batch.secret
  sotto-batch --in 'texts/*.parquet' --text review --id id --user author --ledger postgres://… --out private --epsilon 4 --secret batch.secret --format parquet
  sotto-batch --in 'texts/*.jsonl' --text text --id id --out private --mechanism cells --epsilon 4 --secret batch.secret --evaluate model --label topic --pairs trusted --attributes age,sex
  sotto-batch --stream nats://127.0.0.1:4222 --stream-from records --stream-to releases --text text --id id --epsilon 4 --secret batch.secret
  sotto-batch --in 'vectors/*.npy' --vectors --out private --format npy --mechanism laplace-l1 --epsilon 8 --secret batch.secret`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, engine []string) error {
			if err := o.settle(c.Flags()); err != nil {
				return err
			}
			if err := flag.CommandLine.Parse(engine); err != nil {
				return fmt.Errorf("what follows --: %w", err)
			}
			return o.run(c.Context(), std)
		},
	}
	o.addFlags(c.Flags())
	c.CompletionOptions.DisableDefaultCmd = true
	return c
}

func (o *options) run(ctx context.Context, std term.Streams) error {
	if o.nameOf != "" {
		w, err := o.job.Open(ctx)
		if err == nil {
			_, err = fmt.Fprintln(std.Out, w.Name(o.nameOf))
		}
		return err
	}
	if !o.verbose { // what went wrong is said below, once
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	key, err := term.SigningKey(o.sign, std.Err)
	if err != nil {
		return err
	}
	if key != nil {
		o.job.Sign = func(record []byte) []byte { return key.Sign(record, term.RecordComment) }
	}
	if o.stream.URL != "" {
		o.stream.Job, o.stream.Subject = o.job, cmp.Or(o.stream.Subject, o.stream.From+".>")
		return pipeline.RunStream(ctx, &o.stream, o.runner)
	}
	began := time.Now()
	set, err := o.work(ctx, std.Err)
	if err != nil {
		return err
	}
	s := Summary{Rows: set.Rows, Released: set.Released, LeftOut: set.LeftOut, Out: o.job.Out, Parts: len(set.Parts), Record: set}
	s.Seconds = time.Since(began).Seconds()
	s.Rate = float64(s.Rows) / s.Seconds
	if o.job.Count {
		if s.Estimate, err = o.estimate(set); err != nil {
			return err
		}
	}
	s.Pairs = o.job.Pairs
	if o.job.Evaluate != "" {
		s.Evaluation = o.job.EvaluationFile()
	}
	if o.json {
		return term.PrintJSON(std.Out, s)
	}
	if s.Evaluation != "" && !strings.Contains(s.Evaluation, "://") {
		if err = atomicfile.ReadJSON(s.Evaluation, &s.right); err != nil {
			return err
		}
	}
	return s.print(std)
}

// work runs the job, and shows on a terminal how far it is, unless that is read by a
// program or by whoever wants to hear the engine.
func (o *options) work(ctx context.Context, stderr io.Writer) (*shard.Set, error) {
	if o.json || o.verbose {
		return pipeline.Run(ctx, &o.job, o.runner)
	}
	bar := term.NewProgress(stderr, "opening")
	defer bar.Finish()
	o.job.Watch = func(p pipeline.Progress) {
		bar.Describe(describe(p))
		bar.Set(int64(p.Done), int64(p.Chunks*p.Steps))
	}
	return pipeline.Run(ctx, &o.job, o.runner)
}

// describe says how far a job is.
func describe(p pipeline.Progress) string {
	return fmt.Sprintf("%d rows read, %d released, %d of %d parts", p.Read, p.Released, p.Parts, p.Chunks)
}

// estimate says what the releases of a set tell together, and writes it beside them
// where that is a folder of this machine.
func (o *options) estimate(set *shard.Set) (*estimate.Result, error) {
	r, err := told.Told(set, o.cells)
	if err != nil || strings.Contains(o.job.Out, "://") {
		return r, err
	}
	return r, atomicfile.Write(filepath.Join(o.job.Out, shard.EstimateFile), func(w io.Writer) error { return term.PrintJSON(w, r) })
}

// print tells a person what was done.
func (s *Summary) print(std term.Streams) error {
	var b strings.Builder
	fmt.Fprintf(&b, "released %d of %d rows into %d parts in %.1f s, %.0f rows a second\n", s.Released, s.Rows, s.Parts, s.Seconds, s.Rate)
	if s.LeftOut > 0 {
		fmt.Fprintf(&b, "left out %d rows, bad ones or of users with too little left\n", s.LeftOut)
	}
	if p := s.Record.Paid; p != nil {
		fmt.Fprintf(&b, "%d users have paid for %d releases; %d had too little left\n", p.Users, p.Releases, p.Exhausted)
	}
	fmt.Fprintf(&b, "each release has %v\n", s.Record.Release.Guarantee)
	if s.Record.Word != nil {
		fmt.Fprintf(&b, "and %v with dropout %v\n", *s.Record.Word, s.Record.Dropout)
	}
	fmt.Fprintf(&b, "against: %s\nfor: %s\n", s.Record.Release.Against, s.Record.Release.Scope)
	for _, a := range s.Record.Release.Guarantee.Assumptions {
		fmt.Fprintf(&b, "assuming: %s\n", a)
	}
	if s.Estimate != nil {
		fmt.Fprintf(&b, "%s\n", s.Estimate.Sentence())
	}
	if s.right != nil {
		m := s.right.Mean
		fmt.Fprintf(&b, "the model is right about %s %% of %d releases (95 %% interval %s to %s %%, at most %s %% at this ε)\n",
			term.Percent(m.Accuracy), s.right.Rows.Test, term.Percent(m.Low), term.Percent(m.High), term.Limit(m.Limit))
		if before := s.right.Before; before != nil {
			fmt.Fprintf(&b, "without noise it would be right about %s %%\n", term.Percent(before.Accuracy))
		}
		for _, note := range s.right.Notes {
			fmt.Fprintf(&b, "note: %s\n", note)
		}
	}
	for _, place := range []string{s.Evaluation, s.Pairs} {
		if place != "" {
			fmt.Fprintf(&b, "not private, and not to leave with the releases: %s\n", place)
		}
	}
	_, err := fmt.Fprint(std.Err, b.String())
	return err
}

// Run executes the command and returns its exit code.
func Run(ctx context.Context, args []string, std term.Streams) int {
	// Names of files and columns stand in what is said, and give a terminal no command.
	std.Out, std.Err = term.NewScreen(std.Out), term.NewScreen(std.Err).Words()
	c := New(std)
	c.SetArgs(args)
	c.SetIn(std.In)
	c.SetOut(std.Out)
	c.SetErr(std.Err)
	var err error
	func() {
		defer fault.Catch(&err)
		err = c.ExecuteContext(ctx)
	}()
	if err == nil {
		return exitDone
	}
	term.Complain(std.Err, err.Error())
	switch {
	case errors.Is(err, dp.ErrBudget), errors.Is(err, ledger.ErrConflict), errors.Is(err, shard.ErrDuplicates):
		return exitNo
	case errors.Is(err, fault.ErrFault):
		return exitInternal
	}
	return exitUse
}
