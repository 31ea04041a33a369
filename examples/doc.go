// Package examples holds projects to run and to learn from; every folder is a Worker, or several, with a README;
// go-service is a Go program, and work-queue both. The tests here run each of them and drive it over HTTP, on a virtual
// clock where it waits for time.
package examples
