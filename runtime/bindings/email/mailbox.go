package email

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// Mailbox is the folder of the messages that were sent. Any goroutine.
type Mailbox struct{ Dir string }

// Keep writes a message and returns its file.
func (m Mailbox) Keep(raw []byte) (file string, err error) {
	if err := os.MkdirAll(m.Dir, 0o777); err != nil {
		return "", fmt.Errorf("mailbox: %w", err)
	}
	file = filepath.Join(m.Dir, uuid.NewString()+".eml")
	if err := os.WriteFile(file, raw, 0o666); err != nil {
		return "", fmt.Errorf("mailbox: %w", err)
	}
	return file, nil
}
