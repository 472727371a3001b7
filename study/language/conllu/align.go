package conllu

import (
	"strings"

	"sotto/study/language"
)

// unit is what is written as one: a word, or several that are fused.
type unit struct {
	span
	from, to int // its words
}

// units returns what is written as one.
func units(d *language.Document) []unit {
	var all []unit
	for i, t := range d.Tokens {
		if t.Fused && i > 0 {
			all[len(all)-1].end, all[len(all)-1].to = t.End, i+1
			continue
		}
		all = append(all, unit{span{t.Start, t.End}, i, i + 1})
	}
	return all
}

// align returns, for each word of the system, the word of the truth that it is
// aligned with, or −1.
func align(gold, system *language.Document) []int {
	partner := make([]int, len(system.Tokens))
	for i := range partner {
		partner[i] = -1
	}
	g, s := units(gold), units(system)
	for len(g) > 0 && len(s) > 0 {
		if g[0].fused() || s[0].fused() {
			skip, n, skipS, m := region(g, s)
			if n > skip && m > skipS {
				a, b := g[skip].from, s[skipS].from
				common(gold.Tokens[a:g[n-1].to], system.Tokens[b:s[m-1].to], func(i, j int) { partner[b+j] = a + i })
			}
			g, s = g[n:], s[m:]
			continue
		}
		switch a, b := g[0].span, s[0].span; {
		case a == b:
			partner[s[0].from] = g[0].from
			g, s = g[1:], s[1:]
		case a.start <= b.start:
			g = g[1:]
		default:
			s = s[1:]
		}
	}
	return partner
}

// fused tells whether a unit is several words.
func (u unit) fused() bool { return u.to-u.from > 1 }

// region returns from where to where the units of both lists overlap the fused
// word that one of them begins with, and the fused words that overlap it in
// turn. As in the shared task, one unit that begins before it is left out.
func region(gold, system []unit) (fromGold, toGold, fromSystem, toSystem int) {
	g, s, end := 0, 0, system[0].end
	switch {
	case gold[0].fused():
		end = gold[0].end
		if !system[0].fused() && system[0].start < gold[0].start {
			s = 1
		}
	case gold[0].start < system[0].start:
		g = 1
	}
	fromGold, fromSystem = g, s
	beyond := func(units []unit, i int) bool { return i >= len(units) || units[i].start >= end }
	take := func(u unit) {
		if u.fused() {
			end = max(end, u.end)
		}
	}
	for !beyond(gold, g) || !beyond(system, s) {
		if g < len(gold) && (s >= len(system) || gold[g].start <= system[s].start) {
			take(gold[g])
			g++
		} else {
			take(system[s])
			s++
		}
	}
	return fromGold, g, fromSystem, s
}

// common aligns the longest common subsequence of the forms of two lists of
// words, in small letters.
func common(gold, system []language.Token, pair func(gold, system int)) {
	length := make([][]int, len(gold)+1)
	for i := range length {
		length[i] = make([]int, len(system)+1)
	}
	same := func(i, j int) bool { return strings.EqualFold(gold[i].Text, system[j].Text) }
	for i := len(gold) - 1; i >= 0; i-- {
		for j := len(system) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if same(i, j) {
				length[i][j] = max(length[i][j], length[i+1][j+1]+1)
			}
		}
	}
	for i, j := 0, 0; i < len(gold) && j < len(system); {
		switch {
		case same(i, j) && length[i][j] == length[i+1][j+1]+1:
			pair(i, j)
			i, j = i+1, j+1
		case length[i][j] == length[i+1][j]:
			i++
		default:
			j++
		}
	}
}
