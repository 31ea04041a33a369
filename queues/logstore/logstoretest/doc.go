// Package logstoretest is the suite that every file system under the log must pass, and [CrashFS], a file system that
// loses what was not synced and fails when told to.
package logstoretest
