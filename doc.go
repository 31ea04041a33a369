// Package eddy is the root of the module. It holds nothing but tests of the whole: the import rules, see
// ARCHITECTURE.md, and that every fact of docs/facts is cited by a test.
package eddy
