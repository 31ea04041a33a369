// Package workflowapi answers the HTTP API with which wrangler's commands for workflows (`wrangler workflows …
// --local`) speak to a local session.
//
// # Nouns
//
//   - A [Listed] is a workflow of the session, with the Worker and the class that define it.
//   - A route is one of FLOW-206: of workflows, of instances, of one instance. Every answer is an envelope of success,
//     result and errors.
//   - The steps of an instance are read out of its history (steps.go).
//
// # Threads
//
// Handlers run on net/http's goroutines and wait for the workflow, which serialises everything.
//
// It is no part of package workflows because that one knows no HTTP, and none of the REST API of queues because that
// one follows other documents, on other paths.
package workflowapi
