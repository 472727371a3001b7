package vectors

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/text/encode/svec"
	"sotto/text/encode/wordfile"
)

// convertOptions are the flags of "sotto encoder convert".
type convertOptions struct {
	svec.Options
	in, out, format string
}

func newEncoderConvert(std term.Streams) *cobra.Command {
	var o convertOptions
	c := &cobra.Command{
		Use:   "convert",
		Short: "Make a mapped file of published word vectors",
		Long: `Read word vectors as GloVe, word2vec or fastText publish them, plain or
compressed with gzip, and write a file that is mapped into memory: it opens in
no time, and processes share it. Numbers become 8 bits with a scale for each
word, or stay as they are with --float32.`,
		Example: `  sotto encoder convert --in glove.6B.100d.txt --sorted --out glove.svec
  sotto encode --encoder 'glove.svec?pool=sif' --in texts.txt --out raw.npy`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return runConvert(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "file of word vectors, - for standard input")
	fs.StringVar(&o.out, "out", "", "file to write, NAME.svec")
	fs.StringVar(&o.format, "format", string(wordfile.Text), "format of the word vectors: text, glove, word2vec, fasttext or word2vec-bin")
	fs.StringVar(&o.Name, "name", "", "name of the vectors, to be kept in the file")
	fs.StringVar(&o.Licence, "licence", "", "licence of the vectors, to be kept in the file")
	fs.BoolVar(&o.Float32, "float32", false, "keep numbers as they are, which takes four times the size")
	fs.BoolVar(&o.Sorted, "sorted", false, "say that the commonest word stands first, as in published files; ?pool=sif needs it")
	fs.BoolVar(&o.KeepFirst, "keep-first", false, "take the first of several rows for a word, instead of refusing them")
	return c
}

func runConvert(ctx context.Context, o convertOptions, std term.Streams) error {
	if o.out == "" {
		return errors.New("no --out given, must name the file to write")
	}
	if err := term.RefuseSame(term.Named("--in", o.in), term.Named("--out", o.out)); err != nil {
		return err
	}
	format, err := wordfile.ParseFormat(o.format)
	if err != nil {
		return err
	}
	in, err := term.Open(o.in, std.In)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	bar := term.NewProgress(std.Err, "converting")
	done, err := svec.Convert(ctx, in, format, o.out, o.Options, func(rows int) { bar.Set(int64(rows), -1) })
	bar.Finish()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.ForPeople(std.Out), "%s: %d words of %d numbers\n", o.out, done.Words, done.Dim)
	return err
}
