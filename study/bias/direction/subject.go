package direction

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
	"sotto/study/bias"
	"sotto/text/encode/wordfile"
)

// Subject is a language with its vectors and words.
type Subject struct {
	Words     Words
	Files     []string    // that the vectors are from, or an encoder
	Table     *bias.Table // nil if there is none
	Missing   string      // why
	Counts    Counts      // of forms; nil weights all alike
	Weighting string      // where the counts are from; "" means counts
}

// File is a file of a language.
type File struct{ Language, Path string }

// Sources say where the vectors, words and counts of languages are.
type Sources struct {
	// Vectors are files of word vectors, read with Read, or of CSV that is keyed
	// by English words (see [ReadKeyed]). Such a file brings its professions and,
	// if its language has no other file, the pairs.
	Vectors []File
	Read    bias.Options
	// Folder holds files that are keyed by English words, for the languages
	// given, in it or in folders in it; see [KeyedFiles].
	Folder    string
	Languages []string // of Folder, nil for those that have built-in words
	// Encoder names what encodes single words of Languages[0], where there are no
	// vectors.
	Encoder string
	Encode  func(ctx context.Context, words []string) (*bias.Table, error)

	Words     []Words // instead of the built-in ones; nil for those
	Bolukbasi bool    // take the ten English pairs of Bolukbasi
	Counts    []File  // a language may be "" where there is one
	Zipf      bool    // assume that the r-th word of a file occurs 1/r times as often as the first
}

// Open reads everything, in the order given.
func (s Sources) Open(ctx context.Context) ([]Subject, error) {
	all, err := s.subjects()
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err = s.read(ctx, &all[i]); err != nil {
			return nil, err
		}
		if s.Zipf {
			all[i].Weighting = "an assumption: 1/rank in the file of vectors"
			if all[i].Counts, err = s.ranks(all[i]); err != nil {
				return nil, err
			}
		}
	}
	return all, s.readCounts(all)
}

// subjects lists the languages with their words and files.
func (s Sources) subjects() ([]Subject, error) {
	if s.Folder != "" {
		return s.folder()
	}
	files := s.Vectors
	if len(files) == 0 {
		files = []File{{s.Languages[0], s.Encoder}}
	}
	var all []Subject
	for _, f := range files {
		i := slices.IndexFunc(all, func(x Subject) bool { return x.Words.Language == f.Language })
		if i < 0 {
			w, err := s.wordsOf(f.Language)
			if err != nil {
				return nil, err
			}
			i = len(all)
			all = append(all, Subject{Words: w})
		}
		all[i].Files = append(all[i].Files, f.Path)
	}
	return all, nil
}

// wordsOf returns the word set of a language.
func (s Sources) wordsOf(language string) (Words, error) {
	if s.Words != nil {
		i := slices.IndexFunc(s.Words, func(w Words) bool { return w.Language == language })
		if i < 0 {
			return Words{}, fmt.Errorf("direction: the list of word sets has no words for the language %.20q", language)
		}
		return s.Words[i], nil
	}
	w, err := Builtin(language)
	if err == nil && s.Bolukbasi {
		if language != "en" {
			return w, fmt.Errorf("direction: language is %s, must be en for the ten pairs of Bolukbasi: the pairs are English", language)
		}
		w.Pairs = Bolukbasi()
	}
	return w, err
}

// folder finds the files of each language in the folder.
func (s Sources) folder() ([]Subject, error) {
	languages := s.Languages
	if languages == nil {
		languages = Languages()
	}
	var all []Subject
	found := false
	for _, l := range languages {
		x := Subject{Words: Words{Language: l}, Missing: "the folder has no vectors of this language"}
		if w, err := Builtin(l); err == nil {
			x.Words = w
		}
		if paths := KeyedFiles(s.Folder, l); len(paths) > 0 {
			x.Files, x.Missing, found = paths[:1], "", true
		}
		all = append(all, x)
	}
	if !found {
		return nil, fmt.Errorf("%s: it holds no file wiki.LANGUAGE_calculated_occupation.csv or wiki.LANGUAGE_raw.csv of the languages wanted, nor does a folder in it", s.Folder)
	}
	return all, nil
}

// KeyedFiles lists the files of a language that are keyed by English words in a
// folder and the folders in it, * for all languages, the best first.
func KeyedFiles(folder, language string) []string {
	var all []string
	for _, pattern := range []string{"wiki." + language + "_calculated_occupation.csv", "wiki." + language + "_raw.csv"} {
		for _, depth := range []string{"", "*"} {
			paths, _ := filepath.Glob(filepath.Join(folder, depth, pattern)) // a bad pattern finds nothing
			all = append(all, paths...)
		}
	}
	return all
}

// read reads the vectors of a language.
func (s Sources) read(ctx context.Context, x *Subject) (err error) {
	switch {
	case x.Missing != "":
		return nil
	case s.Folder == "" && len(s.Vectors) == 0:
		x.Table, err = s.Encode(ctx, x.Words.All())
		return err
	}
	var tables []*bias.Table
	var keyed *Words
	plain := false
	for _, path := range x.Files {
		var t *bias.Table
		if s.Folder != "" || isKeyed(path) {
			if keyed != nil {
				return fmt.Errorf("%s: it is the second file keyed by English words, must be one", path)
			}
			keyed = new(Words)
			t, *keyed, err = s.readKeyed(path, x.Words.Language)
		} else {
			plain = true
			o := s.Read
			o.Words = x.Words.All()
			t, _, err = bias.Read(path, o)
		}
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	if keyed != nil {
		x.Words.Professions = keyed.Professions
		if !plain {
			x.Words.Pairs = keyed.Pairs
		}
	}
	x.Table, err = bias.Join(tables...)
	return err
}

// isKeyed reports whether a file is CSV that is keyed by English words: it has
// genders, and no translations. What cannot be read is left to whoever reads
// it.
func isKeyed(path string) bool {
	if !strings.HasSuffix(strings.ToLower(path), ".csv") {
		return false
	}
	names, err := from(path, func(r io.Reader) ([]string, error) { return csv.NewReader(r).Read() })
	return err == nil && slices.Contains(names, "word") && slices.Contains(names, "gender") && !slices.Contains(names, "translation")
}

// readKeyed reads a file by the English pairs.
func (s Sources) readKeyed(path, language string) (t *bias.Table, w Words, err error) {
	english := Words{Pairs: Bolukbasi()}
	if !s.Bolukbasi {
		if english, err = Builtin("en"); err != nil {
			return nil, w, err
		}
	}
	w, err = from(path, func(r io.Reader) (w Words, err error) {
		t, w, err = ReadKeyed(r, english.Pairs)
		return w, err
	})
	if err == nil && w.Language != "" && w.Language != language {
		err = fmt.Errorf("%s: its language is %.20q, must be %s", path, w.Language, language)
	}
	return t, w, err
}

// from reads something from a file, whose name it adds to errors.
func from[T any](path string, read func(io.Reader) (T, error)) (v T, err error) {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return v, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if v, err = read(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return v, err
}

// readCounts reads the counts of the languages.
func (s Sources) readCounts(all []Subject) (err error) {
	for _, f := range s.Counts {
		if f.Language == "" && len(all) > 1 {
			return errors.New("direction: a file of counts has no language, must be LANGUAGE=FILE where there are several")
		}
		i := slices.IndexFunc(all, func(x Subject) bool { return f.Language == "" || x.Words.Language == f.Language })
		if i < 0 {
			return fmt.Errorf("direction: counts are of the language %.20q, of which there are no vectors", f.Language)
		}
		if all[i].Counts != nil {
			return fmt.Errorf("direction: there are two files of counts for %s, must be one", all[i].Words.Language)
		}
		if all[i].Counts, err = from(f.Path, ParseCounts); err != nil {
			return err
		}
	}
	return nil
}

// ranks returns 1/r for the r-th word of a file, for words that are wanted.
func (s Sources) ranks(x Subject) (Counts, error) {
	if len(x.Files) != 1 || isKeyed(x.Files[0]) {
		return nil, errors.New("direction: ranks need one file of words a language")
	}
	format := s.Read.Format
	if format == "" {
		format = bias.FormatByName(x.Files[0])
	}
	ordered, err := wordfile.ParseFormat(string(format))
	if err != nil {
		return nil, fmt.Errorf("direction: ranks need a file in which frequent words stand first, which %s does not promise", format)
	}
	want := bias.AllSpellings(x.Words.All())
	return from(x.Files[0], func(in io.Reader) (Counts, error) {
		r, err := wordfile.NewReader(in, ordered)
		if err != nil {
			return nil, err
		}
		counts, rank := Counts{}, 0
		r.Select(func(word []byte) bool {
			rank++
			if _, twice := counts[string(word)]; !twice && want[string(word)] {
				counts[string(word)] = 1 / float64(rank)
			}
			return false
		})
		if _, _, err = r.Next(); !errors.Is(err, io.EOF) {
			return nil, err
		}
		return counts, nil
	})
}
