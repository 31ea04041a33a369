// Package objectjs joins Durable Objects to JavaScript: namespace bindings and stubs, the classes' ctx and storage, the
// delivery of events through the gates, alarms and hibernation.
//
// # Nouns
//
//   - [Objects] is all namespaces of a session. It outlives reloads: it owns the alarm scheduler and says which isolate
//     serves which namespace.
//   - A namespace is one class of one Worker, under its unique key (ID3).
//   - A home is where a namespace lives for one generation: the class in one isolate, its storage and its live objects.
//     A reload
//     makes the next home; storage, alarms and hibernatable sockets go over, instances are dropped (GT13).
//   - An instance is one live object: the JavaScript object, its scope with the gates, its store.
//   - A client is what a stub points at: a namespace and an id, from any isolate.
//
// # Threads
//
// Namespaces and clients may be used from any goroutine. Homes and instances belong to the loop of their isolate. Work
// for an object is posted to that loop; while a namespace goes over to another isolate it waits in the namespace.
package objectjs
