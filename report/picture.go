package report

import (
	"fmt"
	"math"
	"slices"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
)

// This part of the package shows vectors in the plane, before a release and after it: a
// kind of evidence that results hold, or that stands by itself. It lays nothing
// out: package compute/measure does. The smallest use is
//
//	found, err := append(kinds, pictureKind).New(&experiment.Picture{…})

// What pictures may hold, so that a report stays small: points of one, points
// of all, and groups that have a colour.
const (
	maxSpots    = 2000
	maxAllSpots = 12000
	maxGroups   = 12
)

// pictureKind is pictures that belong to no result. They have no file of their
// own.
var pictureKind = evidence.Kind[experiment.Picture]{
	List: "pictures", Check: checkPicture,
	Section: func(e *evidence.Evidence) []page.Section { return []page.Section{section(e)} },
}

// checkPicture refuses a picture whose parts do not fit each other.
func checkPicture(p *experiment.Picture) error {
	if len(p.Groups) == 0 || len(p.Before) != len(p.Groups) || len(p.After) != len(p.Groups) {
		return fmt.Errorf("evidence: a picture has %d groups, %d points before release and %d after, must have as many of each", len(p.Groups), len(p.Before), len(p.After))
	}
	for _, g := range p.Groups {
		if g < 0 || g >= len(p.Values) {
			return fmt.Errorf("evidence: a picture has group %d of %d, which it does not name", g, len(p.Values))
		}
	}
	return nil
}

// section shows vectors before and after release.
func section(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "pictures", Title: "Vectors before and after",
		Meaning: "The same texts twice, laid out in the plane by their vectors: before release and after it. Colours and shapes are the groups. Clusters of one group are what an attacker uses; distances between clusters mean little.",
		Source:  "Stored layouts of the results.",
	}
	all := evidence.All[experiment.Picture](e)
	for _, r := range evidence.All[experiment.Result](e) {
		for i := range r.Pictures {
			all = append(all, &r.Pictures[i])
		}
	}
	if len(all) == 0 {
		return s
	}
	var figures []page.Block
	for _, p := range all {
		if f := pictureFigure(p, min(maxSpots, maxAllSpots/len(all))); f != nil {
			figures = append(figures, page.Block{Heading: page.Name(p.Title)}, page.Block{Figure: f})
		}
	}
	if len(figures) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Warning: "The left pictures are computed from unprotected vectors. If the texts are private, so are they: do not pass them on."})
	}
	s.Blocks = append(s.Blocks, figures...)
	return s
}

// pictureFigure draws a picture with at most so many points, or nothing if it
// holds none.
func pictureFigure(p *experiment.Picture, most int) *page.Figure {
	keys, groupOf := groupKeys(p)
	title, attribute := page.Name(p.Title), page.Name(p.Attribute)
	before := &page.Scatter{Title: title + ", before release", Desc: "A scatter plot of the texts' vectors by " + attribute + ", not protected.", Heading: "Before release: NOT protected", Keys: keys}
	after := &page.Scatter{Title: title + ", after release", Desc: "A scatter plot of the same texts after release.", Heading: "After release", Keys: keys}
	n := min(len(p.Before), len(p.After), len(p.Groups))
	stride := max(1, (n+max(1, most)-1)/max(1, most))
	for i := 0; i < n; i += stride {
		b, a := spotAt(p.Before[i]), spotAt(p.After[i])
		if sum := b.X + b.Y + a.X + a.Y; math.IsNaN(sum) || math.IsInf(sum, 0) {
			continue
		}
		g := groupOf(p.Groups[i])
		before.Points, before.Groups = append(before.Points, b), append(before.Groups, g)
		after.Points, after.Groups = append(after.Points, a), append(after.Groups, g)
	}
	if len(before.Points) == 0 {
		return nil
	}
	caption := fmt.Sprintf("%s of %s by %s", page.Name(p.Layout), page.Plural(n, "text", "texts"), attribute)
	if stride > 1 {
		caption += fmt.Sprintf("; one of %d is drawn", stride)
	}
	return &page.Figure{Caption: caption + ".", Plots: []page.Plot{before, after}, Small: true}
}

func spotAt(s experiment.Spot) page.Point { return page.Point{X: float64(s[0]), Y: -float64(s[1])} } // upwards, as a reader expects

// groupKeys names the groups, the last of many together, and maps an index of
// a picture to one of the names.
func groupKeys(p *experiment.Picture) (keys []string, groupOf func(int) int) {
	for i, v := range p.Values {
		if i == maxGroups-1 && len(p.Values) > maxGroups {
			break
		}
		keys = append(keys, page.Name(v))
	}
	other := len(keys)
	if len(p.Values) > len(keys) || slices.ContainsFunc(p.Groups, func(g int) bool { return g < 0 || g >= len(p.Values) }) {
		keys = append(keys, "others")
	}
	return keys, func(g int) int {
		if g < 0 || g >= other {
			return other
		}
		return g
	}
}
