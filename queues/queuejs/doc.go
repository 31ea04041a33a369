// Package queuejs joins the broker to JavaScript: the producer binding (env.QUEUE), the batch and message objects that
// a consumer gets, and the consumer itself, which delivers a batch as an event of a Worker.
//
// Bodies are serialized here, by content type, and nowhere else: the broker sees bytes. Which calls of ack and retry
// come too late, and the warnings for them, are decided here (C-13 to C-28); what becomes of the messages then is the
// broker's decision.
//
// Everything that touches a goja value runs on the isolate's loop. Deliver and the answers to sends come from the
// broker's goroutine and are posted to the loop.
package queuejs
