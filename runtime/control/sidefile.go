package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// sideFile is what the product API keeps beside the log: small, rarely written, and of no use to the broker.
type sideFile struct {
	path string // "" keeps everything in memory
	mu   sync.Mutex
	data sideData // guarded by mu
}

type sideData struct {
	// Version is the format's, 1.
	Version int `json:"version"`
	// Subscriptions are event subscriptions by arrival (H-23).
	Subscriptions []subscription `json:"subscriptions,omitempty"`
	// Jurisdictions are those given at creation, by queue id (D-24).
	Jurisdictions map[string]string `json:"jurisdictions,omitempty"`
	// Purges are the times of the last purge, by queue id.
	Purges map[string]time.Time `json:"purges,omitempty"`
}

func openSideFile(path string) (*sideFile, error) {
	s := &sideFile{path: path, data: sideData{Version: 1}}
	if path == "" {
		return s, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &s.data); err != nil {
		return nil, fmt.Errorf("%s: %w\n  repair or remove the file; it holds event subscriptions", path, err)
	}
	if s.data.Version != 1 {
		return nil, fmt.Errorf("%s: version %d; this eddy knows version 1", path, s.data.Version)
	}
	return s, nil
}

// read calls f with the data, which f must not keep.
func (s *sideFile) read(f func(*sideData)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.data)
}

// change lets f change the data and writes it durably: to a new file that then takes the old one's place. When f or the
// writing fails nothing has changed.
func (s *sideFile) change(f func(*sideData) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := json.Marshal(s.data)
	if err != nil {
		return err
	}
	if err = f(&s.data); err == nil {
		err = s.store()
	}
	if err != nil {
		s.data = sideData{}
		return errors.Join(err, json.Unmarshal(before, &s.data))
	}
	return nil
}

func (s *sideFile) store() error {
	if s.path == "" {
		return nil
	}
	b, err := json.MarshalIndent(s.data, "", "  ")
	if err != nil {
		return err
	}
	return writeFileDurably(s.path, b)
}

// WriteFileDurably replaces a file of the state directory as a whole, so that a crash leaves the old or the new one.
func WriteFileDurably(path string, b []byte) error { return writeFileDurably(path, b) }

func writeFileDurably(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
