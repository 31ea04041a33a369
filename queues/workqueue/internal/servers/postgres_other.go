//go:build !unix

package servers

import "errors"

// Postgres is for systems that have users as it wants them.
func Postgres(...string) (*Server, error) {
	return nil, errors.New("PostgreSQL is started for tests on unix only")
}
