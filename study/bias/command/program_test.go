package bias_test

import (
	"sotto/command/clitest"
	bias "sotto/study/bias/command"
)

// program is the core with this study.
var program = clitest.Program{bias.Study()}
