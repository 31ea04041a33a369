package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"eddy/runtime"
	"eddy/runtime/explorer"
	"eddy/runtime/replay"
)

// replayer runs captured events again for the explorer, with the project and the flags of eddy dev, as eddy replay
// does.
func replayer(o runtime.Options) explorer.Replay {
	return func(ctx context.Context, lines []byte) (string, bool, error) {
		list, damaged, err := replay.Read("captured", bytes.NewReader(lines))
		if err = errors.Join(append(damaged, err)...); err != nil {
			return "", false, err
		}
		plan, err := replay.Choose(list, replay.Choice{Times: 1})
		if err == nil && len(plan) == 0 {
			err = noEvents(list, 0)
		}
		if err != nil {
			return "", false, err
		}
		events, err := replay.Run(ctx, replay.Options{Seed: 1, Project: replay.Project{Configs: o.Configs, Dir: o.Dir,
			Env: o.Env, Vars: o.Vars, EnvFiles: o.EnvFiles, Environ: o.Environ}}, list, plan)
		if err != nil {
			return "", false, errors.New(runtime.Explain(err, false))
		}
		var b strings.Builder
		differ := 0
		for _, e := range events {
			if e.Differs() {
				differ++
			}
			replay.Show{}.Event(&b, e)
		}
		fmt.Fprintf(&b, "%s ran again, %d otherwise\n", count(len(events), "event"), differ)
		return b.String(), differ > 0, nil
	}
}
