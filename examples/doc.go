// Package examples holds projects to run and to learn from. Every folder has one or more Workers and a README, except
// go-service, which is a Go program; work-queue has a Worker and a Go program. The tests here run each project and
// drive it over HTTP, on a virtual clock where it waits for time.
package examples
