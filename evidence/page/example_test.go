package page_test

import (
	"fmt"
	"os"
	"strings"

	"sotto/evidence/page"
)

func ExampleMarkdown() {
	table := &page.Table{Caption: "Effects", Head: page.Heads("test", "#effect", "verdict")}
	table.Add("flowers and insects", page.Decimal(1.54, 2), "significant")[2].Tone = page.Bad
	table.Add("science and arts", page.Decimal(-0.02, 2), "not significant")
	err := page.Markdown(os.Stdout, page.Page{
		Title:    "Association tests",
		Sentence: "One of two tests shows an association.",
		Verdicts: []page.Verdict{{Tone: page.Bad, Label: "association", Text: "flowers and insects"}},
		Sections: []page.Section{{Title: "Effects", Meaning: "How far apart the two sets of words are.", Blocks: table.Blocks()}},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// # Association tests
	//
	// **One of two tests shows an association.**
	//
	// - ❌ **association** flowers and insects
	//
	// ## Effects
	//
	// How far apart the two sets of words are.
	//
	// | test | effect | verdict |
	// | --- | --: | --- |
	// | flowers and insects | 1.54 | **significant** |
	// | science and arts | −0.02 | not significant |
}

func ExampleHTML() {
	bars := &page.Bars{
		Title: "Gender direction", Desc: "Scores of two words.", Axis: page.Axis{Label: "cosine", Low: -1, High: 1},
		Decimals: 2, Left: "male", Right: "female",
		Groups: []page.BarGroup{{Bars: []page.Bar{{Name: "nurse", Value: 0.34}, {Name: "engineer", Value: -0.21}}}},
	}
	var html strings.Builder
	err := page.HTML(&html, page.Page{
		Title:    "Professions",
		Sections: []page.Section{{Title: "Scores", Blocks: []page.Block{{Figure: &page.Figure{Caption: "English.", Plots: []page.Plot{bars}}}}}},
	})
	fmt.Println(err, strings.Count(html.String(), "<svg "), "drawings, wide and narrow")
	// Output: <nil> 2 drawings, wide and narrow
}

func ExampleSVG() {
	heat := &page.HeatMap{
		Title: "Correlation", Desc: "Between languages.", Rows: []string{"English", "German"}, Columns: []string{"English", "German"},
		Values: [][]float64{{1, 0.62}, {0.62, 1}}, Low: -1, High: 1, Diverging: true, Decimals: 2,
		RowTree: []page.Merge{{A: 0, B: 1, Height: 0.38}},
	}
	var svg strings.Builder
	err := page.SVG(&svg, heat)
	fmt.Println(err, strings.HasPrefix(svg.String(), `<svg xmlns="http://www.w3.org/2000/svg"`))
	// Output: <nil> true
}
