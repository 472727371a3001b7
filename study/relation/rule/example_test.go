package rule_test

import (
	"fmt"
	"strings"

	"sotto/study/language/english"
	"sotto/study/relation/rule"
)

func Example() {
	f, err := rule.Parse(strings.NewReader(`
rule works-for: employer
  tree {lemma:work} >nsubj {}=subject >obl:for {}=object
  yes [person=subject Ann Lee] works for [org=object Acme] .
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := english.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("tests:", f.Check(p))
	rules, err := rule.Compile(f.Rules)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := p.Document("She works for a bank.")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := rules.Matches(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range found {
		fmt.Println(f.Rules[m.Rule].Relation, d.Tokens[m.Subject.First].Text, d.Tokens[m.Object.First].Text)
	}
	// Output:
	// tests: <nil>
	// employer She bank
}
