package runtime

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/node"
	"eddy/runtime/control"
	"eddy/runtime/explorer"
	"eddy/runtime/front"
	"eddy/runtime/inspector"
	"eddy/runtime/report"
	"eddy/runtime/session"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Durability says what an acknowledged send or write has reached.
type Durability string

// The durabilities; "" is Strict.
const (
	// Strict: the disk.
	Strict Durability = "strict"
	// Relaxed: the operating system. It survives a crash of the process, not of the machine.
	Relaxed Durability = "relaxed"
)

// Alarms says what becomes of alarms that are left from an earlier run.
type Alarms = objectjs.AlarmMode

// What becomes of alarms; "" is FireAlarms.
const (
	FireAlarms Alarms = objectjs.AlarmsFire
	HoldAlarms Alarms = objectjs.AlarmsHold
	DropAlarms Alarms = objectjs.AlarmsDrop
)

// JournalMode says what is recorded.
type JournalMode string

// The modes of the journal; "" is JournalOff.
const (
	JournalOff JournalMode = "off"
	// JournalOn: every event, with what it was caused by and what it did.
	JournalOn JournalMode = "on"
	// JournalFull: uses of bindings and of storage, too.
	JournalFull JournalMode = "full"
	// JournalConfigured: what eddy's own file beside the configuration says, JournalOn where it says nothing.
	JournalConfigured JournalMode = "configured"
)

// Bound is the most that a Worker gets, whatever its configuration says.
type Bound = session.Bound

// ClusterOptions say which node of which cluster a session is.
type ClusterOptions = node.Options

// Protocol is what a port speaks.
type Protocol string

// The protocols; "" is the configuration's, else HTTP.
const (
	HTTP Protocol = "http"
	// HTTPS uses a certificate that is made for the session.
	HTTPS Protocol = "https"
)

// Options configure a session. The zero value runs the configuration found from the working directory upwards, opens no
// port (requests come through [Session.Handler]), and keeps its state in a temporary directory that Stop removes.
type Options struct {
	// Configs are the configuration files, the first one being the Worker that the port answers for; none means the one
	// found from Dir upwards.
	Configs []string
	// Dir is the working directory; "" is the process's.
	Dir string
	// Env is the environment of every configuration (--env), "" the top level.
	Env string
	// Vars are NAME:VALUE (--var).
	Vars []string
	// EnvFiles replace .dev.vars and .env (--env-file).
	EnvFiles []string
	// Secrets says that EnvFiles must be there; of several configurations only those with an absolute path.
	Secrets bool
	// Main replaces the entry file of the first configuration.
	Main string
	// Name, CompatibilityDate and CompatibilityFlags replace those of the first configuration.
	Name, CompatibilityDate string
	CompatibilityFlags      []string
	// Overrides replace keys of the first configuration.
	Overrides wrangler.Overrides
	// Environ is the environment, as NAME=VALUE, that configurations and custom builds see: [os.Environ] for the
	// process's own. nil is an empty one.
	Environ []string

	// Listen opens a port for the first Worker, and for every other whose configuration has dev.port.
	Listen bool
	// IP and Port are those of the first Worker. Port -1 picks a free one; 0 is the configuration's, else 8787, else
	// the next that is free.
	IP   string
	Port int
	// LocalProtocol is what the ports speak.
	LocalProtocol Protocol
	// HTTPSKeyPath and HTTPSCertPath are PEM files with a certificate of the user's own and its key; both or none.
	HTTPSKeyPath, HTTPSCertPath string
	// LiveReload makes pages load themselves again after a reload.
	LiveReload bool

	// Persist keeps the state in .wrangler/state beside the configuration, where wrangler dev finds it too. PersistTo
	// (--persist-to) keeps it in another directory, relative to Dir.
	Persist   bool
	PersistTo string
	// Cluster, if set, makes this process a node of a cluster, which keeps queues and Durable Objects. The state
	// directory is a cache then. Its Engine is for instance that of [eddy/runtime/cluster/postgres]; the caller closes
	// it after Stop.
	Cluster *ClusterOptions
	// Durability of queues, objects and stores.
	Durability Durability
	// Alarms says what becomes of alarms left from an earlier run.
	Alarms Alarms
	// RelaxedLimits lifts production's limits on keys and values of storage (KV12), as the reference does.
	RelaxedLimits bool
	// ObjectHistory is how long the earlier states of objects are kept for point-in-time recovery (SQL18); 0 means 30
	// days, as in production, negative keeps none.
	ObjectHistory time.Duration
	// NoContainers says that containers of Durable Objects do not run, whatever engine there is. Without it images are
	// built and pulled by Start, if Docker or Podman answers: see EDDY_DOCKER and DOCKER_HOST in Environ.
	NoContainers bool
	// Crons lets triggers.crons fire by themselves. Without it they fire only through /cdn-cgi/handler/scheduled
	// (DEV6).
	Crons bool
	// Token lets those who bring it use /cdn-cgi, with the explorer, from other machines (--token): as a bearer, or in
	// a browser by visiting once with ?token=. It has at least 16 letters, digits or - . _ ~; "" lets nobody.
	Token string
	// TestScheduled adds /__scheduled (--test-scheduled).
	TestScheduled bool
	// Watch rebuilds and reloads when files change.
	Watch bool
	// Bundles is a folder in which bundles are kept, so that a later session with the same files starts without
	// building first; "" keeps none. It belongs to its owner alone, has 256 MB at most, and may be emptied at any time.
	// What a session takes from it is built all the same once the Worker runs, and reloaded if that gives something
	// else.
	Bundles string

	// Journal says what is recorded of what happens: "on" keeps every event for a while in the state directory, where
	// eddy tail, trace and capture find it; "full" keeps uses of bindings as well; "" and "off" record nothing;
	// "configured" leaves it to eddy.jsonc. JournalSize bounds it in bytes, 0 being what eddy.jsonc says, else 64 MB;
	// JournalAge is how long it is kept, 0 being what eddy.jsonc says, else 24 hours.
	Journal     JournalMode
	JournalSize int64
	JournalAge  time.Duration
	// OTLP is the URL of an OpenTelemetry collector that gets what the journal records, as traces; "" is none.
	OTLP string
	// Redact says what the journal hides: "header:NAME", or the path of a value in JSON, such as "user.password".
	// eddy.jsonc adds to it.
	Redact []string

	// MetricsNamespace is the first part of the metrics' names, "" for eddy. MetricsNode is the value of a label node
	// that all of them get, "" for none.
	MetricsNamespace, MetricsNode string
	// Grace is how long Stop lets what is in flight go on; 0 is half a second.
	Grace time.Duration
	// Clock is the source of time; nil is the machine's.
	Clock clock.Clock
	// Random is the source of random bytes; nil is the system's.
	Random io.Reader
	// Reporter takes the lines of the session; nil writes none, except in a Go test, where console output and
	// exceptions go to standard error: go test shows them when the test fails, or with -v.
	Reporter *report.Reporter
	// Exception, if set, is called with every exception that nobody caught, with the user's own lines; Activity with
	// what happens in the queues. Both are called from goroutines of the session and must not block.
	Exception func(worker string, ex *worker.Exception)
	Activity  func(queues.Activity)

	// Inspector, if set, lets debuggers into the Workers (--inspect): their scripts are built so that they can stop.
	// The
	// caller closes it after Stop. While a script is paused the clock stands.
	Inspector *inspector.Inspector

	// Explorer, if set, searches orders of events for clients of the control API: that of [eddy/runtime/trial].
	Explorer control.Explorer
	// Replay, if set, runs captured events again for the pages of the explorer, as eddy replay does.
	Replay explorer.Replay
	// Work, if set, opens a Go work queue (eddy/queues/workqueue) that the explorer shows beside the session; eddy dev
	// does with --work-dsn. It is opened for each page and each act.
	Work func(ctx context.Context) (explorer.WorkQueue, error)

	// Bounds are the most that Workers get, whatever their configurations say.
	Bounds []Bound

	memoryLimit uint64 // of a turn, for tests; 0 is the session's default
}

// complete fills in what was left out and checks what only has a few values.
func (o *Options) complete() (err error) {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.Inspector != nil {
		o.Clock = o.Inspector.Clock(o.Clock)
	}
	if o.Reporter == nil {
		o.Reporter = report.New(report.Options{Level: report.None})
		if testing.Testing() {
			o.Reporter = report.New(report.Options{Out: os.Stderr, Level: report.Log})
		}
	}
	if o.Dir == "" {
		if o.Dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	return cmp.Or(
		oneOf("durability", o.Durability, "strict or relaxed", Strict, Relaxed),
		CheckToken(o.Token),
		oneOf("journal", o.Journal, "on, full, off or configured", JournalOn, JournalFull, JournalOff,
			JournalConfigured),
		oneOf("local protocol", o.LocalProtocol, "http or https", HTTP, HTTPS))
}

// CheckToken refuses an [Options.Token] that could be guessed, and one that a cookie cannot hold; "" is none.
func CheckToken(token string) error {
	if token == "" {
		return nil
	}
	return front.CheckToken(token)
}

// oneOf refuses a value that is neither empty nor one of a few.
func oneOf[T ~string](option string, value T, expected string, few ...T) error {
	if value == "" || slices.Contains(few, value) {
		return nil
	}
	return fmt.Errorf("%s %q: expected %s", option, value, expected)
}

// below are the options of the session itself.
func (o *Options) below() session.Options {
	b := session.Options{
		Configs: o.Configs, Dir: o.Dir, Env: o.Env, Vars: o.Vars, EnvFiles: o.EnvFiles, Secrets: o.Secrets,
		Main: o.Main, Name: o.Name, CompatibilityDate: o.CompatibilityDate, CompatibilityFlags: o.CompatibilityFlags,
		Overrides: o.Overrides,
		Environ:   o.Environ, Ephemeral: !o.Persist && o.PersistTo == "", Relaxed: o.Durability == Relaxed,
		Alarms:        o.Alarms,
		RelaxedLimits: o.RelaxedLimits, ObjectHistory: o.ObjectHistory, Crons: o.Crons, Watch: o.Watch,
		NoContainers: o.NoContainers,
		Bundles:      o.Bundles,
		MemoryLimit:  o.memoryLimit, Bounds: o.Bounds, MetricsNamespace: o.MetricsNamespace, MetricsNode: o.MetricsNode,
		Clock: o.Clock, Random: o.Random,
		Report:    o.Reporter,
		Exception: o.Exception, Activity: o.Activity,
		Explorer: o.Explorer, Replay: o.Replay, Work: o.Work, Inspector: o.Inspector,
	}
	b.Journal = session.JournalOptions{On: o.Journal == JournalOn || o.Journal == JournalFull,
		Configured: o.Journal == JournalConfigured, Full: o.Journal == JournalFull, Size: o.JournalSize,
		Age: o.JournalAge, OTLP: o.OTLP, Redact: o.Redact}
	if o.PersistTo != "" {
		b.State = statedir.Choose(o.PersistTo, o.Dir, "")
	}
	return b
}
