// Package eddy is the root of the module. It holds nothing but the tests of the import rules; see ARCHITECTURE.md.
package eddy
