package relation_test

import (
	"fmt"

	"sotto/study/language/english"
	"sotto/study/relation"
)

func ExampleFindPersonal() {
	p, err := english.Load()
	if err != nil {
		panic(err)
	}
	d, err := p.Document("I live in London.")
	if err != nil {
		panic(err)
	}
	found, err := relation.FindPersonal(d)
	if err != nil {
		panic(err)
	}
	for _, f := range found {
		fmt.Println(relation.PersonalKindOf(f.Relation), d.Tokens[f.Object.First].Text, f.Rule.Name)
	}
	// Output: residence London residence-live
}
