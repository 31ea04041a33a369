package worker

import (
	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/clone"
)

// Codec is the isolate's structured clone codec. Packages that know platform objects add themselves to it as hosts
// when they are installed.
func (iso *Isolate) Codec() *structured.Codec { return clone.Codec(iso.Host) }
