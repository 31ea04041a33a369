package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadApplied reads into ledger which migrations the data has been through. It leaves ledger alone when none were
// recorded yet.
func (d Dir) ReadApplied(ledger any) error {
	b, err := os.ReadFile(d.applied())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(b, ledger)
	}
	if err != nil {
		return fmt.Errorf("migrations of Durable Objects: %s: %w", d.applied(), err)
	}
	return nil
}

// Applied is the record as it is written, nil if there is none.
func (d Dir) Applied() ([]byte, error) {
	b, err := os.ReadFile(d.applied())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// RestoreApplied puts back what Applied has given.
func (d Dir) RestoreApplied(b []byte) error {
	if err := os.MkdirAll(filepath.Dir(d.applied()), 0o700); err != nil {
		return err
	}
	return Replace(d.applied(), b)
}

// WriteApplied replaces that record. The record is on the disk when WriteApplied returns nil.
func (d Dir) WriteApplied(ledger any) error {
	b, err := json.MarshalIndent(ledger, "", "  ")
	if err != nil {
		return err
	}
	if err := Replace(d.applied(), append(b, '\n')); err != nil {
		return fmt.Errorf("migrations of Durable Objects: %w", err)
	}
	return nil
}
