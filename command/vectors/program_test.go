package vectors_test

import (
	"sotto/command/clitest"
	language "sotto/study/language/command"
	link "sotto/study/link/command"
)

// program is the core with what masks personal data by its type and what links rows.
var program = clitest.Program{language.Study(), link.Study()}
