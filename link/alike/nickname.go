package alike

import "strings"

// called lists, a line a name, what people of that name are called for short. A name may
// stand in several lines.
const called = `
abigail abby gail
abraham abe bram
albert al bert bertie
alexander alex alec sandy xander
alexandra alex sandra sandy lexi
alfred al alf fred freddie alfie
alice allie
amanda mandy
andrew andy drew
ann anne anna annie nan nancy
anthony tony antony
arthur art artie
augustus gus
barbara barb babs barbie
benjamin ben benny
bernard bernie
bertram bert bertie
beatrice bea trixie
bridget biddy
bradley brad
calvin cal
catherine katherine kate cathy kathy katie kitty kathryn
charles charlie chuck charley
charlotte lottie charlie
christina chris tina
christine chris chrissie
christopher chris kit topher
clarence clare
cornelius neil
daniel dan danny
david dave davy davey
deborah deb debbie
dennis denny
dominic dom
donald don donnie
dorothy dot dolly dottie
douglas doug
edgar ed eddie
edmund ed ned eddie
edward ed eddie ned ted teddy
eleanor ellie nell nellie nora
elizabeth liz lizzie beth betty bess bessie eliza betsy betsey libby lisa elsie
emily em emmy
emma em emmy
ernest ernie
eugene gene
evelyn eve evie
ferdinand ferdy
frances fran fanny franny frankie
francis frank fran frankie
franklin frank
frederick fred freddie freddy fritz
gabriel gabe
geoffrey jeff geoff
george georgie
gerald gerry jerry
gertrude trudy gertie
gilbert gil bert
gregory greg
gwendolyn gwen
harold hal harry
harriet hattie
helen nell nellie nelly
henry hank harry hal
herbert herb bert
howard howie
hugh hughie
isaac ike
isabel isabella bella belle izzy
jacob jake
james jim jimmy jamie jem
jane janie jenny
janet jan
jasper jas
jeffrey jeff
jennifer jen jenny jennie
jeremiah jerry
jeremy jerry
jerome jerry
jessica jess jessie
joan joanie
john jack johnny jock
jonathan jon jonny nathan
joseph joe joey jos
josephine jo josie
joshua josh
judith judy
julia julie
kenneth ken kenny
kimberly kim
lawrence laurence larry lawrie laurie
leonard len leo lenny
lillian lily lil
louis lou louie
louisa lou louie
lucille lucy
lucas luke
madeleine maddie
margaret maggie meg peg peggy madge greta rita marge daisy margery
martha mattie patty
martin marty
mary molly polly mamie may moll
matilda tilly mattie maud
matthew matt mat
maurice morris
maximilian max
maxwell max
michael mike mick mickey micky
mildred millie milly
montague monty
nathaniel nat nathan nate
nicholas nick nicky
oliver ollie noll
pamela pam
patricia pat patty trish tricia
patrick pat paddy
penelope penny
peter pete
philip phil pip
priscilla cilla
rachel rae
randolph randy
raymond ray
rebecca becky becca
reginald reg reggie
richard dick rich rick ricky dickie
robert rob bob bobby robbie bert robin
roderick rod
rodney rod
roger rog hodge
ronald ron ronnie
rosalind roz rosie
rose rosie
rudolph rudy
russell russ
samantha sam
samuel sam sammy
sarah sally sadie
sebastian seb bastian
solomon sol
sophia sophie
stanley stan
stephen steven steve
stephanie steph
stuart stu
susan sue susie suzy susannah sukey
sylvester sly
terence terry
theodore ted teddy theo
theresa terry tess tessa
thomas tom tommy
timothy tim timmy
tobias toby
valentine val
valerie val
veronica ronnie
victor vic
victoria vicky vic tori
vincent vince vin
virginia ginny
vivian viv
walter walt wat wally
wilfred wilf fred
wilhelmina minnie mina wilma
william will bill billy willy willie liam
winifred winnie freda
winston winnie
zachary zach zack`

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

// Forms returns what a first name, in lower case, may be short for, itself if it is
// short for nothing that is known.
func Forms(word string) []string {
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

// Initial reports whether a word is a letter alone, with or without a full stop.
func Initial(word string) bool {
	word = strings.TrimSuffix(word, ".")
	n := 0
	for range word {
		n++
	}
	return n == 1
}

// Abbreviates reports whether a word, in lower case, is the initial of another.
func Abbreviates(initial, whole string) bool {
	return Initial(initial) && strings.HasPrefix(whole, strings.TrimSuffix(initial, "."))
}
