package crew

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// Serve does tasks, one after the other, that come from a [Crew] in another process, until
// that closes in. Setup gets what the crew tells first, and returns what does a task. When
// the crew is gone while a task is done, gone is called, which must not return: what the
// task would write is nobody's any more.
func Serve[Task, Answer any](in io.Reader, out io.Writer, setup func([]byte) (func(Task) (Answer, error), error), gone func()) error {
	from, to := gob.NewDecoder(in), gob.NewEncoder(out)
	var said []byte
	if err := from.Decode(&said); err != nil {
		return fmt.Errorf("crew: nobody says what to do: %w", err)
	}
	do, wrong := setup(said)
	tasks, busy := make(chan Task), make(chan struct{}, 1)
	ended := make(chan error, 1)
	go func() {
		for {
			var t Task
			if err := from.Decode(&t); err != nil {
				select {
				case busy <- struct{}{}:
					ended <- err
				default:
					gone()
				}
				return
			}
			busy <- struct{}{}
			tasks <- t
		}
	}()
	for {
		select {
		case t := <-tasks:
			var a Answer
			err := wrong
			if err == nil {
				a, err = do(t)
			}
			<-busy
			if err = send(to, a, err); err != nil {
				return err
			}
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// send answers one task.
func send(to *gob.Encoder, answer any, failed error) error {
	if failed != nil {
		return to.Encode(reply{Error: failed.Error()})
	}
	if err := to.Encode(reply{}); err != nil {
		return err
	}
	return to.Encode(answer)
}
