package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"eddy/runtime/statedir"
)

// Kept is the storage of an ephemeral session as it was: KV, R2, D1, vectors, secrets, the cache, objects and their
// alarms (TEST-70).
type Kept struct{ copies []*statedir.Copy }

// isolates are the kinds of stores that Keep and Back know, that of objects first.
func (s *Session) isolates() []*isolated {
	if s.isolated != nil {
		return s.isolated
	}
	st := &s.stores
	add := func(kind, folder string, uses func() int64, rest func() error) {
		s.isolated = append(s.isolated, &isolated{folder: folder, uses: uses, rest: rest,
			Copies: statedir.NewCopies(folder, filepath.Join(string(s.state), "kept", kind))})
	}
	beside := func(kind string) string { return filepath.Join(filepath.Dir(s.state.Objects()), kind) }
	add("objects", s.state.Objects(), nil, func() error { return nil })
	add("kv", beside("kv"), usesOf(st, &st.namespaces), restOf(st, &st.namespaces))
	add("d1", beside("d1"), usesOf(st, &st.databases), restOf(st, &st.databases))
	add("r2", beside("r2"), usesOf(st, &st.buckets), restOf(st, &st.buckets))
	add("secrets", beside("secrets-store"), usesOf(st, &st.secrets), restOf(st, &st.secrets))
	add("vectorize", filepath.Dir(s.state.Vectorize("x")), usesOf(st, &st.vectors), restOf(st, &st.vectors))
	add("cache", s.state.Cache(), nil, func() error {
		if st.cache != nil {
			st.cache.Replaced()
		}
		return nil
	})
	return s.isolated
}

// Keep remembers what is stored now, at the cost of what has changed since the last call. Objects are dropped from
// memory, so that nothing of it is on its way. Not on a loop goroutine, and with nothing else running in the session.
func (s *Session) Keep(ctx context.Context) (*Kept, error) {
	used, err := s.objects.Rest(ctx)
	if err != nil {
		return nil, err
	}
	k := &Kept{}
	for i, kind := range s.isolates() {
		var c *statedir.Copy
		if i > 0 {
			used = kind.used()
		}
		if !used && kind.Current() != nil {
			c = kind.Again()
		} else if c, err = kind.Take(); err != nil {
			return nil, errors.Join(err, s.objects.Wake(ctx))
		}
		k.copies = append(k.copies, c)
	}
	return k, s.objects.Wake(ctx)
}

// Back makes what is stored what it was, once, at the cost of what has changed. What is in queues is purged: a queue
// belongs to the test that sends.
func (s *Session) Back(ctx context.Context, k *Kept) error {
	used, err := s.objects.Rest(ctx)
	errs := []error{err}
	for i, kind := range s.isolates() {
		c := k.copies[i]
		if i > 0 {
			used = kind.used()
		}
		if used || c != kind.Current() {
			changed, err := i == 0, error(nil) // objects rest already
			if !changed {
				changed, err = kind.Changed(c)
			}
			if changed {
				err = errors.Join(err, kind.rest(), kind.PutBack(c))
			}
			errs = append(errs, err)
		}
		errs = append(errs, kind.Drop(c))
	}
	s.stores.forgetRates()
	errs = append(errs, s.purge(ctx), s.objects.Wake(ctx))
	return errors.Join(errs...)
}

// empty makes everything what it is in a new session.
func (s *Session) empty(ctx context.Context) error {
	_, err := s.objects.Rest(ctx)
	errs := []error{err, s.stores.clear()}
	for _, kind := range s.isolates() {
		errs = append(errs, kind.Forget(), os.RemoveAll(kind.folder))
	}
	return errors.Join(append(errs, s.purge(ctx), s.objects.Wake(ctx))...)
}

// purge empties the queues.
func (s *Session) purge(ctx context.Context) error {
	var errs []error
	if b := s.queues.Broker(); b != nil {
		for _, name := range s.queueNames() {
			_, err := b.Purge(ctx, name)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// queueNames are the queues that the Workers of the session produce to or consume.
func (s *Session) queueNames() (names []string) {
	seen := map[string]bool{}
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		for _, p := range g.config.Queues.Producers {
			seen[p.Queue] = true
		}
		for _, c := range g.config.Queues.Consumers {
			seen[c.Queue] = true
			if c.DeadLetterQueue != "" {
				seen[c.DeadLetterQueue] = true
			}
		}
	}
	for name := range seen {
		names = append(names, name)
	}
	return names
}
