// Command sotto-batch releases the texts of many files on a distributed engine:
//
//	sotto-batch --in 'texts/*.jsonl' --text text --id id --out private --epsilon 4 --secret batch.secret
//
// Exit codes are those of sotto: 0 done; 1 a check said no (over budget, ids that are
// not unique); 2 wrong use or bad input; 4 an internal fault.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sotto/batch/command"
	"sotto/batch/pipeline"
	"sotto/command/term"
)

func main() {
	if os.Getenv("GOGC") == "" { // a job makes much garbage beside little that stays: 80 MB save a twentieth of its time
		debug.SetGCPercent(200)
	}
	pipeline.Hand() // does not return in a process that makes parts for another
	if args := pipeline.WorkerArgs(os.Args[1:]); args != nil {
		flag.CommandLine.Parse(args) //nolint:errcheck // it ends the process
	}
	beam.Init() // does not return on a worker
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	os.Exit(command.Run(ctx, os.Args[1:], term.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
