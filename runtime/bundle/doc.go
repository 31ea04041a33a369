// Package bundle turns the entry file of a Worker into one script that the engine (goja) can run.
//
// Nouns. A Builder holds the options of one Worker. A build gives a Bundle: the script (Source, and its syntax tree
// Program), the Assets that the user imported (wasm, text, data) and the Map from script positions to the user's own
// files. A virtual module is one that the host provides (cloudflare:workers, node:fs); it is never bundled. Packages
// are the script of what comes from node_modules, if it is one of its own (apart.go), and a unit is an import of a
// package by one of the user's files. A rule says which files are assets, and of which kind. A Watcher signals that a
// file that took part in the last build has changed.
//
// Stages. esbuild resolves, bundles and lowers what the engine's parser lacks and esbuild can lower (lower.go). Its
// output is still an ES module, and a few forms that parse are misread by the engine. The scanner (scan.go) walks over
// the text once and the rewriter (rewrite.go) makes the remaining changes: import and export statements become calls,
// import() and import.meta become parameters, class fields named get or set become computed, and regular expressions
// that the engine gets wrong become calls of the host. Every change keeps its line, so positions stay exact
// (sourcemap.go). At last the engine's own parser reads the result, and what it refuses is reported at the user's
// position (check.go).
//
// The calling contract. The host, in the sense of ECMA-262, is what runs the script: package worker. Source is one
// expression, a function:
//
//	(async function (__eddy_import, __eddy_import_dynamic, __eddy_export, __eddy_meta, __eddy_regexp) { … })
//
// The host evaluates it once per isolate and calls it with this = undefined and:
//
//   - __eddy_import(specifier, names): returns the namespace object of a virtual module or of an asset, with the
//     exports as own enumerable properties. An asset has one, default: the WebAssembly.Module, string or ArrayBuffer.
//     names are the exports that the program asks for; for one that is missing the host throws a SyntaxError with the
//     text MissingExport(specifier, name), for an unknown module an Error with NoSuchModule(specifier).
//   - __eddy_import_dynamic(referrer, specifier, options): import() of something that was not bundled; returns a
//     promise of a namespace object. Names of additional modules are already answered by the script itself.
//   - __eddy_export(getters, namespaces): called exactly once, before any user code. getters has one function per
//     export name; the host reads an export by calling it, each time anew, so that a later assignment is seen. Before
//     the declaration has run it throws a ReferenceError, as a module does. namespaces are those of `export * from`
//     virtual modules.
//   - __eddy_meta: the value of import.meta.
//   - __eddy_regexp(source, flags): returns a new RegExp object for a literal that needs translation.
//   - __eddy_packages(unit): only where the Bundle has Packages, whose comment says what it does.
//
// It returns a promise. Without a top-level await the promise is already settled when the call returns. In
// service-worker format the function is sloppy (not strict), exports nothing, and the program is expected to call
// addEventListener.
//
// Goroutines. A Builder is used by one goroutine at a time, apart from Cancel; esbuild works with goroutines of its own
// that end with the call. A Bundle, its Program and its Map are immutable and may be shared. A Watcher owns one
// goroutine between NewWatcher and Close.
package bundle
