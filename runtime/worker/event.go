package worker

import "github.com/dop251/goja"

// Event is one kind of event that a Worker can be sent. Methods are called on the loop goroutine, inside the
// invocation's scope.
type Event interface {
	// Kind names the event for logs: "fetch", "queue", "scheduled", "alarm", "rpc".
	Kind() string
	// Run calls the handler and returns what it returned. If Run throws, the event has failed with what it threw.
	Run(inv *Invocation) goja.Value
	// Settle is called once, when the handler's result is known: its value, or what it threw or was rejected with
	// (failure is nil on success). The invocation may still have waitUntil work after that.
	Settle(inv *Invocation, value, failure goja.Value)
	// Done is called once, after Settle, when the invocation is over or has been given up. err is nil, or why it
	// was given up (the isolate was stopped, the CPU limit was reached).
	Done(inv *Invocation, err error)
}
