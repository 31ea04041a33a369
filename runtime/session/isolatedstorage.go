package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Kept is the storage of an ephemeral session as it was: KV, R2, D1, the cache, objects and their alarms (TEST-70).
type Kept struct{ dir string }

// storageFolders are the folders of a state directory that hold what Workers store.
func (s *Session) storageFolders() []string {
	root := filepath.Dir(s.state.Objects())
	var list []string
	for _, name := range []string{"do", "kv", "d1", "r2"} {
		list = append(list, filepath.Join(root, name))
	}
	return append(list, s.state.Cache())
}

// Keep remembers what is stored now. Objects are dropped from memory, so that nothing of it is on its way. Not on a
// loop goroutine, and with nothing else running in the session.
func (s *Session) Keep(ctx context.Context) (*Kept, error) {
	if err := s.objects.Rest(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(string(s.state), "kept-")
	if err != nil {
		return nil, fmt.Errorf("keep storage: %w", err)
	}
	k := &Kept{dir}
	for i, folder := range s.storageFolders() {
		if err := copyTree(folder, k.folder(i)); err != nil {
			return nil, fmt.Errorf("keep storage: %w", err)
		}
	}
	return k, s.objects.Wake(ctx)
}

func (k *Kept) folder(i int) string { return filepath.Join(k.dir, fmt.Sprint(i)) }

// Back makes what is stored what it was, once. What is in queues is purged: a queue belongs to the test that sends.
func (s *Session) Back(ctx context.Context, k *Kept) error {
	errs := []error{s.objects.Rest(ctx), s.stores.clear()}
	for i, folder := range s.storageFolders() {
		errs = append(errs, os.RemoveAll(folder))
		if err := os.Rename(k.folder(i), folder); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, os.RemoveAll(k.dir))
	if b := s.queues.Broker(); b != nil {
		for _, name := range s.queueNames() {
			_, err := b.Purge(ctx, name)
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, s.objects.Wake(ctx))...)
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

// copyTree copies a folder, if there is one. The shared memory of SQLite belongs to the process that has it open.
func copyTree(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		if strings.HasSuffix(path, "-shm") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
