package streams

import "eddy/runtime/engine/host"

// Ran tells whether the script behind the classes has run.
func Ran(h *host.Host) bool {
	_, ran := h.Value(stateKey{}).(*bridge)
	return ran
}
