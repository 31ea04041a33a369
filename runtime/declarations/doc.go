// Package declarations writes TypeScript declarations of what a Worker's configuration binds, byte for byte as
// `wrangler types` does, so that either tool can check and replace a file of the other's.
//
// # Nouns
//
// A section is what one environment of a configuration file says, or its top level, as it stands in the file. A member
// is a line of an interface: a name in env and its type. An entry is the entry file of a Worker with what it exports;
// classes that it exports are declared by importing their types from it. A pattern is the name of a module that
// TypeScript knows, made from the glob of a module rule.
//
// # Borders
//
// For resolves a configuration, Project.Env makes the declarations of env, Runtime those of the platform. The latter
// are no part of eddy: the workerd that a project has installed (wrangler brings it) tells them, for a compatibility
// date and flags, in a process of its own that Runtime starts and ends. Nothing else is run, and the package writes no
// files but those that this process needs, which are gone afterwards.
//
// The package keeps no state and starts no goroutine.
package declarations
