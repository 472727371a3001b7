package dataset_test

import (
	"testing"
	"unicode/utf8"

	"sotto/data/dataset"
)

// fuzz feeds a parser with files made of the same bytes, or of its small files
// with one replaced. It must never panic, and what it accepts must be valid.
func fuzz(f *testing.F, set string, o dataset.Options) {
	f.Helper()
	var good map[string]string
	for _, s := range small {
		if s.set == set {
			good = s.files
		}
	}
	for _, text := range good {
		f.Add([]byte(text))
	}
	f.Add([]byte(""))
	f.Add([]byte("\ufeff\r\n\t\xff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		try := func(files map[string]string) {
			s, err := dataset.Parse(files, set, o)
			if err != nil {
				return
			}
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
			for _, text := range append(s.Text, s.Second...) {
				if !utf8.ValidString(text) {
					t.Error("a text is no UTF-8")
				}
			}
			if len(s.Hash()) != 64 {
				t.Error("no hash")
			}
		}
		for path := range good {
			files := map[string]string{}
			for other, text := range good {
				files[other] = text
			}
			files[path] = string(data)
			try(files)
			delete(files, path)
			files[path+".gz"] = string(data)
			try(files)
		}
	})
}

func FuzzAdult(f *testing.F)        { fuzz(f, "adult", dataset.Options{Variant: "released"}) }
func FuzzCelebA(f *testing.F)       { fuzz(f, "celeba", dataset.Options{}) }
func FuzzAG(f *testing.F)           { fuzz(f, "ag_news_pnet", dataset.Options{Variant: "deduplicated"}) }
func FuzzBlogTopics(f *testing.F)   { fuzz(f, "blog_topics", dataset.Options{}) }
func FuzzBlogIndustry(f *testing.F) { fuzz(f, "blog_industry", dataset.Options{}) }
func FuzzBanking(f *testing.F)      { fuzz(f, "banking77", dataset.Options{}) }
func FuzzClinc(f *testing.F)        { fuzz(f, "clinc150", dataset.Options{Variant: "whole"}) }
func FuzzConll(f *testing.F)        { fuzz(f, "conll04", dataset.Options{}) }
func FuzzSemEval(f *testing.F)      { fuzz(f, "semeval2010", dataset.Options{}) }
func FuzzBiographies(f *testing.F)  { fuzz(f, "biographies", dataset.Options{}) }
func FuzzFewRel(f *testing.F)       { fuzz(f, "fewrel", dataset.Options{}) }
func FuzzIMDb(f *testing.F)         { fuzz(f, "imdb_reviews", dataset.Options{}) }
func FuzzLabelled(f *testing.F)     { fuzz(f, "imdb", dataset.Options{}) }
func FuzzSentEval(f *testing.F)     { fuzz(f, "trec", dataset.Options{}) }
func FuzzSnips(f *testing.F)        { fuzz(f, "snips", dataset.Options{}) }
func FuzzMRPC(f *testing.F)         { fuzz(f, "mrpc", dataset.Options{}) }
func FuzzSTSB(f *testing.F)         { fuzz(f, "stsb", dataset.Options{}) }
func FuzzAirline(f *testing.F)      { fuzz(f, "airline", dataset.Options{}) }
func FuzzTrustpilot(f *testing.F)   { fuzz(f, "trustpilot", dataset.Options{}) }
func FuzzDialect(f *testing.F)      { fuzz(f, "dialect_hate", dataset.Options{Variant: "skewed"}) }
func FuzzMoji(f *testing.F)         { fuzz(f, "moji_aae", dataset.Options{}) }

func FuzzAdultLabels(f *testing.F) {
	fuzz(f, "adult", dataset.Options{Labels: []string{"native-country", "education", "sex", "income"}})
}
