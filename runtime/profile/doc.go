// Package profile says where Workers spend their time and which of their functions take memory, in the user's own files
// and lines: as pprof (https://github.com/google/pprof/blob/main/proto/profile.proto), and in the form of Chrome's
// DevTools.
//
// # Nouns
//
//   - A [Source] is an isolate that is looked at.
//   - A [Recording] looks at sources until it is stopped. Each look at an isolate that computes is a sample: a stack,
//     and the time since the look before.
//   - A [Profile] is what a recording has seen. It does not change.
//
// # Life cycle
//
// [Record] begins, [Recording.Stop] ends and gives the profile. Sources that come meanwhile, with a reload, are looked
// at too. Nothing of this package is there, and nothing costs anything, while nobody records.
//
// # Threads
//
// Each source has one goroutine, which looks at its loop from outside. A recording's samples are guarded by its mutex.
//
// It is no part of package inspector, because eddy profile needs no debugger, and none of package worker, because it
// needs only an isolate's loop and places.
package profile
