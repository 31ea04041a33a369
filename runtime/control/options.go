package control

import (
	"net/http"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/restapi"
	"eddy/runtime/running"
)

// Process describes the process that has the state open.
type Process = running.Process

// Script is a Worker of the session, as far as queues are concerned.
type Script = restapi.Script

// Options connect an [API] to a session.
type Options struct {
	// Broker has the queues. Required.
	Broker *queues.Broker
	// Clock is the session's; nil means the machine's. A [clock.Virtual] can be read, advanced and held.
	Clock clock.Clock
	// SideFile is where event subscriptions and jurisdictions are kept; "" keeps them in memory.
	SideFile string
	// Session describes the process; nil for a stopped session's state.
	Session func() Process
	// Scripts lists the session's Workers; nil if none can be known, and then no script is refused.
	Scripts func() []Script
	// Workflow tells whether a Worker of the session has a workflow of that name; nil if nobody can tell.
	Workflow func(name string) bool
	// Analytics is the SQL API of Analytics Engine; nil for nobody.
	Analytics http.Handler
	// Attach connects a Worker's queue() handler to a queue whose consumer it has become.
	Attach func(script, queue string) error
	// Objects are the Durable Objects of the running session; nil for a stopped one's state.
	Objects ObjectInspector
	// Driver is the running session for those who test it; nil for a stopped one's state.
	Driver Driver
	// Calendar says what is due beside queues and alarms; nil for a stopped session's state.
	Calendar Calendar
	// Explorer searches orders of events for clients; nil if nobody does.
	Explorer Explorer
	// Profile records the running session's Workers; nil for a stopped one's state.
	Profile Profiles
	// State is the state directory, for the files of Durable Objects that Objects does not answer for; "" if there is
	// none.
	State string
	// Render shows a value of an object's storage as JavaScript would; nil shows bytes.
	Render func([]byte) (string, error)
	// Elsewhere names the other session on the state directory that runs the objects of a namespace, or "" if no
	// session does. It is nil if there can be no other sessions.
	Elsewhere func(namespace string) string
	// Pages makes what answers for people, below running.Prefix wherever this API does not; nil for nobody. It is
	// called
	// at the first request, and what it makes is closed with the API if it can be.
	Pages func(api http.Handler) http.Handler
	// Namespace is the first part of the metrics' names; "" is "eddy".
	Namespace string
	// Node is the value of a label node of all metrics, "" for none.
	Node string
	// Warn is called with what will not work as the developer may expect. It may be nil.
	Warn func(string)
	// Failed is called with failures that are not the caller's mistake, after they were answered with 500. It may be
	// nil.
	Failed func(error)
}
