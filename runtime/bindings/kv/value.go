package kv

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"eddy/queues/logstore"
)

// newValue names a file as miniflare does: random bytes and the time, in hex.
func (s *Store) newValue() (string, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("KV value: %w", err)
	}
	return fmt.Sprintf("%s%016x", hex.EncodeToString(b), s.now()), nil
}

// file is the path of a value. The index may have been written by somebody else: its names stay in the directory.
func (s *Store) file(value string) string { return filepath.Join(s.o.Values, filepath.Base(value)) }

func (s *Store) writeValue(value string, data []byte) error {
	if err := os.MkdirAll(s.o.Values, 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(s.file(value), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && !s.o.Relaxed {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if s.o.Relaxed {
		return nil
	}
	return logstore.OS{}.SyncDir(s.o.Values)
}

// remove deletes files of values; one that is gone already is no error.
func (s *Store) remove(values []string) error {
	var errs []error
	for _, v := range values {
		if err := os.Remove(s.file(v)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("KV value: %w", err))
		}
	}
	return errors.Join(errs...)
}
