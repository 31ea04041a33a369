package session

import (
	"slices"

	"eddy/wrangler"
)

// ConfigError holds all mistakes of the user in the configurations.
type ConfigError struct {
	Diagnostics wrangler.Diagnostics
	Dir         string
}

// Error renders every diagnostic.
func (e *ConfigError) Error() string { return e.Render(false) }

// Render is the text for a terminal: the errors, and then the warnings.
func (e *ConfigError) Render(color bool) string {
	var b writerString
	_ = slices.Concat(e.Diagnostics.Errors(), e.Diagnostics.Warnings()).Render(&b,
		wrangler.RenderOptions{Color: color, Base: e.Dir})
	return string(b)
}

type writerString []byte

func (w *writerString) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
