// Package host is the small handle through which web APIs see the isolate they are installed on: its loop, its
// realm, the world outside and the Worker's compatibility flags. They see nothing else of it.
//
// A [Host] is made by runtime/worker for each isolate and handed to every Install function in runtime/webapi. It
// belongs to the loop goroutine.
package host
