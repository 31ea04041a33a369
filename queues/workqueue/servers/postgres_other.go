//go:build !unix

package servers

import "errors"

// Postgres fails: only unix has the users that it needs.
func Postgres(...string) (*Server, error) {
	return nil, errors.New("PostgreSQL is started for tests on unix only")
}
