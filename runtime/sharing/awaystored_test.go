package sharing

import (
	"context"
	"errors"
	"testing"

	"eddy/runtime/bindings/objectstore"
)

// A call whose store has left its node before anything was sent there has not happened, and is made where the store is.
func TestStoredCallThatWasNotSent(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := sendStored(ctx, nil, objectstore.Name{Kind: "kv", ID: "a"}, objectstore.Ask{Head: []byte("{}")})
	if !errors.Is(err, objectstore.ErrElsewhere) {
		t.Error(err)
	}
}
