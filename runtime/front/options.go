package front

import (
	"context"
	"net/http"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/clock"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Options say what a front serves. All fields but Own, Config, Pages, Token, TestScheduled and Several are required.
type Options struct {
	// Worker is the Worker's name, for the lines.
	Worker string
	// Live waits until the Worker has started once. It returns what serves now: the Worker and its assets, nil for
	// none.
	Live func(context.Context) (*worker.Worker, *assets.Site, error)
	// Uncaught is called with each exception that was answered with the error page.
	Uncaught func(*worker.Exception)
	// Own answers /cdn-cgi/eddy/; nil for nobody.
	Own http.Handler
	// Workflows answers workflowapi.Base and below; nil for nobody.
	Workflows http.Handler
	// Config is the configuration that serves now, which may say which address the Worker sees; nil leaves the
	// client's.
	Config func() *wrangler.Config
	// Mailbox is the folder of what email() replies with.
	Mailbox string
	// Pages, if set, load themselves again after a reload (--live-reload).
	Pages *Pages
	// Token lets those who bring it use /cdn-cgi from other machines; "" lets nobody. See [CheckToken].
	Token string
	// Guarded says that /cdn-cgi asks for Token on this machine, too: a proxy here brings the requests of others.
	Guarded bool
	// TestScheduled adds /__scheduled (--test-scheduled).
	TestScheduled bool
	// Clock is the session's.
	Clock clock.Clock
	// Report takes a line for every request.
	Report *report.Reporter
	// Several says that the session has other Workers too, so that lines name this one.
	Several bool
}

// Front serves one Worker over HTTP. Make one with [New].
type Front struct {
	o Options
	// port says that requests come through a port of the session, whose address is not the Worker's own.
	port bool
}

// New makes the front of a Worker.
func New(o Options) Front { return Front{o: o} }
