package report_test

import (
	"fmt"
	"os"

	"sotto/promise/dp"
	"sotto/report"
)

func ExampleSentence() {
	fmt.Println(report.Sentence(of(result())))
	// Output: As released, dpnr promises ε = 0.05 and keeps none (ε is infinite); at a true ε of 4, noise laplace-l1 reaches 94.1 % on reviews where an unprotected model reaches 97.0 %.
}

func ExampleMarkdown() {
	found, err := report.Kinds().New(released("monday.npy", 4), released("tuesday.npy", dp.Epsilon(2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	found.Title = "Two days"
	if err = report.Markdown(os.Stdout, found); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # Two days
	//
	// **All 2 ε that are claimed are true; a text in all 2 text-level files has spent ε = 6 (text-level).**
	//
	// - ✅ **claim true** laplace-l1 paper: ε = 2, 4
	//
	// ## In plain words
	//
	// - **What ε is:** a limit on what one release can tell anybody about the text behind it. Whoever sees the release can change the odds that they give to anything about that text at most e^ε-fold (e is 2.718…), whatever else they know and however long they compute. At ε = 0 a release tells nothing; where there is no finite ε there is no protection.
	// - **What was promised:** ε = 2, 4, in 2 promises. The strongest, ε = 2 of laplace-l1 paper, would mean: a release changes the odds of anything about the text behind it at most 7.39-fold: who held it for as likely as not (50 %) is at most 88.1 % sure of it afterwards.
	// - **What is true:** 2 promises are kept.
	// - **Whether it was refuted:** nobody tried: no attack with a known limit and no audit is among these results.
	//
	// ### What each ε here means
	//
	// | true ε | of | odds change at most | 50 % becomes at most | 1 % becomes at most | protection |
	// | --: | --- | --: | --: | --: | --- |
	// | 2 | a text | 7.39-fold | 88.1 % | 7.0 % | by this limit |
	// | 4 | a text | 54.6-fold | 98.3 % | 35.6 % | by this limit |
	//
	// ## What was promised
	//
	// ε bounds what anybody can learn from one release; smaller is more private. Claimed is what a publication or a flag says, true is what is proved of the code, and the audited bound is what an attack has shown it to be at least.
	//
	// | mechanism | claimed ε | true ε | verdict | unit | audited lower bound | used by |
	// | --- | --: | --: | --- | --- | --- | --- |
	// | laplace-l1 paper D=4 | 2 | 2 | claim true | text | – | file tuesday.npy |
	// | laplace-l1 paper D=4 | 4 | 4 | claim true | text | – | file monday.npy |
	//
	// ### Why
	//
	// - **laplace-l1 paper:** two vectors are at most 2 apart
	//
	// ## Spend
	//
	// What each file of releases costs a text that is in it, and what they cost together: ε and δ add, whatever the files are used for.
	//
	// | file | mechanism | ε of a row | δ | unit | rows | noise |
	// | --- | --- | --: | --: | --- | --: | --- |
	// | monday.npy | laplace-l1 paper D=4 | 4 | 0 | text-level | 50 | fresh for each row |
	// | tuesday.npy | laplace-l1 paper D=4 | 2 | 0 | text-level | 50 | fresh for each row |
	//
	// ### Together
	//
	// - **A text in all 2 text-level files:** has spent ε = 6 (text-level)
	//
	// This assumes that a text is one row in each file and that the files draw their noise independently. A text with k rows in a file has spent k times as much there, and ε of different units do not add. Releases that are not listed here are not counted.
	//
	// ## How it was measured
	//
	// What decides the numbers above, so that somebody else can get them again.
	//
	// - **What was promised:** Claimed and true ε: the statements stored with results and releases, whose proofs are part of sotto. Audited bound: sotto audit.
	// - **Spend:** The records that sotto privatize and sotto encode write beside their files.
	//
	// - **Made by:** sotto v1
	//
	// Written by sotto from stored results. It stays on the trusted side: what it says of accuracies, counts and texts was computed from private data, and no guarantee covers what it tells.
}

func ExampleHTML() {
	f, err := os.CreateTemp("", "report-*.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	err = report.HTML(f, of(result()))
	fmt.Println(err, f.Close())
	// Output: <nil> <nil>
}
