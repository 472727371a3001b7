// Command sotto makes vectors of text differentially private, checks what is
// claimed of such methods, attacks them, and trains models on them.
//
//	sotto epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1
//	sotto audit laplace-l1 --dim 300 --epsilon 8
//	sotto privatize laplace-l1 --epsilon 8 --in vectors.npy --out private.npy
//	sotto train --data reviews --method federate --epsilon 8 --out model
//
// Exit codes, the same for every command: 0 done; 1 a check said no; 2 wrong
// use or bad input; 3 a gate failed; 4 an internal fault.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"sotto/command"
	"sotto/command/term"
)

func main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once; a second SIGTERM, which some that
	// look after processes send, does not cut off what is being answered.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	os.Exit(command.Run(ctx, os.Args[1:], term.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, studies()...))
}
