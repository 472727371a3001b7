package judge_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// made returns a sheet of some rows, of which the first two columns alone differ.
func made(tb testing.TB, n int, seed uint64) [][]string {
	tb.Helper()
	var all []relation.Instance
	var told []relation.Verdict
	for k := range n + 2 {
		text := strings.Repeat("very ", k) + "Ann left =Acme"
		d := &language.Document{Text: text, Tokens: language.Tokens(text)}
		last := len(d.Tokens)
		all = append(all, relation.Instance{Doc: d, Object: rule.Span{First: k, End: k + 1}, Subject: rule.Span{First: last - 1, End: last}})
		told = append(told, relation.Verdict{Relation: []string{"A", "B"}[k%2], Source: relation.Source("stored"), Rule: "tokens <>=object left <>=subject"})
	}
	told[n].Rule, told[n+1].Relation = "", relation.None
	s, err := judge.SampleSheet(all, told, judge.SheetOptions{Data: "toy", Seed: seed})
	if err != nil {
		tb.Fatal(err)
	}
	if s.Told != n+1 || s.Explained != n || len(s.Rows()) != n {
		tb.Fatalf("%d of %d are explained, and %d rows drawn", s.Explained, s.Told, len(s.Rows()))
	}
	return s.Rows()
}

func marked(rows [][]string, marks ...string) [][]string {
	var all [][]string
	for k, row := range rows {
		row = slices.Clone(row)
		row[8] = marks[k%len(marks)]
		all = append(all, row)
	}
	return all
}

func TestCount(t *testing.T) {
	rows := made(t, 4, 1)
	if !strings.Contains(rows[0][5], "[object: Ann] left = [subject: Acme]") && !strings.Contains(rows[0][5], "[object: Ann] left =[subject: Acme]") {
		t.Errorf("the sentence is %q", rows[0][5])
	}
	done := marked(rows, "explains", " Explains", "nearly", "NOT")
	for _, row := range done { // as programs that show tables may save them
		row[5] = strings.ReplaceAll(row[5], "=", " = ")
	}
	slices.Reverse(done)
	r, err := judge.CountSheet(done)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != 4 || r.Explains.Count != 2 || r.Nearly.Count != 1 || r.Not.Count != 1 || len(r.Relations) != 2 || r.Data != "toy" {
		t.Errorf("the result is %+v", r)
	}
	// The exact interval of 2 in 4: I_p(2, 3) = 0.025 at 0.0676, and the other end by symmetry.
	if s := r.Explains; s.Share != 0.5 || s.Low < 0.0675 || s.Low > 0.0677 || s.High < 0.9323 || s.High > 0.9325 {
		t.Errorf("the share is %+v", s)
	}
}

func TestCountRefuses(t *testing.T) {
	rows, others := made(t, 4, 1), made(t, 4, 2)
	other := marked(others, "not")
	for want, change := range map[string]func(all [][]string) [][]string{
		"1 of 4 rows have no mark":  func(all [][]string) [][]string { all[2][8] = " "; return all },
		"must be explains, nearly":  func(all [][]string) [][]string { all[2][8] = "maybe"; return all },
		"not as it was drawn":       func(all [][]string) [][]string { all[1][6] = "tokens <>=subject"; return all },
		"3 rows of 4":               func(all [][]string) [][]string { return all[:3] },
		"is there twice":            func(all [][]string) [][]string { all[1] = all[0]; return all },
		"of another sheet":          func(all [][]string) [][]string { all[1] = other[1]; return all },
		"has 2 columns":             func(all [][]string) [][]string { all[0] = all[0][:2]; return all },
		"there is no row":           func([][]string) [][]string { return nil },
		"must be: change the colum": func(all [][]string) [][]string { all[0][0] = "x"; return all },
	} {
		if _, err := judge.CountSheet(change(marked(rows, "not"))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	if _, err := judge.SampleSheet(nil, nil, judge.SheetOptions{}); err == nil {
		t.Error("a sheet of nothing is drawn")
	}
}
