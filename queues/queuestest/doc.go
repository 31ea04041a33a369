// Package queuestest helps to test against the broker: a consumer that follows a script, and a naive model of what a
// queue must do, to compare random runs with.
package queuestest
