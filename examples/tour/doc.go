// Package tour holds the tests that docs/go-tests.md shows; the Worker beside it has every kind of binding that eddy
// serves.
package tour
