package language

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/regular"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/model"
	"sotto/study/language/parse"
	"sotto/text/encode/wordfile"
)

// trainOptions are the flags of "sotto language train".
type trainOptions struct {
	parse.Config
	in      string
	dev     string
	vectors string
	encoder string
	words   int
	notice  string
	names   string
	out     string
	workers int
	json    bool
}

func newTrain(std term.Streams) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model of sentences, tags, trees and lemmas on a treebank",
		Long: `Learn from a treebank in CoNLL-U, plain or compressed with gzip, and write one
file for --model of "sotto tag". The model that is built in was made so:

  sotto language train --in en_ewt-ud-train.conllu.gz --vectors glove.6B.100d.txt.gz \
    --vector-words 20000 --notice NOTICE --out english.model

With --encoder, the network stands behind a transformer of the BERT family, which
learns with it: trees are better, and both training and use much slower. --out is then
a folder, --dev tells which pass is kept, --batch counts sentences (default 16), --rate
is that of the transformer (default 0.0002) and a tenth of that of the network, and
--epochs is 3, --width 384 and --layers wr unless you say otherwise.

With --names, learn the names of people, organisations and places instead, from the
corpora of a folder of data sets: WNUT17, the Broad Twitter Corpus, Wikigold, the free
genres of GUM and half of the templates of presidio-research, with first names and
word vectors. What the corpora keep for tests is not read.

The same flags and files give the same bytes, for any number of workers. The file
holds words of the treebank: it is as public as that is.`,
		Example: `  sotto language train --in train.conllu --dev dev.conllu --out mine.model
  sotto language train --encoder minilm --in train.conllu --dev dev.conllu --out mine
  sotto language train --names "$SOTTO_DATA" --out english.names`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.names != "" {
				return trainNames(c.Context(), o, std)
			}
			if o.encoder != "" {
				return trainLarge(c.Context(), o, std)
			}
			return runTrain(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "", "treebank to learn from, in CoNLL-U (required)")
	fs.StringVar(&o.dev, "dev", "", "treebank on which each pass is judged; without --encoder nothing is learnt or chosen by it (default: none)")
	fs.StringVar(&o.vectors, "vectors", "", "file of word vectors that words are also looked up in, in the text format of GloVe (default: none)")
	fs.StringVar(&o.encoder, "encoder", "", "transformer that learns with the network: minilm, or the folder of another of the BERT family (default: none)")
	fs.IntVar(&o.words, "vector-words", 20000, "number of words of --vectors that are kept, the first ones")
	fs.IntVar(&o.Epochs, "epochs", 0, "number of passes over the treebank (default 10, or 3 with --encoder)")
	fs.IntVar(&o.Width, "width", 0, "length of a word's vector in the network, a multiple of 32 (default 256, or 384 with --encoder)")
	fs.StringVar(&o.Layers, "layers", "", "layers of the network, a letter each: w for a window of three words, r for a recurrent unit (default wrr, or wr with --encoder)")
	fs.IntVar(&o.Batch, "batch", 0, "number of words a step (default 500), or of sentences with --encoder (default 16)")
	fs.Float64Var(&o.Rate, "rate", 0, "step size of Adam at its highest (default 0.003), or that of the transformer with --encoder (default 0.0002)")
	fs.Float64Var(&o.Dropout, "dropout", 0, "share of numbers that a step drops (default 0.15)")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of weights, order and dropout (default 0)")
	fs.StringVar(&o.notice, "notice", "", "file that says on whose work the model rests, to be kept with it")
	fs.StringVar(&o.names, "names", "", fmt.Sprintf(namesHelp, "learn"))
	fs.StringVar(&o.out, "out", "", "file to write, or folder with --encoder (required)")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// trained is what "sotto language train --json" prints.
type trained struct {
	Out       string  `json:"out"`
	Bytes     int     `json:"bytes"`
	Sentences int     `json:"sentences"`
	Words     int     `json:"words"`
	Loss      float64 `json:"loss"` // mean of the last pass
}

func runTrain(ctx context.Context, o trainOptions, std term.Streams) error {
	notice, err := o.check()
	if err != nil {
		return err
	}
	train, dev, err := o.read()
	if err != nil {
		return err
	}
	given, err := o.given()
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "passes")
	result := trained{Out: o.out, Sentences: train.Sentences(), Words: len(train.Tokens)}
	m, err := model.Train(ctx, o.Config, notice, train, given, o.workers, func(epoch, epochs int, loss float64, so *parse.Model) {
		result.Loss = loss
		bar.Set(int64(epoch), int64(epochs))
		line := fmt.Sprintf("pass %d of %d: loss %.3f", epoch, epochs, loss)
		if dev != nil {
			line += judged(dev, so)
		}
		fmt.Fprintln(std.Err, line) //nolint:errcheck // words only
	})
	bar.Finish()
	if err != nil {
		return err
	}
	content, err := m.Encode()
	if err != nil {
		return err
	}
	result.Bytes = len(content)
	if err := m.Save(o.out); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, result, func(w io.Writer, r trained) error {
		_, err := fmt.Fprintf(w, "%s: %d bytes, from %d sentences of %d words\n", r.Out, r.Bytes, r.Sentences, r.Words)
		return err
	})
}

// check refuses flags before anything is read, and returns the notice.
func (o *trainOptions) check() (notice string, err error) {
	if o.in == "" || o.out == "" {
		return "", errors.New("give --in, a treebank in CoNLL-U, and --out, the file to write")
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return "", err
	}
	if err = o.Validate(); err != nil {
		return "", err
	}
	out := term.Named("out", o.out)
	for _, read := range []term.NamedPath{term.Named("in", o.in), term.Named("dev", o.dev), term.Named("vectors", o.vectors), term.Named("encoder", o.encoder)} {
		if err = term.RefuseSame(read, out); err != nil {
			return "", err
		}
	}
	if err = term.CanWrite(out); err != nil {
		return "", err
	}
	if o.notice == "" {
		return "", nil
	}
	content, err := regular.Read(o.notice, 1<<20)
	return string(content), err
}

// read returns the treebanks.
func (o *trainOptions) read() (train, dev *language.Document, err error) {
	if train, err = treebank(o.in, nil); err != nil || o.dev == "" {
		return train, nil, err
	}
	dev, err = treebank(o.dev, nil)
	return train, dev, err
}

// treebank reads a file of CoNLL-U as one document.
func treebank(path string, stdin io.Reader) (*language.Document, error) {
	f, err := term.Open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	all, err := conllu.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no sentences, must be a treebank in CoNLL-U", path)
	}
	return conllu.Document(all...), nil
}

// given reads word vectors: the first words that are written in small letters,
// as they are looked up.
func (o *trainOptions) given() (g parse.Given, err error) {
	if o.vectors == "" {
		return g, nil
	}
	if o.words < 1 {
		return g, fmt.Errorf("--vector-words is %d, must be at least 1", o.words)
	}
	f, _, err := regular.Open(o.vectors, regular.Most)
	if err != nil {
		return g, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	r, err := wordfile.NewReader(f, wordfile.Text)
	if err != nil {
		return g, fmt.Errorf("%s: %w", o.vectors, err)
	}
	seen := map[string]bool{}
	for len(g.Words) < o.words {
		word, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return g, fmt.Errorf("%s: %w", o.vectors, err)
		}
		if w := strings.ToLower(string(word)); !seen[w] {
			seen[w] = true
			g.Words = append(g.Words, w)
			for _, x := range row {
				g.Vectors.Data = append(g.Vectors.Data, x/2) // as large as learnt ones
			}
		}
	}
	g.Vectors.Rows, g.Vectors.Cols = len(g.Words), r.Dim()
	return g, nil
}

// judged says how good a model is on a treebank.
func judged(gold *language.Document, m *parse.Model) string {
	s, err := filled(gold, m)
	if err != nil {
		return ": " + err.Error()
	}
	return fmt.Sprintf("; UPOS %.2f, LAS %.2f", 100*s.UPOS.Score(), 100*s.LAS.Score())
}

// filled returns how good tags, trees and lemmas are on given words.
func filled(gold *language.Document, a language.Annotator) (conllu.Syntax, error) {
	d := &language.Document{Text: gold.Text, Tokens: append([]language.Token(nil), gold.Tokens...)}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		t.UPOS, t.XPOS, t.Lemma, t.DepRel, t.Head = "", "", "", "", -1
	}
	if err := a.Annotate(d); err != nil {
		return conllu.Syntax{}, err
	}
	return conllu.Trees(gold, d)
}
