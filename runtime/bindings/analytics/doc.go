// Package analytics serves Analytics Engine bindings as the platform's local runtime does: writeDataPoint takes
// everything and keeps nothing (B5). There is no place on one machine where the points could be asked for.
//
// A binding's value belongs to the loop of its isolate.
package analytics
