package bias

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/study/bias"
	"sotto/study/bias/direction"
)

// printDirection prints results for a person: one language in full, several as
// a table.
func printDirection(b *layout.Buffer, all *direction.Report) {
	if len(all.Languages) == 1 {
		printLanguage(b, all.Languages[0])
	} else {
		printLanguages(b, all)
	}
	if all.Release != nil {
		fmt.Fprintf(b, "\n%s\nbrackets: 95 %% of draws; %s\n", bias.Promise(all.Release, "one word's vector"), bias.SimulatedNote)
	}
}

func printLanguage(b *layout.Buffer, l direction.LanguageResult) {
	var files []string
	for _, path := range l.Vectors {
		files = append(files, filepath.Base(path))
	}
	length := map[bool]string{true: "at length 1", false: "raw"}[l.Unit]
	fmt.Fprintf(b, "%s: %s, %d numbers a word, %s\n", l.Label(), strings.Join(files, ", "), l.Dim, length)
	if l.Refused != "" {
		fmt.Fprintf(b, "NOT A GENDER DIRECTION: %s\n", l.Refused)
	}
	if len(l.Explained) > 1 {
		fmt.Fprintf(b, "%d of %d pairs; components 1 and 2 explain %.1f and %.1f %%: confidence %s\n",
			l.Pairs, l.PairsWanted, 100*l.Explained[0], 100*l.Explained[1], l.Confidence.Text("%.3f"))
	}
	if !math.IsNaN(float64(l.DirectBias)) {
		fmt.Fprintf(b, "DirectBias %s (c = %v); a random direction has %s on average\n", l.DirectBias.Text("%.4f"), l.Strictness, l.Random.Text("%.4f"))
		fmt.Fprintf(b, "weights of forms: %s\n", l.Weighting)
	}
	if len(l.Defining) > 0 {
		b.WriteByte('\n')
		printDefining(b, l)
		printProfessions(b, l)
	}
	if len(l.Drop) > 0 {
		b.WriteByte('\n')
		printDrop(b, l)
	}
	printLost(b, l)
	if l.After != nil {
		fmt.Fprintf(b, "\nover %d draws of private vectors:\n  %s\n", l.After.DirectBias.Draws, strings.Join(l.After.Lines(l.Result), "\n  "))
	}
}

func printDefining(b *layout.Buffer, l direction.LanguageResult) {
	lines := []string{"PAIR\tFEMALE\tSCORE\tMALE\tSCORE"}
	for i := 0; i+1 < len(l.Defining); i += 2 {
		f, m := l.Defining[i], l.Defining[i+1]
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", f.Pair, f.Word, opposed(f), m.Word, opposed(m)))
	}
	columns(b, append(lines, fmt.Sprintf("mean\t\t%s\t\t%s", l.Female.Text("%+.3f"), l.Male.Text("%+.3f")))...)
}

// opposed marks a score that has the sign of the other gender.
func opposed(d direction.DefiningScore) string {
	text := d.Score.Text("%+.3f")
	if d.Opposed {
		text += " (!)"
	}
	return text
}

func printProfessions(b *layout.Buffer, l direction.LanguageResult) {
	if len(l.Professions) == 0 {
		return
	}
	gendered := slices.ContainsFunc(l.Professions, func(p direction.ProfessionScore) bool { return len(p.Forms) > 1 })
	head := "\nPROFESSION\tSCORE"
	if gendered {
		head += "\tPLAIN\tFORMS"
	}
	if l.After != nil {
		head += "\tPRIVATE"
	}
	lines := []string{head}
	for i, p := range l.Professions {
		line := p.Name + "\t" + p.Score.Text("%+.3f")
		if gendered {
			line += "\t" + p.Plain.Text("%+.3f") + "\t" + formsText(p)
		}
		if l.After != nil {
			line += "\t" + l.After.Professions[i].After.Text("%+.3f")
		}
		lines = append(lines, line)
	}
	columns(b, lines...)
}

// formsText lists the forms of a profession with their scores.
func formsText(p direction.ProfessionScore) string {
	var forms []string
	for _, f := range p.Forms {
		gender := fmt.Sprintf(" (%s)", f.Gender)
		text := strings.TrimSuffix(f.Word, gender) + gender + " " + f.Score.Text("%+.3f")
		if !math.IsNaN(float64(f.Count)) {
			text += fmt.Sprintf(" × %v", float64(f.Count))
		}
		forms = append(forms, text)
	}
	return strings.Join(forms, ", ")
}

func printDrop(b *layout.Buffer, l direction.LanguageResult) {
	lines := []string{"WITHOUT\tCONFIDENCE\tTURNS BY\tALIGNMENT\tDIRECTBIAS"}
	for _, d := range l.Drop {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s°\t%s\t%s", d.Pair, d.Confidence.Text("%.3f"), d.Angle.Text("%.1f"),
			d.Alignment.Text("%+.3f"), d.DirectBiasChange.Text("%+.4f")))
	}
	columns(b, lines...)
	if l.Suspect != "" {
		fmt.Fprintf(b, "suspect: %s: without it the others agree more\n", l.Suspect)
	}
}

// maxLost is how many lost words are listed on a terminal.
const maxLost = 20

func printLost(b *layout.Buffer, l direction.LanguageResult) {
	if len(l.Lost)+len(l.Notes) > 0 {
		b.WriteByte('\n')
	}
	several := false
	for i, x := range l.Lost {
		if i < maxLost {
			fmt.Fprintf(b, "lost: %s (%s, %s): %s\n", x.Word, x.Name, x.Gender, x.Reason)
		}
		several = several || strings.Contains(x.Word, " ")
	}
	if more := len(l.Lost) - maxLost; more > 0 {
		fmt.Fprintf(b, "lost: %d more, see --json or --html\n", more)
	}
	if several {
		fmt.Fprintln(b, "--parts takes the mean of its parts for what is several words")
	}
	for _, n := range l.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
}

func printLanguages(b *layout.Buffer, all *direction.Report) {
	lines := []string{"LANGUAGE\tPAIRS\tCONFIDENCE\tDIRECTBIAS\tRANDOM\tFEMALE\tMALE\tPROFESSIONS\tSUSPECT"}
	for _, l := range all.Languages {
		mark := ""
		if l.Refused != "" {
			mark = " (!)"
		}
		lines = append(lines, fmt.Sprintf("%s%s\t%d of %d\t%s\t%s\t%s\t%s\t%s\t%d\t%s", l.Language, mark, l.Pairs, l.PairsWanted, l.Confidence.Text("%.3f"),
			l.DirectBias.Text("%.4f"), l.Random.Text("%.4f"), l.Female.Text("%+.3f"), l.Male.Text("%+.3f"), l.Scored(), cmp.Or(l.Suspect, "-")))
	}
	columns(b, lines...)
	for _, l := range all.Languages {
		if l.Refused != "" {
			fmt.Fprintf(b, "(!) %s: not a gender direction: %s\n", l.Language, l.Refused)
		}
	}
	fmt.Fprintf(b, "weights of forms: %s\n", all.Weightings())
	for _, l := range all.Languages {
		if l.After != nil {
			fmt.Fprintf(b, "\n%s, over %d draws of private vectors:\n  %s\n", l.Language, l.After.DirectBias.Draws, strings.Join(l.After.Lines(l.Result), "\n  "))
		}
	}
	printCorrelation(b, all.Correlation)
	fmt.Fprintln(b, "\nwords, lost words and notes of each language: --json or --html")
}

func printCorrelation(b *layout.Buffer, c *direction.Correlation) {
	fmt.Fprintln(b, "\ncorrelation of the professions' scores (professions shared):")
	lines := []string{"\t" + strings.Join(c.Languages, "\t")}
	for i, l := range c.Languages {
		for j := range c.Languages {
			l += "\t" + c.R[i][j].Text("%+.2f")
			if c.Shared[i][j] > 0 {
				l += fmt.Sprintf(" (%d)", c.Shared[i][j])
			}
		}
		lines = append(lines, l)
	}
	columns(b, lines...)
	if len(c.Merges) == 0 {
		return
	}
	fmt.Fprintln(b, "clusters (average linkage of 1 − r):")
	var names []string
	for _, i := range c.Clustered {
		names = append(names, c.Languages[i])
	}
	for _, m := range c.Merges {
		fmt.Fprintf(b, "  %s with %s at %.3f\n", names[m.A], names[m.B], m.Height)
		names = append(names, "("+names[m.A]+" "+names[m.B]+")")
	}
}
