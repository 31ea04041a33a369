package operate_test

import (
	"strings"
	"testing"

	"eddy/queues/workqueue/operate"
)

// A server that is not there is named, without the password of its DSN.
func TestUnreachable(t *testing.T) {
	for _, dsn := range []string{"postgres://u:secret@127.0.0.1:1/db", "redis://u:secret@127.0.0.1:1"} {
		_, err := operate.Open(t.Context(), dsn)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1:1") {
			t.Errorf("%v", err)
		}
	}
}
