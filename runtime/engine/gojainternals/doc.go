// Package gojainternals is the only place of eddy that reaches into goja's unexported fields. Everything that a
// platform needs and goja's own interface does not give is here, behind functions with types: ecma and eventloop import
// no unsafe and look at no field by reflection. arch_test.go holds that.
//
// Nouns. A [Layout] says where goja keeps what; [Read] makes it once for each process. An instruction is one step of a
// compiled program; [Layout.WrapEntries] and [Layout.AfterMaking] put one of ours in front of goja's own. A [Note] is
// what a captured stack carries behind its last frame. A [Window] is a typed array's or DataView's view of its buffer.
// [Layout.Quicken] replaces instructions whose frequent case is cheap; [Layout.Twins] does the same for built-in
// functions. Arrays and functions are light as long as they share their properties, and are settled when they get
// their own; a mirror is a struct of ours that lies in memory as one of goja's does, which Read compares field by
// field. A slot is where a map keeps a property; a find is what a look-up came to along prototypes, which are watched
// for changes. A [Machine] is the virtual machine of one runtime. [Depths] bound how deep its calls nest; to poll is to
// look whether it is interrupted, where goja itself would not.
//
// How it is safe. No offset is written down. Each field is found by its name and must have the type that is expected
// of it, on values that a probing runtime makes; otherwise Read fails with the name of the field, and with it every
// test and every start. Whoever raises goja's version sees at once what has changed: TestCanary runs this package's
// tests against a version that is named (CONTRIBUTING.md says how).
//
// The alternatives were refused. A fork of goja would have to be carried along with each of its versions. What goja
// offers itself (Export, ExportType, ClassName, CaptureCallStack) is used wherever it is enough.
//
// Threads. A Layout does not change after Read, and everybody shares it. Whatever takes a runtime or an object is
// called on the goroutine that owns that runtime. Programs are changed once, right after they are compiled, before
// anybody runs them.
package gojainternals
