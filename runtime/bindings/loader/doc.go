// Package loader serves Worker Loader bindings: env.LOADER makes Workers from code that a script has at run time
// (BIND-110 to BIND-116).
//
// # Nouns
//
//   - A [Code] is what a script gives: modules, date and flags, env, and where fetch() goes. It is read at once and
//     holds
//     no value of the script.
//   - A [Starter] turns a Code into a running Worker. The session is one: it knows bundles, flags and the lines that a
//     person sees.
//   - A loaded Worker is a service.Late in the isolate that asked for it, so that stubs are there at once and calls
//     wait for
//     the start.
//
// # Life cycle
//
// A Worker that was asked for by an id is kept for the next get() of that id, the last hundred of them; one without an
// id lives as long as the script holds its stub. All of them end with the isolate that made them: what is in flight may
// go on for a moment, as after a reload.
//
// # Threads
//
// Everything that a script touches belongs to the loop of its isolate. A Starter works on a goroutine of its own.
package loader
