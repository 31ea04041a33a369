// Package eddy is the root of the module; it holds the test of the import rules.
package eddy
