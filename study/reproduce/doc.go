// Package reproduce reproduces published tables: how well encoders tell
// similar sentences (STS-B), what a linear model reads from their vectors
// (SentEval), and the four experiments of PRIVEMB, each beside the figures that
// were published for the same encoder or for the nearest one; and, by package
// declared, the tables of FEDERATE, DPNR and LDPNN that files declare.
//
// Releases are simulated: their noise comes from seeds, so that a table can be
// repeated, and protects nobody. The package reads the data sets of package
// dataset and prints nothing by itself; a [Result] prints when it is told to.
// The smallest use is
//
//	r, err := reproduce.Run(ctx, "stsb", reproduce.Options{})
//	if err != nil {
//		return err
//	}
//	return r.Print(os.Stdout)
package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/internal/layout"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// Info describes a table.
type Info struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Paper    string   `json:"paper"`
	Encoders []string `json:"encoders"` // that it takes if none are named
	Data     []string `json:"data"`     // what must lie in the folder of data sets
}

// Result is a table that was made. It becomes JSON as it is.
type Result interface {
	// Print writes the table for a person.
	Print(w io.Writer) error
}

// Header is what every result begins with.
type Header struct {
	Format string   `json:"format"`
	Table  string   `json:"table"`
	Quick  bool     `json:"quick"`
	Seeds  int      `json:"seeds"`
	Notes  []string `json:"notes,omitempty"` // what a reader must know to compare
}

func (h *Header) head() *Header { return h }

// table is an entry of the list.
type table struct {
	Info
	seeds, quickSeeds int
	run               func(context.Context, *work) (Result, error)
}

// tables is a function, not a variable, so that nobody can write to it.
func tables() []table {
	return []table{
		{Info{
			"stsb", "rank correlation of cosine similarity with people's scores, STS-B", "Cer et al., SemEval 2017; Reimers and Gurevych, EMNLP 2019, table 2",
			[]string{"default"},
			[]string{"stsb"},
		}, 1, 1, runSTSB},
		{Info{
			"senteval", "accuracy of a linear model on the vectors of nine sets of sentences", "Conneau and Kiela, LREC 2018; Reimers and Gurevych, EMNLP 2019, table 5",
			[]string{"default", "glove"},
			sentEvalSets(),
		}, 3, 1, runSentEval},
		{Info{
			"privemb", "experiments 1 to 4 of PRIVEMB, as published and honest", "Feyisetan and Kasiviswanathan, TrustNLP 2021, figures 1 to 3 and table 1",
			[]string{"glove"},
			append(privEmbSets(), "opinion_lexicon"),
		}, 10, 2, runPrivEmb},
	}
}

// List describes the tables. It panics if a spec that is part of this program
// cannot be read, which its tests exclude.
func List() []Info {
	infos := each(tables(), func(t table) Info { return t.Info })
	specs, err := ListSpecs()
	if err != nil {
		panic(err)
	}
	for _, s := range specs {
		infos = append(infos, Info{s.Name, s.About, s.Paper, s.Encoders(), s.Data()})
	}
	return infos
}

// Titles describes the tables as [List] does, but for their encoders and data, and takes
// less time. It panics where List does.
func Titles() []Info {
	infos := each(tables(), func(t table) Info { return Info{Name: t.Name, About: t.About, Paper: t.Paper} })
	titles, err := SpecTitles()
	if err != nil {
		panic(err)
	}
	for _, t := range titles {
		infos = append(infos, Info{Name: t.Name, About: t.About, Paper: t.Paper})
	}
	return infos
}

// Run makes the table of that name, or the one that a file declares whose name
// ends in .json. An error about data that is absent wraps fs.ErrNotExist and
// says what is missing. When ctx is done it returns the error of ctx.
func Run(ctx context.Context, name string, o Options) (Result, error) {
	for _, t := range tables() {
		if t.Name == name {
			w, err := t.prepare(ctx, o)
			if err != nil {
				return nil, err
			}
			defer w.close()
			return t.run(ctx, w)
		}
	}
	s, err := FindSpec(ctx, name)
	if errors.Is(err, ErrUnknown) {
		names := each(List(), func(i Info) string { return i.Name })
		return nil, fmt.Errorf("reproduce: table is %.40q, must be one of %s, or a file that ends in .json%s", name, strings.Join(names, ", "), layout.Hint(name, names))
	} else if err != nil {
		return nil, err
	}
	t, err := MakeTable(ctx, s, o)
	if err != nil { // and then no table that is nil
		return nil, err
	}
	return t, nil
}

// work is a table being made.
type work struct {
	Options
	header  Header
	seeds   int
	sources []source
}

// source is an encoder with the name that the user gave it.
type source struct {
	from encode.Source
	spec string
}

// prepare fills in what the options leave out and opens the encoders.
func (t table) prepare(ctx context.Context, o Options) (*work, error) {
	if o.Seeds < 0 || o.Workers < 0 {
		return nil, fmt.Errorf("reproduce: seeds is %d and workers %d, must be at least 1, or 0 for the default", o.Seeds, o.Workers)
	}
	o.Workers, o.Dir = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.Dir, dataset.Dir())
	if len(o.Encoders) == 0 {
		o.Encoders = t.Encoders
	}
	if o.Quick {
		t.seeds = t.quickSeeds
	}
	w := &work{Options: o, seeds: cmp.Or(o.Seeds, t.seeds)}
	w.header = Header{Format: formatOf(t.Name), Table: t.Name, Quick: o.Quick, Seeds: w.seeds}
	for _, spec := range o.Encoders {
		s, err := catalogue.OpenNamed(ctx, catalogue.Name(spec), catalogue.Roots{From: "the list of encoders", Data: o.Dir})
		if err != nil {
			w.close()
			return nil, err
		}
		w.sources = append(w.sources, source{s, spec})
	}
	return w, nil
}

// close ends what encoders may have started. Their vectors are used by then.
func (w *work) close() {
	for _, s := range w.sources {
		if c, ok := s.from.(io.Closer); ok {
			c.Close() //nolint:errcheck // nothing more is asked of it
		}
	}
}

// note adds what a reader must know, once.
func (w *work) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.header.Notes, text) {
		w.header.Notes = append(w.header.Notes, text)
	}
}
