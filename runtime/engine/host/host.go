package host

import (
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
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
	Log func(ConsoleLine)
	// Uncaught takes what a script has thrown where nobody can catch it: in a timer's callback, in an event listener.
	// The scope is the current one. nil drops it.
	Uncaught func(v goja.Value)
	// Notice tells a person what scripts are not told (why a connection failed). Loop goroutine. nil drops it.
	Notice func(text string)
	// Inner are functions that find what console shows of the platform's objects beside their accessors, and what
	// scripts cannot ask for. An API that has such objects adds one when it is installed. Each gives nil for all other
	// objects.
	Inner []func(o *goja.Object) []InnerProperty

	// Recording, if set, is the entry of the event to which the current async context belongs; it may be nil. Loop
	// goroutine.
	Recording func() *journal.Entry

	values map[any]any
	// unmade are the names of the lazy globals that nobody has used yet.
	unmade map[string]bool
	// Published, if set, takes the messages of node:diagnostics_channel.
	Published func(channel string, message goja.Value)
}

// InnerProperty is shown as [name]: value.
type InnerProperty struct {
	Name  string
	Value goja.Value
}

// ConsoleLevel is the severity of a console entry, named as the console method.
type ConsoleLevel string

// The levels of console methods.
const (
	LevelDebug ConsoleLevel = "debug"
	LevelLog   ConsoleLevel = "log"
	LevelInfo  ConsoleLevel = "info"
	LevelWarn  ConsoleLevel = "warn"
	LevelError ConsoleLevel = "error"
)

// ConsoleLine is one line of console output.
type ConsoleLine struct {
	Level ConsoleLevel
	Time  time.Time
	// Text is the formatted message, without colours.
	Text string
	// Coloured is the same with ANSI colours; empty when the formatter made none.
	Coloured string
	// Args are the arguments of the console method; nil when the platform itself writes. They are valid during the call
	// only.
	Args []goja.Value
	// Scope is the scope that was current, nil outside any.
	Scope *eventloop.Scope
}

// Publish tells whoever follows the current event of a message on a diagnostics channel. It does nothing if nobody
// does.
func (h *Host) Publish(channel string, message goja.Value) {
	if h.Published != nil {
		h.Published(channel, message)
	}
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

// RoundTripper is what sends requests to the outside.
func (h *Host) RoundTripper() http.RoundTripper {
	if h.Outbound != nil {
		return h.Outbound
	}
	return http.DefaultTransport
}

// Entry is the entry of the current event, nil if nothing is recorded. Loop goroutine only.
func (h *Host) Entry() *journal.Entry {
	if h.Recording == nil {
		return nil
	}
	return h.Recording()
}

// Fill fills b with random bytes that the journal notes. Loop goroutine only.
func (h *Host) Fill(b []byte) error {
	_, err := io.ReadFull(h.Rand(), b)
	if e := h.Entry(); e != nil && err == nil {
		e.NoteRandom(b)
	}
	return err
}

// Read is Fill for users of an [io.Reader].
func (h *Host) Read(b []byte) (int, error) {
	if err := h.Fill(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Rand is the source of random bytes for work off the loop. On the loop, use Fill.
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
