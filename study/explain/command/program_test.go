package explain_test

import (
	"sotto/command/clitest"
	explain "sotto/study/explain/command"
)

// program is the core with this study.
var program = clitest.Program{explain.Study()}
