package report_test

import (
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/report"
)

func TestSentence(t *testing.T) {
	with := func(configurations ...experiment.Configuration) *evidence.Evidence {
		r := result()
		r.Configurations = configurations
		return of(r)
	}
	honest := func(epsilon dp.Epsilon, accuracy measure.Number) experiment.Configuration {
		return configuration("noise", "laplace-l1", "paper", epsilon, epsilon, accuracy)
	}
	inMetres := honest(2, 0.96)
	inMetres.Mean.Unit, inMetres.Statement.Unit = dp.Metric, dp.Metric
	bare := with(honest(4, 0.94))
	first[experiment.Result](bare).Reference = nan
	harmless := inference()
	harmless.Models[0].Findings[1].Refutes = false
	membership := &attack.Result{
		Kind: attack.Membership, Source: "private.npy", Guarantee: &dp.Guarantee{Unit: dp.Text, Epsilon: 1}, Refuted: true,
		Findings: []attack.Finding{{Value: 0.99, Limit: 0.73, Refutes: true}},
	}
	for _, tt := range []struct {
		name string
		e    *evidence.Evidence
		want string
	}{
		// 0.52 + 0.9·(0.965 − 0.52) = 0.9205 is what counts as affordable.
		{
			"the smallest affordable ε", with(honest(1, 0.6), honest(4, 0.9206), honest(8, 0.95)),
			"All 3 ε that are claimed are true; at a true ε of 4, noise laplace-l1 reaches 92.1 % on reviews where an unprotected model reaches 96.5 %.",
		},
		{
			"none affordable", with(honest(1, 0.6), honest(2, 0.7)),
			"All 2 ε that are claimed are true; at a true ε of 2, noise laplace-l1 reaches 70.0 % on reviews where an unprotected model reaches 96.5 %.",
		},
		{"false by a factor", with(configuration("noise", "laplace-l1", "released", 1, 2, 0.9)), "As released, laplace-l1 promises ε = 1 and keeps 2."},
		{
			"the worst is told", with(configuration("noise", "a", "released", 1, 2, 0.9), configuration("noise", "b", "paper", 4, 40, 0.9)),
			"As published, b promises ε = 4 and keeps 40.",
		},
		{"another unit costs nothing here", with(inMetres), "The one ε that is claimed is true."},
		{"no reference", bare, "The one ε that is claimed is true; at a true ε of 4, noise laplace-l1 reaches 94.0 % on reviews."},
		{"nothing is claimed", with(configuration("unconstrained", "", "", 0, dp.Infinite, 0.97)), ""},
		{
			"a foreign mechanism", of(audited("foreign command", "", 1, 3.2, true)),
			"The mechanism foreign command promises ε = 1, and an audit shows that it is at least 3.2.",
		},
		{"not refuted", of(audited("foreign command", "", 1, 0.2, false)), "No audit refutes the one ε that is claimed."},
		{
			"an attack that refutes", onlyAttacks(sample(), true),
			"The attacker mlp-100 refutes the stated ε = 0.2 of noise-e4, seed 1.",
		},
		{
			"another attack that refutes", of(membership, released("a.npy", 4)),
			"The membership attack refutes the stated ε = 1 of private.npy; a text in the one text-level file has spent ε = 4 (text-level).",
		},
		{
			"an attack", of(harmless),
			"The strongest attacker (mlp-100) guesses author in 70.2 % of cases, where whoever sees nothing is right in 52.4 %.",
		},
		{"a comparison", only[evidence.Fairness](sample()), "Accuracy differs by 8.2 points between the best and the worst served group."},
		{"pictures alone", only[experiment.Picture](sample()), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := report.Sentence(tt.e); got != tt.want {
				t.Errorf("Sentence =\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

// The summary for people who do not know ε says in odds what it means, what is
// false, what it costs and who refuted what.
func TestInPlainWords(t *testing.T) {
	text := unescape(render(t, report.Markdown, sample()))
	for _, want := range []string{
		"## In plain words", "at most e^ε-fold", "where there is no finite ε there is no protection",
		"promises are false: ", "dpnr released promises ε = 0.05 and gives no protection", "noise laplace-l1 reaches", "and always naming the commonest class 52.0 %: the price is",
		"**Whether it was refuted:** yes.", "| 4 | a text | 54.6-fold | 98.3 % | 35.6 % | by this limit |", "| ∞ | a text | without limit | 100 % | 100 % | **none** |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q in\n%.3000s", want, text)
		}
	}
	quiet := unescape(render(t, report.Markdown, of(comparison())))
	if !strings.Contains(quiet, "they promise no protection") {
		t.Errorf("nothing says that nothing is promised in\n%.1000s", quiet)
	}
	kept := unescape(render(t, report.Markdown, of(released("a.npy", 4), audited("laplace-l1", "paper", 4, 3.6, false))))
	if !strings.Contains(kept, "1 promise is kept") || !strings.Contains(kept, "**Whether it was refuted:** no.") {
		t.Errorf("a promise that is kept is not said to be in\n%.2000s", kept)
	}
}
