package errors_test

import (
	"sotto/command/clitest"
	errors "sotto/study/errors/command"
)

// program is the core with this study.
var program = clitest.Program{errors.Study()}
