package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
	"eddy/runtime/report"
)

// serveFlags are the flags of `eddy serve`.
type serveFlags struct {
	devFlags
	node, admin      string
	tlsCert, tlsKey  string
	drain            duration
	cluster, scratch string
	advertise, links string
	lease            duration
	rolling          bool
	reads            string
	stopped          chan error // a node of a cluster has given up for good
	// limitCPU and limitMemory are bounds, for all Workers or WORKER=BOUND.
	limitCPU, limitMemory []string
	secretsFiles          []string
}

func newServe(env OS) *cobra.Command {
	f := &serveFlags{devFlags: devFlags{history: duration{30 * 24 * time.Hour}, journalSize: 64_000_000,
		journalAge: duration{24 * time.Hour}, noHotkeys: true, noWatch: true}, drain: duration{10 * time.Second},
		lease: duration{member.DefaultLease}, stopped: make(chan error, 1)}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve Workers for longer: no watching, logs for programs, health checks, a drain at the end",
		Long: "Serve the Workers of a configuration for longer lives than eddy dev, on this machine.\n\n" +
			"Files are not watched and no keys are read; crons fire; logs are one JSON object a line. On SIGTERM\n" +
			"the session is not ready any more, lets what is in flight end for up to --drain, and ends. What was\n" +
			"acknowledged is on disk, also after kill -9. The state directory belongs to one machine, and Workers\n" +
			"that do not trust each other do not belong into one process: it is no sandbox between tenants.\n\n" +
			"With --cluster it is one node of several that serve the same Workers behind any proxy: PostgreSQL\n" +
			"keeps queues, Durable Objects, KV, D1, R2, stores of secrets, vector indexes, pipelines and workflows.\n" +
			"Each object runs on one node, and when a node is lost the others take over what it had. eddy cluster\n" +
			"init makes the tables.",
		Example: "  eddy serve -c wrangler.jsonc --ip 0.0.0.0 --port 8787 --secrets-file /run/secrets/worker.env\n" +
			"  eddy serve --tls-cert cert.pem --tls-key key.pem --admin 127.0.0.1:9787\n" +
			"  eddy serve --cluster 'postgres://eddy@db1,db2/eddy' --node a --advertise 10.0.0.5:8788",
		Args: form(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.settleServe(cmd); err != nil {
				return err
			}
			return f.run(cmd.Context(), env)
		},
	}
	f.addServe(cmd.Flags())
	return cmd
}

func (f *serveFlags) addServe(fl *pflag.FlagSet) {
	o := &f.options
	fl.StringArrayVarP(&o.Configs, "config", "c", nil,
		"configuration `file`, or the directory it is in; repeat for several Workers")
	fl.StringVarP(&o.Env, "env", "e", "", "environment of the configuration")
	fl.StringArrayVar(&o.Vars, "var", nil, "`NAME:VALUE` added to the environment variables; repeatable")
	fl.StringArrayVar(&f.secretsFiles, "secrets-file", nil,
		"dotenv `file` with the Workers' secrets, instead of .dev.vars and .env; repeatable")
	fl.StringVar(&o.IP, "ip", "", "address to listen on (default localhost)")
	fl.IntVar(&o.Port, "port", 8787, "port to listen on; 0 picks any that is free")
	fl.StringArrayVar(&f.limitCPU, "limit-cpu", nil,
		"the most `CPU time` that an event of a Worker gets, whatever its limits.cpu_ms says: 50ms, or "+
			"shop=200ms for one Worker; repeatable")
	fl.StringArrayVar(&f.limitMemory, "limit-memory", nil,
		"the most `memory` that a Worker may keep, and one turn of an event may add: 128MB, or shop=256MB "+
			"for one Worker; repeatable (default 512MB)")
	fl.StringVar(&f.tlsCert, "tls-cert", "", "`file` with the certificate, for https")
	fl.StringVar(&f.tlsKey, "tls-key", "", "`file` with its key")
	fl.StringVar(&f.admin, "admin", "127.0.0.1:9787",
		"`address` of /healthz, /readyz and /metrics, for who runs the machine; off for none")
	fl.StringVar(&f.node, "node", "", "`name` of this process in metrics (default the machine's)")
	fl.Var(&f.drain, "drain", "how long requests and events that are in flight at the end may go on")
	fl.StringVar(&o.Token, "token", "", "`token` with which /cdn-cgi and the explorer answer other machines, too")
	fl.StringVar(&o.PersistTo, "persist-to", "", "state `directory` (default .wrangler/state beside the configuration)")
	fl.StringVar((*string)(&o.Durability), "durability", "strict",
		"strict (acknowledged means on disk) or relaxed (given to the system)")
	fl.Var(&f.history, "object-history", "how long the earlier states of objects are kept for point-in-time "+
		"recovery; 0 for none")
	fl.StringVar((*string)(&o.Journal), "journal", "on",
		"record what happens, for eddy tail, trace and capture: on, full (uses of bindings, too) or off; "+
			"eddy.jsonc may say another default")
	fl.Var(&f.journalSize, "journal-size", "how much the journal may take, such as `64MB`")
	fl.Var(&f.journalAge, "journal-age", "how long the journal is kept")
	fl.StringVar(&o.OTLP, "otlp", "",
		"send what happens as traces to the OpenTelemetry collector at a `URL`, such as http://localhost:4318")
	fl.StringArrayVar(&o.Redact, "redact", nil,
		"hide a value from the journal: the `path` of one in JSON, such as user.password or **.token, or header:NAME; "+
			"repeatable")
	fl.StringVar(&o.MetricsNamespace, "metrics-namespace", "", "first part of the metrics' names (default eddy)")
	fl.StringVar(&f.logLevel, "log-level", "info", "debug, info, log, warn, error or none")
	fl.StringVar(&f.logFormat, "log-format", "json", "json, one object a line, or text")
	fl.StringVar(&f.cluster, "cluster", "",
		"`URL` of the PostgreSQL that keeps the cluster of which this is a node: postgres://user@host1,host2/database")
	fl.StringVar(&f.advertise, "advertise", "", "`host:port` at which the other nodes of the cluster reach this one; "+
		"without a host the machine's name")
	fl.StringVar(&f.links, "links", "", "`host:port` to listen on for other nodes (default that of --advertise)")
	fl.Var(&f.lease, "lease", "how long a node that says nothing keeps what it has")
	fl.StringVar(&f.reads, "reads", "lease",
		"when an answer goes out for which an object only read: lease (while the node's lease holds on its own clock) "+
			"or confirmed (after a read of the database, also if clocks stand still)")
	fl.BoolVar(&f.rolling, "rolling", false, "join nodes that run other code: new code is rolled out, node by node")
	fl.StringVar(&f.scratch, "scratch", "", "`directory` for what a node has of the cluster, which is emptied at the "+
		"start (default a temporary one)")
}

// settleServe checks the flags and puts their values into the options.
func (f *serveFlags) settleServe(cmd *cobra.Command) error {
	if err := f.settleCluster(cmd); err != nil {
		return err
	}
	if f.node == "" {
		f.node, _ = os.Hostname() // without one the metrics have no node
	}
	if f.node != "" {
		if err := engine.CheckName(f.node); err != nil {
			return usage("--node: %w", err)
		}
	}
	if err := together("tls-cert", f.tlsCert, "tls-key", f.tlsKey); err != nil {
		return err
	}
	o := &f.options
	var err error
	if o.Bounds, err = f.bounds(); err != nil {
		return err
	}
	o.Listen, o.Persist, o.Crons = true, true, true
	o.MetricsNode, o.Grace, o.EnvFiles, o.Secrets = f.node, f.drain.Duration, f.secretsFiles, true
	if o.HTTPSCertPath, o.HTTPSKeyPath = f.tlsCert, f.tlsKey; f.tlsCert != "" {
		o.LocalProtocol = runtime.HTTPS
	}
	f.inferOrigin = false // a request keeps the address that its client used
	return f.settle(cmd, nil)
}

// run serves until ctx ends, drains and ends.
func (f *serveFlags) run(ctx context.Context, env OS) error {
	began := time.Now()
	level, err := report.ParseLevel(f.logLevel)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	rep := report.New(report.Options{Out: env.Stdout, Format: report.Format(f.logFormat), Level: level,
		Timestamps: f.logFormat == "text"})
	o := f.options
	o.Reporter, o.Environ = rep, env.Environ
	if o.Dir, err = env.Getwd(); err != nil {
		return &exitError{exitFailure, err}
	}
	p := &probes{}
	if f.admin != "off" {
		if err := p.listen(f.admin); err != nil {
			return usage("--admin: %w", err)
		}
		defer p.close()
		rep.Line(report.Info, "admin", "Health checks and metrics at http://"+p.address())
	}
	if o.Grace <= 0 {
		o.Grace = time.Nanosecond // nothing in flight is waited for
	}
	kept := ""
	if f.cluster != "" {
		var end func()
		if kept, end, err = f.joinCluster(ctx, &o, rep); err != nil && ctx.Err() != nil {
			return nil // it was ended while it waited for the database
		} else if err != nil {
			return asFailure(err)
		}
		defer end()
	}
	s, err := runtime.Start(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil && f.logFormat == "json":
		rep.Line(report.Error, "start", runtime.Explain(err, false))
		return &exitError{code: startCode(err)}
	case err != nil:
		return &exitError{startCode(err), startHint(o, err)}
	}
	metrics, err := s.Handler("")
	if err != nil {
		return asFailure(errors.Join(err, s.Stop(context.Background())))
	}
	if n := s.Node(); n != nil {
		metrics = clusterMetrics{s, metrics}
		nodes, mine, shards := n.Counts()
		rep.Line(report.Info, "cluster", fmt.Sprintf("Cluster: %d nodes, %d of %d shards here. Kept by %s", nodes, mine,
			shards, kept), report.F("node", n.Name()))
		p.lease, p.drained = n.Valid, n.Drained
		p.trouble = func() []string { return n.Trouble().Lines() }
	}
	s.Banner(time.Since(began))
	p.ready(metrics)
	var gone error
	select {
	case <-ctx.Done():
	case gone = <-f.stopped:
	}
	p.draining()
	rep.Line(report.Info, "stop", fmt.Sprintf("Draining for up to %s…", lasting(f.drain.Duration)))
	// What still computes then is not waited for: all that was acknowledged is on disk.
	end, cancel := clock.WithPatience(context.Background(), o.Grace+endingGrace)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(end) }()
	select {
	case err = <-stopped:
	case <-end.Done():
		rep.Line(report.Warn, "stop", "What still computes was not waited for; all that was acknowledged is on disk.")
	}
	if err != nil && !late(err) {
		return &exitError{exitFailure, fmt.Errorf("stop: %w", err)}
	}
	if gone != nil {
		return &exitError{exitFailure, gone}
	}
	return nil
}
