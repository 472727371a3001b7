package language_test

import (
	"sotto/command/clitest"
	language "sotto/study/language/command"
)

// program is the core with this study.
var program = clitest.Program{language.Study()}
