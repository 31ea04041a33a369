// Package secretsstore serves the secrets of account-wide stores: env.SECRET.get() (BIND-30 to BIND-32).
//
// # Nouns
//
// A [Store] is one store of secrets in the state directory, in wrangler's place and form: a KV namespace of its own
// kind whose keys are the secrets' names, each with an id in its metadata. A [Secret] is what a listing shows of one;
// values are shown by [Store.Get] alone. A [Binding] is env[Key]: a service stub whose get() is the value, as the
// reference makes it.
//
// # Life cycle and threads
//
// A store's files are opened by the first call and closed with the session. All Workers that name a store share it, and
// a command may open it beside a session. A Store may be used from any goroutine; a binding's values belong to the loop
// of their isolate, and work on files happens off it.
package secretsstore
