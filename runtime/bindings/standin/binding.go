package standin

import (
	_ "embed"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

//go:embed classes.js
var classes string

// Binding is env[Key] of a kind that a [Source] answers for.
type Binding struct {
	Key string
	// Class is the kind of class over fetch(): ai, vectorize, images or media; "" for a stub.
	Class  string
	Source Source
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	stub, err := b.Source.stub(iso)
	if err != nil {
		return nil, fmt.Errorf("binding %s: %w", b.Key, err)
	}
	if b.Class == "" {
		return stub, nil
	}
	all, err := iso.Internal("cloudflare-internal:stand-ins", classes)
	if err != nil {
		return nil, err
	}
	class := all.ToObject(iso.Runtime()).Get(b.Class)
	return iso.Runtime().New(class, stub)
}
