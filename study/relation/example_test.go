package relation_test

import (
	"context"
	"fmt"
	"strings"

	"sotto/study/relation"
	"sotto/study/relation/rule"
)

func ExampleFinder() {
	f, err := rule.Parse(strings.NewReader("rule works: employer\n  tokens <person>=subject works for <organisation>=object"))
	if err != nil {
		panic(err)
	}
	rules, err := relation.NewRules(f)
	if err != nil {
		panic(err)
	}
	finder, err := relation.NewFinder(rules)
	if err != nil {
		panic(err)
	}
	found, err := finder.Find(context.Background(), "Mary Smith works for Google.")
	if err != nil {
		panic(err)
	}
	for _, r := range found {
		fmt.Printf("%s is %s of %s, by %s\n", r.Object.Text, r.Type, r.Subject.Text, r.Rule)
	}
	// Output: Google is employer of Mary Smith, by tokens <person>=subject works for <organisation>=object
}
