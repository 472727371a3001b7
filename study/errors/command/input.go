package errors

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	failing "sotto/study/errors"
	"sotto/study/errors/feature"
	"sotto/study/language/lexicon"
)

// inputFlags say where texts, labels and answers stand.
type inputFlags struct {
	term.TextFlags
	in, id, person              string
	personExact                 bool
	label, predicted, private   string
	confidence, privateEpsilon  string
	probabilities, featureNames []string
	lexicons                    []string
	modelFlags
}

func (o *inputFlags) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.in, "in", "", "file of texts, labels and answers: csv, tsv, jsonl or parquet, compressed or not; - for CSV or JSON lines on standard input")
	o.AddFlags(fs)
	fs.StringVar(&o.label, "label", "", "column of the true label")
	fs.StringVar(&o.predicted, "predicted", "", "column of the label that the model answered (also --prediction)")
	fs.StringVar(&o.confidence, "confidence", "", "column of the probability that the model gave to its answer")
	fs.StringSliceVar(&o.probabilities, "probabilities", nil, "columns of the probability of each class, separated by commas")
	fs.StringVar(&o.private, "private-predicted", "", "column of what a private release of the model answered to the same text")
	o.modelFlags.addFlags(fs)
	fs.StringSliceVar(&o.featureNames, "features", nil, "columns that are features: numbers, or texts of which each is one")
	o.addLexicon(fs)
	fs.StringVar(&o.id, "id", "", "column that names each row in --cohorts-out (default: the number of the row, from 1)")
	fs.BoolVar(&o.personExact, "person-exact", false, "take names of --person as they are (default: names that differ in capitals, spaces or the form of letters alone are one person's)")
	fs.StringVar(&o.person, "person", "", "column that says whose row it is, with --epsilon (default: each row is somebody else's)")
}

func (o *inputFlags) addLexicon(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.lexicons, "lexicon", nil, "lexicons of emotions or other kinds of words, separated by commas: files such as NRC's EmoLex, or names (see sotto language lexicons) (default xed,opinion)")
}

// reader returns what finds the features of texts, by the lexicons of the flags, and
// the digests of these.
func (o *inputFlags) reader() (*feature.Reader, []string, error) {
	if o.Text == "" {
		if len(o.lexicons) > 0 {
			return nil, nil, errors.New("--lexicon needs --text, the column of the texts whose words are looked up")
		}
		return nil, nil, nil
	}
	own, err := lexicon.OpenAll(o.lexicons)
	if err != nil {
		return nil, nil, fmt.Errorf("--lexicon: %w", err)
	}
	var digests []string
	for _, l := range own {
		digests = append(digests, l.Digest())
	}
	slices.Sort(digests) // they are looked at together
	r, err := feature.New(feature.Options{Lexicons: own})
	return r, digests, err
}

// check refuses what is missing, and one column for two things.
func (o *inputFlags) check() error {
	if o.in == "" || o.label == "" || (o.predicted == "") == (o.model == "") {
		return errors.New("want --in, a file of texts; --label, the column of the true label; and either --predicted, that of the answer, or --model, which answers")
	}
	if o.model != "" && o.Text == "" {
		return errors.New("--model needs --text, the column of the texts that it answers to")
	}
	if o.Text == "" && len(o.featureNames) == 0 {
		return errors.New("want --text, the column of the texts, or --features, columns to learn from, or both")
	}
	if o.privateEpsilon != "" && o.private == "" {
		return errors.New("--private-epsilon is of private answers, must come with --private-predicted, the column of these")
	}
	if len(o.probabilities) == 1 {
		return errors.New("--probabilities names one column, must name one for each class; a single probability is --confidence")
	}
	answers := map[string]string{o.label: "--label", "": ""}
	for flag, name := range map[string]string{"--predicted": o.predicted, "--private-predicted": o.private} {
		if name != "" && answers[name] != "" {
			return fmt.Errorf("%s and %s are both the column %q, must differ", answers[name], flag, name)
		}
		answers[name] = flag
	}
	for i, name := range o.featureNames {
		if answers[name] == "--label" {
			return fmt.Errorf("--features has %q, which is --label, must not: whether an answer is wrong follows from it", name)
		}
		if slices.Contains(o.featureNames[:i], name) {
			return fmt.Errorf("--features names %q twice, must name it once", name)
		}
	}
	for i, name := range o.probabilities {
		if slices.Contains(o.probabilities[:i], name) {
			return fmt.Errorf("--probabilities names %q twice, must name it once", name)
		}
	}
	return nil
}

// input is what a file says of the rows that have a label.
type input struct {
	name          string
	leftOut       int
	counted       bool // under ε, so that no row may change what is made of another
	texts         []string
	reader        *feature.Reader // of texts; nil if there are none
	lexicons      []string        // digests of those that it has in place of the built-in ones
	ids, persons  []string        // nil if no column was named
	called        dataset.Names   // of persons
	places        []int           // of the rows in the file, from 1
	labels        []string
	wrong         []bool
	model         *answered // nil if no model was asked
	private       [][]bool  // by draw
	epsilons      []float64 // of the private answers; nil if nobody said
	confidence    []float64
	probabilities [][]float64
	columnNames   []string
	rules         []failing.Rule // under ε, what features are made for; nil for all
	columns       [][]string
}

// read reads the columns that were named, under ε in the form that was declared.
func (o *inputFlags) read(stdin io.Reader, counted bool) (*input, error) {
	var names []string
	place := map[string]int{}
	for _, name := range slices.Concat([]string{o.label, o.predicted, o.private, o.Text, o.confidence, o.id, o.person, o.epsilonColumn()}, o.probabilities, o.featureNames) {
		if _, there := place[name]; name != "" && !there {
			place[name] = len(names)
			names = append(names, name)
		}
	}
	open := o.open
	if counted {
		open = o.openDeclared
	}
	columns, err := open(stdin, names)
	if err != nil {
		return nil, err
	}
	in := &input{name: base(o.in), columnNames: o.featureNames, counted: counted}
	labels := columns[place[o.label]]
	for i, v := range labels {
		if v == "" {
			in.leftOut++
			continue
		}
		in.places = append(in.places, i+1)
	}
	if len(in.places) == 0 && !counted { // a count of nothing has noise like any other
		return nil, fmt.Errorf("%s: no row has a label, must be at least one", in.name)
	}
	of := func(name string) []string { // of rows with a label; nil if no column was named
		if name == "" {
			return nil
		}
		some := make([]string, len(in.places))
		for k, i := range in.places {
			some[k] = columns[place[name]][i-1]
		}
		return some
	}
	in.labels = of(o.label)
	if o.predicted != "" {
		if in.wrong, err = in.differ(in.labels, of(o.predicted)); err != nil {
			return nil, err
		}
	}
	if o.private != "" {
		in.private = make([][]bool, 1)
		if in.private[0], err = in.differ(in.labels, of(o.private)); err != nil {
			return nil, err
		}
		if err = o.readEpsilons(in, of(o.epsilonColumn())); err != nil {
			return nil, err
		}
	}
	in.texts, in.ids, in.persons = of(o.Text), of(o.id), of(o.person)
	in.called.Exact = o.personExact
	for i, name := range in.persons {
		in.persons[i] = in.called.Of(name)
	}
	if in.reader, in.lexicons, err = o.reader(); err != nil {
		return nil, err
	}
	if in.confidence, err = in.numbers(o.confidence, of(o.confidence)); err != nil {
		return nil, err
	}
	for _, name := range o.featureNames {
		in.columns = append(in.columns, of(name))
	}
	return in, in.readProbabilities(o.probabilities, of)
}

// epsilonColumn is the column that --private-epsilon names; "" if it is a number.
func (o *inputFlags) epsilonColumn() string {
	if _, err := strconv.ParseFloat(o.privateEpsilon, 64); err == nil {
		return ""
	}
	return o.privateEpsilon
}

// readEpsilons reads ε of the private answers: a column, or the number that stands for
// all.
func (o *inputFlags) readEpsilons(in *input, column []string) error {
	if o.privateEpsilon == "" {
		return nil
	}
	in.epsilons = make([]float64, len(in.places))
	for i := range in.epsilons {
		said := o.privateEpsilon
		if column != nil {
			said = column[i]
		}
		v, err := strconv.ParseFloat(said, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			if column == nil {
				return fmt.Errorf("--private-epsilon is %s, must be positive and finite, or a column of such numbers", said)
			}
			return fmt.Errorf("%s: row %d has no ε in column %q, must be a positive number", in.name, in.places[i], o.privateEpsilon)
		}
		in.epsilons[i] = v
	}
	return nil
}

func (o *inputFlags) open(stdin io.Reader, names []string) (term.Columns, error) {
	if o.in == "-" {
		if o.Given() {
			return nil, errors.New("--in-format, --delimiter, --encoding and --no-header have no meaning for standard input, which is CSV with a line of names or JSON lines")
		}
		return term.OpenColumns(o.in, stdin, names...)
	}
	options, err := o.Options()
	if err != nil {
		return nil, err
	}
	return term.TableColumns(o.in, options, names...)
}

// openDeclared is open for rows that are counted under ε.
func (o *inputFlags) openDeclared(stdin io.Reader, names []string) (term.Columns, error) {
	return term.DeclaredColumns(o.in, stdin, &o.TableFlags, names...)
}

// differ tells which answers are not the label. A missing one is not.
func (in *input) differ(labels, answers []string) ([]bool, error) {
	wrong, known := make([]bool, len(labels)), map[string]bool{}
	for _, v := range labels {
		known[v] = true
	}
	common := false
	for i, v := range labels {
		wrong[i] = v != answers[i]
		common = common || known[answers[i]]
	}
	if !common && !in.counted { // under ε no row may decide whether there are counts
		return nil, fmt.Errorf("%s: labels and answers have no value in common, must name the same classes", in.name)
	}
	return wrong, nil
}

// numbers reads a column of numbers; nil if no column was named.
func (in *input) numbers(name string, values []string) ([]float64, error) {
	if values == nil {
		return nil, nil
	}
	all := make([]float64, len(values))
	for i, v := range values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return nil, fmt.Errorf("%s: row %d has no probability in column %q, must be a number from 0 to 1", in.name, in.places[i], name)
		}
		all[i] = x
	}
	return all, nil
}

func (in *input) readProbabilities(names []string, of func(string) []string) error {
	if len(names) == 0 {
		return nil
	}
	in.probabilities = make([][]float64, len(in.places))
	for _, name := range names {
		p, err := in.numbers(name, of(name))
		if err != nil {
			return err
		}
		for i, v := range p {
			in.probabilities[i] = append(in.probabilities[i], v)
		}
	}
	return nil
}
