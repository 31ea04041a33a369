// Package email serves mail in both directions: send_email bindings (BIND-10 to BIND-18) and the handler email()
// (BIND-20 to BIND-26).
//
// # Nouns
//
// A [Mailbox] keeps what Workers send, forward and reply with as files of the form that mail has (.eml), each under the
// id that its sender was told. A [Binding] is env[Key], with send(). An [IncomingMail] is a message that comes in; its
// [Result] says what the handler did with it. Nothing leaves the machine.
//
// # Threads
//
// A Mailbox may be used from any goroutine. Messages are checked, and written, off the loop of the Worker.
package email
