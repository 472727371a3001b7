package vectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/internal/atomicfile"
	"sotto/internal/signed"
	"sotto/internal/version"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// encodeOptions are the flags of "sotto encode".
type encodeOptions struct {
	outFlags
	term.MaskFlags
	term.TextFlags
	encoder   string
	mechanism string
	model     string
	sign      string
	verify    string
	keep      []string
	person    string
	exact     bool // names of persons are taken as they are
	linkBy    []string
	linkModel dataset.LinkModel
	maxRows   int
	label     string
	numbers   []string // columns that the model takes beside the texts

	skipTrained, includeTrained bool
}

func (o *encodeOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.encoder, "encoder", "default", "encoder that makes the vectors (see sotto encoder list); beside --model, the one that its manifest names, which permits a program or an address")
	term.AddEncoderRoots(fs)
	fs.StringVar(&o.in, "in", "-", "file or folder of texts, - for standard input")
	o.AddDeclaredFlags(fs)
	o.MaskFlags.AddFlags(fs)
	fs.StringVar(&o.mechanism, "mechanism", "", "mechanism that releases each vector (default: none, so that vectors are raw)")
	fs.StringVar(&o.model, "model", "", "folder that sotto train --out made, whose encoder, masks, layers and mechanism release each text")
	term.AddVerify(fs, &o.verify, "the folder of --model")
	fs.BoolVar(&o.skipTrained, "skip-trained", false, "leave out rows that the --model was trained on, and with --person all rows of its persons, and count them")
	fs.BoolVar(&o.includeTrained, "include-trained", false, "release rows that the --model was trained on, too, which its ε does not cover; the record then says how many")
	fs.StringSliceVar(&o.keep, "keep", nil, "columns, separated by commas, that are written beside the vectors as they are")
	fs.StringVar(&o.person, "person", "", "column that names whose row it is, so that the guarantee of a person is stated, too")
	fs.BoolVar(&o.exact, "person-exact", false, "take names of --person as they are (default: names that differ in capitals, spaces or the form of letters alone are one person's)")
	fs.StringSliceVar(&o.linkBy, "link-by", nil, "columns, separated by commas, such as name,email, by which rows are linked to persons, for a guarantee that is then an estimate")
	fs.Var(&o.linkModel, "link-model", "file of the model that decides which rows --link-by links, made by sotto link records --save-model (default: what the rows themselves tell)")
	fs.IntVar(&o.maxRows, "max-rows", 0, "number of rows of each --person, or of each cluster of --link-by, that are released, the first ones (default: all)")
	fs.StringVar(&o.label, "label", "", "column of which to say how much the releases still tell, on standard error alone (default: none)")
	o.outFlags.addFlags(fs, "as the encoder makes them")
	term.AddSign(fs, &o.sign, "the record of what is promised is signed, and by it the file that it belongs to")
	fs.Lookup("metadata").Usage = "file for what is promised (default OUT.privacy.json, or OUT.raw.json)"
}

func newEncode(std term.Streams, types text.Types) *cobra.Command {
	var o encodeOptions
	c := &cobra.Command{
		Use:   "encode",
		Short: "Turn a file of texts into vectors, private ones with --mechanism",
		Long: `Encode each text of a file (one a line, or a column of CSV, JSON lines or
Parquet, or a folder with a text a file) and write its vector as JSON lines, CSV,
NPY or Parquet.

With --mechanism each vector is released in the same pass, so that no raw vector
touches the disk, and OUT.privacy.json says what is promised. Without it the
vectors are raw: whoever holds them can read much of the texts. A warning then
stands in OUT.raw.json and inside a Parquet file; make them private by
"sotto privatize" before they leave.

No row changes how another is read: the file is UTF-8 in the format that its name
ends in, or what flags say, and a row that does not parse is an error of its own.

With --model a file that holds rows which the model was trained on is refused, since
its ε does not cover them: others' releases, and the head that reads them, depend on
such a row even if it is not released itself. --skip-trained leaves these rows out.

--sign signs OUT.privacy.json, which holds the SHA-256 of OUT, into
OUT.privacy.json.minisig. --verify refuses a --model that is not signed as it is.

--dropout masks each word with that probability before it is encoded, which
makes the promise at word level stronger; words and patterns of --mask, and names
with --mask-names, are masked wherever they stand, which promises nothing.

` + term.MaskHelp(types) + `
` + term.MechanismList(),
		Example: `  sotto encode --model mine --in reviews.csv --text review --keep id --out private.jsonl
  sotto encode --in reviews.txt --out private.npy --mechanism laplace-l1 --epsilon 8
  sotto encode --in reviews.txt --out private.npy --mechanism laplace-l1 --epsilon 8 --mask types:email,phone=fake --show-masks masks.jsonl
  sotto encode --in reviews.csv --text review --out raw.npy
  sotto encode --in - --out - <reviews.txt | sotto privatize codebook --epsilon 4 --format jsonl`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.refuse(c.Flags()); err != nil {
				return err
			}
			return runEncode(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// encodeSummary is what "sotto encode --json" prints.
type encodeSummary struct {
	vectorise.Summary
	Out      string           `json:"out"`
	Metadata string           `json:"metadata,omitempty"`
	Record   evidence.Encoded `json:"record"`
	// Left is how much of the label of --label can be read from the releases; else
	// Untold says why that is not known. Both are for whoever releases.
	Left   *measure.KeptUse `json:"left,omitempty"`
	Untold string           `json:"untold,omitempty"`
	// Joined is how many names of --person are another way to write one that was met.
	Joined int `json:"joined,omitempty"`
	// Trained is how many rows were left out since the model was trained on them.
	Trained int64 `json:"trained_left_out,omitempty"`
	notes   []string
	hint    string
}

// runEncode encodes; where the model must be signed, by copies of what was verified.
func runEncode(ctx context.Context, o encodeOptions, std term.Streams) error {
	signer, err := term.SigningKey(o.sign, std.Err)
	if err != nil {
		return err
	}
	key, err := term.CheckingKey(o.verify)
	if err != nil {
		return err
	}
	if key == nil {
		return o.run(ctx, signer, std)
	}
	folder, err := model.OpenSigned(*key, o.model, true)
	if err != nil {
		return err
	}
	o.model = folder.Dir
	return errors.Join(folder.Name(o.run(catalogue.Only(ctx, folder.Copies()), signer, std)), folder.Close())
}

func (o encodeOptions) run(ctx context.Context, signer *signed.SecretKey, std term.Streams) (err error) {
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	t, err := o.trained(ctx)
	if err != nil {
		return err
	}
	drop, err := o.Drop()
	maskers, failed := o.maskers(ctx, t)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	in, err := o.open(std.In)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	e, err := t.open(ctx, o.encoder)
	if err != nil {
		return err
	}
	closeEncoder := term.CloserOf(e)
	defer closeEncoder() //nolint:errcheck // its error counts before the output appears
	m, record, err := o.promise(e, t)
	if err != nil {
		return err
	}
	record.Mask = typeRule(maskers)
	rows, err := o.rows(ctx, in)
	if err == nil {
		err = o.tell(ctx, rows, t, maskers)
	}
	if err != nil {
		return err
	}
	sink, err := term.NewSink(o.out)
	if err != nil {
		return err
	}
	defer sink.Abort()
	if m != nil && record.Private {
		sink.Shared()
	}
	job := vectorise.Job{In: in, Encoder: e, Drop: drop, Maskers: maskers, Mechanism: m, Model: t.releaser(), Row: rows.take(), Numbers: t.beside(o.beside()), Written: rows.written(), SkipBad: o.skipBad, Workers: o.workers}
	appear, abort, err := o.showMasks(&job)
	if err != nil {
		return err
	}
	defer abort()
	summary, err := o.stream(ctx, job, sink, &record, rows, std.Err)
	if err != nil {
		return err
	}
	if err = errors.Join(closeEncoder(), appear()); err != nil {
		return err
	}
	sink.Signer = signer
	if err = sink.Appear(o.record(), func(b mech.Binding) ([]byte, error) {
		b.Rows = summary.Rows
		record.Binding = b
		content, failed := json.MarshalIndent(record, "", "  ")
		return append(content, '\n'), failed
	}, std.Out); err != nil {
		return err
	}
	said := encodeSummary{Summary: summary, Out: o.out, Metadata: o.record(), Record: record, Trained: rows.seen.leftOut()}
	rows.say(ctx, o, m, &said)
	return o.report(said, std)
}

// showMasks has masks written to the file of --show-masks, which appears with the
// vectors or not at all.
func (o *encodeOptions) showMasks(job *vectorise.Job) (appear func() error, abort func(), err error) {
	if o.Show == "" {
		return func() error { return nil }, func() {}, nil
	}
	shown, err := atomicfile.Create(o.Show)
	if err != nil {
		return nil, nil, err
	}
	job.Masked = term.ShowMasks(shown)
	return shown.Commit, shown.Abort, nil
}

// open opens the texts.
func (o *encodeOptions) open(stdin io.Reader) (*textfile.Reader, error) {
	files := append(o.Files(), term.Named("--in", o.in), term.Named("--out", o.out), term.Named("the metadata", o.record()), term.Named("the signature", o.signature()), term.Named("--sign", o.sign), term.Named("--show-masks", o.Show), term.Named("--cells", o.File("cells")))
	if err := term.RefuseSame(files...); err != nil {
		return nil, err
	}
	return o.OpenDeclared(o.in, stdin, o.skipBad, o.beside()...)
}

// record returns the path of what stands beside the vectors, "" for none.
func (o *encodeOptions) record() string {
	if o.mechanism == "" && o.model == "" {
		return o.side(term.RawEnd)
	}
	return o.side(term.PrivacyEnd)
}

// signature returns the path of the record's signature, "" for none.
func (o *encodeOptions) signature() string {
	if o.sign == "" {
		return ""
	}
	return o.record() + signed.End
}

// promise makes the mechanism, nil for none, and says what is promised.
func (o *encodeOptions) promise(e encode.Source, t *trained) (mech.Mechanism, evidence.Encoded, error) {
	record := evidence.Encoded{Encoder: e.Name(), Dim: e.Dim(), Dropout: o.Dropout, Kept: o.keep}
	var m mech.Mechanism
	var err error
	switch {
	case t != nil:
		m, err = t.mechanism(e)
	case o.mechanism == "":
		record.Warning = term.RawWarning
		return nil, record, nil
	default:
		o.Encoder = o.encoder
		m, err = o.releaser(o.mechanism, e.Dim(), "the encoder makes")
	}
	if err != nil {
		return nil, record, err
	}
	r := mech.NewRecord(m, "sotto "+version.Short())
	record.Release, record.Private, record.Dim = &r, m.Guarantee().Epsilon != dp.Infinite, 0
	record.Encoder = catalogue.Told(record.Encoder)
	r.Guarantee.Assumptions = append(slices.Clone(r.Guarantee.Assumptions), o.assumed(e, t)...)
	if o.persons() { // an hour later is too late
		if _, err = dp.PerPerson(r.Guarantee, 1); err != nil {
			return nil, record, fmt.Errorf("--person and --link-by: %w", err)
		}
	}
	_, record.Dim = m.Shape()
	if t != nil {
		_, record.Dim = t.batch.Shape()
		if record.Model = t.Manifest.ID; record.Model == "" {
			record.NoModel = model.NoID
		}
		if record.Codes = t.codes; len(t.codes) > 0 {
			record.Tells = t.Model.Tells()
		}
		record.Uncovered = &evidence.Uncovered{}
	}
	if o.Dropout > 0 {
		word, err := mech.WordLevel(m.Guarantee(), o.Dropout)
		if err != nil {
			return nil, record, err
		}
		record.Word = &word
	}
	return m, record, nil
}

// stream does the work between an opened input and an opened output, and completes the
// record by what is known of the rows then: a Parquet file holds it, too.
func (o *encodeOptions) stream(ctx context.Context, job vectorise.Job, sink *term.Sink, record *evidence.Encoded, rows *besides, stderr io.Writer) (vectorise.Summary, error) {
	var err error
	format := vecfile.JSONL
	switch {
	case o.format != "":
		format, err = vecfile.ParseFormat(o.format)
	case o.out != "-":
		format, err = vecfile.ByName(o.out)
	}
	if err != nil {
		return vectorise.Summary{}, err
	}
	key := "sotto.privacy"
	if job.Mechanism == nil {
		key = "sotto.warning"
	}
	job.Out, err = vecfile.NewWriter(sink.File, format, vecfile.WriterOptions{
		Width: record.Dim, Float32: job.Mechanism == nil || job.Model != nil, Beside: o.keep,
	})
	if err != nil {
		return vectorise.Summary{}, err
	}
	bar := term.NewProgress(stderr, "encoding")
	defer bar.Finish()
	job.Progress = func(rows int64) { bar.Set(rows, -1) }
	var languages term.Languages
	if record.Mask != "" {
		job.Seen = languages.Add
	}
	s, err := vectorise.Run(ctx, job)
	if err != nil {
		return s, err
	}
	if note := languages.Note(foreignMasks); note != "" {
		s.Notes = append(s.Notes, note)
	}
	if err = rows.seen.refusal(o, s.Rows); err == nil {
		err = rows.conclude(record, &s)
	}
	if err != nil {
		return s, err
	}
	said, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return s, err
	}
	job.Out.Describe(key, string(said))
	return s, job.Out.Close()
}

// report tells the user what was done.
func (o *encodeOptions) report(s encodeSummary, std term.Streams) error {
	var b strings.Builder
	fmt.Fprintf(&b, "encoded %d texts by %s", s.Rows, s.Record.Encoder)
	for _, c := range []struct {
		n    int64
		what string
	}{
		{s.Skipped, "bad rows left out"},
		{s.Trained, "rows left out that the model was trained on"},
		{s.Declined, "rows beyond --max-rows of their person left out"},
		{s.Invalid, "texts held bytes that are not UTF-8"},
		{s.Empty, "texts have no known word and a zero vector"},
		{s.Truncated, "texts were cut at the encoder's limit"},
		{s.Masked[string(text.Dropout)], "words masked at random"},
		{s.Masked[string(text.Listed)] + s.Masked[string(text.Pattern)] + s.Masked[string(text.Name)], "words masked by lists"},
	} {
		if c.n > 0 {
			fmt.Fprintf(&b, "; %d %s", c.n, c.what)
		}
	}
	b.WriteString(maskedTypes(s.Masked))
	if s.Invalid > s.Rows/2 {
		b.WriteString("\nwarning: most texts held bytes that are not of the encoding that the file was read in; say which one it has (--encoding)")
	}
	for _, note := range slices.Concat(s.Notes, s.notes) {
		fmt.Fprintf(&b, "\nnote: %s", note)
	}
	if s.Record.Release == nil {
		fmt.Fprintf(&b, "\nwarning: %s", term.RawWarning)
	} else {
		fmt.Fprintf(&b, "\neach release has %v", s.Record.Release.Guarantee)
		if u := s.Record.Uncovered; u != nil && u.Rows != nil && *u.Rows > 0 {
			fmt.Fprintf(&b, ", but %d of these %d rows are not covered", *u.Rows, s.Rows)
		}
		if s.Record.Word != nil {
			fmt.Fprintf(&b, ", and %v with dropout %v", *s.Record.Word, o.Dropout)
			for _, a := range s.Record.Word.Assumptions {
				if !slices.Contains(s.Record.Release.Guarantee.Assumptions, a) {
					fmt.Fprintf(&b, "\nassuming, word by word: %s", a)
				}
			}
		}
		if s.Record.Person != nil {
			fmt.Fprintf(&b, "\nand %v", *s.Record.Person)
		}
		if same(s.Record.Codes) {
			b.WriteString("\nwarning: every code of this model says the same, so that the releases tell nothing of the labels; plan a larger ε with sotto plan")
		}
		b.WriteString(caution(*s.Record.Release))
		b.WriteString(o.cellsNote())
	}
	switch {
	case s.Left != nil:
		b.WriteString("\n" + s.Left.Text())
	case s.Untold != "":
		b.WriteString("\nwhat is left is not known: " + s.Untold)
	}
	if s.hint != "" {
		b.WriteString("\n" + s.hint)
	}
	return o.show(s, b.String(), std)
}

// newTokens prints the ids of texts' subwords.
func newTokens(std term.Streams) *cobra.Command {
	encoder := "default"
	c := &cobra.Command{
		Use:   "tokens",
		Short: "Print the subword ids of texts, one JSON array a line",
		Long: `Read texts from standard input, one a line, and print the ids that the encoder's
tokeniser makes of each, with those that mark its beginning and end.`,
		Example: "  sotto tokens --encoder minilm <texts.txt",
		Args:    term.None,
		RunE:    func(c *cobra.Command, _ []string) error { return runTokens(c.Context(), encoder, std) },
	}
	c.Flags().StringVar(&encoder, "encoder", encoder, "encoder with subwords: default, minilm, or a file or folder of one")
	return c
}

func runTokens(ctx context.Context, encoder string, std term.Streams) error {
	e, err := catalogue.Open(ctx, catalogue.Said(encoder), dataset.Dir())
	if err != nil {
		return err
	}
	w, ok := e.(interface{ WordPiece() *text.WordPiece })
	if !ok {
		return fmt.Errorf("encoder %s has no subwords, must be default, minilm or alike", encoder)
	}
	r, err := textfile.NewReader(std.In, textfile.Options{Name: "stdin", Format: textfile.Text})
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	out := json.NewEncoder(std.Out)
	for {
		t, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := out.Encode(w.WordPiece().Encode(t, maxTokens).IDs); err != nil {
			return err
		}
	}
}

// maxTokens is more than any line that textfile reads has.
const maxTokens = 1 << 30
