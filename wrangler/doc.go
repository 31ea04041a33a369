// Package wrangler reads the configuration of one Worker: wrangler.jsonc, wrangler.json or wrangler.toml, the
// dotenv files beside it, and the few command line settings that override them.
//
// # Nouns
//
// A file is decoded, whatever its format, into a tree of nodes; each node knows its byte range in the file. One set
// of readers walks that tree, so jsonc and toml share every rule and every message. What the readers find becomes a
// Config of plain Go values; what they object to becomes Diagnostics, each with file, line, column, what was
// expected and what to write instead. Reading never stops at the first mistake: Load returns all of them.
//
// # Life cycle
//
// Find walks up from a directory to the file that wrangler would take, following a redirect in
// .wrangler/deploy/config.json. Load reads one such file for one environment. A reload is another Load. A Config is
// never changed after Load returned it, so it may be shared between goroutines; the package has no state and starts
// no goroutine.
//
// # Inheritance
//
// A named environment (--env NAME, section env.NAME) sees every key of the file in one of three ways, listed in
// environment.go: inheritable keys are taken from the environment if it has them and from the top level otherwise;
// keys that are not inheritable are taken from the environment only, with a warning when the top level has them
// (DEV3); top-level keys are taken from the top level only. The name of the Worker becomes NAME-ENV unless the
// environment sets its own.
//
// # Borders
//
// The package opens nothing but configuration files, writes nothing, logs nothing and runs nothing. Numbers such as
// K-14, CL9 or RT17 in comments and tests point at the facts the behaviour was taken from.
package wrangler
