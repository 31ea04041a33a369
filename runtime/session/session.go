package session

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/bindings/assets"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/control"
	"eddy/runtime/engine/host"
	"eddy/runtime/explorer"
	"eddy/runtime/inspector"
	"eddy/runtime/journal"
	"eddy/runtime/report"
	"eddy/runtime/sharing"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Options configure a session. The zero value of a field is its default.
type Options struct {
	// Configs are the paths of the configuration files. Without any, the file found from Dir upwards is taken. Dir is
	// an absolute path.
	Configs []string
	Dir     string
	// Given are the Workers in place of Configs.
	Given []Given
	// Warned says that a person has seen the warnings of the configurations.
	Warned bool
	// Env, Vars, EnvFiles and Secrets are those of wrangler.Options, for every configuration.
	Env      string
	Vars     []string
	EnvFiles []string
	Secrets  bool
	// Main, Name, CompatibilityDate and CompatibilityFlags replace those of the first configuration.
	Main, Name, CompatibilityDate string
	CompatibilityFlags            []string
	// Overrides replace keys of the first configuration.
	Overrides wrangler.Overrides
	// Environ is the environment that configurations and custom builds see, as NAME=VALUE.
	Environ []string

	// State is the state directory, "" for the one beside the first configuration; Ephemeral keeps none.
	State     statedir.Dir
	Ephemeral bool
	// Scratch is the directory in which an ephemeral state is kept, "" for the system's own.
	Scratch string
	// Join, if set, makes the session a node of a cluster, which keeps queues and objects; State is a cache then. It is
	// told what the session runs, once that is built. Cluster is the node then, nil for a session whose state is this
	// machine's.
	Join    func(code string) (*node.Self, error)
	Cluster *node.Self
	// Relaxed leaves it to the operating system when what is acknowledged reaches the disk.
	Relaxed bool
	// Unattended leaves the control API out: nobody asks a session that has no port and no handler.
	Unattended bool
	// Alarms says what becomes of alarms left from an earlier run.
	Alarms objectjs.AlarmMode
	// RelaxedLimits lifts production's limits on stored keys and values (KV12).
	RelaxedLimits bool
	// ObjectHistory is how long the earlier states of objects are kept (SQL18); 0 means 30 days, negative keeps none.
	ObjectHistory time.Duration
	// Driven says that queue events come from whoever has started the session: the queues deliver nothing.
	Driven bool
	// Today is the day up to which compatibility dates may reach, zero for that of Clock.
	Today time.Time
	// NoContainers says that containers do not run, whatever engine there is.
	NoContainers bool
	// Crons lets triggers.crons fire by themselves. Watch reloads a Worker when its files change.
	Crons, Watch bool
	// Dear is how long a Worker's packages must run at their top level so that, where files are watched, they run once
	// more ahead of the next reload; 0 means 20 ms.
	Dear time.Duration
	// Rest is how long a bundle of an earlier session runs, where files are watched, before all is built once more to
	// compare, and how long after each reload; 0 means two seconds.
	Rest time.Duration
	// Bundles is the folder in which bundles are kept between sessions, "" for none.
	Bundles string
	// MemoryLimit is how many bytes an isolate may keep from event to event, and one turn of an event may add to the
	// live memory; 0 means 512 MB.
	MemoryLimit uint64
	// Bounds are the most that Workers get.
	Bounds []Bound
	// Journal says what is recorded.
	Journal JournalOptions
	// MetricsNamespace is the first part of the metrics' names, MetricsNode a label of all of them, "" for none.
	MetricsNamespace, MetricsNode string

	// Clock, Random and Report are required; only Random may be nil, which means the system's.
	Clock  clock.Clock
	Random io.Reader
	Report *report.Reporter
	// Exception and Activity, if set, are called for each exception that nobody caught and for all that happens in the
	// queues. They must not block.
	Exception func(worker string, ex *worker.Exception)
	Activity  func(queues.Activity)
	// Rejected, if set, hears on the loop of promises that were rejected and that nobody handles, in the place of
	// Report.
	Rejected func(worker string, ex *worker.Exception)
	// Console, if set, takes the console output of the Workers in the place of Report. It is called on their loops.
	Console func(worker string, e host.ConsoleLine)
	// Inspector, if set, lets debuggers into the Workers.
	Inspector *inspector.Inspector
	// Explorer, if set, searches orders of events for clients of the control API.
	Explorer control.Explorer
	// Replay, if set, runs captured events again for the explorer.
	Replay explorer.Replay
	// Work, if set, opens a Go work queue that the explorer shows.
	Work func(ctx context.Context) (explorer.WorkQueue, error)
	// Reloaded, if set, is called after every reload that succeeded.
	Reloaded func()

	// Program, if set, makes what a Worker runs, from its configuration and the options of its bundle; nil leaves it to
	// the session. It may load the entry later than at the start: then nobody looks at the exports' values before.
	Program func(*wrangler.Config, bundle.Options) (*worker.Script, error)
	// Elsewhere, if set, is the way to a service that is no Worker, nil for names that it does not know.
	Elsewhere func(service string) servicebinding.DistantWorker
	// Outbound, if set, sends the outgoing requests of a Worker; nil sends them to the network.
	Outbound func(worker string) http.RoundTripper
	// Modules are host modules of the first Worker beside those of every Worker, by specifier.
	Modules map[string]worker.Module
}

// Session is a running session. Make one with [Start].
type Session struct {
	began    time.Time // of the machine
	opts     Options
	lines    lines
	state    statedir.Dir
	services []*service
	byName   map[string]*service
	sharing  *sharing.Sharing
	// connected says that event subscriptions hear of builds. Written by Start before anything else builds.
	connected bool
	queues    *peer.Queues // of sharing
	lanes     *queuejs.DOQueues
	objects   *objectjs.Objects
	kept      *objects.Shipped // nil outside of a cluster
	// appliedVersion is the version of a cluster's record of migrations that was read last.
	appliedVersion int64
	bundles        []*bundle.Bundle // of a node of a cluster, until they start
	classes        classes
	stores         stores
	flows          flows
	// containers are those of Durable Objects.
	containers containerSet
	// flowEvents wait to be told to subscriptions.
	flowEvents flowEvents
	// dynamic are the running Workers that were made from code: *worker.Worker → the name of the Worker that did so.
	dynamic  sync.Map
	told     sync.Map // what census has told already, by Worker and text
	crons    crons
	journal  *journal.Journal // nil if nothing is recorded
	redactor journal.Redactor
	isolated []*isolated // see isolates
	watchers watchers
	requests chan buildRequest
	proofs   chan *proof
	tasks    tasks
	// unreliable is called on a loop's goroutine with a generation that must be replaced, and why.
	unreliable func(*service, *generation, error)
	// step is for tests: it is called before each step of connecting a generation, and its error makes the step fail.
	step func(name string) error

	// stopping ends when the session begins to end. giveUp ends when Stop no longer waits for what is in flight; then
	// every generation's loop is cut.
	stopping  context.Context
	stopNow   context.CancelFunc
	giveUp    context.Context
	giveUpNow context.CancelFunc
	closers   []func() error // run in reverse order by Stop
}

// Workers returns the names of the session's Workers, in the order of the configurations.
func (s *Session) Workers() []string {
	names := make([]string, len(s.services))
	for i, svc := range s.services {
		names[i] = svc.name
	}
	return names
}

// find returns the service of a name; "" means the first.
func (s *Session) find(name string) (*service, error) {
	if name == "" {
		return s.services[0], nil
	}
	if svc := s.byName[name]; svc != nil {
		return svc, nil
	}
	return nil, fmt.Errorf("no Worker %q in this session; there are %s", name, strings.Join(s.Workers(), ", "))
}

// Named returns the name of a Worker that is asked for by its name, or by "" as the first one. The error for a name
// that no Worker has lists those that there are.
func (s *Session) Named(name string) (string, error) {
	svc, err := s.find(name)
	if err != nil {
		return "", err
	}
	return svc.name, nil
}

// Worker returns what serves under a name, nil if nothing does; "" means the first Worker.
func (s *Session) Worker(name string) *worker.Worker {
	svc, err := s.find(name)
	if err != nil {
		return nil
	}
	if g := svc.live(); g != nil {
		return g.Worker
	}
	return nil
}

// Live waits until a Worker has started for the first time, and returns what serves now. Implements [sharing.Local].
func (s *Session) Live(ctx context.Context, name string) (*worker.Worker, error) {
	w, _, err := s.Serving(ctx, name)
	return w, err
}

// Serving is Live together with the Worker's assets, nil if it has none.
func (s *Session) Serving(ctx context.Context, name string) (*worker.Worker, *assets.Site, error) {
	svc := s.byName[name]
	if svc == nil {
		return nil, nil, peer.ErrNotRunning
	}
	g, err := svc.wait(ctx)
	if err != nil {
		return nil, nil, err
	}
	return g.Worker, g.site, nil
}

// Config returns the configuration from which a Worker is built, nil for an unknown name.
func (s *Session) Config(name string) *wrangler.Config {
	if svc := s.byName[name]; svc != nil {
		if g := svc.live(); g != nil {
			return g.config
		}
	}
	return nil
}

// Uncaught tells of an exception that nobody caught.
func (s *Session) Uncaught(name string, ex *worker.Exception) { s.lines.uncaught(name, ex) }

// EnsureLane implements [sharing.Local].
func (s *Session) EnsureLane(queue string) error { return s.lanes.Ensure(queue) }

// Sharing is the session's part in sharing its state directory.
func (s *Session) Sharing() *sharing.Sharing { return s.sharing }

// Objects are the session's Durable Objects.
func (s *Session) Objects() *objectjs.Objects { return s.objects }

// State is the state directory. An ephemeral session has a temporary one.
func (s *Session) State() statedir.Dir { return s.state }

// liveConfigs are the configurations that serve at present, without that of except.
func (s *Session) liveConfigs(except *service) []*wrangler.Config {
	var list []*wrangler.Config
	for _, svc := range s.services {
		if g := svc.live(); g != nil && svc != except {
			list = append(list, g.config)
		}
	}
	return list
}
