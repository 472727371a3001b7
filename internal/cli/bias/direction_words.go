package bias

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/bias"
	"sotto/bias/direction"
	"sotto/encode/wordfile"
)

// subject is a language with its vectors and words.
type subject struct {
	words     direction.Words
	files     []string
	table     *bias.Table // nil if there is none
	missing   string      // why
	counts    direction.Counts
	weighting string
}

// subjects reads the vectors of every language.
func (o *biasDirectionOptions) subjects(ctx context.Context) ([]subject, error) {
	own, err := o.ownWords()
	if err != nil {
		return nil, err
	}
	all, err := o.sources(own)
	if err != nil {
		return nil, err
	}
	for i := range all {
		s := &all[i]
		if err = o.open(ctx, s); err != nil {
			return nil, err
		}
		if o.zipf {
			s.counts, err = o.ranks(s.files, s.words.All())
			s.weighting = "an assumption: 1/rank in the file of vectors"
		}
		if err != nil {
			return nil, err
		}
	}
	return all, o.readCounts(all)
}

// ownWords reads --words, or returns nil.
func (o *biasDirectionOptions) ownWords() ([]direction.Words, error) {
	if o.words == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.words)
	if err != nil {
		return nil, err
	}
	all, err := direction.ParseWords(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.words, err)
	}
	return all, nil
}

// wordsOf returns the word set of a language.
func (o *biasDirectionOptions) wordsOf(language string, own []direction.Words) (direction.Words, error) {
	for _, w := range own {
		if w.Language == language {
			return w, nil
		}
	}
	if own != nil {
		return direction.Words{}, fmt.Errorf("%s has no words for the language %.20q", o.words, language)
	}
	w, err := direction.Builtin(language)
	if err == nil && o.pairs == pairsBolukbasi && o.folder == "" {
		if language != "en" {
			return w, fmt.Errorf("--pairs %s has no meaning for %s: the pairs are English", pairsBolukbasi, language)
		}
		w.Pairs = direction.Bolukbasi()
	}
	return w, err
}

// sources lists the languages with their words and files, in the order given.
func (o *biasDirectionOptions) sources(own []direction.Words) ([]subject, error) {
	var all []subject
	add := func(language, file string) error {
		i := slices.IndexFunc(all, func(s subject) bool { return s.words.Language == language })
		if i < 0 {
			w, err := o.wordsOf(language, own)
			if err != nil {
				return err
			}
			i = len(all)
			all = append(all, subject{words: w})
		}
		if file != "" {
			all[i].files = append(all[i].files, file)
		}
		return nil
	}
	if o.folder != "" {
		return o.folderSources()
	}
	if len(o.languages) != 1 {
		return nil, fmt.Errorf("--language names %d languages, must name one; for several say --vectors LANGUAGE=FILE", len(o.languages))
	}
	for _, v := range o.vectors {
		language, file := languageOf(v, o.languages[0])
		if err := add(language, file); err != nil {
			return nil, err
		}
	}
	if len(o.encoders) > 0 && (len(o.vectors) > 0 || len(o.encoders) > 1) {
		return nil, errors.New("want --vectors or one --encoder, not several")
	}
	if len(o.encoders) == 1 {
		return all, add(o.languages[0], "")
	}
	return all, nil
}

// languageOf divides LANGUAGE=FILE, where what comes first looks like a code.
func languageOf(value, otherwise string) (language, file string) {
	code, rest, ok := strings.Cut(value, "=")
	if !ok || code == "" || len(code) > 8 || strings.ContainsAny(code, "/\\.") {
		return otherwise, value
	}
	return code, rest
}

// folderSources finds the files of each language in the folder.
func (o *biasDirectionOptions) folderSources() ([]subject, error) {
	languages := o.languages
	if languages == nil {
		languages = direction.Languages()
	}
	var all []subject
	found := false
	for _, l := range languages {
		s := subject{words: direction.Words{Language: l}}
		if w, err := direction.Builtin(l); err == nil {
			s.words = w
		}
		if paths := keyedFiles(o.folder, l); len(paths) > 0 {
			s.files, found = paths[:1], true
		} else {
			s.missing = "the folder has no vectors of this language"
		}
		all = append(all, s)
	}
	if !found {
		return nil, fmt.Errorf("%s: it holds no file wiki.LANGUAGE_calculated_occupation.csv or wiki.LANGUAGE_raw.csv of the languages wanted, nor does a folder in it", o.folder)
	}
	return all, nil
}

// keyedFiles lists the files of a language in a folder and the folders in it, * for
// all languages, the best first.
func keyedFiles(folder, language string) []string {
	var all []string
	for _, pattern := range []string{"wiki." + language + "_calculated_occupation.csv", "wiki." + language + "_raw.csv"} {
		for _, depth := range []string{"", "*"} {
			paths, _ := filepath.Glob(filepath.Join(folder, depth, pattern)) // a bad pattern finds nothing
			all = append(all, paths...)
		}
	}
	return all
}

// open reads the vectors of a language. A file keyed by English words brings
// its professions and, if there is no other file, the pairs.
func (o *biasDirectionOptions) open(ctx context.Context, s *subject) (err error) {
	if s.missing != "" {
		return nil
	}
	if len(s.files) == 0 {
		s.files = []string{o.encoders[0]}
		s.table, err = encodeWords(ctx, o.encoders[0], s.words.All())
		return err
	}
	english, err := o.englishPairs()
	if err != nil {
		return err
	}
	var tables []*bias.Table
	var keyed *direction.Words
	plain := false
	for _, path := range s.files {
		var t *bias.Table
		if o.folder != "" || isKeyed(path) {
			if keyed != nil {
				return fmt.Errorf("%s: it is the second file keyed by English words, must be one", path)
			}
			keyed = new(direction.Words)
			t, *keyed, err = readKeyed(path, s.words.Language, english)
		} else {
			plain = true
			t, _, err = o.read(path, s.words.All())
		}
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	if keyed != nil {
		s.words.Professions = keyed.Professions
		if !plain {
			s.words.Pairs = keyed.Pairs
		}
	}
	s.table, err = join(tables)
	return err
}

// englishPairs are the pairs by which keyed files are read.
func (o *biasDirectionOptions) englishPairs() ([]direction.Pair, error) {
	if o.pairs == pairsBolukbasi {
		return direction.Bolukbasi(), nil
	}
	w, err := direction.Builtin("en")
	return w.Pairs, err
}

// isKeyed reports whether a file is CSV that is keyed by English words: it has
// genders, and no translations. What cannot be read is left to whoever reads
// it.
func isKeyed(path string) bool {
	if !strings.HasSuffix(strings.ToLower(path), ".csv") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	names, err := csv.NewReader(f).Read()
	return err == nil && slices.Contains(names, "word") && slices.Contains(names, "gender") && !slices.Contains(names, "translation")
}

func readKeyed(path, language string, pairs []direction.Pair) (*bias.Table, direction.Words, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, direction.Words{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	t, w, err := direction.ReadKeyed(f, pairs)
	if err != nil {
		return nil, w, fmt.Errorf("%s: %w", path, err)
	}
	if w.Language != "" && w.Language != language {
		return nil, w, fmt.Errorf("%s: its language is %.20q, must be %s", path, w.Language, language)
	}
	return t, w, nil
}

// join makes one table of several; of a word that stands in two the first
// counts.
func join(tables []*bias.Table) (*bias.Table, error) {
	if len(tables) == 1 {
		return tables[0], nil
	}
	var words []string
	var rows []float64
	seen := map[string]bool{}
	for _, t := range tables {
		if t.Dim() != tables[0].Dim() {
			return nil, fmt.Errorf("the vectors of one file have %d numbers and those of another %d, must have as many", tables[0].Dim(), t.Dim())
		}
		for i := range t.Len() {
			if w := t.Word(i); !seen[w] {
				seen[w] = true
				words, rows = append(words, w), append(rows, t.Row(i)...)
			}
		}
	}
	return bias.NewTable(tables[0].Dim(), words, rows)
}

// readCounts reads --counts.
func (o *biasDirectionOptions) readCounts(all []subject) error {
	for _, v := range o.counts {
		language, file := languageOf(v, all[0].words.Language)
		if file == v && len(all) > 1 {
			return errors.New("--counts names no language, must be LANGUAGE=FILE where there are several")
		}
		i := slices.IndexFunc(all, func(s subject) bool { return s.words.Language == language })
		if i < 0 {
			return fmt.Errorf("--counts is of the language %.20q, of which there are no vectors", language)
		}
		if all[i].counts != nil {
			return fmt.Errorf("--counts gives two files for %s, must give one", language)
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		all[i].counts, err = direction.ParseCounts(f)
		f.Close() //nolint:errcheck // it was only read
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// ranks returns 1/r for the r-th word of a file, for words that are wanted.
func (o *biasDirectionOptions) ranks(files, words []string) (direction.Counts, error) {
	if len(files) != 1 || isKeyed(files[0]) {
		return nil, errors.New("--zipf needs one file of words a language")
	}
	format := wordfile.Text
	if o.format != "" {
		var err error
		if format, err = wordfile.ParseFormat(o.format); err != nil {
			return nil, fmt.Errorf("--zipf needs a file in which frequent words stand first: %w", err)
		}
	} else if ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(files[0]), ".gz")); ext == ".bin" {
		format = wordfile.Word2vecBinary
	} else if ext == ".csv" || ext == ".json" || ext == ".svec" {
		return nil, fmt.Errorf("--zipf needs a file in which frequent words stand first, which %s does not promise", ext)
	}
	f, err := os.Open(files[0])
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	want := map[string]bool{}
	for _, w := range words {
		for _, s := range bias.Spellings(w) {
			want[s] = true
		}
	}
	counts := direction.Counts{}
	r, err := wordfile.NewReader(f, format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	rank := 0
	r.Select(func(word []byte) bool {
		rank++
		if _, twice := counts[string(word)]; !twice && want[string(word)] {
			counts[string(word)] = 1 / float64(rank)
		}
		return false
	})
	if _, _, err = r.Next(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	return counts, nil
}
