package claims

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// claim is a method of a seed paper at a setting that it reports.
type claim struct {
	method  string
	params  mech.Params
	dropout float64
	place   string // where the claim stands, if not where the mechanism says
	code    string // which released code a row is about: repository, commit, file and line
}

// Where released code says what a row is about.
const (
	federateCode = "github.com/saist1993/DPNLP, 070e35b10967, src/models/linear.py, line 160"
	dpnrCode     = "github.com/xlhex/dpnlp, 70f9abdbfdc9, model.py, line 96"
)

// published lists the claims of the seed papers.
func published() []claim {
	return []claim{
		{"FEDERATE, the paper", mech.Params{Mechanism: "laplace-l1", Variant: mech.Paper, Dim: 300, Epsilon: 14}, 0, "", ""},
		{"FEDERATE, the released code", mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 300, Epsilon: 14}, 0, "", federateCode},
		{"DPNR, the paper", mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 768, Epsilon: 0.05}, 0, "", ""},
		{"DPNR, the paper, with word dropout 0.5", mech.Params{Mechanism: "dpnr", Variant: mech.Paper, Dim: 768, Epsilon: 0.05}, 0.5, "DPNR, Theorem 2", ""},
		{"DPNR, the released code", mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 768, Epsilon: 0.05}, 0, "", dpnrCode},
		{"DPNR, repaired", mech.Params{Mechanism: "dpnr", Variant: mech.AsStated, Dim: 768, Epsilon: 1}, 0, "ours", ""},
		{"LDPNN with OME, λ = 1, GloVe", mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 1}}, 0, "", ""},
		{"LDPNN with OME, λ = 100, GloVe", mech.Params{Mechanism: "ome", Dim: 50, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, 0, "", ""},
		{"LDPNN with OME, λ = 100, BERT", mech.Params{Mechanism: "ome", Dim: 768, Epsilon: 1, Own: mech.OMEParams{Bits: 10, Lambda: 100}}, 0, "", ""},
		{"LDPNN with SUE", mech.Params{Mechanism: "sue", Variant: mech.Paper, Dim: 50, Epsilon: 1, Own: mech.BitParams{Bits: 10}}, 0, "", ""},
		{"LDPNN with OUE", mech.Params{Mechanism: "oue", Variant: mech.Paper, Dim: 50, Epsilon: 1, Own: mech.AlphaParams{Bits: 10}}, 0, "", ""},
		{"LDPNN repaired: bit RR", mech.Params{Mechanism: "bitrr", Dim: 50, Epsilon: 1, Own: mech.BitParams{Bits: 10}}, 0, "ours", ""},
		{"PRIVEMB, the paper, 300 to 50", mech.Params{Mechanism: "privemb", Variant: mech.Paper, Epsilon: 10, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: 50}}, 0, "", ""},
		{"PRIVEMB, orthonormal rows", mech.Params{Mechanism: "privemb", Variant: mech.Orthonormal, Epsilon: 10, Own: mech.PrivEmbParams{InputDim: 300, OutputDim: 50}}, 0, "ours", ""},
	}
}

// tableRow is a row of the table for machines.
type tableRow struct {
	Method string `json:"method"`
	Code   string `json:"released_code,omitempty"` // repository, commit, file and line
	mech.Judgement
}

// runTable prints claimed and true ε of the published methods: in columns on a
// terminal, else as Markdown or JSON.
func runTable(out io.Writer, asJSON bool) error {
	var rows []tableRow
	headings := []string{"method", "claimed unit", "claimed ε", "true ε or bound", "verdict", "where in the paper", "why"}
	text := "| " + strings.Join(headings, " | ") + " |\n|---|---|--:|--:|---|---|---|\n"
	t := layout.NewTable(out).Headed().Spare("claimed unit", "where in the paper", "why")
	t.Cells(headings...)
	for _, r := range published() {
		s, err := mech.Judge(r.params, r.dropout)
		if err != nil {
			return err
		}
		rows = append(rows, tableRow{r.method, r.code, s})
		reason := s.Reason
		if s.Condition != "" {
			reason += "; " + s.Condition
		}
		if r.dropout > 0 {
			reason = "one masked word in two, on top of the row above; between texts without a common word ε stays " + s.TextLevel.String()
		}
		place, proved := cmp.Or(r.place, s.Place), bound(s)
		if r.code != "" {
			place += " (" + r.code + ")"
		}
		text += fmt.Sprintf("| %s | %s | %v | %s | %s | %s | %s |\n", r.method, s.ClaimedUnit, s.Claimed, proved, s.Verdict, place, reason)
		t.Row(r.method, s.ClaimedUnit, s.Claimed, strings.Trim(proved, "*"), paint(out, s.Verdict), place, reason)
	}
	switch {
	case asJSON:
		return term.PrintJSON(out, rows)
	case layout.Columns(out) > 0: // somebody looks at it
		return t.Flush()
	}
	_, err := io.WriteString(out, text)
	return err
}

// paint returns a verdict in its colour.
func paint(out io.Writer, v dp.Verdict) string {
	switch v {
	case dp.ClaimTrue:
		return layout.Good(out, string(v))
	case dp.ClaimFalse:
		return layout.Bad(out, string(v))
	default:
		return layout.Doubtful(out, string(v))
	}
}

// bound renders what is proved, in bold where it refutes the claim, and with its
// unit where that is not the claim's.
func bound(s mech.Judgement) string {
	text := s.True.String()
	if s.Unit != s.ClaimedUnit {
		text += " (" + string(s.Unit) + ")"
	}
	if s.Verdict == dp.ClaimFalse {
		return "**" + text + "**"
	}
	return text
}
