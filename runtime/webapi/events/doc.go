// Package events holds the event classes of the DOM standard as the platform has them, and what is built on them
// alone: AbortController, AbortSignal and MessageChannel.
//
// # Nouns
//
//   - An [EventObject] is the state of any event object; classes with more data embed it. Code that takes any of them
//     takes
//     an [Eventer].
//   - A [Target] is the state of anything that can be listened to; AbortSignal, WebSocket, MessagePort and EventSource
//     embed it ([Targeter]). There is no tree: an event has one target and one phase.
//   - A [Signal] is the state of an AbortSignal. Go code watches it with [Signal.OnAbort].
//   - The global object is a target too; see [Global]. The runtime fires fetch, error and unhandledrejection on it.
//
// A listener that throws ends the dispatch, and the exception leaves dispatchEvent, as on the platform. Go code that
// fires events wraps it in host.Guard.
//
// Everything belongs to the loop goroutine.
package events
