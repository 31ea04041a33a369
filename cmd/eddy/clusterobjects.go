package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/postgres"
)

func newClusterObjects(env OS, asJSON *bool) *cobra.Command {
	var namespace string
	cmd := &cobra.Command{
		Use: "objects [URL]", Short: "List the Durable Objects that are kept, and which node has them",
		Long: "List the Durable Objects that the cluster keeps, and which node has them.\n\n" +
			"They are read from the database, as of one moment: also those that no node has in memory, and if no\n" +
			"node runs. eddy objects --cluster looks into them, while nodes run.",
		Args: form(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := output{w: env.Stdout, json: *asJSON}
			return onCluster(cmd.Context(), env, args, archivePatience,
				func(ctx context.Context, e *postgres.Engine) error { return clusterObjects(ctx, e, namespace, out) })
		},
	}
	cmd.Flags().StringVar(&namespace, "namespace", "", "only this namespace, `WORKER-CLASS` or the class alone")
	return cmd
}

func clusterObjects(ctx context.Context, e *postgres.Engine, namespace string, out output) error {
	if _, err := e.Cluster(ctx); err != nil {
		return err
	}
	all, err := archive.Objects(ctx, e)
	if err != nil {
		return err
	}
	found := []archive.Listed{}
	for _, o := range all {
		if namespace == "" || o.Namespace == namespace || strings.HasSuffix(o.Namespace, "-"+namespace) {
			found = append(found, o)
		}
	}
	return out.value(found, func() error {
		var rows [][]string
		for _, o := range found {
			rows = append(rows, []string{o.Namespace, o.ID, dash(o.Name), dash(o.Node), fmt.Sprint(o.Bytes),
				whenever(o.Alarm)})
		}
		header := []string{"NAMESPACE", "ID", "NAME", "NODE", "BYTES", "ALARM (UTC)"}
		return out.list("There are no objects", header, rows)
	})
}
