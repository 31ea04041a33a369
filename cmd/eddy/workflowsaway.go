package main

import (
	"cmp"
	"context"
	"errors"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/control"
	"eddy/runtime/sharing"
	"eddy/workflows/workflowapi"
	"eddy/wrangler"
)

func (a flowAPI) close() {
	if a.end != nil {
		a.end()
	}
}

// flowsAway are the workflows of the configuration, on whichever nodes of a cluster they are.
func (f *stateFlags) flowsAway(ctx context.Context, env OS) (flowAPI, error) {
	cfg, err := f.project(env)
	if errors.Is(err, wrangler.ErrNotFound) {
		err = usage("%w\n  say whose workflows are meant: -c path/to/wrangler.jsonc", err)
	}
	if err != nil {
		return flowAPI{}, err
	}
	to, end, err := f.ways(ctx)
	if err != nil {
		return flowAPI{}, err
	}
	var list []workflowapi.Listed
	for _, b := range cfg.Workflows {
		script := cmp.Or(b.ScriptName, cfg.Name)
		list = append(list, workflowapi.Listed{Name: b.Name, Script: script, Class: b.ClassName,
			Workflow: sharing.FlowOver(to(objectstore.Name{Kind: objectstore.Workflows, ID: b.Name}))})
	}
	api := workflowapi.New(func() []workflowapi.Listed { return list })
	return flowAPI{ctx, control.Local(api), end}, nil
}
