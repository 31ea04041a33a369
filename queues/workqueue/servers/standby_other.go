//go:build !unix

package servers

import "errors"

var errUnix = errors.New("PostgreSQL is started for tests on unix only")

// Standby fails as Postgres does.
func Standby(*Server, ...string) (*Server, error) { return nil, errUnix }

// StandbyThrough fails likewise.
func StandbyThrough(*Server, string, ...string) (*Server, error) { return nil, errUnix }

// Promote fails.
func (*Server) Promote() error { return errUnix }

// Set fails.
func (*Server) Set(string, string) error { return errUnix }
