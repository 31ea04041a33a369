package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/postgres"
)

func newCluster(env OS) *cobra.Command {
	cmd := group("cluster", "Make a cluster in a PostgreSQL, see what it holds, drain nodes, export and import")
	cmd.Long = "Make a cluster in a PostgreSQL, see what it holds, drain nodes, export and import.\n\n" +
		"URL is postgres://user@host1,host2/database; without it $EDDY_CLUSTER. Of several hosts the one is taken\n" +
		"that accepts writes. eddy serve --cluster URL runs a node on it."
	cmd.Example = "  eddy cluster init 'postgres://eddy@db1,db2/eddy'\n  eddy cluster status"
	var asJSON, accept bool
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	init := &cobra.Command{
		Use: "init [URL]", Short: "Look at the server, refuse what would lose data, and make the tables",
		Args: form(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onCluster(cmd.Context(), env, args, 0, func(ctx context.Context, e *postgres.Engine) error {
				out := output{w: env.Stdout, json: asJSON}
				if accept {
					return clusterAccept(ctx, e, out)
				}
				return clusterInit(ctx, e, out)
			})
		},
	}
	init.Flags().BoolVar(&accept, "accept-restore", false, "let nodes go on with a database that was put back to an "+
		"older state, which they have noticed and refuse")
	status := &cobra.Command{
		Use: "status [URL]", Short: "Show the server, the nodes and who owns how many shards",
		Args: form(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onCluster(cmd.Context(), env, args, statusPatience,
				func(ctx context.Context, e *postgres.Engine) error {
					return clusterStatus(ctx, e, output{w: env.Stdout, json: asJSON})
				})
		},
	}
	cmd.AddCommand(init, status, newClusterDrain(env, &asJSON), newClusterObjects(env, &asJSON),
		newClusterExport(env, &asJSON), newClusterImport(env, &asJSON))
	return cmd
}

// clusterPatience is how long a command waits for the server; tests wait longer, on a machine with much else to do.
var clusterPatience = 20 * time.Second

// onCluster opens the cluster of the first argument, or of the environment, for as long as patience, or clusterPatience
// if that is 0.
func onCluster(ctx context.Context, env OS, args []string, patience time.Duration,
	do func(context.Context, *postgres.Engine) error) error {
	dsn := getenv(env, "EDDY_CLUSTER")
	if len(args) > 0 {
		dsn = args[0]
	}
	if len(args) > 0 && !isPostgres(dsn) {
		return usage("%q is no URL of a PostgreSQL: expected postgres://user@host/database", args[0])
	}
	if !isPostgres(dsn) {
		return usage("which cluster? Say postgres://user@host/database, or set EDDY_CLUSTER")
	}
	e, err := postgres.Open(dsn)
	if err != nil {
		return usage("%w", err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(patience, clusterPatience))
	defer cancel()
	return asFailure(answered(e, do(ctx, e)))
}

// answered says of an error that tells that a cluster's database cannot be reached what to do about it.
func answered(e *postgres.Engine, err error) error {
	err = e.Away(err)
	var away *postgres.AwayError
	var refused *postgres.RefusedError
	switch {
	case errors.As(err, &away):
		err = fmt.Errorf("%w\n  expected a PostgreSQL there that takes connections: start it, or say another URL", err)
	case errors.As(err, &refused):
		err = fmt.Errorf("%w\n  say a role, password and database that it knows: postgres://role@host/database, "+
			"PGPASSWORD", err)
	}
	return err
}

// isPostgres tells whether a text is the URL of a PostgreSQL.
func isPostgres(dsn string) bool {
	u, err := url.Parse(dsn)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
}

// clusterAccept lets nodes go on after the database was put back to an older state.
func clusterAccept(ctx context.Context, e *postgres.Engine, out output) error {
	if _, err := e.Cluster(ctx); err != nil {
		return err
	}
	mark, err := e.AcceptRestore(ctx)
	if err != nil {
		return err
	}
	result := struct {
		Mark string `json:"mark"`
	}{mark}
	if mark == "" {
		return out.done(result, "No node has noticed that the database was put back: there is nothing to accept.")
	}
	return out.done(result, "Accepted: %s. Nodes may start.", mark)
}

func clusterInit(ctx context.Context, e *postgres.Engine, out output) error {
	h, err := e.Examine(ctx)
	if err != nil {
		return fmt.Errorf("the server cannot be looked at: %w", err)
	}
	if why := h.Refusal(); why != "" {
		return &exitError{exitUsage, errors.New(why)}
	}
	c, err := e.Init(ctx)
	if errors.Is(err, postgres.ErrExists) {
		return &exitError{exitUsage, fmt.Errorf("%w, which is left as it is: eddy cluster status shows it", err)}
	}
	if err == nil {
		err = e.Probe(ctx, &h)
	}
	if err != nil {
		return err
	}
	result := struct {
		postgres.Health
		ObjectShards int `json:"objectShards"`
	}{h, c.ObjectShards}
	return out.value(result, func() error {
		return errors.Join(tellHealth(out, h), out.done(nil,
			"Made a cluster: %d shards for objects and one for queues.", c.ObjectShards))
	})
}

// tellHealth says what a server is and what its loss would cost.
func tellHealth(out output, h postgres.Health) error {
	fsync := "off"
	if h.Fsync {
		fsync = "on"
	}
	_, err := fmt.Fprintf(out.w, "PostgreSQL %s: fsync %s, synchronous_commit %s, %s.\nA commit takes %.1f ms.\n",
		h.Short(), fsync, h.SynchronousCommit, h.Safety(), h.RoundTripMS)
	if why := h.Refusal(); why != "" && err == nil { // it was another when the nodes started
		_, err = fmt.Fprintf(out.w, "A node that starts is refused: %s.\n", why)
	}
	return err
}

func clusterStatus(ctx context.Context, e *postgres.Engine, out output) error {
	looking, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	if _, err := e.Cluster(looking); err != nil {
		return err
	}
	h, err := e.Examine(looking)
	if err == nil {
		err = e.Probe(looking, &h)
	}
	if err != nil {
		return err
	}
	before, err := e.Look(looking)
	if err != nil {
		return err
	}
	silent := func(n engine.Seen) bool { return !n.HasBeatSince(before) }
	v, err := watched(ctx, e, before.LongestLease()/2, silent)
	if err != nil {
		return err
	}
	looking, cancel = context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	nodes, free, err := node.StatusOf(looking, e, v, silent)
	if err != nil {
		return err
	}
	result := struct {
		postgres.Health
		Nodes    []node.Status `json:"nodes"`
		Free     int           `json:"freeShards"`
		Restored string        `json:"restored,omitempty"`
	}{h, nodes, free, v.Restored}
	return out.value(result, func() error { return tellStatus(out, h, nodes, v, free) })
}

// watched looks at a cluster until none of its nodes is silent, or for half of the longest lease: a node beats four
// times in its lease, so whoever has not by then is.
func watched(ctx context.Context, e engine.Engine, half time.Duration, silent func(engine.Seen) bool) (
	engine.View, error) {
	for over := time.After(half); ; {
		last := false
		select {
		case <-time.After(statusPause):
		case <-over:
			last = true
		case <-ctx.Done():
			return engine.View{}, context.Cause(ctx)
		}
		looking, cancel := context.WithTimeout(ctx, clusterPatience)
		v, err := e.Look(looking)
		cancel()
		if err != nil || last || !slices.ContainsFunc(v.Nodes, silent) {
			return v, err
		}
	}
}

// statusPause is between two looks at nodes that have not beaten yet, statusPatience for how long at most a status
// watches: leases may be long. The server has clusterPatience for each look.
const statusPause, statusPatience = 200 * time.Millisecond, time.Hour

func tellStatus(out output, h postgres.Health, nodes []node.Status, v engine.View, free int) error {
	var rows [][]string
	for _, n := range nodes {
		queues := ""
		if n.Queues {
			queues = "here"
		}
		rows = append(rows, []string{n.Name, n.State(), strconv.Itoa(n.Shards), queues, n.URL, n.Code})
	}
	slices.SortFunc(rows, slices.Compare)
	header := []string{"NODE", "STATE", "SHARDS", "QUEUES", "URL", "CODE"}
	if v.Restored != "" {
		_, err := fmt.Fprintf(out.w, "No node serves: %v\n", &engine.MarkedError{Mark: v.Restored})
		if err != nil {
			return err
		}
	}
	err := errors.Join(tellHealth(out, h), out.list("No node runs.", header, rows),
		out.done(nil, "%d of %d shards belong to nobody.", free, len(v.Shards)))
	for _, n := range nodes {
		for _, line := range n.Trouble.Lines() {
			if !n.Silent { // what it said is of the time before
				err = errors.Join(err, out.done(nil, "%s", line))
			}
		}
	}
	return err
}
