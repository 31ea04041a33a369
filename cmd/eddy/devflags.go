package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime"
	"eddy/runtime/journal"
	"eddy/runtime/otlp"
)

// devFlags are the flags of `eddy dev`, named as wrangler dev names them where it has them.
type devFlags struct {
	options     runtime.Options
	history     duration
	journalSize size
	journalAge  duration
	logLevel    string
	logFormat   string
	noWatch     bool
	containers  bool
	noHotkeys   bool
	noColor     bool
	ephemeral   bool
	workDSN     string
	// The first three replace what the configuration says, but only if they are given. inferOrigin is true by default,
	// and matters if it is given as false.
	bundle, noBundle, minify, inferOrigin bool
	localUpstream                         string
	// interactive is wrangler's name for the hot keys.
	interactive bool
	timestamps  bool
	time        timeFlags
	inspect     inspectFlags
	// notes are lines, shown dim, about flags that have no effect. dropped are the names of flags of experiments.
	notes, dropped []string
}

// add defines the flags. addForeign defines those flags of wrangler that have no effect or are refused.
func (f *devFlags) add(fl *pflag.FlagSet) {
	o := &f.options
	fl.StringArrayVarP(&o.Configs, "config", "c", nil,
		"configuration `file`, or the directory it is in; repeat for several Workers")
	fl.StringVarP(&o.Env, "env", "e", "", "environment of the configuration")
	fl.StringArrayVar(&o.Vars, "var", nil, "`NAME:VALUE` added to the environment variables; repeatable")
	fl.StringArrayVar(&o.EnvFiles, "env-file", nil, "dotenv `file` instead of .dev.vars and .env; repeatable")
	fl.StringVar(&o.Name, "name", "", "name of the Worker")
	fl.StringVar(&o.CompatibilityDate, "compatibility-date", "", "compatibility date, `YYYY-MM-DD`")
	fl.StringArrayVar(&o.CompatibilityFlags, "compatibility-flags", nil, "compatibility `flag`; repeatable")
	fl.StringVar(&o.IP, "ip", "", "address to listen on (default localhost)")
	fl.StringVar(&o.Token, "token", "", "`token` with which /cdn-cgi and the explorer answer other machines, too")
	fl.StringVar(&f.workDSN, "work-dsn", "", "Go work queue that the explorer shows: as --`dsn` of eddy work; without "+
		"it $EDDY_WORK_DSN")
	fl.IntVar(&o.Port, "port", 0,
		"port to listen on (default 8787, or the next that is free); 0 picks any that is free")
	fl.StringVar((*string)(&o.LocalProtocol), "local-protocol", "", "http or https (default http)")
	fl.StringVar(&o.HTTPSKeyPath, "https-key-path", "", "`file` with the key of your own certificate")
	fl.StringVar(&o.HTTPSCertPath, "https-cert-path", "", "`file` with your own certificate")
	fl.StringVar(&o.PersistTo, "persist-to", "", "state `directory` (default .wrangler/state beside the configuration)")
	fl.BoolVar(&f.ephemeral, "ephemeral", false, "keep no state: everything is gone at the end")
	fl.StringVar((*string)(&o.Durability), "durability", "strict",
		"strict (acknowledged means on disk) or relaxed (given to the system)")
	fl.StringVar((*string)(&o.Alarms), "alarms", "fire",
		"what to do with alarms left from an earlier run: fire, hold or drop")
	fl.BoolVar(&o.RelaxedLimits, "relaxed-limits", false, "lift production's limits on stored keys and values")
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
	fl.BoolVar(&f.containers, "enable-containers", true,
		"run containers of Durable Objects on Docker or Podman; with =false no image is built")
	fl.BoolVar(&o.Crons, "crons", false, "fire triggers.crons by themselves")
	fl.BoolVar(&o.TestScheduled, "test-scheduled", false, "answer /__scheduled?cron=… by running the scheduled handler")
	fl.StringVar(&o.MetricsNamespace, "metrics-namespace", "",
		"first part of the names at /cdn-cgi/eddy/metrics (default eddy)")
	fl.StringVar(&f.logLevel, "log-level", "info", "debug, info, log, warn, error or none")
	fl.StringVar(&f.logFormat, "log-format", "text", "text or json, one object a line")
	fl.BoolVar(&f.timestamps, "timestamps", false, "begin every line with the time of day, in UTC")
	fl.StringVar(&f.time.time, "time", "real", "real, or virtual: time stands until eddy time advance moves it")
	fl.Uint64Var(&f.time.seed, "seed", 1, "with --time=virtual, `number` that decides random numbers and every order "+
		"that is free")
	fl.Float64Var(&f.time.scale, "time-scale", 1, "how many times as fast as the machine's real time passes, "+
		"0.001 to 10000")
	fl.BoolVar(&f.noWatch, "no-watch", false, "do not reload when files change")
	fl.BoolVar(&f.noHotkeys, "no-hotkeys", false, "do not read keys from the terminal")
	fl.BoolVar(&f.interactive, "show-interactive-dev-session", true,
		"read keys from the terminal, as --no-hotkeys=false")
	fl.BoolVar(&f.noColor, "no-color", false, "no colours, also on a terminal")
	fl.BoolVar(&o.LiveReload, "live-reload", false, "pages load themselves again after a reload")
	f.inspect.add(fl)
	f.inspect.addOfWrangler(fl)
	f.addOverrides(fl)
}

// addOverrides defines the flags that stand in for keys of the configuration.
func (f *devFlags) addOverrides(fl *pflag.FlagSet) {
	o := &f.options.Overrides
	fl.StringVar(&o.Assets, "assets", "", "`directory` of static assets")
	fl.BoolVar(&f.noBundle, "no-bundle", false, "take the entry file and its modules as they are")
	fl.BoolVar(&f.bundle, "bundle", true, "bundle the entry file, also if the configuration says no_bundle")
	fl.BoolVar(&f.minify, "minify", false, "minify the script")
	fl.StringArrayVar(&o.Define, "define", nil, "`NAME:EXPRESSION` put in the place of a name; repeatable")
	fl.StringArrayVar(&o.Alias, "alias", nil, "`MODULE:REPLACEMENT`; repeatable")
	fl.StringVar(&o.JSXFactory, "jsx-factory", "", "`function` that makes a JSX element")
	fl.StringVar(&o.JSXFragment, "jsx-fragment", "", "`name` of JSX fragments")
	fl.StringVar(&o.TSConfig, "tsconfig", "", "`file` to take instead of tsconfig.json")
	fl.StringArrayVar(&o.Routes, "routes", nil, "route `pattern` instead of those of the configuration; repeatable")
	fl.StringVar(&o.Host, "host", "", "`host` that requests seem to be for (default that of the first route)")
	fl.StringVar(&f.localUpstream, "local-upstream", "", "the same as --host")
	fl.StringVar(&o.UpstreamProtocol, "upstream-protocol", "",
		"http or https: the scheme of request.url where --host or a route gives the host")
	fl.BoolVar(&f.inferOrigin, "infer-origin-from-routes", true,
		"with =false requests keep the address that the client used")
	fl.StringVar(&o.Site, "site", "", "`directory` of a Workers Site")
	fl.StringArrayVar(&o.SiteInclude, "site-include", nil, "`pattern` of files of the site; repeatable")
	fl.StringArrayVar(&o.SiteExclude, "site-exclude", nil, "`pattern` of files that are not of the site; repeatable")
	for _, name := range []string{"bundle", "site", "site-include", "site-exclude"} {
		fl.Lookup(name).Hidden = true // as in wrangler
	}
}

// notTaken is a flag of wrangler dev that eddy knows but does not carry out.
type notTaken struct {
	name, short string
	// takes says that the flag takes a value.
	takes bool
	// why is the reason that the user reads. If refuse is set, eddy does not start; otherwise a dim line tells the
	// reason.
	why    string
	refuse bool
}

var foreignFlags = []notTaken{
	{name: "remote", short: "r", refuse: true,
		why: "everything runs on this machine, leave it out; wrangler dev --remote does not support queues either"},
	{name: "tunnel", refuse: true, why: "eddy opens no tunnel to the internet; run one beside it: cloudflared " +
		"tunnel --url http://localhost:8787"},
	{name: "tunnel-name", takes: true, refuse: true,
		why: "eddy opens no tunnel to the internet; run one beside it: cloudflared tunnel run NAME"},
	{name: "tunnel-allowed-mail", takes: true, refuse: true, why: "eddy opens no tunnel to the internet"},
	{name: "node-compat", refuse: true, why: "it went with wrangler 4; say --compatibility-flags nodejs_compat, or " +
		"compatibility_flags in the configuration"},
	{name: "types", refuse: true, why: "types are written by eddy types"},
	{name: "local", short: "l", why: "everything is local already"},
	{name: "latest", why: "there is one runtime, this one"},
	{name: "profile", takes: true, why: "no account is used"},
	{name: "install-skills", why: "nothing is installed"},
}

func addForeign(fl *pflag.FlagSet) {
	for _, f := range foreignFlags {
		if f.takes {
			fl.StringP(f.name, f.short, "", "")
		} else {
			fl.BoolP(f.name, f.short, false, "")
		}
		fl.Lookup(f.name).Hidden = true
	}
}

// foreignGiven looks at the foreignFlags that were given. It returns lines to show dim, and an error that joins the
// reasons of those that are refused.
func foreignGiven(fl *pflag.FlagSet) (notes []string, refused error) {
	for _, f := range foreignFlags {
		given := fl.Lookup(f.name)
		switch {
		case given == nil || !given.Changed || !f.takes && given.Value.String() == "false":
		case f.refuse:
			refused = errors.Join(refused, usage("--%s is not served: %s", f.name, f.why))
		default:
			notes = append(notes, fmt.Sprintf("--%s has no effect: %s", f.name, f.why))
		}
	}
	return notes, refused
}

// settle checks the flags and puts their values into the options.
func (f *devFlags) settle(cmd *cobra.Command, args []string) error {
	fl, o := cmd.Flags(), &f.options
	if len(args) == 1 {
		o.Main = args[0]
	}
	f.time.seeded = fl.Changed("seed")
	if fl.Changed("port") && o.Port == 0 {
		o.Port = -1 // --port 0 asks for any free port; in Options 0 is the default port
	}
	switch o.Journal {
	case runtime.JournalOff, runtime.JournalOn, runtime.JournalFull:
	default:
		return usage("--journal %q: expected on, full or off", o.Journal)
	}
	if err := runtime.CheckToken(o.Token); err != nil {
		return usage("--token: %w\n  openssl rand -hex 16 makes one", err)
	}
	if !fl.Changed("journal") {
		o.Journal = runtime.JournalConfigured
	}
	if o.OTLP != "" {
		if err := otlp.Check(o.OTLP); err != nil {
			return usage("--otlp %v", err)
		}
		if o.Journal == runtime.JournalOff {
			return usage("--otlp sends what the journal records, which --journal=off turns off")
		}
	}
	if _, err := journal.ParseRules(o.Redact); err != nil {
		return usage("--redact %v", err)
	}
	if fl.Changed("journal-size") { // else eddy.jsonc decides
		o.JournalSize = int64(f.journalSize)
	}
	if fl.Changed("journal-age") {
		o.JournalAge = f.journalAge.Duration
	}
	if o.ObjectHistory = f.history.Duration; o.ObjectHistory == 0 {
		o.ObjectHistory = -1
	}
	if fl.Changed("minify") {
		o.Overrides.Minify = &f.minify
	}
	switch {
	case fl.Changed("bundle"):
		noBundle := !f.bundle
		o.Overrides.NoBundle = &noBundle
	case fl.Changed("no-bundle"):
		o.Overrides.NoBundle = &f.noBundle
	}
	if o.Overrides.Host == "" {
		o.Overrides.Host = f.localUpstream
	}
	o.Overrides.KeepOrigin = !f.inferOrigin
	f.noHotkeys = f.noHotkeys || !f.interactive
	var port error
	if o.Port > 65535 || o.Port < -1 {
		port = usage("--port %d: expected 1 to 65535, or 0 for any that is free", o.Port)
	}
	return errors.Join(port,
		oneOf("durability", string(o.Durability), "strict", "relaxed"),
		oneOf("alarms", string(o.Alarms), "fire", "hold", "drop"),
		oneOf("local-protocol", string(o.LocalProtocol), "http", "https"),
		oneOf("upstream-protocol", o.Overrides.UpstreamProtocol, "http", "https"),
		oneOf("log-format", f.logFormat, "text", "json"),
		together("https-key-path", o.HTTPSKeyPath, "https-cert-path", o.HTTPSCertPath),
	)
}

func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a || value == "" {
			return nil
		}
	}
	return usage("--%s %q: expected %s", flag, value, strings.Join(allowed, " or "))
}

func together(flag, value, other, otherValue string) error {
	if (value == "") == (otherValue == "") {
		return nil
	}
	return usage("--%s and --%s go together: the certificate and its key", flag, other)
}
