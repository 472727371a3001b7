package link

import "strings"

// called lists, a line a name, what people of that name are called for short. A name may
// stand in several lines.
const called = `
aaron ron ronnie
abigail abby gail abbie
abraham abe bram
adelaide addie heidi
adeline addie ada
albert al bert bertie
alexander alex alec sandy xander al sasha lex
alexandra alex sandra sandy lexi sasha
alfred al alf fred freddie alfie
alice allie ali elsie
alison allison ali allie
amanda mandy
amelia amy millie emmy
andrew andy drew
angela angie
ann anne anna annie nan nancy
anthony tony antony ant
antonia toni
archibald archie
arthur art artie
augustus gus augie
barbara barb babs barbie
barnaby barney
bartholomew bart
beatrice bea trixie
benjamin ben benny benji
bernadette bernie
bernard bernie
bertram bert bertie
beverly bev
bradley brad
brandon bran
bridget biddy bridie
calvin cal
cameron cam
camille cam millie
carol carrie
caroline carolyn carrie carol caro lynn
cassandra cass cassie sandra
catherine katherine kate cathy kathy katie kitty kathryn catharine kay kit kat cat trina
cecilia cecily cissy celia
charles charlie chuck charley chas chaz
charlotte lottie charlie lotte
chester chet
christian chris
christina chris tina christine kristina kristine chrissy kris
christine chris chrissie
christopher chris kit topher
clara clare claire
clarence clare
clifford cliff
clinton clint
constance connie
cornelius neil
curtis curt
cynthia cindy
daniel dan danny
danielle dani
david dave davy davey
deborah deb debbie debra
dennis denny
derek rick
diana diane di
dominic dom nick
donald don donnie
dorothy dot dolly dottie
douglas doug
edgar ed eddie
edith edie
edmund ed ned eddie
edward ed eddie ned ted teddy
edwin ed eddie ned
eleanor ellie nell nellie nora eleanora lenore
elijah eli
elizabeth liz lizzie beth betty bess bessie eliza betsy betsey libby lisa elsie elisabeth
ellen nell nellie ellie
emily em emmy millie
emma em emmy
ernest ernie
esther essie hetty
eugene gene
evelyn eve evie
ezekiel zeke
ferdinand ferdy ferdie
florence flo flossie
frances fran fanny franny frankie
francis frank fran frankie
franklin frank
frederick fred freddie freddy fritz fredrick rick
gabriel gabe
gabrielle gabby
genevieve gen ginny
geoffrey jeff geoff jeffrey
george georgie
georgina georgia georgie gina
gerald gerry jerry
geraldine gerry
gerard gerry
gertrude trudy gertie gert
gilbert gil bert
glenn glen
gordon gordy
grace gracie
graham gray
gregory greg gregg
gwendolyn gwen wendy
hannah anna
harold hal harry
harriet hattie harrie
harrison harry
harvey harv
helen nell nellie nelly ellen
helena lena
henrietta etta hetty
henry hank harry hal
herbert herb bert
herman manny
howard howie
hubert bert
hugh hughie
isaac ike zak
isabel isabella bella belle izzy isabelle
ivan van
jacob jake jack
jacqueline jackie
james jim jimmy jamie jem
jane janie jenny jean
janet jan
jason jay
jasper jas
jean jeannie
jeffrey jeff
jennifer jen jenny jennie jenn
jeremiah jerry
jeremy jerry jem
jerome jerry
jessica jess jessie
joan joanie
joanna joanne jo
john jack johnny jock jon
jonathan jon jonny nathan
joseph joe joey jos
josephine jo josie
joshua josh
joyce joy
judith judy
julia julie jules
julian jules
katrina trina kat
kenneth ken kenny
kimberly kim
laura laurie
lawrence laurence larry lawrie laurie lars
leonard len leo lenny
leonardo leo
leroy roy
leslie les
lewis louis lou louie
lillian lily lil lilly
linda lindy lin
lorraine lori
louis lou louie
louisa lou louie
louise lou
lucas luke
lucille lucy
lydia liddy
mabel mae
madeleine maddie
madeline maddie maddy
magdalena lena maggie
malcolm mal
marcus mark marc
margaret maggie meg peg peggy madge greta rita marge daisy margery margie
maria marie mia
marian marion
marilyn lyn
marjorie marge margie
martha mattie patty
martin marty
martina tina
mary molly polly mamie may moll mae
matilda tilly mattie maud tilda
matthew matt mat
maurice morris
maximilian max
maxwell max
megan meg
melanie mel
melissa mel missy lissa
melvin mel
michael mike mick mickey micky
michelle shelly
mildred millie milly
miranda mandy randy
mitchell mitch
mohammed muhammad mohamed mo
montague monty
montgomery monty
morgan mo
moses mo
nancy nan
natalie nat
natasha tasha
nathan nate nat
nathaniel nat nathan nate
nicholas nick nicky nicolas klaus
nicole nikki nicky
norman norm
oliver ollie noll
olivia liv livvy ollie
oscar ozzie
oswald ozzie oz
pamela pam
patricia pat patty trish tricia patsy
patrick pat paddy
paul pauly
paula polly
pauline polly
penelope penny
peter pete
philip phil pip phillip
philippa pippa pip
phyllis phyl
priscilla cilla
prudence pru
rachel rae
ralph rafe
randolph randy randall
raymond ray
rebecca becky becca
reginald reg reggie
rhonda ronnie
richard dick rich rick ricky dickie richie
robert rob bob bobby robbie bert robin
roberta bobbie bert
roderick rod rick
rodney rod
roger rog hodge
roland rollie
ronald ron ronnie
rosalind roz rosie rose
rose rosie
rosemary rose rosie
roxanne roxy
rudolph rudy
russell russ rusty
ruth ruthie
salvatore sal
samantha sam sammy
samson sam
samuel sam sammy
sandra sandy
sarah sally sadie sara
sebastian seb bastian
seymour sy
sharon shari
sheila shelly
sheldon shelly
shirley shirl
sidney sid
silvester sylvester sly
solomon sol
sophia sophie
stanley stan
stephanie steph stevie
stephen steven steve stevie
stuart stu stewart
susan sue susie suzy susannah sukey suzanne susanna suzie
sylvester sly
sylvia syl
tabitha tabby
terence terry terrence
teresa theresa terry tess tessa tracy
thaddeus thad
theodora dora thea
theodore ted teddy theo
theresa terry tess tessa
thomas tom tommy
timothy tim timmy
tobias toby
tristan tris
ursula ulla
valentine val
valerie val
vanessa nessa
veronica ronnie vera
victor vic
victoria vicky vic tori vicki
vincent vince vin vinny
violet vi
virginia ginny ginger
vivian viv
wallace wally
walter walt wat wally
wayne way
wendell del
wesley wes
wilfred wilf fred will
wilhelmina minnie mina wilma billie
william will bill billy willy willie liam
winifred winnie freda fred
winston winnie win
yvonne vonnie
zachary zach zack zachariah`

// lines has, for each word, the lines of the table it stands in.
var lines = func() map[string][]int {
	out := make(map[string][]int)
	for k, line := range strings.Split(strings.TrimSpace(called), "\n") {
		for word := range strings.FieldsSeq(line) {
			out[word] = append(out[word], k)
		}
	}
	return out
}()

// Nicknames reports whether two first names, in lower case, may be those of one person:
// one is short for the other, or both for a third. A name is no nickname of itself.
func Nicknames(a, b string) bool {
	if a == b {
		return false
	}
	for _, x := range lines[a] {
		for _, y := range lines[b] {
			if x == y {
				return true
			}
		}
	}
	return false
}

// NicknameLines returns numbers of a first name, in lower case: two that are unlike have one in
// common if [Nicknames] are true of them. The caller must not change them.
func NicknameLines(word string) []int { return lines[word] }

// NicknameForms returns what a first name, in lower case, may be short for, itself if it is
// short for nothing that is known.
func NicknameForms(word string) []string {
	at := lines[word]
	if len(at) == 0 {
		return []string{word}
	}
	all := strings.Split(strings.TrimSpace(called), "\n")
	out := make([]string, len(at))
	for k, line := range at {
		out[k], _, _ = strings.Cut(all[line], " ")
	}
	return out
}

// IsInitial reports whether a word is a letter alone, with or without a full stop.
func IsInitial(word string) bool {
	word = strings.TrimSuffix(word, ".")
	n := 0
	for range word {
		n++
	}
	return n == 1
}

// Abbreviates reports whether a word, in lower case, is the initial of another.
func Abbreviates(initial, whole string) bool {
	return IsInitial(initial) && strings.HasPrefix(whole, strings.TrimSuffix(initial, "."))
}
