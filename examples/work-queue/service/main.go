// Command service is the Go half of examples/work-queue. It joins the session of `eddy dev` by its state directory:
//
//	eddy dev -c examples/work-queue/wrangler.jsonc
//	go run ./examples/work-queue/service examples/work-queue/.wrangler/state
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"eddy/queues"
	"eddy/queues/workqueue/eddylog"

	queue "eddy/queues/workqueue"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: service STATE-DIRECTORY")
		os.Exit(2)
	}
	if err := Serve(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Serve prices the things that arrive in the queue to-price, until ctx ends.
func Serve(ctx context.Context, state string) (err error) {
	s, err := eddylog.Join(ctx, state,
		eddylog.WithQueue("asked", "to-price"), eddylog.WithQueue("answered",
			"priced"), eddylog.WithContentType(queues.ContentJSON))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	_, err = s.Subscribe(ctx, "asked", func(ctx context.Context, job *queue.Job) error {
		var in struct{ Name string }
		if err := json.Unmarshal(job.Payload, &in); err != nil {
			return queue.SkipRetry(err)
		}
		out, err := json.Marshal(map[string]any{"name": in.Name, "price": 10 * len(in.Name)})
		if err != nil {
			return err
		}
		return s.Enqueue(ctx, "answered", out)
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
