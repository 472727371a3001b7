package reproduce_test

import (
	"sotto/command/clitest"
	reproduce "sotto/study/reproduce/command"
)

// program is the core with this study.
var program = clitest.Program{reproduce.Study()}
