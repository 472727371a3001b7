package main

import (
	"sotto/command"
	bias "sotto/study/bias/command"
	errors "sotto/study/errors/command"
	explain "sotto/study/explain/command"
	influence "sotto/study/influence/command"
	language "sotto/study/language/command"
	link "sotto/study/link/command"
	relation "sotto/study/relation/command"
	reproduce "sotto/study/reproduce/command"
)

// studies are those that this program has. Without its line here a study is not there, and
// everything else works as it does.
func studies() []command.Study {
	return []command.Study{
		language.Study(),
		reproduce.Study(),
		errors.Study(),
		explain.Study(),
		influence.Study(),
		bias.Study(),
		link.Study(),
		relation.Study(),
	}
}
