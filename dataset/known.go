package dataset

// known lists every file that a set uses. The checksums are of the content, so
// that a file and its .gz are the same; adult and celeba equal those of their
// homes. A file has a URL where its home serves the same bytes without asking.
var known = []File{
	{
		Path: "adult/adult.data", Rows: 32561, Size: 3974305,
		SHA256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
		URL:    "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
	},
	{
		Path: "adult/adult.test", Rows: 16281, Size: 2003153,
		SHA256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
		URL:    "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test",
	},
	{
		Path: "ag_news_pnet/ag_data.txt", Rows: 14571, Size: 3766934,
		SHA256: "3c8d8591fac833fd556ad0536e0cee79fcaaad73bf4c09c0dec39a1afdc06259",
	},
	{
		Path: "airline/Tweets.csv", Rows: 14640, Size: 3421420,
		SHA256: "31aa9f9f90d9da372d1522b463cd0d43128d274f553dcf10b15fb17cdd71df10",
	},
	{
		Path: "blog_authorship/blog_industry.tsv", Rows: 28028, Size: 18678498,
		SHA256: "3b4ba03ca053f9e218cb613b23aafe7c1b2c90997139cd998cde10349da39990",
	},
	{
		Path: "blog_authorship/blog_lda_topics.tsv", Rows: 8872, Size: 6197182,
		SHA256: "b6dbc710b2d32c18bbaf448e5bf49d1ae9b8cab19b2759e81c5ddb94900bc1a6",
	},
	{
		Path: "celeba/list_attr_celeba.txt", Rows: 202599, Size: 26721026,
		SHA256: "f0e5da289d5ccf75ffe8811132694922b60f2af59256ed362afa03fefba324d0",
	},
	{
		Path: "celeba/list_eval_partition.txt", Rows: 202599, Size: 2836386,
		SHA256: "fc955bcb3ef8fbdf7d5640d9a8693a8431b5f2ee291a5c1449a1549e7e073fe7",
	},
	{
		Path: "moji_aae/aae_happy.txt", Rows: 73093, Size: 3995262,
		SHA256: "f4f567e85405e3c72832627c6e9f250f843374f0f6712b492e5cad8bddd40e17",
	},
	{
		Path: "moji_aae/aae_sad.txt", Rows: 44058, Size: 2329697,
		SHA256: "6017a3c2ab2ca714c2a827a44054713e7d5758cd805934266247341a915195ec",
	},
	{
		Path: "mrpc/msr_paraphrase_test.txt", Rows: 1725, Size: 432882,
		SHA256: "51a1f197d8786712d2f0d97700f5be653b7488a96cde00e158159350d23e3d90",
		URL:    "https://dl.fbaipublicfiles.com/senteval/senteval_data/msr_paraphrase_test.txt",
	},
	{
		Path: "mrpc/msr_paraphrase_train.txt", Rows: 4076, Size: 1026746,
		SHA256: "2174e11735d71a0f852d51f77fe098baf52ac01a5dfc54b62ddb41b9837b9ebf",
		URL:    "https://dl.fbaipublicfiles.com/senteval/senteval_data/msr_paraphrase_train.txt",
	},
	{
		Path: "senteval/TREC.test.all", Rows: 500, Size: 19479,
		SHA256: "92a6a3cede5678b447ef5f1d7ec474134fcda211e6590e6fa627b4a2c68e4566",
	},
	{
		Path: "senteval/TREC.train.all", Rows: 5452, Size: 292403,
		SHA256: "538c647f6e95b4b9e9fc5bd28d8aaa759680b2b20eab1f80f7a82bfc7ac437c6",
	},
	{
		Path: "senteval/custrev.all", Rows: 3775, Size: 374094,
		SHA256: "a3839a79bd3285177a07158c6104b49038a7a06ab2abe897734cde5d22e5e325",
		URL:    "https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/master/data/custrev.all",
	},
	{
		Path: "senteval/mpqa.all", Rows: 10606, Size: 229972,
		SHA256: "661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7",
		URL:    "https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/master/data/mpqa.all",
	},
	{
		Path: "senteval/rt-polarity.all", Rows: 10662, Size: 1260094,
		SHA256: "c65d8579871be24c5c03df81ab4f717ecab99ca79d4782a201383720c1f3c946",
	},
	{
		Path: "senteval/stsa.binary.dev", Rows: 872, Size: 94400,
		SHA256: "02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1",
	},
	{
		Path: "senteval/stsa.binary.test", Rows: 1821, Size: 193562,
		SHA256: "6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b",
	},
	{
		Path: "senteval/stsa.binary.train", Rows: 6920, Size: 738844,
		SHA256: "71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338",
	},
	{
		Path: "senteval/stsa.fine.dev", Rows: 1101, Size: 117239,
		SHA256: "b2f76c62b960f9fda5c6d751edb125abab4f878eb94a8754239b7f4af647f4c3",
	},
	{
		Path: "senteval/stsa.fine.test", Rows: 2210, Size: 233634,
		SHA256: "0e2ebb450c231f7b3d67fc932066e7bb26ae7bad8c88488f45ed44ef02eb3c73",
	},
	{
		Path: "senteval/stsa.fine.train", Rows: 8544, Size: 902818,
		SHA256: "9b52b5f686ed438d4d0274c385369251b3d579b578fddd340ba8a9bae2ca4bee",
	},
	{
		Path: "senteval/subj.all", Rows: 10000, Size: 1320472,
		SHA256: "c5c84c8af5d1366a4c2dfb31b2d8b6d44b00d92e0d66faae93921b676fff4be1",
	},
	{
		Path: "sentiment_labelled_sentences/amazon_cells_labelled.txt", Rows: 1000, Size: 58226,
		SHA256: "47003fc0a0d4840b00e96e715b6189bad09e7443a3da41c4cbe12ffc79f86ae3",
	},
	{
		Path: "sentiment_labelled_sentences/imdb_labelled.txt", Rows: 1000, Size: 85187,
		SHA256: "c662b9360c1652babb990d164835af12aa105db7991f1fdb19038115f0e93de8",
	},
	{
		Path: "sentiment_labelled_sentences/yelp_labelled.txt", Rows: 1000, Size: 61293,
		SHA256: "b565b1eeb864d76842588c3a256731b08bcdd9faf6de507bfe211a96f8b81912",
	},
	{
		Path: "snips/train_AddToPlaylist_full.json", Rows: 1942, Size: 833810,
		SHA256: "fee1b4645352e70ed8a40f1f87c3b53fc3bf75f8ebc82252a22b82c107e75b01",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/AddToPlaylist/train_AddToPlaylist_full.json",
	},
	{
		Path: "snips/train_BookRestaurant_full.json", Rows: 1973, Size: 980018,
		SHA256: "7677e82cd6e9a8191f0a4502568c786278c984900b4796d3628e46f1abf73ef4",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/BookRestaurant/train_BookRestaurant_full.json",
	},
	{
		Path: "snips/train_GetWeather_full.json", Rows: 2000, Size: 743646,
		SHA256: "86f414b2ad8a993134d85d16e25e5d337beae47cef993c0af2a5f440405c60f6",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/GetWeather/train_GetWeather_full.json",
	},
	{
		Path: "snips/train_PlayMusic_full.json", Rows: 2000, Size: 675341,
		SHA256: "010ced590924a7cf39bafc455dc4c53d42eb14f08e8485b71f95bedd5c13a94c",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/PlayMusic/train_PlayMusic_full.json",
	},
	{
		Path: "snips/train_RateBook_full.json", Rows: 1956, Size: 506364,
		SHA256: "bb43e4b74134300d5766f6b420d0357a63402987a225f6dc92c806c9c040ce04",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/RateBook/train_RateBook_full.json",
	},
	{
		Path: "snips/train_SearchCreativeWork_full.json", Rows: 1954, Size: 292392,
		SHA256: "87b3432de48c71c205aa5238b41d9e3f2d70bdfcd0bea2427544fb9e4bd5e5bb",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/SearchCreativeWork/train_SearchCreativeWork_full.json",
	},
	{
		Path: "snips/train_SearchScreeningEvent_full.json", Rows: 1959, Size: 364989,
		SHA256: "5447e9440c02e2fb08c3ae16b9f58a4d1332b4bc77fd34691402b02aa4399765",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/SearchScreeningEvent/train_SearchScreeningEvent_full.json",
	},
	{
		Path: "snips/validate_AddToPlaylist.json", Rows: 100, Size: 44160,
		SHA256: "14cc9ee49ae477b1452632a6e835498cf4c32da397b16967c82abb3e50403e83",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/AddToPlaylist/validate_AddToPlaylist.json",
	},
	{
		Path: "snips/validate_BookRestaurant.json", Rows: 100, Size: 49353,
		SHA256: "4f7258ccc768b777b2eb8916532db9aa50dbd058ddf1ffb0dc59218963e7442a",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/BookRestaurant/validate_BookRestaurant.json",
	},
	{
		Path: "snips/validate_GetWeather.json", Rows: 100, Size: 39612,
		SHA256: "60c095e193655d6ca92be220fed3926ca25e18cd70c85664145efe25d80993af",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/GetWeather/validate_GetWeather.json",
	},
	{
		Path: "snips/validate_PlayMusic.json", Rows: 100, Size: 33122,
		SHA256: "922212775e26259d5bffeaf79b6048d070ca017d229df00b2cc9800f71c75d20",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/PlayMusic/validate_PlayMusic.json",
	},
	{
		Path: "snips/validate_RateBook.json", Rows: 100, Size: 52854,
		SHA256: "c1f8b4114da0bb5e8afd78a8062766e18b2eabb0e717539598db01b09d04619b",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/RateBook/validate_RateBook.json",
	},
	{
		Path: "snips/validate_SearchCreativeWork.json", Rows: 100, Size: 31404,
		SHA256: "8a5e830eddb185d3e4a9d27ded140a145d04766bdce0e58834676ede32d13e77",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/SearchCreativeWork/validate_SearchCreativeWork.json",
	},
	{
		Path: "snips/validate_SearchScreeningEvent.json", Rows: 100, Size: 35716,
		SHA256: "81e1445713e03c7c3e615353c5f3fee05f369fe9834100b9b9735900a96b9498",
		URL:    "https://raw.githubusercontent.com/sonos/nlu-benchmark/master/2017-06-custom-intent-engines/SearchScreeningEvent/validate_SearchScreeningEvent.json",
	},
	{
		Path: "stsb/dev.csv", Rows: 1500, Size: 204675,
		SHA256: "d29586e96558c4eb52cf5ea5d14e9c24d3bf0e44f111b017caba43a5adc33226",
		URL:    "https://raw.githubusercontent.com/PhilipMay/stsb-multi-mt/main/data/stsb-en-dev.csv",
	},
	{
		Path: "stsb/test.csv", Rows: 1379, Size: 158891,
		SHA256: "11523b625219e94e9ca05d2816b5f02cac1614c5894fe657376fa0806378d053",
		URL:    "https://raw.githubusercontent.com/PhilipMay/stsb-multi-mt/main/data/stsb-en-test.csv",
	},
	{
		Path: "trustpilot_dk_en/denmark_english_reviews.csv", Rows: 824, Size: 191243,
		SHA256: "01142e0ef2d8564727e618a57f7c4c3a961e474fe515933bbbd0b3dc9459124f",
	},
	{
		Path: "twitter_dialect/tweeteval_hate.tsv", Rows: 12970, Size: 2123120,
		SHA256: "5062a8e1e73b344a8d6ff64d6652f1387c9b6000c74b1825c0171a43f24e0447",
	},
	{
		Path: "twitter_dialect/tweeteval_offensive.tsv", Rows: 14100, Size: 2318734,
		SHA256: "96e8938e1e1b49a7cb8d17107b8fb7b1dd21634225270e6b41381e9cd15de636",
	},
	{
		Path: "twitter_dialect/tweeteval_sentiment.tsv", Rows: 14284, Size: 1857752,
		SHA256: "593092a6ee15a6d9dc24e203a6c3f461ba168218d423f7ce3e7a396b42495bd4",
	},
}

// files returns the known files of the given paths, in that order. It panics on
// an unknown path, which a test would find.
func files(paths ...string) []File {
	list := make([]File, 0, len(paths))
	for _, path := range paths {
		for _, f := range known {
			if f.Path == path {
				list = append(list, f)
			}
		}
	}
	if len(list) != len(paths) {
		panic("dataset: a file of the catalogue is not known")
	}
	return list
}
