// Package workflowjs joins workflows to JavaScript: the binding, and the lives of instances in an isolate.
//
// # Nouns
//
//   - A [Binding] is a workflow in env: create, get, createBatch, deleteBatch. What it gives are WorkflowInstances.
//   - A [Runner] is one class of one generation of a Worker: it executes the lives that a [workflows.Workflow] hands
//     it.
//   - A life is a [worker.Event] whose handler is `run` of a new object of the class. So limits of CPU time and memory,
//     logs,
//     exceptions, hangs and the end of a generation are those of every event.
//
// # Life cycle
//
// The scripts execute.js and life.js make the step object and follow a step through its attempts; the order in which
// things are stored, and every wait, is the workflow's (package workflows). A life that is let go while it waits is
// aborted; nothing of it is left but rows.
//
// # Threads
//
// A Runner is called on the workflow's goroutine and posts to the isolate's loop. All else belongs to the loop. Calls
// to the workflow are tickets that do not hold the clock, since a call may be answered a week later; between question
// and answer the workflow is ready or running, which holds it.
//
// It is apart from package workflows as queuejs is from queues: that one is tested without JavaScript.
package workflowjs
