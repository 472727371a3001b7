package relation_test

import (
	"sotto/command/clitest"
	relation "sotto/study/relation/command"
)

// program is the core with this study.
var program = clitest.Program{relation.Study()}
