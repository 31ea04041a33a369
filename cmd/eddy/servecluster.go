package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime"
	"eddy/runtime/cluster/postgres"
	"eddy/runtime/report"
)

// settleCluster checks the flags of a node of a cluster.
func (f *serveFlags) settleCluster(cmd *cobra.Command) error {
	fl := cmd.Flags()
	if f.cluster == "" {
		for _, name := range []string{"advertise", "links", "lease", "scratch", "rolling", "reads"} {
			if fl.Changed(name) {
				return usage("--%s is for a node of a cluster: say --cluster, too", name)
			}
		}
		return nil
	}
	if !isPostgres(f.cluster) {
		return usage("--cluster: expected postgres://user@host/database")
	}
	for _, name := range []string{"persist-to", "durability", "token"} {
		if fl.Changed(name) {
			return usage("--%s does not go with --cluster, which keeps what is acknowledged and has a token", name)
		}
	}
	if f.advertise == "" {
		return usage("--advertise HOST:PORT is missing: where do the other nodes of the cluster reach this one?")
	}
	for flag, address := range map[string]string{"advertise": f.advertise, "links": f.links} {
		if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
			return usage("--%s %q: expected HOST:PORT", flag, address)
		}
	}
	if f.reads != "lease" && f.reads != confirmedReads {
		return usage("--reads %q: expected lease or %s", f.reads, confirmedReads)
	}
	if f.lease.Duration < minLease {
		return usage("--lease %s: expected %s or more", lasting(f.lease.Duration), lasting(minLease))
	}
	f.history = duration{}
	return nil
}

// confirmedReads is the value of --reads.
const confirmedReads = "confirmed"

// minLease is the shortest lease: a beat takes a round trip, and garbage collections and slow disks happen.
const minLease = 500 * time.Millisecond

// joinCluster opens the cluster's database and says in the options which node this is. kept says by what the cluster is
// kept. end is called when the session has ended.
func (f *serveFlags) joinCluster(ctx context.Context, o *runtime.Options, rep *report.Reporter) (
	kept string, end func(), err error) {
	e, err := postgres.Open(f.cluster)
	if err != nil {
		return "", nil, usage("--cluster: %w", err)
	}
	release := func() {}
	end = func() { e.Close(); release() }
	opened := end
	defer func() {
		if err != nil {
			opened()
		}
	}()
	h, err := whenThere(ctx, e, rep, e.Examine)
	if err != nil {
		return "", nil, fmt.Errorf("--cluster: %w", answered(e, err))
	}
	if why := h.Refusal(); why != "" {
		return "", nil, &exitError{exitUsage, errors.New(why)}
	}
	c, err := whenThere(ctx, e, rep, e.Cluster)
	if err != nil {
		return "", nil, fmt.Errorf("--cluster: %w", answered(e, err))
	}
	scratch := f.scratch
	if scratch != "" && !filepath.IsAbs(scratch) {
		scratch = filepath.Join(o.Dir, scratch)
	}
	if o.PersistTo, release, err = takeScratch(scratch, f.node); err != nil {
		release = func() {} // nothing was taken
		return "", nil, err
	}
	links := f.links
	if links == "" {
		links = f.advertise
	}
	advertise := f.advertise
	if host, port, err := net.SplitHostPort(advertise); err == nil && host == "" {
		if host, err = os.Hostname(); err != nil {
			return "", nil, usage("--advertise %s has no host, and the machine no name: %w", f.advertise, err)
		}
		advertise = net.JoinHostPort(host, port)
	}
	o.Cluster = &runtime.ClusterOptions{Engine: e, Token: c.Token, ObjectShards: c.ObjectShards, Name: f.node,
		Listen: links, Advertise: advertise, Lease: f.lease.Duration, Rolling: f.rolling,
		Confirmed: f.reads == confirmedReads, Scratch: func() error { return writable(o.PersistTo) },
		Warn:    func(text string) { rep.Line(report.Warn, "cluster", text) },
		Stopped: func(err error) { f.stopped <- err }}
	return "PostgreSQL " + h.Short() + ", " + h.Safety(), end, nil
}

// whenThere asks the server something as soon as it answers: after a power cut machines come up in any order, and one
// that stood still meanwhile, or has too much to do, has ended the question. Until then the node is not ready.
func whenThere[T any](ctx context.Context, e *postgres.Engine, rep *report.Reporter,
	ask func(context.Context) (T, error)) (T, error) {
	told := false
	for {
		looking, cancel := context.WithTimeout(ctx, clusterPatience)
		v, err := ask(looking)
		cancel()
		err = e.Away(err)
		var away *postgres.AwayError
		if !errors.As(err, &away) && !postgres.TookTooLong(err) || ctx.Err() != nil {
			if told && err == nil {
				rep.Line(report.Info, "cluster", "The cluster's database answers: this node starts.")
			}
			return v, err
		}
		if !told {
			told = true
			advice := ""
			if away != nil {
				advice = ". If that is not where it is, say another --cluster."
			}
			rep.Line(report.Warn, "cluster", "This node waits for its database, and is not ready: "+err.Error()+advice)
		}
		select {
		case <-time.After(awayPause):
		case <-ctx.Done():
			return v, err
		}
	}
}

// awayPause is between two attempts to reach a database that does not answer.
const awayPause = time.Second

// clusterMetrics are the metrics of a node: its part in the cluster, and those of the queues if it has them. Another
// node's are that one's to tell.
type clusterMetrics struct {
	s      *runtime.Session
	queues http.Handler
}

// ServeHTTP implements [http.Handler].
func (m clusterMetrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := m.s.Node()
	nodes, mine, shards := n.Counts()
	lease, hosts := 0, 0
	if n.Valid() {
		lease = 1
	}
	var b strings.Builder
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if m.s.HasQueues() {
		hosts = 1
		got := recorded{w: &b, header: http.Header{}, status: http.StatusOK}
		m.queues.ServeHTTP(&got, r)
		if got.status != http.StatusOK {
			b.Reset() // the queues have just gone elsewhere
		}
	}
	gauge := func(name, help string, value int) {
		fmt.Fprintf(&b, "# HELP eddy_cluster_%s %s\n# TYPE eddy_cluster_%[1]s gauge\n"+
			"eddy_cluster_%[1]s{node=%[3]q} %[4]d\n", name, help, n.Name(), value)
	}
	gauge("nodes", "Nodes of the cluster, as of this node's last look.", nodes)
	gauge("shards", "Shards of the cluster.", shards)
	gauge("shards_owned", "Shards that this node has.", mine)
	gauge("queues_here", "1 if this node has the queues.", hosts)
	gauge("lease_valid", "1 if the node's lease holds.", lease)
	fmt.Fprintf(&b, "# HELP eddy_cluster_clock_ahead_seconds By how much the node's clock is ahead of the database's, "+
		"at least.\n# TYPE eddy_cluster_clock_ahead_seconds gauge\neddy_cluster_clock_ahead_seconds{node=%q} %g\n",
		n.Name(), n.Ahead().Seconds())
	if all := n.Reached(); len(all) > 0 {
		b.WriteString("# HELP eddy_cluster_reached 1 if another node answers this one.\n" +
			"# TYPE eddy_cluster_reached gauge\n")
		for _, peer := range slices.Sorted(maps.Keys(all)) {
			answers := 0
			if all[peer] {
				answers = 1
			}
			fmt.Fprintf(&b, "eddy_cluster_reached{node=%q,peer=%q} %d\n", n.Name(), peer, answers)
		}
	}
	_, _ = io.WriteString(w, b.String()) // the client may be gone
}

// recorded is an answer that goes into another one.
type recorded struct {
	w      io.Writer
	header http.Header
	status int
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = status }
func (r *recorded) Write(p []byte) (int, error) { return r.w.Write(p) }
