package names

import (
	"path/filepath"
	"strings"
)

// The lists of words that tell something, as bits.
const (
	womensName = 1 << iota
	mensName
	country
	nationality
	state
	company
	title
	city
	calendar
	stop
)

// wordLists are lists of our own; those of first names and of stop words are read.
var wordLists = map[uint16]string{
	country: `afghanistan albania algeria andorra angola argentina armenia aruba australia austria azerbaijan bahamas bahrain
bangladesh barbados belarus belgium belize benin bermuda bhutan bolivia bosnia botswana brazil britain brunei bulgaria burma
burundi cambodia cameroon canada chad chile china colombia comoros congo croatia cuba cyprus czechia denmark djibouti dominica
ecuador egypt england eritrea estonia eswatini ethiopia europe fiji finland france gabon gambia georgia germany ghana gibraltar
greece greenland grenada guatemala guernsey guinea guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel
italy jamaica japan jersey jordan kazakhstan kenya kiribati korea kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia
libya liechtenstein lithuania luxembourg macedonia madagascar malawi malaysia maldives mali malta mauritania mauritius mexico
micronesia moldova monaco mongolia montenegro morocco mozambique myanmar namibia nauru nepal netherlands nicaragua niger nigeria
norway oman pakistan palau palestine panama paraguay peru philippines poland portugal qatar romania russia rwanda samoa scotland
senegal serbia seychelles singapore slovakia slovenia somalia spain sudan suriname swaziland sweden switzerland syria taiwan
tajikistan tanzania thailand tibet togo tonga tunisia turkey turkmenistan tuvalu uganda ukraine uruguay usa uk uae uzbekistan
vanuatu vatican venezuela vietnam wales yemen zambia zimbabwe africa asia america antarctica`,
	nationality: `afghan african albanian algerian american arab argentine argentinian armenian asian australian austrian
bangladeshi belarusian belgian bolivian bosnian brazilian british bulgarian cambodian cameroonian canadian chechen chilean
chinese colombian congolese croatian cuban cypriot czech danish dutch ecuadorian egyptian english estonian ethiopian european
filipino finnish french georgian german ghanaian greek greenlander guatemalan haitian hungarian icelandic indian indonesian
iranian iraqi irish israeli italian jamaican japanese jewish jordanian kenyan korean kurdish kuwaiti latvian lebanese libyan
lithuanian malaysian maltese mexican mongolian moroccan nepalese nigerian norwegian pakistani palestinian panamanian paraguayan
peruvian polish portuguese romanian russian scottish senegalese serbian singaporean slovak slovenian somali spanish sudanese
swedish swiss syrian taiwanese thai tibetan tunisian turkish ukrainian uruguayan venezuelan vietnamese welsh yemeni zimbabwean
muslim christian catholic protestant buddhist hindu sikh islamic latino hispanic americans russians germans italians`,
	state: `alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa
kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio
oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming ontario quebec alberta manitoba
bavaria saxony catalonia tuscany sicily brittany normandy yorkshire kent essex sussex cornwall queensland tasmania`,
	company: `inc inc. ltd ltd. llc corp corp. corporation company co co. plc gmbh ag group holdings bank university college
institute school association society foundation ministry department agency council committee commission party union club fc
records entertainment studios network networks systems technologies solutions partners services international press times news
radio tv channel band orchestra church hospital museum library airlines army police court senate parliament congress league team`,
	title: `mr mr. mrs mrs. ms ms. miss dr dr. prof prof. sir lord lady king queen prince princess president senator minister
captain colonel general sgt. pope saint st. judge justice mayor governor chancellor coach director rev rev.`,
	city: `london paris berlin madrid rome vienna moscow tokyo beijing shanghai delhi mumbai sydney melbourne toronto montreal
vancouver chicago boston houston dallas seattle miami atlanta denver detroit philadelphia phoenix austin portland baltimore
cleveland pittsburgh minneapolis orlando nashville memphis brooklyn manhattan hollywood dublin edinburgh glasgow manchester
liverpool birmingham leeds bristol oxford cambridge cardiff belfast amsterdam rotterdam brussels antwerp hamburg munich cologne
frankfurt stuttgart zurich geneva milan naples turin venice florence barcelona valencia seville lisbon porto warsaw krakow prague
budapest bucharest sofia athens istanbul ankara cairo lagos nairobi johannesburg jerusalem baghdad tehran kabul karachi lahore
islamabad dhaka bangkok jakarta manila hanoi seoul osaka kyoto havana lima bogota santiago caracas copenhagen stockholm oslo
helsinki reykjavik kiev kyiv minsk riga vilnius tallinn zagreb belgrade sarajevo dubai doha beirut damascus gaza`,
	calendar: `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`,
}

// firstNames reads the first names of a folder of data, in the order of its files.
func firstNames(folder string) ([]string, error) {
	var out []string
	for _, file := range []string{"female-first-names-en.txt", "male-first-names-en.txt"} {
		words, err := readWords(filepath.Join(folder, "stdlib_lists", file))
		if err != nil {
			return nil, err
		}
		out = append(out, words...)
	}
	return out, nil
}

// readWords reads a file of one word a line.
func readWords(path string) ([]string, error) {
	var out []string
	err := Lines(path, func(line []byte) error {
		if w := strings.TrimSpace(string(line)); w != "" && !strings.Contains(w, " ") {
			out = append(out, w)
		}
		return nil
	})
	return out, err
}

// readLists returns the lists of all words: ours, and those of first names and
// stop words of a folder of data.
func readLists(folder string) (*lookup, error) {
	bits := map[uint32]uint16{}
	for bit, list := range wordLists {
		for _, w := range strings.Fields(list) {
			bits[hashed(w)] |= bit
		}
	}
	for file, bit := range map[string]uint16{"female-first-names-en.txt": womensName, "male-first-names-en.txt": mensName, "stopwords-en.txt": stop} {
		words, err := readWords(filepath.Join(folder, "stdlib_lists", file))
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			bits[hashed(w)] |= bit
		}
	}
	t := newLookup(len(bits))
	for h, b := range bits {
		t.put(h, b)
	}
	return t, nil
}
