package session

import (
	"errors"

	"eddy/runtime/statedir"
)

// isolated is one kind of stores: copies of the files in its folder, and what is done with the stores that are open.
type isolated struct {
	*statedir.Copies
	folder string
	// uses counts the calls of all stores, nil if nobody knows them; seen is that of the last Keep or Back.
	uses func() int64
	seen int64
	// rest closes the files until their next use.
	rest func() error
}

// usedStore is a store of the session that tells whether it was used, and that can close its files for a while.
type usedStore interface {
	Uses() int64
	Rest() error
}

func usesOf[T usedStore](st *stores, list *map[string]T) func() int64 {
	return func() (n int64) {
		st.mu.Lock()
		defer st.mu.Unlock()
		for _, x := range *list {
			n += x.Uses()
		}
		return n
	}
}

func restOf[T usedStore](st *stores, list *map[string]T) func() error {
	return func() error {
		st.mu.Lock()
		defer st.mu.Unlock()
		var errs []error
		for _, x := range *list {
			errs = append(errs, x.Rest())
		}
		return errors.Join(errs...)
	}
}

// used tells whether something may have been stored since the last call.
func (x *isolated) used() bool {
	if x.uses == nil {
		return true
	}
	before := x.seen
	x.seen = x.uses()
	return x.seen != before
}
