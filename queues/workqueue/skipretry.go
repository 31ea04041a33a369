package queue

import "errors"

// ErrSkipRetry, returned by a [Handler] or wrapped in what it returns, says that the job has failed for good: it goes
// to the dead letter topic at once, however many retries are left.
var ErrSkipRetry = errors.New("queue: skip retry")

// SkipRetry wraps err so that it matches [ErrSkipRetry] and still everything that err matches. SkipRetry(nil) is
// ErrSkipRetry itself.
func SkipRetry(err error) error {
	if err == nil {
		return ErrSkipRetry
	}
	return &skipRetry{err}
}

type skipRetry struct{ err error }

func (s *skipRetry) Error() string   { return ErrSkipRetry.Error() + ": " + s.err.Error() }
func (s *skipRetry) Unwrap() []error { return []error{ErrSkipRetry, s.err} }
