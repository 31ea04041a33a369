package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/postgres"
	"eddy/runtime/sharing"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// addCluster lets the verbs of a command go to the stores of a cluster.
func (f *stateFlags) addCluster(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.cluster, "cluster", "",
		"postgres:// `URL` of the cluster that keeps it; one of its nodes must run")
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	cmd.Long += "\n\nWith --cluster what the nodes of a cluster keep is meant, wherever it is; eddy cluster tells " +
		"more."
}

// way is the way to a store of the cluster that the flags name; nil without one. end is called after the last call.
func (f *stateFlags) way(ctx context.Context, name objectstore.Name) (w objectstore.Way, end func(), err error) {
	if f.cluster == "" {
		return nil, func() {}, nil
	}
	to, end, err := f.ways(ctx)
	if err != nil {
		return nil, nil, err
	}
	return to(name), end, nil
}

// kept opens the database of the cluster that the flags name.
func (f *stateFlags) kept() (*postgres.Engine, error) {
	if !isPostgres(f.cluster) {
		return nil, usage("--cluster: expected postgres://user@host/database")
	}
	if f.persistTo != "" || f.url != "" {
		return nil, usage("--cluster does not go with --persist-to and --url, which name another place")
	}
	e, err := postgres.Open(f.cluster)
	if err != nil {
		return nil, usage("--cluster: %w", err)
	}
	return e, nil
}

// reached opens the database of the cluster that the flags name, once it has said what the cluster is.
func (f *stateFlags) reached(ctx context.Context) (e *postgres.Engine, c postgres.Cluster, err error) {
	if e, err = f.kept(); err != nil {
		return nil, c, err
	}
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	if c, err = e.Cluster(ctx); err != nil {
		err = fmt.Errorf("--cluster: %w", answered(e, err))
		e.Close()
		return nil, c, err
	}
	return e, c, nil
}

// keptStores are the stores that the cluster which the flags name keeps; none without one.
func (f *stateFlags) keptStores(ctx context.Context) (keptStores, error) {
	if f.cluster == "" {
		return nil, nil
	}
	e, _, err := f.reached(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	all, err := archive.Stores(ctx, e)
	return all, answered(e, err)
}

// keptStores are stores of a cluster.
type keptStores []archive.Listed

// find looks a store up by its name; ok is false if it has nothing stored.
func (k keptStores) find(name objectstore.Name) (at archive.Listed, ok bool) {
	key, id := name.Object()
	i := slices.IndexFunc(k, func(l archive.Listed) bool { return l.Namespace == key && l.ID == id })
	if i < 0 {
		return at, false
	}
	return k[i], true
}

// ways are the ways to the stores of the cluster that the flags name.
func (f *stateFlags) ways(ctx context.Context) (to func(objectstore.Name) objectstore.Way, end func(), err error) {
	e, c, err := f.reached(ctx)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	return func(name objectstore.Name) objectstore.Way { return sharing.Visit(ctx, e, c.Token, name) },
		func() { cancel(); e.Close() }, nil
}

// opened makes the RunE of a verb that looks into a store, of this machine's state directory or of a cluster.
func (f *stateFlags) opened(env OS, do func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir,
	args []string, out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		var cfg *wrangler.Config
		var state statedir.Dir
		var err error
		if f.cluster == "" {
			cfg, state, err = f.bindings(cmd.Context(), env)
		} else if cfg, err = f.project(env); errors.Is(err, wrangler.ErrNotFound) {
			err = usage("%w\n  say whose bindings are meant: -c path/to/wrangler.jsonc", err)
		}
		if err != nil {
			return asFailure(err)
		}
		return asFailure(do(cmd.Context(), cfg, state, args, output{w: cmd.OutOrStdout(), json: f.json}))
	}
}
