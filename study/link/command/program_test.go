package link_test

import (
	"sotto/command/clitest"
	link "sotto/study/link/command"
)

// program is the core with this study.
var program = clitest.Program{link.Study()}
