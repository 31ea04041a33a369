// Package durableobject knows which objects are alive, in which order events enter them, and when they wake. It knows
// no JavaScript: package objectjs joins it to the isolates.
//
// # Nouns
//
//   - An [ID] names one object of one namespace.
//   - A [Namespace] is the live objects of one class on one isolate: at most one instance per id.
//   - An [Object] is one id that is live or has sockets. Its [State] changes by the table in life.go only.
//   - An [InputGate] decides which event enters next; a [Section] keeps others out. An [OutputGate] holds back what
//     an object says until what it wrote is confirmed.
//   - [Alarms] fires the alarms of all objects.
//
// # Life of an object
//
// An object is cold until an event comes. It starts (its constructor runs), runs, and is idle when nothing is left to
// do. After ten idle seconds it leaves memory: without sockets it is cold again and forgotten; with hibernatable
// sockets it hibernates, and the next message starts it anew. A reset breaks it for good; the next event for its id
// finds a new object.
//
// # Threads
//
// A Namespace with its Objects and gates belongs to the loop of its isolate. Alarms may be used from any goroutine.
package durableobject
