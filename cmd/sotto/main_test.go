package main

import "sotto/command/clitest"

// program is the whole command.
var program = clitest.Program(studies())
