package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

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

// flowsAway are the workflows that a cluster keeps, on whichever nodes they are, with those of the configuration, if
// there is one, which may have no instance yet.
func (f *stateFlags) flowsAway(ctx context.Context, env OS) (flowAPI, error) {
	cfg, err := f.project(env)
	if errors.Is(err, wrangler.ErrNotFound) {
		cfg, err = &wrangler.Config{}, nil
	}
	if err != nil {
		return flowAPI{}, err
	}
	kept, err := f.keptStores(ctx)
	if err != nil {
		return flowAPI{}, err
	}
	to, end, err := f.ways(ctx)
	if err != nil {
		return flowAPI{}, err
	}
	var list []workflowapi.Listed
	add := func(name, script, class string) {
		list = append(list, workflowapi.Listed{Name: name, Script: script, Class: class,
			Workflow: sharing.FlowOver(to(objectstore.Name{Kind: objectstore.Workflows, ID: name}))})
	}
	for _, b := range cfg.Workflows {
		add(b.Name, cmp.Or(b.ScriptName, cfg.Name), b.ClassName)
	}
	for _, k := range kept {
		name := objectstore.Name{Kind: objectstore.Workflows, ID: k.Name}
		key, _ := name.Object()
		bound := slices.ContainsFunc(cfg.Workflows, func(b wrangler.Workflow) bool { return b.Name == k.Name })
		if k.Namespace == key && k.Name != "" && !bound {
			add(k.Name, "", "")
		}
	}
	api := workflowapi.New(func() []workflowapi.Listed { return list })
	return flowAPI{ctx, control.Local(api), end}, nil
}
