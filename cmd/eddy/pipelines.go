package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/pipeline"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newPipelines makes the verb for what Workers have sent into pipelines.
func newPipelines(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("pipelines", "See what was sent into the pipelines of a configuration, while a session runs or not")
	f.add(cmd)
	f.addCluster(cmd)
	cmd.AddCommand(append(elsewhereBelow("pipelines"), pipelineRecords(env, f))...)
	return finish(env, f, cmd)
}

func pipelineRecords(env OS, f *stateFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "records [PIPELINE]", Short: "Print all records of a pipeline, a line of JSON each",
		Long: "Prints all records that were sent into a pipeline, in the order in which they were kept: a line of\n" +
			"JSON each. PIPELINE is its binding, or its name if one binding has it. It may be left out if there is\n" +
			"one.",
		Example:           "  eddy pipelines records READINGS | jq .celsius",
		Args:              form(cobra.MaximumNArgs(1)),
		ValidArgsFunction: first(f.complete(env, pipelineKind)),
	}
	cmd.RunE = f.opened(env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
		out output) error {
		i, err := pipelineKind.choose(cfg, append(args, "")[0])
		if err != nil {
			return err
		}
		binding := pipelineKind.of(cfg)[i].binding
		if f.cluster != "" {
			return f.recordsAway(ctx, binding, out.w)
		}
		return pipeline.Each(state.Pipeline(binding), func(from io.Reader) error {
			_, err := io.Copy(out.w, from)
			return err
		})
	})
	return cmd
}

// recordsAway prints those that a cluster keeps. Each part of them has the time that a command has for a call.
func (f *stateFlags) recordsAway(ctx context.Context, binding string, to io.Writer) error {
	for after := int64(0); ; {
		way, end, err := f.way(ctx, objectstore.Name{Kind: "pipelines", ID: binding})
		if err != nil {
			return err
		}
		b, err := pipeline.Away{Way: way}.Next(after)
		end()
		if err != nil || len(b.Lines) == 0 {
			return err
		}
		after = b.Number
		if _, err := to.Write(b.Lines); err != nil {
			return errors.Join(errors.New("standard output"), err)
		}
	}
}
