package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
