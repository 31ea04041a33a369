// Package cachedir keeps folders of files that may be made again: machine code of WebAssembly, bundles.
//
// A folder belongs to its owner alone, since what lies in it is run; one that others may write is not used. It has a
// bound in bytes, and the oldest files go first. Any process may remove any file at any time.
//
// It is a package because two parts of the house keep such folders (engine/wasm, bundle) that know nothing of each
// other. It has no state and no goroutines.
package cachedir
