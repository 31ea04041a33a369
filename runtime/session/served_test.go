package session

import (
	"path/filepath"
	"testing"

	"eddy/wrangler"
)

// The tour has a binding of every kind that is served here.
func TestTourHasEveryBinding(t *testing.T) {
	cfg, diags := wrangler.Load(filepath.Join("..", "..", "examples", "tour", "wrangler.jsonc"), wrangler.Options{})
	if cfg == nil {
		t.Fatal(diags)
	}
	have := map[wrangler.BindingKind]bool{
		// Those of the service-worker format, and one that needs files of the user's.
		wrangler.WasmModuleBinding: true, wrangler.TextBlobBinding: true, wrangler.DataBlobBinding: true,
		"mtls_certificates": true,
	}
	for _, b := range cfg.Bindings() {
		have[b.Kind] = true
	}
	kinds := wrangler.BindingKinds()
	if len(kinds) < 30 {
		t.Fatal(kinds)
	}
	for _, kind := range kinds {
		if !unserved(kind) && !have[kind] {
			t.Errorf("the tour has no %s", kind)
		}
	}
}
