// Package webidl defines platform classes on a goja runtime the way workerd's binding layer (JSG) does: class names,
// property descriptors, brand checks, argument conversion and error texts.
//
// # Nouns
//
//   - A [Realm] is one goja runtime with its hidden slot and its DOMException class. It is confined to the goroutine
//     that owns the runtime.
//   - An [Interface] is one platform class (Headers, WorkerQueue, DurableObjectId …) made from a [Spec].
//   - The state of an instance is a Go value, kept in a slot of the JavaScript object that scripts cannot see.
//   - A [Call] is one call from JavaScript: this, arguments, and the conversions of the Web IDL standard
//     (https://webidl.spec.whatwg.org/) with workerd's texts.
//
// As on the platform every method and constructor has length 0, methods and accessors are enumerable members of the
// prototype, and toStringTag is the class name.
//
// Methods made with [Async] never throw: what goes wrong before they return comes as a rejected promise.
package webidl
