package worker

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A text of an error is shown whole up to a megabyte, and says what is left out of a longer one.
func TestShown(t *testing.T) {
	whole := strings.Repeat("x", maxShown)
	if got := shown(whole); got != whole {
		t.Errorf("%d bytes of %d", len(got), len(whole))
	}
	got := shown(strings.Repeat("é", maxShown))
	if !utf8.ValidString(got) || !strings.HasSuffix(got, "é… (1048576 more bytes)") || len(got) > maxShown+100 {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-40:])
	}
}
