// Package enginetest is the suite that every engine of a cluster passes: the rules of package engine, one by one.
package enginetest
