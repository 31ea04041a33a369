package host

import (
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
)

// GlobalScopeError is what I/O outside any event says.
const GlobalScopeError = "Disallowed operation called within global scope. Asynchronous I/O (ex: fetch() or " +
	"connect()), setting a timeout, and generating random values are not allowed within global scope. To fix this " +
	"error, perform this operation within a handler. https://developers.cloudflare.com/workers/runtime-apis/handlers/"

// Host is the handle. The fields are set before the first Install and not changed afterwards.
type Host struct {
	Loop  *eventloop.Loop
	Realm *webidl.Realm
	// Random is the source of random bytes; nil is the system's. A seeded one makes runs repeatable.
	Random io.Reader
	// Flag tells whether a compatibility flag is on ("queues_json_messages"); nil means that none is.
	Flag func(name string) bool
	// Outbound sends requests to the outside; nil is [http.DefaultTransport].
	Outbound http.RoundTripper
	// Log takes console output; nil drops it.
	Log func(Entry)
	// Uncaught takes what a script has thrown where nobody can catch it: in a timer's callback, in an event listener.
	// The scope is the current one. nil drops it.
	Uncaught func(v goja.Value)
	// Notice tells a person what scripts are not told (why a connection failed). Loop goroutine. nil drops it.
	Notice func(text string)

	values map[any]any
	// unmade are the names of the lazy globals that nobody has used yet.
	unmade map[string]bool
}

// Level is the severity of a console entry, named as the console method.
type Level string

// The levels of console methods.
const (
	LevelDebug Level = "debug"
	LevelLog   Level = "log"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Entry is one line of console output.
type Entry struct {
	Level Level
	Time  time.Time
	// Text is the formatted message, without colours.
	Text string
	// Coloured is the same with ANSI colours; empty when the formatter made none.
	Coloured string
	// Args are the arguments of the console method; nil when the platform itself writes. Only during the call.
	Args []goja.Value
	// Scope is the scope that was current, nil outside any.
	Scope *eventloop.Scope
}

// Runtime is the goja runtime.
func (h *Host) Runtime() *goja.Runtime { return h.Realm.Runtime() }

// Scope is the current scope. Outside any it throws [GlobalScopeError].
func (h *Host) Scope() *eventloop.Scope {
	s := h.Loop.Scope()
	if s == nil {
		h.Realm.ThrowError("Error", "%s", GlobalScopeError)
	}
	return s
}

// RoundTripper sends requests to the outside.
func (h *Host) RoundTripper() http.RoundTripper {
	if h.Outbound != nil {
		return h.Outbound
	}
	return http.DefaultTransport
}

// Rand is the source of random bytes.
func (h *Host) Rand() io.Reader {
	if h.Random != nil {
		return h.Random
	}
	return rand.Reader
}

// Enabled tells whether a compatibility flag is on.
func (h *Host) Enabled(flag string) bool { return h.Flag != nil && h.Flag(flag) }

// Report hands v to Uncaught.
func (h *Host) Report(v goja.Value) {
	if h.Uncaught != nil {
		h.Uncaught(v)
	}
}

// Guard calls f and reports what it throws: for callbacks that nobody awaits.
func (h *Host) Guard(f func()) {
	if ex := h.Realm.Try(f); ex != nil {
		h.Report(ex)
	}
}

// Value and SetValue let an API package keep its own state per isolate, under a key of a type of its own.
func (h *Host) Value(key any) any { return h.values[key] }

// SetValue stores state under key; see Value.
func (h *Host) SetValue(key, value any) {
	if h.values == nil {
		h.values = map[any]any{}
	}
	h.values[key] = value
}
