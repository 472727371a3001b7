package records

import "strings"

// forms are words that addresses and the names of firms have in several forms: the
// first of a line stands for all. They are those that everybody writes.
const forms = `
st street str saint
ave avenue av aven
blvd boulevard boul
rd road
dr drive
ln lane
ct court
pl place
sq square
ter terrace terr
hwy highway
pkwy parkway pky
cir circle
apt apartment
ste suite
fl floor flr
bldg building
rm room
ft fort
mt mount
n north
s south
e east
w west
ne northeast
nw northwest
se southeast
sw southwest
ctr center centre cntr
assn association assoc
univ university
sch school
inst institute
dept department
hosp hospital
intl international internat
natl national
govt government
co company
corp corporation
inc incorporated
ltd limited
mfg manufacturing
tech technology technologies
svc service services svcs
dist district
elem elementary
comm community cmty
dev development
no number nr
1 1st first
2 2nd second
3 3rd third
4 4th fourth
5 5th fifth
6 6th sixth
7 7th seventh
8 8th eighth
9 9th ninth
10 10th tenth
and und et
`

// form is what a word is compared as, for those that have several.
var form = func() map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(forms) {
		words := strings.Fields(line)
		for k := 1; k < len(words); k++ {
			out[words[k]] = words[0]
		}
	}
	return out
}()

// canonical returns what a word is compared as: its usual abbreviation, and an ordinal
// as its number.
func canonical(w string) string {
	if f, ok := form[w]; ok {
		return f
	}
	if n := len(w); n > 3 && w[n-3] >= '0' && w[n-3] <= '9' {
		switch w[n-2:] {
		case "st", "nd", "rd", "th":
			return w[:n-2]
		}
	}
	return w
}
