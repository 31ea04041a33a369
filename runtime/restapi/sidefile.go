package restapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"eddy/runtime/statedir"
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
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
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
	return statedir.Replace(s.path, b)
}
