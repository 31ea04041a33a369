package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/postgres"
	"eddy/runtime/statedir"
)

// archivePatience is how long an export or an import may take.
const archivePatience = 24 * time.Hour

// archivedStores is what help says of what is taken beside objects.
const archivedStores = "KV, D1, R2, stores of secrets, vector indexes, pipelines, workflows with their instances,\n" +
	"the queues, and which migrations were applied. "

func newClusterExport(env OS, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use: "export STATE [URL]", Short: "Write all that a cluster keeps into a state directory",
		Long: "Write what a cluster keeps into a new state directory: Durable Objects with their alarms and names,\n" +
			archivedStores + "eddy dev and eddy serve go on from it with\n" +
			"--persist-to STATE, and wrangler dev reads the objects. Nodes may run: it is a consistent cut of one\n" +
			"moment, and what they acknowledge later is not in it.",
		Example: "  eddy cluster export ./state\n  eddy serve --persist-to ./state",
		Args:    form(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onArchive(cmd.Context(), env, args, func(ctx context.Context, e *postgres.Engine,
				c postgres.Cluster, dir string) error {
				sum, err := archive.Export(ctx, e, c.ObjectShards, dir)
				if err != nil {
					return err
				}
				return tellArchive(output{w: env.Stdout, json: *asJSON}, "Exported", "to "+dir, sum)
			})
		},
	}
}

func newClusterImport(env OS, asJSON *bool) *cobra.Command {
	replace := false
	cmd := &cobra.Command{
		Use: "import STATE [URL]", Short: "Put all that a state directory keeps into a cluster",
		Long: "Put what a state directory keeps into a cluster: Durable Objects with their alarms and names,\n" +
			archivedStores + "What else it has is named, and stays\n" +
			"where it is. No node and no session on the directory may run. It is one transaction: if it\n" +
			"fails or is killed the cluster is what it was, and the same import again changes nothing once it is\n" +
			"there. The directory stays as it is.",
		Example: "  eddy cluster import .wrangler/state",
		Args:    form(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onArchive(cmd.Context(), env, args, func(ctx context.Context, e *postgres.Engine,
				c postgres.Cluster, dir string) error {
				err := archive.EndSilent(ctx, e)
				var sum archive.Summary
				if err == nil {
					sum, err = archive.Import(ctx, e, c.ObjectShards, statedir.Dir(dir), replace)
				}
				var alive *engine.AliveError
				var unfit *archive.Unfit
				var occupied *archive.OccupiedError
				switch {
				case errors.As(err, &alive):
					return usage("%w\n  end them first: they would go on with what they have in memory", alive)
				case errors.As(err, &occupied):
					return usage("%w\n  --replace throws it away; eddy cluster export saves it before", occupied)
				case errors.As(err, &unfit):
					return usage("%w", unfit)
				case err != nil:
					return err
				}
				return tellArchive(output{w: env.Stdout, json: *asJSON}, "Imported", "from "+dir, sum)
			})
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "throw away what the cluster keeps")
	return cmd
}

func onArchive(ctx context.Context, env OS, args []string,
	do func(context.Context, *postgres.Engine, postgres.Cluster, string) error) error {
	dir := args[0]
	if !filepath.IsAbs(dir) {
		wd, err := env.Getwd()
		if err != nil {
			return &exitError{exitFailure, err}
		}
		dir = filepath.Join(wd, dir)
	}
	return onCluster(ctx, env, args[1:], archivePatience, func(ctx context.Context, e *postgres.Engine) error {
		c, err := e.Cluster(ctx)
		if err != nil {
			return err
		}
		return do(ctx, e, c, dir)
	})
}

func tellArchive(out output, done, where string, sum archive.Summary) error {
	return out.value(sum, func() error {
		err := out.done(nil, "%s %s: %s in %s, %s, %s of bindings; %d bytes of the queues' log.", done,
			where, several(sum.Objects, "object"), several(sum.Namespaces, "namespace"), several(sum.Alarms, "alarm"),
			several(sum.Stores, "store"), sum.QueueBytes)
		if sum.Before {
			err = errors.Join(err, out.done(nil, "It was imported before, and nothing has been written since."))
		}
		for _, name := range sum.Left {
			_, e := fmt.Fprintf(out.w, "Left where it is: %s\n", name)
			err = errors.Join(err, e)
		}
		return err
	})
}
