package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"sotto/data/dataset"
)

const (
	adultRow = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K\n"
	adultTop = "61, Private, 83311, 11th, 7, Divorced, Sales, Wife, Black, Female, 0, 0, 13, Mexico, >50K.\n"
	dialects = "split\tlabel\ttext\tp_aa\tp_hisp\tp_other\tp_white\n"
	airlines = "tweet_id,airline_sentiment,airline,text\n"
)

// small is a file or two of each kind that its parser reads, and what it must
// find: the labels by class name, in order.
var small = []struct {
	set    string
	files  map[string]string
	labels []string
	text   string // the first
}{
	{
		"adult",
		map[string]string{
			"adult/adult.data": adultRow + strings.Replace(adultRow, "State-gov", "?", 1) + "\n",
			"adult/adult.test": "|1x3 Cross validator\n" + adultTop + "\n",
		},
		[]string{"<=50K", ">50K"},
		"",
	},
	{
		"celeba",
		map[string]string{
			"celeba/list_attr_celeba.txt":    "2\r\nBald Smiling Male\r\n000001.jpg -1  1 -1\r\n000002.jpg  1 -1  1\r\n",
			"celeba/list_eval_partition.txt": "000001.jpg 0\r\n000002.jpg 2\r\n",
		},
		[]string{"yes", "no"},
		"",
	},
	{
		"ag_news_pnet",
		map[string]string{"ag_news_pnet/ag_data.txt": "1\tone\t0\n3\ttwo\t1 4\n====\n0\tthree\t2\n====\n2\tone\t3\n====\n"},
		[]string{"1", "3", "0", "2"},
		"one",
	},
	{
		"blog_topics",
		map[string]string{"blog_authorship/blog_lda_topics.tsv": "split\ttopic\tage_group\tgender\tuser\ttext\ntest\t3\t30s+\tM\t99\tHi, \"you\"\ntrain\t9\t10s\tF\t12\tbye\n"},
		[]string{"3", "9"},
		"Hi, \"you\"",
	},
	{
		"banking77",
		map[string]string{"banking77/train.tsv": "intent\ttext\nlost\twhere is \"it\"\ncard\ta card\n", "banking77/test.tsv": "intent\ttext\ncard\tmy card\n"},
		[]string{"lost", "card", "card"},
		"where is \"it\"",
	},
	{
		"conll04",
		map[string]string{"relations/conll04.jsonl": `{"split":"train","tokens":["Ann","of","Rome"],"entities":[["Peop",0,1],["Loc",2,3]],"relations":[["Live_In",0,1]]}` + "\n" + `{"split":"test","tokens":["Oslo","'s","Bo"],"entities":[["Loc",0,1],["Peop",2,3]],"relations":[["Kill",1,0]]}` + "\n"},
		[]string{"Live_In", "Kill"},
		"<e1>Ann</e1> of <e2>Rome</e2>",
	},
	{
		"semeval2010",
		map[string]string{"relations/semeval2010_task8.jsonl": `{"id":1,"split":"train","relation":"Other","text":"a cat sat","e1":[2,5],"e2":[6,9]}` + "\n"},
		[]string{"Other"},
		"a <e1>cat</e1> <e2>sat</e2>",
	},
	{
		"biographies",
		map[string]string{"relations/wikipedia_culotta.jsonl": `{"split":"train","subject":"Ann","text":"born in Rome","links":[[8,12,"birth_place","Rome"],[0,4,"","Birth"]]}` + "\n"},
		[]string{"birth_place"},
		"born in <e2>Rome</e2>",
	},
	{
		"fewrel",
		map[string]string{"relations/fewrel_val.jsonl": `{"set":"wiki","relation":"spouse","tokens":["Ann","and","Bo"],"head":[[2,3]],"tail":[[0,1],[0,1]]}` + "\n" + `{"set":"nyt","relation":"child","tokens":["a","b"],"head":[[0,1]],"tail":[[1,2]]}` + "\n"},
		[]string{"spouse"},
		"<e2>Ann</e2> and <e1>Bo</e1>",
	},
	{
		"clinc150",
		map[string]string{"clinc150/data_full.tsv": "split\tdomain\tintent\ttext\ntrain\ta\tsay\thow do i say\nval\ta\toos\tno\ntest\tb\tpay\tpay it\n"},
		[]string{"say", "pay"},
		"how do i say",
	},
	{
		"imdb_reviews",
		map[string]string{"imdb/reviews.tsv": "split\tlabel\trating\tmovie\tid\ttext\ntrain\t1\t10\ttt1\tpos/5\tfine<br /><br />film\ntest\t0\t1\ttt2\tneg/5\tbad\n"},
		[]string{"positive", "negative"},
		"fine film",
	},
	{
		"blog_industry",
		map[string]string{"blog_authorship/blog_industry.tsv": "split\tuser\tgender\tage\tindustry\tsign\tdate\ttext\ntrain\t5\tM\t17\tLaw\tLeo\t1,May,2004\thello\ndev\t6\tF\t48\tArts\tAries\t1,May,2004\tyo\n"},
		[]string{"Law", "Arts"},
		"hello",
	},
	{
		"imdb",
		map[string]string{"sentiment_labelled_sentences/imdb_labelled.txt": "a \"b\tc  \t0\ngood\t1\n"},
		[]string{"negative", "positive"},
		"a \"b\tc",
	},
	{"mr", map[string]string{"senteval/rt-polarity.all": "0 so bad . \n1 \n"}, []string{"negative", "positive"}, "so bad ."},
	{
		"trec",
		map[string]string{"senteval/TREC.train.all": "5 How far ?\n", "senteval/TREC.test.all": "0 What ?\n"},
		[]string{"NUM", "DESC"},
		"How far ?",
	},
	{"snips", snips(`{"INTENT": [{"data": [{"text": "add "}, {"text": "a\n song ", "entity": "x"}]}]}`), nil, "add a song"},
	{
		"mrpc",
		map[string]string{
			"mrpc/msr_paraphrase_train.txt": "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\tsays \"it\tits\r\n",
			"mrpc/msr_paraphrase_test.txt":  "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n0\t7\t8\ta\tb\r\n",
		},
		[]string{"yes", "no"},
		"says \"it",
	},
	{"stsb", map[string]string{"stsb/dev.csv": "\"a, b\",c,4.75\r\n", "stsb/test.csv": "d,e,0.0\r\n"}, nil, "a, b"},
	{
		"airline",
		map[string]string{"airline/Tweets.csv": airlines + "1,neutral,Delta,\"two\nlines\"\n2,negative,United,x\n"},
		[]string{"neutral", "negative"},
		"two\nlines",
	},
	{
		"trustpilot",
		map[string]string{"trustpilot_dk_en/denmark_english_reviews.csv": "text,age_bucket,gender,rating\nfine,3,M,5\nbad,0,F,1\n"},
		[]string{"5", "1"},
		"fine",
	},
	{
		"dialect_hate",
		map[string]string{"twitter_dialect/tweeteval_hate.tsv": dialects + "train\t1\thi\t0.5\t0\t0\t0.3\nval\t0\t\t\t\t\t\ntest\t0\tx\t0.1\t0\t0\t0.9\n"},
		[]string{"yes", "no", "no"},
		"hi",
	},
	{
		"moji_aae",
		map[string]string{"moji_aae/aae_happy.txt": "yes \xff\nboth\n", "moji_aae/aae_sad.txt": "both\nno\n"},
		[]string{"happy", "happy", "sad", "sad"},
		"yes \ufffd",
	},
}

// snips writes the same file for each intent.
func snips(text string) map[string]string {
	files := map[string]string{}
	for _, f := range dataset.Known {
		if intent, ok := strings.CutPrefix(f.Path, "snips/"); ok {
			_, intent, _ = strings.Cut(intent, "_")
			intent, _, _ = strings.Cut(strings.TrimSuffix(intent, ".json"), "_")
			files[f.Path] = strings.ReplaceAll(text, "INTENT", intent)
		}
	}
	return files
}

func TestParse(t *testing.T) {
	for _, tt := range small {
		t.Run(tt.set, func(t *testing.T) {
			s, err := dataset.Parse(tt.files, tt.set, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err = s.Validate(); err != nil {
				t.Error(err)
			}
			var labels []string
			for _, id := range s.Label.IDs {
				labels = append(labels, s.Label.Classes[id])
			}
			if tt.labels != nil && !reflect.DeepEqual(labels, tt.labels) {
				t.Errorf("labels = %q, want %q", labels, tt.labels)
			}
			if s.Text != nil && s.Text[0] != tt.text {
				t.Errorf("first text = %q, want %q", s.Text[0], tt.text)
			}
			info, err := dataset.Find(tt.set, "")
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, a := range s.Attributes {
				names = append(names, a.Name)
			}
			if strings.Join(names, " ") != strings.Join(info.Attributes, " ") || s.Label.Name != info.Label {
				t.Errorf("label %q and attributes %q, want %q and %q", s.Label.Name, names, info.Label, info.Attributes)
			}
		})
	}
}

func TestParseBad(t *testing.T) {
	for _, tt := range []struct {
		name, set string
		path      string // replaced in the good files of the set
		data      string
		want      string
	}{
		{"short row", "adult", "adult/adult.data", "1, 2\n", "adult/adult.data: line 1: it has 2 fields, must have 15"},
		{"unknown income", "adult", "adult/adult.data", strings.Replace(adultRow, "<=50K", "SECRET", 1), "income is no known class"},
		{"unknown sex", "adult", "adult/adult.data", strings.Replace(adultRow, "Male", "SECRET", 1), "sex is no known class"},
		{"unknown race", "adult", "adult/adult.data", strings.Replace(adultRow, "White", "SECRET", 1), "race is no known class"},
		{"no age", "adult", "adult/adult.data", strings.Replace(adultRow, "39", "SECRET", 1), "age is no number"},
		{"no hours", "adult", "adult/adult.data", strings.Replace(adultRow, " 40,", " SECRET,", 1), "hours-per-week is no number"},
		{"hours out of range", "adult", "adult/adult.data", strings.Replace(adultRow, " 40,", " 400,", 1), "hours-per-week is out of range"},
		{"unknown occupation", "adult", "adult/adult.data", strings.Replace(adultRow, "Adm-clerical", "SECRET", 1), "occupation is no known class"},
		{"no count", "celeba", "celeba/list_attr_celeba.txt", "x\n", "line 1: it is no number of rows"},
		{"no header", "celeba", "celeba/list_attr_celeba.txt", "1\n", "has no header"},
		{"no label", "celeba", "celeba/list_attr_celeba.txt", "0\nBald Male\n", `attribute of celeba is "Smiling"`},
		{"short row", "celeba", "celeba/list_attr_celeba.txt", "1\nBald Smiling Male\na.jpg 1 1\n", "it has 2 values, must have 3"},
		{"bad value", "celeba", "celeba/list_attr_celeba.txt", "1\nBald Smiling Male\na.jpg 1 1 0\n", "a value is neither -1 nor 1"},
		{"wrong count", "celeba", "celeba/list_attr_celeba.txt", "3\nBald Smiling Male\na.jpg 1 1 1\n", "holds 1 rows, must hold the 3 of its first line"},
		{"bad part", "celeba", "celeba/list_eval_partition.txt", "a.jpg 3\n", "which must be 0, 1 or 2"},
		{"short partition", "celeba", "celeba/list_eval_partition.txt", "a.jpg 1\n", "holds 1 rows, must hold the 2 of the table"},
		{"two fields", "ag_news_pnet", "ag_news_pnet/ag_data.txt", "1\tSECRET\n", "it has 2 fields, must have 3"},
		{"bad topic", "ag_news_pnet", "ag_news_pnet/ag_data.txt", "4\tSECRET\t0\n", "topic is no class, must be a number from 0 to 3"},
		{"bad person", "ag_news_pnet", "ag_news_pnet/ag_data.txt", "1\tSECRET\t5\n", "a person is unknown"},
		{"two parts", "ag_news_pnet", "ag_news_pnet/ag_data.txt", "1\ta\t0\n===\n===\n", "has 2 parts, must have 3"},
		{"four parts", "ag_news_pnet", "ag_news_pnet/ag_data.txt", "===\n===\n===\n1\ta\t0\n", "follows the third part"},
		{"bad header", "blog_topics", "blog_authorship/blog_lda_topics.tsv", "a\tb\tc\td\te\tf\n", `its columns are others than ["split" "topic"`},
		{"bad part", "blog_topics", "blog_authorship/blog_lda_topics.tsv", "split\ttopic\tage_group\tgender\tuser\ttext\nx\t1\t10s\tM\t1\tSECRET\n", "its part is unknown"},
		{"bad age", "blog_industry", "blog_authorship/blog_industry.tsv", "split\tuser\tgender\tage\tindustry\tsign\tdate\ttext\ntrain\t5\tM\tx\tLaw\tLeo\t1\tSECRET\n", "age is no number"},
		{"no tab", "imdb", "sentiment_labelled_sentences/imdb_labelled.txt", "SECRET 1\n", "it has no tab"},
		{"bad label", "imdb", "sentiment_labelled_sentences/imdb_labelled.txt", "SECRET\t2\n", "must be a number from 0 to 1"},
		{"bad label", "mr", "senteval/rt-polarity.all", "x SECRET\n", "line 1: sentiment is no class"},
		{"no JSON", "snips", "snips/train_PlayMusic_full.json", "SECRET", "is no JSON of utterances"},
		{"wrong intent", "snips", "snips/train_PlayMusic_full.json", `{"SECRET": []}`, "must have the one key PlayMusic"},
		{"bad header", "mrpc", "mrpc/msr_paraphrase_test.txt", "a\tb\tc\td\te\n", `its columns are others than ["Quality"`},
		{"bad score", "stsb", "stsb/dev.csv", "a,b,NaN\n", "the score is no number from 0 to 5"},
		{"two fields", "stsb", "stsb/dev.csv", "a,b\n", "it has 2 fields, must have 3"},
		{"open quote", "stsb", "stsb/dev.csv", "\"SECRET,b,1\n", "stsb/dev.csv: "},
		{"no column", "airline", "airline/Tweets.csv", "tweet_id,text\n", `column "airline_sentiment" is missing`},
		{"bad class", "airline", "airline/Tweets.csv", airlines + "1,SECRET,Delta,x\n", "line 2: sentiment is no known class"},
		{"bad rating", "trustpilot", "trustpilot_dk_en/denmark_english_reviews.csv", "text,age_bucket,gender,rating\nSECRET,3,M,0\n", "rating is no class, must be a number from 1 to 5"},
		{"bad posterior", "dialect_hate", "twitter_dialect/tweeteval_hate.tsv", dialects + "train\t1\tSECRET\tNaN\t0\t0\t0.3\n", "is no probability"},
	} {
		t.Run(tt.set+" "+tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, s := range small {
				if s.set == tt.set {
					for path, data := range s.files {
						files[path] = data
					}
				}
			}
			files[tt.path] = tt.data
			_, err := dataset.Parse(files, tt.set, dataset.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error quotes the data: %v", err)
			}
		})
	}
}

func TestParseQuirks(t *testing.T) {
	parse := func(set string, o dataset.Options) *dataset.Set {
		t.Helper()
		for _, tt := range small {
			if tt.set == set {
				s, err := dataset.Parse(tt.files, set, o)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		t.Fatalf("no small files of %s", set)
		return nil
	}
	s := parse("moji_aae", dataset.Options{})
	if got := strings.Join(s.Notes, "; "); !strings.Contains(got, "1 sad tweets") || !strings.Contains(got, "1 lines were not valid UTF-8") {
		t.Errorf("notes of moji_aae = %q", got)
	}
	if s.Split[1] != s.Split[2] {
		t.Errorf("a text of both files is in two parts, %s and %s", s.Split[1], s.Split[2])
	}
	if s = parse("mr", dataset.Options{}); len(s.Notes) != 1 || s.Notes[0] != "1 rows have no text" {
		t.Errorf("notes of mr = %q", s.Notes)
	}
	if s = parse("dialect_hate", dataset.Options{}); !reflect.DeepEqual(s.Attributes[0].IDs, []int{1, dataset.Unknown, 0}) {
		t.Errorf("dialects = %d, want AAE, unknown, SAE", s.Attributes[0].IDs)
	}
	if s = parse("stsb", dataset.Options{}); s.Target[0] != 4.75 || s.Second[1] != "e" || s.Split[0] != dataset.Validation {
		t.Errorf("stsb = %+v", s)
	}
	if s = parse("ag_news_pnet", dataset.Options{Variant: "deduplicated"}); s.Rows != 3 || len(s.Indices(dataset.Test)) != 0 {
		t.Errorf("deduplicated rows = %d, want 3 without the test row", s.Rows)
	}
	s = parse("celeba", dataset.Options{Labels: []string{"Bald"}, Attributes: []string{"Smiling"}})
	if !reflect.DeepEqual(s.FeatureNames, []string{"Male"}) || !reflect.DeepEqual(s.Features, []float32{-1, 1}) || s.Label.Name != "Bald" {
		t.Errorf("celeba by Bald = %+v", s)
	}
	s = parse("adult", dataset.Options{})
	row := map[string]float32{}
	for k, name := range s.FeatureNames {
		if x := s.Row(1)[k]; x != 0 {
			row[name] = x
		}
	}
	want := map[string]float32{
		"workclass_Private": 1, "education_high-school": 1, "marital-status_Divorced": 1, "occupation_Sales": 1, "relationship_Wife": 1,
		"native-country_NonUS": 1, "age": 2*44./73 - 1, "education-num": 2*6./15 - 1, "hours-per-week": 2*12./98 - 1,
	}
	if !reflect.DeepEqual(row, want) {
		t.Errorf("adult row = %v, want %v", row, want)
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, tt := range []struct {
		set  string
		o    dataset.Options
		want string
	}{
		{"snips", dataset.Options{Variant: "x"}, "snips has no variants"},
		{"adult", dataset.Options{Variant: "x"}, `variant of adult is "x", must be one of ["published" "released"]`},
		{"adult", dataset.Options{Attributes: []string{"sex"}}, "adult has fixed attributes"},
		{"adult", dataset.Options{Rows: 5}, "the size of adult is fixed"},
		{"celeba", dataset.Options{Labels: []string{"Male"}, Attributes: []string{"Male"}}, `"Male" is named twice`},
		{"celeba", dataset.Options{Attributes: []string{"Smiling"}}, `"Smiling" is named twice`},
		{"celeba", dataset.Options{Labels: []string{"Smiling", "Bald", "Male"}}, "all 3 columns, must leave a feature"},
		{"celeba", dataset.Options{Labels: []string{"Smiling", "Nose"}}, `label of celeba is "Nose", must be one of ["Smiling" "5_o_Clock_Shadow"`},
		{"celeba", dataset.Options{Labels: []string{"Bald", "Male", "Bald"}}, `must name "Bald" once`},
		{"celeba", dataset.Options{Label: "Bald", Labels: []string{"Male"}}, "must be one or the other"},
		{"adult", dataset.Options{Labels: []string{"income", "age"}}, `label of adult is "age", must be one of ["income" "workclass"`},
		{"blog_industry", dataset.Options{Labels: []string{"industry", "user"}}, `must be one of ["industry" "age_group" "gender" "sign"]: user has more than 100 classes`},
		{"blog_topics", dataset.Options{Label: "user"}, "user has more than 100 classes"},
		{"snips", dataset.Options{Labels: []string{"user"}}, `label of snips is "user", must be one of ["intent"]`},
		{"celeba", dataset.Options{Attributes: []string{"Nose"}}, `attribute of celeba is "Nose"`},
		{"reviews", dataset.Options{Rows: -1}, "rows of reviews is -1, must be from 1"},
		{"nope", dataset.Options{}, `name is "nope", must be one of adult, ag_news_pnet`},
	} {
		var files map[string]string
		for _, s := range small {
			if s.set == tt.set {
				files = s.files
			}
		}
		if _, err := dataset.Parse(files, tt.set, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%s, %+v) error = %v, want %q", tt.set, tt.o, err, tt.want)
		}
	}
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("fine\t1\n")) //nolint:errcheck // a buffer takes everything
	z.Close()
	path := "sentiment_labelled_sentences/yelp_labelled.txt.gz"
	s, err := dataset.Parse(map[string]string{path: b.String()}, "yelp", dataset.Options{})
	if err != nil || s.Rows != 1 {
		t.Errorf("compressed file: %v, %v", s, err)
	}
	if _, err = dataset.Parse(map[string]string{path: b.String()[:b.Len()-9]}, "yelp", dataset.Options{}); err == nil {
		t.Error("a damaged compressed file is accepted")
	}
	if _, err = dataset.Parse(map[string]string{path: "plain"}, "yelp", dataset.Options{}); err == nil {
		t.Error("a file that is not compressed is accepted as such")
	}
	if _, err = dataset.Parse(nil, "yelp", dataset.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v, want fs.ErrNotExist", err)
	}
}
