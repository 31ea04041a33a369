package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"eddy/runtime/control"
	"eddy/runtime/journal"
	"eddy/runtime/report"
)

// deadLetter is a dead letter with what the journal knows of it.
type deadLetter struct {
	control.Message
	Recorded []attempt `json:"recorded,omitempty"`
}

// attempt is a delivery of a message in the journal.
type attempt struct {
	Attempt int       `json:"attempt"`
	Queue   string    `json:"queue"`
	Time    time.Time `json:"time"`
	Outcome string    `json:"outcome"`
	Error   string    `json:"error,omitempty"`
	Trace   string    `json:"trace"`
	wall    time.Duration
}

// recordedAttempts are the deliveries of a message that the journal still has, oldest first.
func recordedAttempts(ctx context.Context, env OS, f *stateFlags, id string) (list []attempt, err error) {
	dir, _, err := f.journals(ctx, env)
	if err != nil {
		return nil, err
	}
	err = journal.Read(dir, damageTold(env), func(e *journal.Entry) error {
		if e.Delivery == nil {
			return nil
		}
		for i := range e.Delivery.Messages {
			m := &e.Delivery.Messages[i]
			if hex.EncodeToString(m.ID[:]) != id {
				continue
			}
			a := attempt{Attempt: m.Attempts, Queue: e.Delivery.Queue, Time: e.Start(), Outcome: m.Outcome,
				Error: e.Delivery.Error, Trace: hex.EncodeToString(e.Trace[:]), wall: e.Wall}
			if a.Outcome == "" {
				a.Outcome = "cut off"
			}
			list = append(list, a)
		}
		return nil
	})
	return list, err
}

// attemptTable shows attempts, and how they run again.
func attemptTable(out output, list []attempt) error {
	if len(list) == 0 {
		return nil
	}
	var rows [][]string
	for _, a := range list {
		rows = append(rows, []string{fmt.Sprint(a.Attempt), a.Queue, when(a.Time), report.Duration(a.wall), a.Outcome,
			dash(short(a.Error, 60))})
	}
	if _, err := fmt.Fprintln(out.w); err != nil {
		return err
	}
	if err := out.table([]string{"ATTEMPT", "QUEUE", "TIME (UTC)", "TOOK", "OUTCOME", "ERROR"}, rows); err != nil {
		return err
	}
	last := list[len(list)-1]
	_, err := fmt.Fprintf(out.w, "\nThis shows what led to it, and makes it a test:\n"+
		"eddy trace %s\neddy capture --trace %[1]s > %s.replay.jsonl\n", last.Trace[:8], report.Escape(last.Queue))
	return err
}
