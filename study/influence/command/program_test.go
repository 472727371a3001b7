package influence_test

import (
	"sotto/command/clitest"
	influence "sotto/study/influence/command"
)

// program is the core with this study.
var program = clitest.Program{influence.Study()}
