package language

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"sotto/command/term"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/study/language"
	"sotto/study/language/names"
	"sotto/study/language/personal"
)

// namesHelp is the help of --names, for what it is given.
const namesHelp = "folder of data sets, as $SOTTO_DATA is: %s the names of people, organisations and places instead of a treebank (default: none)"

// trainedNames is what "sotto language train --names --json" prints.
type trainedNames struct {
	Out   string  `json:"out"`
	Bytes int     `json:"bytes"`
	Loss  float64 `json:"loss"` // mean of the last pass
}

// trainNames trains a model of names on the corpora of a folder.
func trainNames(ctx context.Context, o trainOptions, std term.Streams) error {
	if o.in != "" || o.dev != "" || o.vectors != "" || o.encoder != "" || o.notice != "" {
		return errors.New("--names takes its corpora from its folder: leave out --in, --dev, --vectors, --encoder and --notice")
	}
	if o.Width != 0 || o.Layers != "" || o.Batch != 0 || o.Rate != 0 || o.Dropout != 0 || o.Seed != 0 {
		return errors.New("--names has no network: of the settings of training, it takes --epochs alone")
	}
	if o.out == "" {
		return errors.New("give --out, the file to write")
	}
	if err := term.CanWrite(term.Named("out", o.out)); err != nil {
		return err
	}
	opts := names.Defaults()
	if o.Epochs > 0 {
		opts.Epochs = o.Epochs
	}
	passes := opts.Epochs + opts.Settle
	bar := term.NewProgress(std.Err, "passes")
	result := trainedNames{Out: o.out}
	opts.Report = func(epoch int, loss float64) {
		result.Loss = loss
		bar.Set(int64(epoch+1), int64(passes))
	}
	opts.Stop = ctx.Err
	m, err := names.Train(o.names, opts)
	bar.Finish()
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err = m.Write(&file); err != nil {
		return err
	}
	result.Bytes = file.Len()
	err = atomicfile.Write(o.out, func(w io.Writer) error {
		_, failed := w.Write(file.Bytes())
		return failed
	})
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, result, func(w io.Writer, r trainedNames) error {
		_, err := fmt.Fprintf(w, "%s: %d bytes\n", r.Out, r.Bytes)
		return err
	})
}

// ratio is a row of what is measured of names or of personal data.
type ratio struct {
	Corpus    string  `json:"corpus"`
	Type      string  `json:"type"`
	Count     int     `json:"count"` // that there are
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func ratioOf(corpus, typ string, c names.Count) ratio {
	return ratio{Corpus: corpus, Type: typ, Count: c.Right + c.Missed, Precision: c.Precision(), Recall: c.Recall(), F1: c.F(1)}
}

// evaluatedNames is what "sotto language evaluate --names --json" prints.
type evaluatedNames struct {
	Names    []ratio `json:"names"`           // whole spans, by corpus
	Words    []ratio `json:"personal_words"`  // of the synthetic texts, as Presidio counts
	Personal []ratio `json:"personal_spans"`  // and whole spans of them
	Held     int     `json:"held_out_texts"`  // texts whose templates no model has seen
	Gap      float64 `json:"calibration_gap"` // how far confidences are off, on average, on the test part of the Broad Twitter Corpus
}

// evaluateNames judges names on the test parts of public corpora, and names and
// personal data together on synthetic texts of templates that are held out.
func evaluateNames(o evaluateOptions, std term.Streams) error {
	if o.in != "-" || o.system != "" {
		return errors.New("--names judges on the corpora of its folder: leave out --in and --system")
	}
	m, err := openNames(o.model)
	if err != nil {
		return err
	}
	corpora, err := names.ReadCorpora(o.names)
	if err != nil {
		return err
	}
	texts, err := names.ReadTexts(o.names)
	if err != nil {
		return err
	}
	var result evaluatedNames
	for _, c := range corpora {
		if c.Synthetic() {
			continue
		}
		for _, row := range names.Spans(c.Test, m.Find) {
			result.Names = append(result.Names, ratioOf(c.Name, row.Type, row.Spans))
		}
		if c.Name == "btc" {
			result.Gap = names.Gap(c.Test, m.Find)
		}
	}
	held := names.Held(texts)
	result.Held = len(held)
	rows, err := names.Personal(held, func(text string) ([]language.Entity, error) {
		d, failed := language.Pipeline{m, personal.Annotator{}}.Document(text)
		if failed != nil {
			return nil, failed
		}
		return d.Entities, nil
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		result.Words = append(result.Words, ratioOf("synthetic", row.Type, row.Tokens))
		result.Personal = append(result.Personal, ratioOf("synthetic", row.Type, row.Spans))
	}
	return term.Show(std.Out, o.json, result, printNames)
}

// openNames returns the model of names of a file, or the one that is built in.
func openNames(path string) (*names.Model, error) {
	if path == "" {
		return names.Load()
	}
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	m, err := names.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// printNames prints what was measured for a person.
func printNames(w io.Writer, e evaluatedNames) error {
	t := term.NewTable(w, "names, whole spans", "type", "there", "precision", "recall", "F1")
	for _, r := range e.Names {
		t.Row(r.Corpus, r.Type, r.Count, fmt.Sprintf("%.3f", r.Precision), fmt.Sprintf("%.3f", r.Recall), fmt.Sprintf("%.3f", r.F1))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nConfidences are %.3f off on average, on btc.\n\n", e.Gap); err != nil {
		return err
	}
	t = term.NewTable(w, "names and personal data", "words", "precision", "recall", "spans", "precision", "recall")
	for i, r := range e.Words {
		s := e.Personal[i]
		t.Row(r.Type, r.Count, fmt.Sprintf("%.3f", r.Precision), fmt.Sprintf("%.3f", r.Recall), s.Count, fmt.Sprintf("%.3f", s.Precision), fmt.Sprintf("%.3f", s.Recall))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d synthetic texts, of templates that were held out\n", e.Held)
	return err
}
