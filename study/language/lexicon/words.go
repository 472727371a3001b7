package lexicon

import "strings"

// The words of VADER's rules, which are under the licence of its lexicon.

// boosters strengthen or weaken what follows them.
var boosters = func() map[string]float64 {
	all := map[string]float64{"just enough": -boost, "kind of": -boost, "sort of": -boost}
	for word := range strings.FieldsSeq(`absolutely amazingly awfully completely considerable considerably decidedly deeply
		effing enormous enormously entirely especially exceptional exceptionally extreme extremely fabulously flipping flippin
		frackin fracking fricking frickin frigging friggin fully fuckin fucking fuggin fugging greatly hella highly hugely
		incredible incredibly intensely major majorly more most particularly purely quite really remarkably so substantially
		thoroughly total totally tremendous tremendously uber unbelievably unusually utter utterly very`) {
		all[word] = boost
	}
	for word := range strings.FieldsSeq(`almost barely hardly kinda kindof kind-of less little marginal marginally occasional
		occasionally partly scarce scarcely slight slightly somewhat sorta sortof sort-of`) {
		all[word] = -boost
	}
	return all
}()

// negations turn round what follows them, beside words that end in n't.
var negations = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(`aint arent cannot cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt
		mustnt neither neednt never none nope nor not nothing nowhere oughtnt shant shouldnt uhuh wasnt werent uh-uh without wont
		wouldnt rarely seldom despite`) {
		all[word] = true
	}
	return all
}()

// phrases have a valence that their words do not have.
var phrases = map[string]float64{
	"the shit": 3, "the bomb": 3, "bad ass": 1.5, "badass": 1.5, "bus stop": 0, "yeah right": -2,
	"kiss of death": -1.5, "to die for": 3, "beating heart": 3.1, "broken heart": -2.9,
}
