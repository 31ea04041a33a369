package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

// job FILE enqueue TOPIC PAYLOAD puts a job into the work queue of a file, job FILE fail TOPIC ERROR lets a worker
// fail at every job of the topic for good, until one fails that is called "last".
func job() {
	if err := runJob(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runJob(file, verb, topic, text string) error {
	ctx := context.Background()
	s, err := sqlite.New(ctx, file)
	if err != nil {
		return err
	}
	if verb == "enqueue" {
		err = s.Enqueue(ctx, topic, []byte(text))
	} else {
		last := make(chan struct{})
		_, err = s.Subscribe(ctx, topic, func(_ context.Context, j *queue.Job) error {
			if string(j.Payload) == "last" {
				close(last)
			}
			return queue.SkipRetry(errors.New(text))
		})
		if err == nil {
			<-last
		}
	}
	return errors.Join(err, s.Close(ctx))
}
